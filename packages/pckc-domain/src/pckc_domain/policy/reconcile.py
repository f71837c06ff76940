"""
What the assertions of one slot amount to.

A pure fold in order of event time: the same assertions give the same beliefs, whatever the order they were imported in.
A store keeps the assertions as they were made, and asks again whenever a slot gains or loses one.
"""

from collections.abc import Iterable, Mapping, Sequence
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
from pckc_domain.model.fact import Place
from pckc_domain.model.identity import content_id
from pckc_domain.model.proof import AuthorityClass, Proof, VerificationStatus
from pckc_domain.model.retention import CANDIDATE_DAYS
from pckc_domain.model.scope import MAINLINE_NAMES, Branch
from pckc_domain.policy.belief_gate import DURABLE, UNCONFIRMED
from pckc_domain.policy.changes import Leaving, ends_with, names_as_left, version_used
from pckc_domain.policy.curation import (
    DEFINITION,
    ONE_SOURCE,
    UNSUPPORTED,
    combined,
    is_ceased,
    source_of,
    sources,
)
from pckc_domain.policy.green_runs import GREEN
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subjects import VERSION, same_amount, subject_key, topic_key, value_key
from pckc_domain.policy.version_ranges import allows, is_range, same_version
from pckc_domain.policy.vocabulary import COUNTABLE_RELATIVES

CANDIDATE_LIFETIME = timedelta(days=CANDIDATE_DAYS)

