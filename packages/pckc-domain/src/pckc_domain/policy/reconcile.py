"""
What the assertions of one slot amount to.

A pure fold in order of event time: the same assertions give the same beliefs, whatever the order they were imported in.
A store keeps the assertions as they were made, and asks again whenever a slot gains or loses one.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

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
from pckc_domain.model.identity import content_id, normalize
from pckc_domain.model.proof import AuthorityClass, Proof, VerificationStatus
from pckc_domain.model.scope import MAINLINE_NAMES
from pckc_domain.policy.belief_gate import DURABLE, UNCONFIRMED
from pckc_domain.policy.changes import IN_USE, Leaving, names_as_left, thing_used
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subjects import subject_key, value_key
from pckc_domain.policy.vocabulary import COUNTABLE_RELATIVES

CANDIDATE_LIFETIME = timedelta(days=30)

STRENGTH = {
    AuthorityClass.REPOSITORY_DERIVED: 50,
    AuthorityClass.TEST_VERIFIED: 45,
    AuthorityClass.TOOL_VERIFIED: 40,
    AuthorityClass.USER_CONFIRMED: 35,
    AuthorityClass.SESSION_DERIVED: 20,
    AuthorityClass.MODEL_INFERRED: 0,
}
USER_WILL_STRENGTH = 55
"""A user's explicit decision or constraint: above all but a test that refutes it."""

OPPOSED = "said by a model against what holds"
CONTESTED = "another claim of no lower standing says otherwise"

_WILL = frozenset({ClaimType.DECISION, ClaimType.CONSTRAINT})
_EACH_ITS_OWN = frozenset({ClaimType.BUG, ClaimType.FIX, ClaimType.TASK, ClaimType.OPEN_QUESTION})
_BRANCH_BOUND = frozenset({ClaimType.FACT, ClaimType.IMPLEMENTATION_DETAIL})


def slot_key(claim: Claim) -> str:
    """
    Return the slot of *claim*: claims with equal keys are settled together.

    It is made of branch, subject and attribute. Statements about code belong to the branch they were seen on, the
    mainline being no branch; decisions, rules, work and what people say of themselves hold on all. A claim without
    subject or attribute has a slot of its own.
    """
    if not claim.subject or not claim.attribute:
        return content_id("slot", claim.id)
    name = claim.branch.name or ""
    is_bound = claim.type in _BRANCH_BOUND and bool(claim.path) and name not in MAINLINE_NAMES
    return _slot(name if is_bound else "", claim.subject, claim.attribute)


def usage_slot(thing: str) -> str:
    """Return the slot of whether *thing* is in use."""
    return _slot("", thing, IN_USE)


def _slot(branch: str, subject: str, attribute: str) -> str:
    return content_id("slot", branch, subject_key(subject), normalize(attribute))


def settle_slot(
    assertions: Iterable[Assertion], acts: Sequence[GovernanceAct] = (), left: Iterable[Leaving] = ()
) -> Beliefs:
    """
    Return what *assertions* of one slot amount to; any order gives the same answer, and so does one given twice.

    Args:
        assertions: All of one slot, with the authority that the belief gate gave them.
        acts: Governance of claims of this slot, any order. A rejected claim takes no part, nor do restatements of it
            that are not newer than the rejection; a pinned one is contested, never closed.
        left: When things that claims of this slot may speak of were left for good, any order; see `changes.leavings`.

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
    durable = _Fold(governance)
    candidates = _Fold(governance)
    ends = sorted(left, key=lambda one: (one.at, one.claim_id), reverse=True)
    for assertion in ordered:
        while ends and ends[-1].at < assertion.proof.observed_at:
            durable.leave(ends.pop())
        (durable if assertion.claim.authority in DURABLE else candidates).add(assertion)
    for leaving in reversed(ends):
        durable.leave(leaving)
    durable.absorb(candidates)
    return durable.beliefs()


def is_expired(claim: Claim, now: datetime) -> bool:
    """Return whether *claim* is a candidate that nobody confirmed within 30 days of being said."""
    return claim.status is ClaimStatus.CANDIDATE and now - claim.valid_from > CANDIDATE_LIFETIME


def holds(claim: Claim, at: datetime | None) -> bool:
    """Return whether *claim* holds at an instant; ``None`` means whenever nothing has closed it."""
    if at is None:
        return claim.valid_to is None
    return claim.valid_from <= at and (claim.valid_to is None or at < claim.valid_to)


def strength(authority: AuthorityClass, claim_type: ClaimType) -> int:
    """Return how much an assertion weighs against others in its slot."""
    if authority is AuthorityClass.USER_CONFIRMED and claim_type in _WILL:
        return USER_WILL_STRENGTH
    return STRENGTH[authority]


@attrs.define
class _Entry:
    """A claim in the making: its first assertion's claim, all proofs, and who stands against it."""

    claim: Claim
    proofs: list[Proof]
    authority: AuthorityClass
    strength: int
    said_at: datetime
    session_id: str
    value: str
    opponents: list["_Entry"] = attrs.field(factory=list, repr=False)
    is_closed: bool = False

    @property
    def is_contested(self) -> bool:
        return not self.is_closed and any(not opponent.is_closed for opponent in self.opponents)


