"""
What the assertions of one slot amount to.

A pure fold in order of event time: the same assertions give the same beliefs, whatever the order they were imported in.
A store keeps the assertions as they were made, and asks again whenever a slot gains or loses one.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.claim import (
    Assertion,
    Beliefs,
    Claim,
    ClaimStatus,
    ClaimType,
    Governance,
    GovernanceAct,
    Link,
    LinkKind,
    Polarity,
)
from pckc_domain.model.fact import Place
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.policy.bug_likeness import is_meant, same_topic, shared_words
from pckc_domain.policy.changes import IN_USE, Leaving, ends_with, version_told
from pckc_domain.policy.green_runs import GREEN
from pckc_domain.policy.reconcile.bearing import (
    EACH_ITS_OWN,
    confirms,
    excludes,
    fixes,
    replaces,
    says_same,
    supports,
    tells_more,
)
from pckc_domain.policy.reconcile.entries import Entry, as_candidate, believed, confirm, entry_of, own_proofs
from pckc_domain.policy.revocations import casts_doubt, ends
from pckc_domain.policy.slots import branch_name
from pckc_domain.policy.subjects import value_key
from pckc_domain.policy.version_ranges import same_version


def settle_slot(
    assertions: Iterable[Assertion],
    acts: Sequence[GovernanceAct] = (),
    left: Iterable[Leaving] = (),
    *,
    met: Mapping[str, Place] | None = None,
) -> Beliefs:
    """
    Return what *assertions* of one slot amount to; any order gives the same answer, and so does one given twice.

    Args:
        assertions: All of one slot, with the authority that the belief gate gave them.
        acts: Governance of claims of this slot, any order. A rejected claim takes no part, nor do restatements of it
            that are not newer than the rejection; a pinned one is contested, never closed.
        left: When things that claims of this slot may speak of became past, any order; see `changes.leavings`.
        met: By claim id, the place whose repository facts a session's claim speaks of; see `meeting.place_met`.

    Returns:
        One claim per value and stretch of time, with the proofs of all who said so, and how the claims bear on each
        other. Claims that nobody may rely on (`model_inferred`) stay candidates and move nothing.
    """
    unique: dict[str, Assertion] = {}
    ordered = [
        unique.setdefault(assertion.claim.id, assertion)
        for assertion in sorted(assertions, key=_when)
        if assertion.claim.id not in unique
    ]
    governance = _governance(acts)
    ordered = _without_rejected(ordered, governance)
    durable = _Fold(governance, met or {})
    candidates = _Fold(governance, met or {})
    ends = sorted(left, key=lambda one: (one.at, one.claim_id), reverse=True)
    for assertion in ordered:
        while ends and ends[-1].at < assertion.proof.observed_at:
            durable.leave(ends.pop())
        (durable if assertion.claim.authority in DURABLE else candidates).add(assertion)
    for leaving in reversed(ends):
        durable.leave(leaving)
    durable.absorb(candidates)
    return durable.beliefs()


def _when(assertion: Assertion) -> tuple[datetime, str, int, int, str, datetime]:
    claim = assertion.claim
    said_at = assertion.proof.observed_at
    return said_at, claim.session_id, assertion.seq, assertion.start, claim.id, claim.recorded_at


def _governance(acts: Sequence[GovernanceAct]) -> dict[str, GovernanceAct]:
    """Return the last act of each claim."""
    ordered = sorted(acts, key=lambda act: (act.claim_id, act.at))
    return {act.claim_id: act for act in ordered}


def _without_rejected(ordered: list[Assertion], governance: dict[str, GovernanceAct]) -> list[Assertion]:
    if not governance:
        return ordered
    rejected = [
        (_content(assertion.claim), governance[assertion.claim.id].at)
        for assertion in ordered
        if assertion.claim.id in governance and governance[assertion.claim.id].after is Governance.REJECTED
    ]
    return [
        assertion
        for assertion in ordered
        if not any(
            _content(assertion.claim) == content and assertion.proof.observed_at <= at for content, at in rejected
        )
    ]


def _content(claim: Claim) -> tuple[str, str, Polarity, bool]:
    return value_key(claim.value), claim.condition, claim.polarity, claim.type in EACH_ITS_OWN


class _Fold:
    """The state of one slot while its assertions pass by in order of event time."""

    def __init__(self, governance: dict[str, GovernanceAct], met: Mapping[str, Place]) -> None:
        self.entries: list[Entry] = []
        self._met = met
        self._links: dict[tuple[str, str, LinkKind], Link] = {}
        self._governance = governance

    def add(self, assertion: Assertion) -> None:
        claim_id = assertion.claim.id
        new = entry_of(assertion, self._governance.get(claim_id), self._met.get(claim_id))
        if same := self._open_same(new):
            confirm(same, new)
            new.claim, new.opponents, new.place = same.claim, same.opponents, same.place
            self._meet_others(same, new)
            return
        self.entries.append(new)
        self._meet_others(new, new)

    def leave(self, leaving: Leaving) -> None:
        """Close what was said before of a thing that is past, and doubt a rule that a permission narrows."""
        for entry in self.entries:
            if entry.is_closed or entry.said_at >= leaving.at:
                continue
            if entry.claim.governance is not Governance.PINNED and _is_of(entry.claim, leaving):
                entry.is_closed = True
                entry.claim = attrs.evolve(
                    entry.claim,
                    valid_to=max(entry.claim.valid_from, leaving.at),
                    superseded_by=leaving.claim_id,
                )
                if leaving.revocation:
                    self._put(_linked(leaving.claim_id, entry.claim.id, LinkKind.SUPERSEDES))
            elif leaving.revocation and casts_doubt(leaving.revocation, entry.claim):
                entry.doubted_by = leaving.revocation

    def absorb(self, candidates: "_Fold") -> None:
        """Take in candidates: as proofs of the durable claims that say the same, or else as candidates."""
        durable = tuple(self.entries)
        names: dict[str, str] = {}
        for candidate in candidates.entries:
            if same := next((entry for entry in durable if confirms(entry, candidate)), None):
                same.proofs += candidate.proofs
                names[candidate.claim.id] = same.claim.id
            else:
                self.entries.append(candidate)
        for candidate in self.entries[len(durable) :]:
            is_opposed = any(not entry.is_closed and excludes(entry, candidate) for entry in durable)
            by = candidate.claim.superseded_by
            candidate.claim = as_candidate(candidate, is_opposed=is_opposed, superseded_by=names.get(by, by))
        for link in candidates.links():
            if link.target_id not in names and link.kind is not LinkKind.CONTRADICTS:  # a candidate casts no doubt
                self._put(attrs.evolve(link, source_id=names.get(link.source_id, link.source_id)))

    def links(self) -> tuple[Link, ...]:
        return tuple(self._links[key] for key in sorted(self._links))

    def beliefs(self) -> Beliefs:
        self._qualify()
        for entry in self.entries:
            if entry.doubted_by and not entry.is_closed:
                self._put(_linked(entry.doubted_by.id, entry.claim.id, LinkKind.CONTRADICTS))
        entries = sorted(self.entries, key=lambda entry: (entry.said_at, entry.claim.id))
        return Beliefs(
            claims=tuple(believed(entry) for entry in entries),
            proofs=tuple(proof for entry in entries for proof in own_proofs(entry)),
            links=self.links(),
        )

    def _open_same(self, new: Entry) -> Entry | None:
        return next((entry for entry in self.entries if not entry.is_closed and says_same(entry, new)), None)

    def _meet_others(self, entry: Entry, new: Entry) -> None:
        """Let what *new* says close or contest the other open claims; *entry* stands for it from now on."""
        for other in self.entries:
            if other is entry or other.is_closed:
                continue
            if fixes(new, other):
                if self._may_fix(new, other):
                    self._close(other, entry, LinkKind.FIXES)
            elif tells_more(new, other):
                if replaces(new, other):
                    self._close(other, entry, LinkKind.SUPERSEDES)
            elif excludes(other, new):
                if replaces(new, other):
                    self._close(other, entry, LinkKind.SUPERSEDES)
                elif other not in entry.opponents:
                    entry.opponents.append(other)
                    other.opponents.append(entry)
                    self._link(entry, other, LinkKind.CONTRADICTS)
            elif supports(other, new):
                self._support(*((other, entry) if other.fact else (entry, other)))

    def _support(self, fact: Entry, said: Entry) -> None:
        """Note that a range of versions in the repository holds the version that was said."""
        said.supporters.append(fact)
        self._link(fact, said, LinkKind.CONFIRMS)

    def _may_fix(self, fix: Entry, bug: Entry) -> bool:
        """Whether *fix* is of this *bug*: the only open one that it may mean, or one of the same topic."""
        if bug.claim.governance is Governance.PINNED:
            return False
        open_bugs = [one for one in self.entries if one.claim.type is ClaimType.BUG and not one.is_closed]
        named = [one for one in open_bugs if shared_words(fix.claim, one.claim)] or open_bugs
        return named == [bug] or same_topic(fix.claim, bug.claim)

    def _close(self, old: Entry, new: Entry, kind: LinkKind) -> None:
        old.is_closed = True
        if new.fact or old.fact:  # once the file says so too, there never was a dispute
            self._links.pop((new.claim.id, old.claim.id, LinkKind.CONTRADICTS), None)
        old.claim = attrs.evolve(
            old.claim, valid_to=max(old.claim.valid_from, new.claim.valid_from), superseded_by=new.claim.id
        )
        self._link(new, old, kind)

    def _link(self, source: Entry, target: Entry, kind: LinkKind) -> None:
        self._put(_linked(source.claim.id, target.claim.id, kind))

    def _put(self, link: Link) -> None:
        self._links[link.source_id, link.target_id, link.kind] = link

    def _qualify(self) -> None:
        """Link each limited claim to the unlimited ones that it narrows."""
        standing = [entry for entry in self.entries if not entry.is_closed]
        broad = [entry for entry in standing if not entry.claim.condition]
        for narrow in standing:
            if narrow.claim.condition and narrow.claim.type not in EACH_ITS_OWN:
                for entry in broad:
                    if entry.claim.status is not ClaimStatus.CANDIDATE or narrow.claim.status is ClaimStatus.CANDIDATE:
                        self._link(narrow, entry, LinkKind.QUALIFIES)


def _linked(source_id: str, target_id: str, kind: LinkKind) -> Link:
    rule = f"reconcile.{kind.value}"
    return Link(source_id=source_id, target_id=target_id, kind=kind, confidence=1.0, source_rule=rule)


def _is_of(claim: Claim, leaving: Leaving) -> bool:
    """Whether *claim* speaks of what is past."""
    if leaving.revocation:
        return ends(leaving.revocation, claim)
    if leaving.fix:
        return claim.type is ClaimType.BUG and is_meant(claim, leaving.fix)
    if leaving.version:
        name, version = version_told(claim)
        is_other = name == leaving.thing and not same_version(version, leaving.version)
        return is_other and (claim.type is ClaimType.FACT or leaving.is_change)
    is_there = leaving.branch is None or branch_name(leaving.branch) == branch_name(claim.branch)
    things = (thing for thing, attribute in ends_with(claim) if attribute in {IN_USE, GREEN})
    return is_there and any(thing == leaving.thing or thing.startswith(f"{leaving.thing} ") for thing in things)
