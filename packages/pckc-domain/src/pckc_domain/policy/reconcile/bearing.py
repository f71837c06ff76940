"""How what one entry of a slot says bears on what another says: the same, against it, in its place."""

from pckc_domain.model.claim import Claim, ClaimType, Governance, Polarity
from pckc_domain.model.proof import AuthorityClass
from pckc_domain.policy.bug_attributes import is_cause
from pckc_domain.policy.bug_likeness import recurs, same_topic, says_no_more
from pckc_domain.policy.changes import is_correction, names_as_left, version_used
from pckc_domain.policy.curation import DEFINITION
from pckc_domain.policy.reconcile.entries import Entry
from pckc_domain.policy.slots import branch_name
from pckc_domain.policy.strength import USER_WILL_STRENGTH
from pckc_domain.policy.subjects import MAXIMUM, MINIMUM, VERSION, same_amount, topic_key
from pckc_domain.policy.version_ranges import allows, is_range, same_version
from pckc_domain.policy.vocabulary import COUNTABLE_RELATIVES
from pckc_domain.policy.work_rules import TASK

EACH_ITS_OWN = frozenset({ClaimType.BUG, ClaimType.FIX, ClaimType.TASK, ClaimType.OPEN_QUESTION})
"""Types of claims of which a slot holds many: another bug is no other value of the first."""

_BRANCH_BOUND = frozenset({ClaimType.FACT, ClaimType.IMPLEMENTATION_DETAIL})


def says_same(entry: Entry, new: Entry) -> bool:
    """
    Whether both assert the same.

    Less detail of a value (`Postgres` after `Postgres 16`) is no other value, and less of a bug no other bug.
    """
    mine, theirs = entry.claim, new.claim
    if mine.type is theirs.type is ClaimType.BUG:
        return says_no_more(theirs, than=mine)
    if mine.condition != theirs.condition or mine.polarity is not theirs.polarity or not _same_place(entry, new):
        return False
    if mine.type in EACH_ITS_OWN or theirs.type in EACH_ITS_OWN:
        return mine.type is theirs.type and entry.value == new.value
    if entry.value == new.value or (bool(new.value) and entry.value.startswith(f"{new.value} ")):
        return True
    return _is_set_as_said(entry, new)


def confirms(entry: Entry, candidate: Entry) -> bool:
    """Whether a durable claim, not closed before the candidate was said, says the same."""
    is_past = entry.claim.valid_to is not None and entry.claim.valid_to <= candidate.said_at
    return not is_past and says_same(entry, candidate)


def _is_set_as_said(one: Entry, other: Entry) -> bool:
    """Whether a file sets what was said: it leaves out the unit, or one of them says more of a version."""
    fact, said = (one.fact, other) if one.fact else (other.fact, one)
    if fact is None or (one.fact and other.fact):
        return False
    value = _said_of(fact, said)
    return same_version(fact.value, value) if fact.attribute == VERSION else same_amount(fact.value, value)


def supports(one: Entry, other: Entry) -> bool:
    """Whether one is a range of versions set in a file, the other a version in it that someone named."""
    fact, said = (one.fact, other) if one.fact else (other.fact, one)
    if fact is None or (one.fact and other.fact) or said.claim.polarity is Polarity.NEGATIVE:
        return False
    is_version = fact.attribute == VERSION and is_range(fact.value)
    return is_version and _same_place(one, other) and allows(fact.value, _said_of(fact, said))


def _said_of(fact: Claim, said: Entry) -> str:
    """Return the value that *said* gives what the *fact* is of: of `we use Django 5.1` the version."""
    name, version = version_used(said.claim) if fact.attribute == VERSION else ("", "")
    return version if name and topic_key(name, VERSION) == topic_key(fact.subject, VERSION) else said.value


def excludes(entry: Entry, new: Entry) -> bool:
    """Whether both cannot hold: two values, or one value affirmed and denied, under the same condition and place."""
    mine, theirs = entry.claim, new.claim
    if not mine.subject or not mine.attribute or mine.condition != theirs.condition or not _same_place(entry, new):
        return False
    if supports(entry, new):
        return False
    if mine.type is ClaimType.TASK and mine.attribute != TASK:
        return _settles(new, entry)
    if mine.type in EACH_ITS_OWN or theirs.type in EACH_ITS_OWN:
        return mine.type is ClaimType.FIX and theirs.type is ClaimType.BUG and _fails_again(theirs, mine)
    if mine.polarity is theirs.polarity:
        return mine.polarity is Polarity.POSITIVE and entry.value != new.value and not _has_many(mine)
    return entry.value == new.value


def tells_more(new: Entry, old: Entry) -> bool:
    """Whether the report *new* of a bug tells all that the report *old* does, and more."""
    return new.claim.type is old.claim.type is ClaimType.BUG and says_no_more(old.claim, than=new.claim)


def _fails_again(bug: Claim, fix: Claim) -> bool:
    """Whether *bug* says that *fix* did not hold; whoever only names it, as a task does, says nothing of the fix."""
    return recurs(bug) and same_topic(fix, bug)


def _settles(new: Entry, asked: Entry) -> bool:
    """Whether *new* tells of the value that was *asked* for: it was set, or something else was, or is asked for now."""
    if new.claim.type is ClaimType.TASK:
        return new.value != asked.value
    return new.claim.type not in EACH_ITS_OWN and new.claim.polarity is Polarity.POSITIVE


def _has_many(claim: Claim) -> bool:
    """Whether a slot has many values at once: a second sister's name is no change of the first one's."""
    if claim.attribute == DEFINITION or is_cause(claim.attribute):
        return True
    owner, _, relative = claim.subject.partition("'s ")
    return claim.attribute == "name" and bool(owner) and relative in COUNTABLE_RELATIVES


def _same_place(one: Entry, other: Entry) -> bool:
    """
    Whether both may speak of the same file on the same branch: equal names in two files are two things.

    Statements about code belong to the branch they were seen on; decisions, rules, work and what people say of
    themselves hold on all. What a session says meets the facts of the one place it can mean.
    """
    if one.fact or other.fact:
        return one.place is not None and one.place == other.place
    mine, theirs = one.claim, other.claim
    if mine.type in EACH_ITS_OWN or _bound_to(mine) != _bound_to(theirs):
        return mine.type in EACH_ITS_OWN
    return not mine.path or not theirs.path or mine.path == theirs.path


def _bound_to(claim: Claim) -> str:
    return branch_name(claim.branch) if claim.type in _BRANCH_BOUND and claim.path else ""


def replaces(new: Entry, old: Entry) -> bool:
    """
    Whether the later *new* closes *old*: its authority is not lower, and it really is later.

    A user who tells of a change (`we moved from X to Y`, `Correction: …`) undoes the user's own decision for X, though
    it is but a fact. What a file says now, only the file takes back; what it no longer says stands in nobody's way.
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
        and (
            names_as_left(new.claim.text, old.claim.value)
            or is_correction(new.claim.text)
            or old.claim.attribute in {MAXIMUM, MINIMUM}  # a bound is told of as a fact too
        )
    )
    return is_refuting_test or is_told_change or new.strength >= old.strength


def fixes(new: Entry, old: Entry) -> bool:
    return new.claim.type is ClaimType.FIX and old.claim.type is ClaimType.BUG