class _Fold:
    """The state of one slot while its assertions pass by in order of event time."""

    def __init__(self, governance: dict[str, GovernanceAct]) -> None:
        self.entries: list[_Entry] = []
        self._links: dict[tuple[str, str, LinkKind], Link] = {}
        self._governance = governance

    def add(self, assertion: Assertion) -> None:
        new = self._entry(assertion)
        if same := self._open_same(new):
            _confirm(same, new)
            new.claim, new.opponents = same.claim, same.opponents
            self._meet_others(same, new)
            return
        self.entries.append(new)
        self._meet_others(new, new)

    def leave(self, leaving: Leaving) -> None:
        """Close what was said before of a thing that was left."""
        for entry in self.entries:
            is_said_before = entry.said_at < leaving.at and entry.claim.governance is not Governance.PINNED
            if not entry.is_closed and is_said_before and thing_used(entry.claim) == leaving.thing:
                entry.is_closed = True
                entry.claim = attrs.evolve(
                    entry.claim,
                    valid_to=max(entry.claim.valid_from, leaving.at),
                    superseded_by=leaving.claim_id,
                )

    def absorb(self, candidates: "_Fold") -> None:
        """Take in candidates: as proofs of the durable claims that say the same, or else as candidates."""
        durable = tuple(self.entries)
        names: dict[str, str] = {}
        for candidate in candidates.entries:
            if same := next((entry for entry in durable if _confirms(entry, candidate)), None):
                same.proofs += candidate.proofs
                names[candidate.claim.id] = same.claim.id
            else:
                self.entries.append(candidate)
        for candidate in self.entries[len(durable) :]:
            is_opposed = any(not entry.is_closed and _excludes(entry, candidate) for entry in durable)
            by = candidate.claim.superseded_by
            candidate.claim = attrs.evolve(
                candidate.claim,
                status=ClaimStatus.CANDIDATE,
                status_reason=OPPOSED if is_opposed else UNCONFIRMED,
                superseded_by=names.get(by, by),
            )
        for link in candidates.links():
            if link.target_id not in names and link.kind is not LinkKind.CONTRADICTS:  # a candidate casts no doubt
                self._put(attrs.evolve(link, source_id=names.get(link.source_id, link.source_id)))

    def links(self) -> tuple[Link, ...]:
        return tuple(self._links[key] for key in sorted(self._links))

    def beliefs(self) -> Beliefs:
        self._qualify()
        entries = sorted(self.entries, key=lambda entry: (entry.said_at, entry.claim.id))
        return Beliefs(
            claims=tuple(self._finished(entry) for entry in entries),
            proofs=tuple(proof for entry in entries for proof in _own_proofs(entry)),
            links=self.links(),
        )

    def _entry(self, assertion: Assertion) -> _Entry:
        claim = assertion.claim
        act = self._governance.get(claim.id)
        governance = act.after if act else Governance.ACTIVE
        return _Entry(
            claim=claim if claim.governance is governance else attrs.evolve(claim, governance=governance),
            proofs=[assertion.proof],
            authority=claim.authority,
            strength=strength(claim.authority, claim.type),
            said_at=assertion.proof.observed_at,
            session_id=claim.session_id,
            value=value_key(claim.value),
        )

    def _open_same(self, new: _Entry) -> _Entry | None:
        return next((entry for entry in self.entries if not entry.is_closed and _says_same(entry, new)), None)

    def _meet_others(self, entry: _Entry, new: _Entry) -> None:
        """Let what *new* says close or contest the other open claims; *entry* stands for it from now on."""
        for other in self.entries:
            if other is entry or other.is_closed:
                continue
            if _fixes(new, other):
                if self._may_fix(new, other):
                    self._close(other, entry, LinkKind.FIXES)
            elif _excludes(other, new):
                if _replaces(new, other):
                    self._close(other, entry, LinkKind.SUPERSEDES)
                elif other not in entry.opponents:
                    entry.opponents.append(other)
                    other.opponents.append(entry)
                    self._link(entry, other, LinkKind.CONTRADICTS)

    def _may_fix(self, fix: _Entry, bug: _Entry) -> bool:
        """Whether *fix* is of this *bug*: the only open one of its subject, or one of the same topic."""
        if bug.claim.governance is Governance.PINNED:
            return False
        open_bugs = [one for one in self.entries if one.claim.type is ClaimType.BUG and not one.is_closed]
        return len(open_bugs) == 1 or _same_topic(fix.claim, bug.claim)

    def _close(self, old: _Entry, new: _Entry, kind: LinkKind) -> None:
        old.is_closed = True
        old.claim = attrs.evolve(
            old.claim, valid_to=max(old.claim.valid_from, new.claim.valid_from), superseded_by=new.claim.id
        )
        self._link(new, old, kind)

    def _link(self, source: _Entry, target: _Entry, kind: LinkKind) -> None:
        self._put(
            Link(
                source_id=source.claim.id,
                target_id=target.claim.id,
                kind=kind,
                confidence=1.0,
                source_rule=f"reconcile.{kind.value}",
            )
        )

    def _put(self, link: Link) -> None:
        self._links[link.source_id, link.target_id, link.kind] = link

    def _qualify(self) -> None:
        """Link each limited claim to the unlimited ones that it narrows."""
        standing = [entry for entry in self.entries if not entry.is_closed]
        broad = [entry for entry in standing if not entry.claim.condition]
        for narrow in standing:
            if narrow.claim.condition and narrow.claim.type not in _EACH_ITS_OWN:
                for entry in broad:
                    if entry.claim.status is not ClaimStatus.CANDIDATE or narrow.claim.status is ClaimStatus.CANDIDATE:
                        self._link(narrow, entry, LinkKind.QUALIFIES)

    def _finished(self, entry: _Entry) -> Claim:
        claim = entry.claim
        if claim.authority not in DURABLE:
            return claim
        strongest = max(
            (proof.authority for proof in entry.proofs if proof.authority in DURABLE), key=lambda one: STRENGTH[one]
        )
        status, reason = ClaimStatus.VERIFIED, ""
        if entry.is_contested:
            status, reason = ClaimStatus.CONTESTED, CONTESTED
        if (claim.authority, claim.status, claim.status_reason) == (strongest, status, reason):
            return claim
        return attrs.evolve(claim, authority=strongest, status=status, status_reason=reason)


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
    return value_key(claim.value), claim.condition, claim.polarity, claim.type in _EACH_ITS_OWN


