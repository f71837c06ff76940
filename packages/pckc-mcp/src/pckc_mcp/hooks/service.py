"""
Recall for a hook where a server keeps the truth: the same questions, asked through the canonical store alone.

The engine is not opened: it would look into the work tree and load the rules of every use case.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from pckc_adapters_sqlite.belief_probe import ClaimRow, SaidRow, unclaimed
from pckc_adapters_sqlite.shelf import LooseTexts, Part, scratch
from pckc_domain.model.belief import ClaimFilter, EvidenceFilter, StoredClaim
from pckc_domain.model.claim import VISIBLE, Claim, ClaimStatus
from pckc_domain.model.identity import content_id
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.policy.evidence import SUB_AGENT

from pckc_mcp.clock import SystemClock
from pckc_mcp.config import load_config
from pckc_mcp.hooks.recall import Recalled
from pckc_mcp.plugins import open_canonical

if TYPE_CHECKING:  # it names every repository there is
    from pckc_domain.ports.canonical import UnitOfWork

MAX_COUNTED = 200
"""So many matches of a part are looked at."""

_SAID = EvidenceFilter(kinds=frozenset({EventKind.PROMPT, EventKind.ANNOTATION}))


def recalled_by_service(
    root: Path,
    project: str,
    branches: Iterable[str],
    choose: "Callable[[ServiceBeliefs], list[Recalled]]",
    asking: tuple[str, str],
) -> list[Recalled]:
    """
    Return what *choose* chooses of what *project*, whose work tree is at *root*, holds on these *branches*.

    *asking* is a host and a session of it, which knows what was said in it.

    Raises:
        PckcError: The server cannot be asked.
    """
    config = load_config(root)
    scope = Scope(tenant=config.tenant, project=project)
    with (
        open_canonical(config.slots["canonical"], {}, tenant=config.tenant) as canonical,
        canonical.reading(scope) as work,
        scratch() as connection,
    ):
        session = content_id("session", scope.tenant, scope.project, *asking)
        return choose(ServiceBeliefs(work, connection, frozenset(branches), session))


class ServiceBeliefs:
    """The current claims of one scope, by parts, and what was said; see `BeliefProbe`. What files say is left out."""

    written = None

    def __init__(
        self, work: "UnitOfWork", connection: sqlite3.Connection, branches: frozenset[str], session: str = ""
    ) -> None:
        self.said = ServiceSaid(work, self, connection, session)
        self._work = work
        self._connection = connection
        self._where = ClaimFilter(
            governance=VISIBLE,
            statuses=frozenset({ClaimStatus.VERIFIED, ClaimStatus.CONTESTED}),
            valid_at=SystemClock().now(),
        )
        self._branches = branches
        self._keys: dict[str, int] = {}
        self._many: dict[Part, int] = {}
        self._found = LooseTexts(connection, {})

    @property
    def claims(self) -> "ServiceBeliefs":
        """They are all that there is."""
        return self

    def size(self) -> int:
        """Return how many claims there are."""
        return sum(self._work.census.claims().values())

    def count(self, part: Part, /) -> int:
        """Return how many current claims match *part*, at most `MAX_COUNTED`."""
        if part not in self._many:
            self._many[part] = len(self._search([part], MAX_COUNTED))
        return self._many[part]

    def best(self, counted: Sequence[tuple[int, Part]], /, *, limit: int) -> list[ClaimRow]:
        """Return the best matches of parts, each with its count."""
        return self.like([part for count, part in counted if count], limit=limit)

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the claims with these *keys*, those found last, match *part*."""
        return self._found.among(part).intersection(keys)

    def like(self, parts: Sequence[Part], /, *, limit: int) -> list[ClaimRow]:
        """Return the best matches of *parts*."""
        found = self._search(parts, limit)
        self._found = LooseTexts(self._connection, {self._key(one): _searched(one.claim) for one in found})
        return self._rows(found)

    def standing(self, *, limit: int) -> list[ClaimRow]:
        """Return standing rules, the newest first."""
        found = self._work.claims.find(where=attrs.evolve(self._where, is_standing=True), limit=limit)
        rows = self._rows([stored for stored in found if self._counts(stored)])
        return sorted(rows, key=lambda row: (-row.valid_from_us, row.id))

    def _search(self, parts: Sequence[Part], limit: int) -> list[StoredClaim]:
        query = _query(parts)
        hits = [] if query.is_empty else self._work.claims.search(query, where=self._where, limit=limit)
        return [hit.stored for hit in hits if self._counts(hit.stored)]

    def _counts(self, stored: StoredClaim) -> bool:
        claim = stored.claim
        if claim.authority not in DURABLE:
            return False
        return bool(claim.session_id) or not self._branches or (claim.branch.name or "") in self._branches

    def _key(self, stored: StoredClaim) -> int:
        return self._keys.setdefault(stored.claim.id, len(self._keys) + 1)

    def _rows(self, found: Sequence[StoredClaim]) -> list[ClaimRow]:
        proofs = self._work.proofs.of([stored.claim.id for stored in found])
        return [
            self._row(stored, next((one.source_ref for one in proofs.get(stored.claim.id, ())), "")) for stored in found
        ]

    def _row(self, stored: StoredClaim, proof: str) -> ClaimRow:
        claim = stored.claim
        return ClaimRow(
            key=self._key(stored),
            id=claim.id,
            type=claim.type,
            status=claim.status,
            status_reason=claim.status_reason,
            authority=claim.authority,
            is_standing=claim.is_standing,
            valid_from_us=int(claim.valid_from.timestamp() * 1e6),
            text=claim.text,
            is_said=bool(claim.session_id),
            place=f"{claim.path}\n{claim.subject}\n{claim.attribute}",
            branch=claim.branch.name or "",
            proof=proof,
        )