STRENGTH = {
    AuthorityClass.REPOSITORY_DERIVED: 50,
    AuthorityClass.TEST_VERIFIED: 45,
    AuthorityClass.TOOL_VERIFIED: 40,
    AuthorityClass.USER_CONFIRMED: 35,
    AuthorityClass.DOCUMENT_DERIVED: 30,
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

    It is made of subject and attribute, however they are spelt. A claim without one of them has a slot of its own.
    """
    if not claim.subject or not claim.attribute:
        return content_id("slot", claim.id)
    return topic_slot(claim.subject, claim.attribute)


def topic_slot(subject: str, attribute: str) -> str:
    """Return the slot of claims that speak of *attribute* of *subject*."""
    return content_id("slot", topic_key(subject, attribute))


def branch_name(branch: Branch) -> str:
    """Return the name of *branch*; all names of the mainline, and none, are one."""
    name = branch.name or ""
    return "" if name in MAINLINE_NAMES else name


def is_fact(claim: Claim) -> bool:
    """Return whether an assertion's *claim* is one of the repository itself, rather than of a session."""
    return claim.authority is AuthorityClass.REPOSITORY_DERIVED and not claim.session_id


def place_of(fact: Claim) -> Place:
    """Return the place of a repository fact."""
    return Place(branch=branch_name(fact.branch), path=fact.path)


def place_slot(fact: Claim) -> str:
    """Return the slot of a repository *fact* that no session speaks of: its place's alone."""
    return slot_at(place_of(fact), fact.subject, fact.attribute)


def slot_at(place: Place, subject: str, attribute: str) -> str:
    """Return the slot of what the file at *place* says of *attribute* of *subject*."""
    return content_id("slot", place.branch, place.path, topic_key(subject, attribute))


def ending_slots(claim: Claim) -> frozenset[str]:
    """Return the slots whose beliefs may end *claim*, though they are none of its own; see `changes.leavings`."""
    return frozenset(topic_slot(*topic) for topic in ends_with(claim))


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


def is_expired(claim: Claim, now: datetime, lifetime: timedelta = CANDIDATE_LIFETIME) -> bool:
    """Return whether *claim* is a session's candidate that nobody confirmed within its *lifetime* from being said."""
    is_of_session = claim.status is ClaimStatus.CANDIDATE and not claim.document_id
    return is_of_session and now - claim.valid_from > lifetime


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
    """
    A claim in the making.

    It has its first assertion's claim, the proofs of all, the newest repository fact that says so, and those who stand
    against it; *said_strength* is that of sessions alone. It was *said_in* a session or document; *confidences* has
    that of each document that says so, and *ceased* why no document does any more.
    """

    claim: Claim
    proofs: list[Proof]
    authority: AuthorityClass
    strength: int
    said_strength: int
    said_at: datetime
    said_in: str
    value: str
    place: Place | None
    fact: Claim | None = None
    opponents: list["_Entry"] = attrs.field(factory=list, repr=False)
    supporters: list["_Entry"] = attrs.field(factory=list, repr=False)
    is_closed: bool = False
    confidences: dict[str, float] = attrs.field(factory=dict)
    ceased: str = ""

    @property
    def is_contested(self) -> bool:
        return not self.is_closed and any(not opponent.is_closed for opponent in self.opponents)

    @property
    def is_held(self) -> bool:
        """Whether the repository says so now: nothing but the repository itself ends that."""
        return self.fact is not None and self.fact.valid_to is None and not self.is_gone

    @property
    def is_gone(self) -> bool:
        """Whether the repository said so last and is silent now."""
        return self.fact is not None and self.fact.status is ClaimStatus.STALE


class _Fold:
    """The state of one slot while its assertions pass by in order of event time."""

    def __init__(self, governance: dict[str, GovernanceAct], met: Mapping[str, Place]) -> None:
        self.entries: list[_Entry] = []
        self._met = met
        self._links: dict[tuple[str, str, LinkKind], Link] = {}
        self._governance = governance

    def add(self, assertion: Assertion) -> None:
        new = self._entry(assertion)
        if same := self._open_same(new):
            _confirm(same, new)
            new.claim, new.opponents, new.place = same.claim, same.opponents, same.place
            self._meet_others(same, new)
            return
        self.entries.append(new)
        self._meet_others(new, new)

    def leave(self, leaving: Leaving) -> None:
        """Close what was said before of a thing that is past."""
        for entry in self.entries:
            is_said_before = entry.said_at < leaving.at and entry.claim.governance is not Governance.PINNED
            if not entry.is_closed and is_said_before and _is_of(entry.claim, leaving):
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
                status=ClaimStatus.STALE if candidate.ceased else ClaimStatus.CANDIDATE,
                status_reason=candidate.ceased or _why_candidate(candidate.claim, is_opposed=is_opposed),
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
        claim = _of_a_moment(assertion.claim) if assertion.claim.attribute == GREEN else assertion.claim
        act = self._governance.get(claim.id)
        governance = act.after if act else Governance.ACTIVE
        return _Entry(
            claim=claim if claim.governance is governance else attrs.evolve(claim, governance=governance),
            proofs=[assertion.proof],
            authority=claim.authority,
            strength=strength(claim.authority, claim.type),
            said_strength=0 if is_fact(claim) else strength(claim.authority, claim.type),
            said_at=assertion.proof.observed_at,
            said_in=claim.session_id or source_of(assertion.proof),
            value=value_key(claim.value),
            place=place_of(claim) if is_fact(claim) else self._met.get(claim.id),
            fact=claim if is_fact(claim) else None,
            confidences={source_of(assertion.proof): claim.confidence},
            ceased=claim.status_reason if is_ceased(claim) and not is_fact(claim) else "",
            is_closed=claim.attribute == GREEN,
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
            elif _supports(other, new):
                self._support(*((other, entry) if other.fact else (entry, other)))

    def _support(self, fact: _Entry, said: _Entry) -> None:
        """Note that a range of versions in the repository holds the version that was said."""
        said.supporters.append(fact)
        self._link(fact, said, LinkKind.CONFIRMS)

    def _may_fix(self, fix: _Entry, bug: _Entry) -> bool:
        """Whether *fix* is of this *bug*: the only open one of its subject, or one of the same topic."""
        if bug.claim.governance is Governance.PINNED:
            return False
        open_bugs = [one for one in self.entries if one.claim.type is ClaimType.BUG and not one.is_closed]
        return len(open_bugs) == 1 or _same_topic(fix.claim, bug.claim)

    def _close(self, old: _Entry, new: _Entry, kind: LinkKind) -> None:
        old.is_closed = True
        if new.fact or old.fact:  # once the file says so too, there never was a dispute
            self._links.pop((new.claim.id, old.claim.id, LinkKind.CONTRADICTS), None)
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
        if strongest is AuthorityClass.DOCUMENT_DERIVED:
            return _as_documents_say(entry)
        if entry.is_gone and entry.fact and not entry.is_closed:
            status, reason = ClaimStatus.STALE, entry.fact.status_reason
        elif entry.is_contested:
            status, reason = ClaimStatus.CONTESTED, CONTESTED
        if (claim.authority, claim.status, claim.status_reason) == (strongest, status, reason):
            return claim
        return attrs.evolve(claim, authority=strongest, status=status, status_reason=reason)


def _of_a_moment(claim: Claim) -> Claim:
    """Return the *claim* of what a run saw: the next change may break a test."""
    return attrs.evolve(claim, valid_to=claim.valid_from)


def _is_of(claim: Claim, leaving: Leaving) -> bool:
    """Whether *claim* speaks of what is past."""
    is_there = leaving.branch is None or branch_name(leaving.branch) == branch_name(claim.branch)
    return is_there and any(thing == leaving.thing for thing, _ in ends_with(claim))


def _why_candidate(claim: Claim, *, is_opposed: bool) -> str:
    if is_opposed:
        return OPPOSED
    return UNCONFIRMED if claim.session_id else UNSUPPORTED


def _as_documents_say(entry: _Entry) -> Claim:
    """Return the claim of an entry that only documents vouch for."""
    said_by = sources(entry.proofs)
    status, reason, confidence = ClaimStatus.CANDIDATE, ONE_SOURCE, entry.claim.confidence
    if entry.ceased and not entry.is_closed:
        status, reason = ClaimStatus.STALE, entry.ceased
    elif entry.is_contested:
        status, reason = ClaimStatus.CONTESTED, CONTESTED
    elif len(said_by) > 1:
        status, reason = ClaimStatus.VERIFIED, ""
        confidence = combined([entry.confidences[uri] for uri in sorted(said_by)])
    return attrs.evolve(entry.claim, status=status, status_reason=reason, confidence=confidence)


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
    entry.said_strength = max(entry.said_strength, new.said_strength)
    entry.fact, entry.place = new.fact or entry.fact, entry.place or new.place
    entry.confidences = new.confidences | entry.confidences
    entry.ceased = entry.ceased and new.ceased
    if entry.claim.governance is Governance.ACTIVE:
        entry.claim = attrs.evolve(entry.claim, governance=new.claim.governance)


def _own_proofs(entry: _Entry) -> tuple[Proof, ...]:
    lent = (proof for supporter in entry.supporters if supporter.is_held for proof in supporter.proofs)
    return tuple(_own_proof(entry.claim.id, proof) for proof in (*entry.proofs, *lent))


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
    if mine.condition != theirs.condition or mine.polarity is not theirs.polarity or not _same_place(entry, new):
        return False
    if mine.type in _EACH_ITS_OWN or theirs.type in _EACH_ITS_OWN:
        return mine.type is theirs.type and entry.value == new.value
    if entry.value == new.value or (bool(new.value) and entry.value.startswith(f"{new.value} ")):
        return True
    return _is_set_as_said(entry, new)


def _is_set_as_said(one: _Entry, other: _Entry) -> bool:
    """Whether a file sets what was said: it leaves out the unit, or one of them says more of a version."""
    fact, said = (one.fact, other) if one.fact else (other.fact, one)
    if fact is None or (one.fact and other.fact):
        return False
    value = _said_of(fact, said)
    return same_version(fact.value, value) if fact.attribute == VERSION else same_amount(fact.value, value)


def _supports(one: _Entry, other: _Entry) -> bool:
    """Whether one is a range of versions set in a file, the other a version in it that someone named."""
    fact, said = (one.fact, other) if one.fact else (other.fact, one)
    if fact is None or (one.fact and other.fact) or said.claim.polarity is Polarity.NEGATIVE:
        return False
    is_version = fact.attribute == VERSION and is_range(fact.value)
    return is_version and _same_place(one, other) and allows(fact.value, _said_of(fact, said))


def _said_of(fact: Claim, said: _Entry) -> str:
    """Return the value that *said* gives what the *fact* is of: of `we use Django 5.1` the version."""
    name, version = version_used(said.claim) if fact.attribute == VERSION else ("", "")
    return version if name and topic_key(name, VERSION) == topic_key(fact.subject, VERSION) else said.value


def _confirms(entry: _Entry, candidate: _Entry) -> bool:
    """Whether a durable claim, not closed before the candidate was said, says the same."""
    is_past = entry.claim.valid_to is not None and entry.claim.valid_to <= candidate.said_at
    return not is_past and _says_same(entry, candidate)


def _excludes(entry: _Entry, new: _Entry) -> bool:
    """Whether both cannot hold: two values, or one value affirmed and denied, under the same condition and place."""
    mine, theirs = entry.claim, new.claim
    if not mine.subject or not mine.attribute or mine.condition != theirs.condition or not _same_place(entry, new):
        return False
    if _supports(entry, new):
        return False
    if mine.type in _EACH_ITS_OWN or theirs.type in _EACH_ITS_OWN:
        return mine.type is ClaimType.FIX and theirs.type is ClaimType.BUG and _same_topic(mine, theirs)
    if mine.polarity is theirs.polarity:
        return mine.polarity is Polarity.POSITIVE and entry.value != new.value and not _has_many(mine)
    return entry.value == new.value


def _has_many(claim: Claim) -> bool:
    """Whether a slot has many values at once: a second sister's name is no change of the first one's."""
    if claim.attribute == DEFINITION:
        return True
    owner, _, relative = claim.subject.partition("'s ")
    return claim.attribute == "name" and bool(owner) and relative in COUNTABLE_RELATIVES


def _same_place(one: _Entry, other: _Entry) -> bool:
    """
    Whether both may speak of the same file on the same branch: equal names in two files are two things.

    Statements about code belong to the branch they were seen on; decisions, rules, work and what people say of
    themselves hold on all. What a session says meets the facts of the one place it can mean.
    """
    if one.fact or other.fact:
        return one.place is not None and one.place == other.place
    mine, theirs = one.claim, other.claim
    if mine.type in _EACH_ITS_OWN or _bound_to(mine) != _bound_to(theirs):
        return mine.type in _EACH_ITS_OWN
    return not mine.path or not theirs.path or mine.path == theirs.path


def _bound_to(claim: Claim) -> str:
    return branch_name(claim.branch) if claim.type in _BRANCH_BOUND and claim.path else ""


def _fixes(new: _Entry, old: _Entry) -> bool:
    return new.claim.type is ClaimType.FIX and old.claim.type is ClaimType.BUG


def _replaces(new: _Entry, old: _Entry) -> bool:
    """
    Whether the later *new* closes *old*: its authority is not lower, and it really is later.

    A user who tells of a change (`we moved from X to Y`) undoes the user's own decision for X, though it is but a fact.
    What a file says now, only the file takes back; what it no longer says stands in nobody's way.
    """
    if old.claim.governance is Governance.PINNED or (old.is_held and not new.fact):
        return False
    if old.is_gone:
        return new.strength >= old.said_strength
    is_of_documents = AuthorityClass.DOCUMENT_DERIVED is new.authority is old.authority
    if is_of_documents and new.said_in != old.said_in and not old.ceased:  # being younger makes none of them right
        return False
    if new.said_at == old.said_at and new.said_in != old.said_in and new.strength == old.strength:
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