def _confirm(entry: _Entry, new: _Entry) -> None:
    """Add to *entry* the proofs of a restatement, and its strength; the first claim stays."""
    known = {proof.source_ref for proof in entry.proofs}
    entry.proofs += [proof for proof in new.proofs if proof.source_ref not in known]
    entry.strength = max(entry.strength, new.strength)
    if entry.claim.governance is Governance.ACTIVE:
        entry.claim = attrs.evolve(entry.claim, governance=new.claim.governance)


def _own_proofs(entry: _Entry) -> tuple[Proof, ...]:
    return tuple(_own_proof(entry.claim.id, proof) for proof in entry.proofs)


def _own_proof(claim_id: str, proof: Proof) -> Proof:
    """Return *proof* as one of the claim; a model's word is no verified one."""
    verification = proof.verification if proof.authority in DURABLE else VerificationStatus.UNVERIFIED
    if (proof.claim_id, proof.verification) == (claim_id, verification):
        return proof
    return attrs.evolve(
        proof,
        id=content_id("proof", claim_id, proof.source_ref, proof.digest),
        claim_id=claim_id,
        verification=verification,
    )


def _says_same(entry: _Entry, new: _Entry) -> bool:
    """Whether both assert the same; less detail of a value (`Postgres` after `Postgres 16`) is no other value."""
    mine, theirs = entry.claim, new.claim
    if mine.condition != theirs.condition or mine.polarity is not theirs.polarity or not _same_place(mine, theirs):
        return False
    if mine.type in _EACH_ITS_OWN or theirs.type in _EACH_ITS_OWN:
        return mine.type is theirs.type and entry.value == new.value
    return entry.value == new.value or (bool(new.value) and entry.value.startswith(f"{new.value} "))