class ServiceSaid:
    """
    What people said in other sessions than *session*, as far as no claim was made of it; see `SaidShelf`.

    How rare a part is, *claims* say: they were counted already, and each question to a server is waited for.
    """

    def __init__(
        self, work: "UnitOfWork", claims: ServiceBeliefs, connection: sqlite3.Connection, session: str
    ) -> None:
        self._work = work
        self._claims = claims
        self._connection = connection
        self._session = session
        self._found = LooseTexts(connection, {})

    def size(self) -> int:
        """Return how many claims there are."""
        return self._claims.size()

    def count(self, part: Part, /) -> int:
        """Return how many current claims match *part*, 1 for none: what was said may."""
        return max(self._claims.count(part), 1)

    def best(self, counted: Sequence[tuple[int, Part]], /, *, limit: int) -> list[SaidRow]:
        """Return the best matches of parts, each with its count, as far as something is left of them."""
        return self.like([part for _, part in counted], limit=limit)

    def like(self, parts: Sequence[Part], /, *, limit: int) -> list[SaidRow]:
        """Return the best matches of *parts*, as far as something is left of them."""
        found = [
            one
            for one in self._search(parts, limit)
            if one.speaker != SUB_AGENT and one.session_id != self._session and not one.text.rstrip().endswith("?")
        ]
        proofs = self._proofs({one.session_id for one in found})
        rows = [_said_row(key, one, proofs.get(one.event_id, ())) for key, one in enumerate(found, start=1)]
        rows = [row for row in rows if row.text]
        self._found = LooseTexts(self._connection, {row.key: row.text for row in rows})
        return rows

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the texts with these *keys*, those found last, match *part* by what is left of them."""
        return self._found.among(part).intersection(keys)

    def _search(self, parts: Sequence[Part], limit: int) -> list[Evidence]:
        query = _query(parts)
        hits = [] if query.is_empty else self._work.evidence.search(query, where=_SAID, limit=limit)
        return [hit.evidence for hit in hits]

    def _proofs(self, sessions: Collection[str]) -> dict[str, list[str]]:
        """Return by event the locators of all that claims, of whatever standing, were made of."""
        locators: dict[str, list[str]] = {}
        for by_slot in self._work.assertions.of_owners(sessions).values():
            for one in chain.from_iterable(by_slot.values()):
                locators.setdefault(one.claim.event_id, []).append(one.proof.source_ref)
        return locators


def _searched(claim: Claim) -> str:
    """Return the words of a claim that searches look at."""
    return "\n".join([claim.text, claim.subject, claim.attribute, claim.value])


def _said_row(key: int, said: Evidence, proofs: Iterable[str]) -> SaidRow:
    place = f"session:{said.session_id}#{said.seq}"
    return SaidRow(
        key=key,
        id=said.id,
        time_us=int(said.time.timestamp() * 1e6) if said.time else 0,
        speaker=said.speaker,
        text=unclaimed(said.text, place, said.start, proofs),
        proof=place,
    )


def _query(parts: Sequence[Part]) -> LexicalQuery:
    return LexicalQuery(
        words=tuple(part.text for part in parts if part.kind == "word"),
        phrases=tuple(tuple(part.text.split()) for part in parts if part.kind == "phrase"),
        names=tuple(tuple(part.text.split()) for part in parts if part.kind == "name"),
        terms=tuple(part.text for part in parts if part.kind == "term"),
    )
