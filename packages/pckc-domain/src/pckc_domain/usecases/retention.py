"""Erase what has outlived its use, so that everything else stays believed as it was."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import Assertion, Beliefs, Claim, Governance
from pckc_domain.model.document import Document
from pckc_domain.model.passage import Proposition
from pckc_domain.model.retention import Outlived, RetentionRules
from pckc_domain.model.scope import Scope
from pckc_domain.policy.curation import source_of
from pckc_domain.policy.retention import (
    began,
    is_rest,
    kind_of,
    outlived,
    protects,
    replaced_at,
    said_by,
)
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock
from pckc_domain.usecases.forget_curated import owners_of
from pckc_domain.usecases.infer import forget_inferences
from pckc_domain.usecases.meeting import gather
from pckc_domain.usecases.settling import beliefs_of, settle

PAGE = 200
"""Slots that are settled again in one transaction."""


@attrs.frozen(kw_only=True)
class OutlivedGroup:
    """
    What is of no use any more for one reason.

    Attributes:
        kind: Why.
        days: How many days it is kept.
        count: How many claims or versions may go.
        oldest: Since when the oldest of them is what it is; ``None`` when there is none.
        kept: How many stay though they are old: something else that is believed rests on them.
    """

    kind: Outlived
    days: int
    count: int = 0
    oldest: datetime | None = None
    kept: int = 0


@attrs.frozen(kw_only=True)
class RetentionReport:
    """
    What may go, or has gone.

    Attributes:
        groups: One for each `Outlived`, in their order.
        protected: Types that are kept for good.
    """

    groups: tuple[OutlivedGroup, ...]
    protected: tuple[str, ...]

    @property
    def count(self) -> int:
        """How much it is in all."""
        return sum(group.count for group in self.groups)


class Retention:
    """
    Finds and erases what is no belief any more.

    A claim goes with all that asserts it; the words that were said stay, as evidence. It stays when anything else in
    its slot would be believed otherwise without it. Deriving its session anew brings it back until the next run, or as
    one more proof of what somebody else said since.
    """

    def __init__(self, canonical: Canonical, clock: Clock, rules: RetentionRules) -> None:
        self._canonical = canonical
        self._clock = clock
        self._rules = rules

    def report(self, scope: Scope) -> RetentionReport:
        """Return what may go."""
        tally = _Tally()
        now = self._clock.now()
        with self._canonical.reading(scope) as work:
            for slots in self._candidates(work, now):
                for each in self._outlived(work, slots, now):
                    tally.take(each)
            for version, since in self._versions(work, now):
                tally.add(Outlived.VERSION, since, version.id)
        return tally.report(self._rules)

    def apply(self, scope: Scope) -> RetentionReport:
        """Erase what may go and return it; the store gives its space back when it is compacted."""
        tally = _Tally()
        now = self._clock.now()
        with self._canonical.reading(scope) as work:
            candidates = list(self._candidates(work, now))
            versions = list(self._versions(work, now))
        for slots in candidates:
            with self._canonical.writing(scope) as work:
                found = self._outlived(work, slots, now)
                _erase(work, found)
            for each in found:
                tally.take(each)
        for start in range(0, len(versions), PAGE):
            batch = versions[start : start + PAGE]
            with self._canonical.writing(scope) as work:
                known = work.documents.get([version.id for version, _ in batch])
                stale = {document.id for document in known if document.is_stale}
                work.documents.remove(sorted(stale))
            for version, since in batch:
                if version.id in stale:
                    tally.add(Outlived.VERSION, since, version.id)
        return tally.report(self._rules)

    def _candidates(self, work: UnitOfWork, now: datetime) -> Iterator[Sequence[str]]:
        """Yield the slots of claims that are old enough, some at a time, those of one session together."""
        where = ClaimFilter(governance=frozenset({Governance.ACTIVE}), is_said=True)
        slots: dict[str, str] = {}
        after = ""
        while page := work.claims.find(where=where, after=after, limit=PAGE):
            after = page[-1].claim.id
            old = (stored for stored in page if self._why(work, stored.claim, now))
            slots |= {stored.slot: stored.claim.session_id or stored.claim.document_id for stored in old}
        ordered = sorted(slots, key=lambda slot: (slots[slot], slot))
        yield from (ordered[start : start + PAGE] for start in range(0, len(ordered), PAGE))

    def _outlived(self, work: UnitOfWork, slots: Sequence[str], now: datetime) -> "list[_Slot]":
        """Return what may go of these slots, and what must stay for the sake of the rest."""
        by_slot = _by_slot(work, slots)
        gathered = gather(work, slots)
        before = beliefs_of(work, gathered)
        found = []
        for slot in slots:
            why = {one.id: kind for one in by_slot.get(slot, ()) if (kind := self._why(work, one, now))}
            own = before.get(slot, Beliefs())
            going = said_by(why, own, gathered.by_slot.get(slot, ()))
            found.append(
                _Slot(
                    slot=slot,
                    why=why,
                    since={one.id: _began(work, one) for one in by_slot.get(slot, ()) if one.id in why},
                    going=tuple(going),
                )
            )
        gone = {(one.claim.id, one.proof.source_ref) for each in found for one in each.going}
        left = {
            slot: [one for one in all_ if (one.claim.id, one.proof.source_ref) not in gone]
            for slot, all_ in gathered.by_slot.items()
        }
        after = beliefs_of(work, attrs.evolve(gathered, by_slot=left))
        return [
            attrs.evolve(
                each,
                is_needed=not is_rest(after.get(each.slot, Beliefs()), before.get(each.slot, Beliefs()), each.why),
            )
            for each in found
        ]

    def _why(self, work: UnitOfWork, claim: Claim, now: datetime) -> Outlived | None:
        if kind_of(claim) is None:
            return None
        return outlived(claim, _began(work, claim), now, self._rules)

    def _versions(self, work: UnitOfWork, now: datetime) -> Iterator[tuple[Document, datetime]]:
        """Yield versions of files that no work tree holds, old enough, with when they were replaced."""
        paths: dict[str, list[Document]] = {}
        after = ""
        while page := work.inventory.documents(after=after, limit=PAGE):
            after = page[-1].document.id
            for held in page:
                if held.was_held:
                    paths.setdefault(held.document.uri, []).append(held.document)
        for versions in paths.values():
            for version in (one for one in versions if one.is_stale):
                since = replaced_at(version, versions)
                is_old = (now - since).days >= self._rules.days(Outlived.VERSION)
                if is_old and not protects(
                    _propositions(work, [version]),
                    _propositions(work, [one for one in versions if not one.is_stale]),
                    self._rules,
                ):
                    yield version, since


@attrs.frozen(kw_only=True)
class _Slot:
    """
    What is old in one slot.

    Attributes:
        slot: Its key.
        why: Claim id to why it is of no use.
        since: Claim id to since when.
        going: The assertions that make these claims.
        is_needed: Something else rests on them: they stay.
    """

    slot: str
    why: Mapping[str, Outlived]
    since: Mapping[str, datetime | None]
    going: tuple[Assertion, ...]
    is_needed: bool = False


def _erase(work: UnitOfWork, found: Sequence[_Slot]) -> None:
    """Take back these claims and settle what remains."""
    going = [one for each in found if not each.is_needed for one in each.going]
    claims = sorted({claim_id for each in found if not each.is_needed for claim_id in each.why})
    if not claims:
        return
    gone = {(one.claim.id, one.proof.source_ref) for one in going}
    owners = {one.claim.session_id for one in going} - {""}
    owners |= {owner for one in going if (uri := source_of(one.proof)) for owner in owners_of(work, uri)}
    slots = {each.slot for each in found if not each.is_needed}
    for owner_id, by_slot in work.assertions.of_owners(owners).items():
        kept = {
            slot: [one for one in own if (one.claim.id, one.proof.source_ref) not in gone]
            for slot, own in by_slot.items()
        }
        slots |= work.assertions.replace(owner_id, kept)
    verdicts = work.verdicts.of(set(claims))
    judged = {claim_id for one in verdicts for claim_id in (one.claim_id, one.other_id)} - set(claims) - {""}
    work.verdicts.remove(claims)
    settle(work, slots | {stored.slot for stored in work.claims.get(sorted(judged))})
    forget_inferences(work)


def _by_slot(work: UnitOfWork, slots: Sequence[str]) -> Mapping[str, Sequence[Claim]]:
    """Return the claims of these slots as they are stored, with what checks of their proofs found."""
    found: dict[str, list[Claim]] = {}
    stored: Sequence[StoredClaim]
    after = ""
    while stored := work.claims.find(where=ClaimFilter(slots=frozenset(slots)), after=after, limit=PAGE):
        after = stored[-1].claim.id
        for each in stored:
            found.setdefault(each.slot, []).append(each.claim)
    return found


def _began(work: UnitOfWork, claim: Claim) -> datetime | None:
    newest = None
    if claim.document_id:
        read_from = work.documents.get([claim.document_id])
        versions = work.documents.at(read_from[0].uri) if read_from else ()
        newest = max((one.indexed_at for one in versions), default=None)
    return began(claim, newest)


def _propositions(work: UnitOfWork, documents: Sequence[Document]) -> list[Proposition]:
    stored = work.passages.of_documents([document.id for document in documents])
    return [one.passage for one in stored if isinstance(one.passage, Proposition)]


class _Tally:
    """Counts by reason."""

    def __init__(self) -> None:
        self._count: Counter[Outlived] = Counter()
        self._kept: Counter[Outlived] = Counter()
        self._oldest: dict[Outlived, datetime] = {}
        self._seen: set[str] = set()

    def take(self, each: _Slot) -> None:
        for claim_id, kind in each.why.items():
            if each.is_needed:
                self._kept[kind] += 1
            else:
                self.add(kind, each.since[claim_id], claim_id)

    def add(self, kind: Outlived, since: datetime | None, identity: str) -> None:
        if identity in self._seen:
            return
        self._seen.add(identity)
        self._count[kind] += 1
        if since is not None:
            self._oldest[kind] = min(since, self._oldest.get(kind, since))

    def report(self, rules: RetentionRules) -> RetentionReport:
        return RetentionReport(
            groups=tuple(
                OutlivedGroup(
                    kind=kind,
                    days=rules.days(kind),
                    count=self._count[kind],
                    oldest=self._oldest.get(kind),
                    kept=self._kept[kind],
                )
                for kind in Outlived
            ),
            protected=tuple(sorted(rules.protected)),
        )