def _confirms(entry: _Entry, candidate: _Entry) -> bool:
    """Whether a durable claim, not closed before the candidate was said, says the same."""
    is_past = entry.claim.valid_to is not None and entry.claim.valid_to <= candidate.said_at
    return not is_past and _says_same(entry, candidate)


def _excludes(entry: _Entry, new: _Entry) -> bool:
    """Whether both cannot hold: two values, or one value affirmed and denied, under the same condition and place."""
    mine, theirs = entry.claim, new.claim
    if not mine.subject or not mine.attribute or mine.condition != theirs.condition or not _same_place(mine, theirs):
        return False
    if mine.type in _EACH_ITS_OWN or theirs.type in _EACH_ITS_OWN:
        return mine.type is ClaimType.FIX and theirs.type is ClaimType.BUG and _same_topic(mine, theirs)
    if mine.polarity is theirs.polarity:
        return mine.polarity is Polarity.POSITIVE and entry.value != new.value and not _has_many(mine)
    return entry.value == new.value


def _has_many(claim: Claim) -> bool:
    """Whether a slot has many values at once: a second sister's name is no change of the first one's."""
    owner, _, relative = claim.subject.partition("'s ")
    return claim.attribute == "name" and bool(owner) and relative in COUNTABLE_RELATIVES


def _same_place(one: Claim, other: Claim) -> bool:
    """Whether both may speak of the same file: equal names in two files are two things."""
    return not one.path or not other.path or one.path == other.path or one.type in _EACH_ITS_OWN


def _fixes(new: _Entry, old: _Entry) -> bool:
    return new.claim.type is ClaimType.FIX and old.claim.type is ClaimType.BUG


def _replaces(new: _Entry, old: _Entry) -> bool:
    """
    Whether the later *new* closes *old*: its authority is not lower, and it really is later.

    A user who tells of a change (`we moved from X to Y`) undoes the user's own decision for X, though it is but a fact.
    """
    if old.claim.governance is Governance.PINNED:
        return False
    if new.said_at == old.said_at and new.session_id != old.session_id and new.strength == old.strength:
        return False
    is_refuting_test = new.authority is AuthorityClass.TEST_VERIFIED and old.strength == USER_WILL_STRENGTH
    is_told_change = (
        new.authority is AuthorityClass.USER_CONFIRMED
        and old.authority is AuthorityClass.USER_CONFIRMED
        and names_as_left(new.claim.text, old.claim.value)
    )
    return is_refuting_test or is_told_change or new.strength >= old.strength


def _same_topic(one: Claim, other: Claim) -> bool:
    """Whether more than half of the words that the shorter description is made of stand in the other."""
    words, others = _topic(one), _topic(other)
    return 2 * len(words & others) > min(len(words), len(others))


def _topic(claim: Claim) -> set[str]:
    """Return the words that tell one bug of a subject from another."""
    subject = set(subject_key(claim.subject).split())
    words = (word.strip("'\"`.,:;()") for word in claim.value.split())
    return {subject_key(word) for word in words if len(word) > 2 and word not in STOP_WORDS} - subject - _BUG_WORDS


_BUG_WORDS = frozenset("bug fix fixed crash fail issu error now longer исправ баг тепер пада".split())
