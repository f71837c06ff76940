"""A small world where sessions speak and files change, for tests of repository facts on any store."""

from collections.abc import Sequence
from datetime import timedelta

import attrs

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim, ClaimStatus, Link, LinkKind
from pckc_domain.model.identity import content_id
from pckc_domain.model.proof import Proof, ProofType, RepositoryLocator, VerificationStatus, parse_locator
from pckc_domain.model.scope import MAINLINE_NAMES, Branch, BranchScope
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.conversations import SCOPE
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.index import Indexer, IndexReport
from pckc_domain.usecases.remember import Deriver, prepare_event
from pckc_domain.usecases.settling import settle

ROOT = "/project"
EVERYTHING = 100_000

_KINDS = {"user": EventKind.PROMPT, "agent": EventKind.AGENT_MESSAGE, "edit": EventKind.FILE_CHANGE}


class FactWorld:
    """
    Sessions and a work tree over one store; every step happens an hour after the one before.

    Steps are lines: ``user WORDS``, ``agent WORDS``, ``edit PATH LINES`` (an agent changes the file, as its session
    tells), ``file PATH LINES`` (the file is so, and indexed), ``gone PATH``, ``branch NAME``.
    """

    def __init__(self, canonical: Canonical) -> None:
        self.canonical = canonical
        self.clock = FixedClock()
        self.tree = MemoryRepository({}, root=ROOT)
        self._said = 0

    def play(self, steps: Sequence[str]) -> None:
        """Let these steps happen in order."""
        for step in steps:
            self.clock.advance(timedelta(hours=1))
            verb, _, rest = step.partition(" ")
            if verb == "branch":
                self.tree.branch = branch(rest)
            elif verb == "file":
                path, _, lines = rest.partition(" ")
                self.tree.write(path, f"{lines}\n".encode())
                self.index()
            elif verb == "gone":
                self.tree.remove(rest)
                self.index()
            else:
                path, _, lines = rest.partition(" ") if verb == "edit" else ("", "", rest)
                self.say(_KINDS[verb], lines, path=path)

    def index(self) -> IndexReport:
        """Bring the index up to date."""
        return Indexer(self.canonical, self.tree, self.clock).run(SCOPE)

    def say(self, kind: EventKind, text: str, *, path: str = "") -> str:
        """Store and derive a session of one event, on the branch of the work tree, and return its id."""
        self._said += 1
        now, name = self.clock.now(), f"s{self._said}"
        session = Session(
            id=content_id("session", SCOPE.project, name),
            source_id=name,
            host="plain",
            started_at=now,
            ended_at=now,
            cwd=ROOT,
            branch=self.tree.branch,
        )
        event = Event(
            id=content_id("event", name),
            session_id=session.id,
            seq=0,
            kind=kind,
            time=now,
            text=text,
            path=path,
            source_id=f"{name}:0",
        )
        with self.canonical.writing(SCOPE) as work:
            work.sessions.put(session, [prepare_event(event)])
        Deriver(self.canonical, self.clock).run(SCOPE)
        return session.id

    def forget(self, session_id: str) -> None:
        """Forget a session."""
        with self.canonical.writing(SCOPE) as work:
            settle(work, work.sessions.remove([session_id]))

    def claims(self) -> list["Known"]:
        """Return all claims with what bears on them, the newest first."""
        with self.canonical.reading(SCOPE) as work:
            stored = work.claims.find(where=ClaimFilter(), limit=EVERYTHING)
            ids = [item.claim.id for item in stored]
            proofs, links = work.proofs.of(ids), work.links.of(ids)
        by_id = {item.claim.id: item.claim for item in stored}
        known = [
            Known(
                claim=item.claim,
                slot=item.slot,
                proofs=tuple(proofs.get(item.claim.id, ())),
                links=tuple(link for link in links if item.claim.id in (link.source_id, link.target_id)),
                successor=by_id.get(item.claim.superseded_by),
            )
            for item in stored
        ]
        return sorted(known, key=lambda one: (one.claim.valid_from, one.claim.id), reverse=True)

    def outcomes(self, words: str) -> list[str]:
        """Return what became of the claims with *words* in their text, the newest first."""
        return [known.outcome for known in self.claims() if words in known.claim.text]

    def set_now(self) -> frozenset[tuple[str, str, str, str, str]]:
        """Return branch, path, subject, attribute and value of all that the repository sets, as its assertions tell."""
        with self.canonical.reading(SCOPE) as work:
            paths = {entry.path for one in work.manifest.checkouts() for entry in work.manifest.entries(one.id)}
            places = [place for path in sorted(paths) for place in work.facts.at(path) if place.is_live]
            asserted = work.assertions.of_slots([place.slot for place in places])
        claims = [(place, asserted[place.slot][-1].claim) for place in places]
        return frozenset((p.place.branch, p.place.path, c.subject, c.attribute, c.value) for p, c in claims)

    def shown(self) -> frozenset[tuple[str, int]]:
        """Return path and line of all that proves open claims, none of them stale."""
        open_claims = (one for one in self.claims() if one.outcome not in ("superseded", "stale"))
        proofs = (proof for one in open_claims for proof in one.proofs)
        places = (parse_locator(one.source_ref) for one in proofs if one.verification is VerificationStatus.VERIFIED)
        return frozenset((place.path, place.start_line) for place in places if isinstance(place, RepositoryLocator))


def branch(name: str) -> Branch:
    """Return the provenance of what is seen on the branch *name*."""
    scope = BranchScope.MAINLINE if name in MAINLINE_NAMES else BranchScope.CURRENT
    return Branch(name=name, scope=scope, source_revision="worktree")


@attrs.frozen(kw_only=True)
class Known:
    """A claim and what bears on it."""

    claim: Claim
    slot: str
    proofs: tuple[Proof, ...]
    links: tuple[Link, ...]
    successor: Claim | None

    @property
    def outcome(self) -> str:
        """
        What became of the claim.

        ``superseded``, ``stale``, ``contested`` and ``candidate`` say themselves; ``confirmed`` has proofs of both
        sides, ``allowed`` lies in a range that the repository sets, ``alone`` has met nothing of the other side.
        """
        if self.claim.valid_to is not None:
            return "superseded"
        if self.claim.status is not ClaimStatus.VERIFIED:
            return str(self.claim.status)
        if any(link.kind is LinkKind.CONFIRMS for link in self.links):
            return "allowed"
        kinds = {proof.type is ProofType.REPOSITORY for proof in self.proofs}
        return "confirmed" if len(kinds) == 2 else "alone"
