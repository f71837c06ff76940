"""Slots: which claims are settled together."""

from pckc_domain.model.claim import Claim
from pckc_domain.model.fact import Place
from pckc_domain.model.identity import content_id
from pckc_domain.model.proof import AuthorityClass
from pckc_domain.model.scope import MAINLINE_NAMES, Branch
from pckc_domain.policy.changes import ends_with
from pckc_domain.policy.subjects import topic_key


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


def place_slot(fact: Claim) -> str:
    """Return the slot of a repository *fact* that no session speaks of: its place's alone."""
    return slot_at(place_of(fact), fact.subject, fact.attribute)


def slot_at(place: Place, subject: str, attribute: str) -> str:
    """Return the slot of what the file at *place* says of *attribute* of *subject*."""
    return content_id("slot", place.branch, place.path, topic_key(subject, attribute))


def ending_slots(claim: Claim) -> frozenset[str]:
    """Return the slots whose beliefs may end *claim*, though they are none of its own; see `changes.leavings`."""
    return frozenset(topic_slot(*topic) for topic in ends_with(claim))


def is_fact(claim: Claim) -> bool:
    """Return whether an assertion's *claim* is one of the repository itself, rather than of a session."""
    return claim.authority is AuthorityClass.REPOSITORY_DERIVED and not claim.session_id


def place_of(fact: Claim) -> Place:
    """Return the place of a repository fact."""
    return Place(branch=branch_name(fact.branch), path=fact.path)


def branch_name(branch: Branch) -> str:
    """Return the name of *branch*; all names of the mainline, and none, are one."""
    name = branch.name or ""
    return "" if name in MAINLINE_NAMES else name
