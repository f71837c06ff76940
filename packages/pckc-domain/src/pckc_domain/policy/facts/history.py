"""
The facts of one place over time.

A place has one assertion for each value and stretch of time. Only the last may hold: it ends when the file sets another
value, is stale while the file sets none, and comes back with it. So the last assertions of a place, and whether they
hold, depend on what its file says now alone, whatever came before.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.claim import Assertion, Claim, ClaimStatus, ClaimType
from pckc_domain.model.document import Document
from pckc_domain.model.fact import FactPlace, Place, StatedFact
from pckc_domain.model.identity import content_id, digest
from pckc_domain.model.proof import (
    AuthorityClass,
    Proof,
    ProofType,
    RepositoryLocator,
    VerificationStatus,
)
from pckc_domain.model.scope import Branch
from pckc_domain.policy.analysis import index_terms
from pckc_domain.policy.findings import EXACT
from pckc_domain.policy.slots import branch_name, place_of, place_slot, slot_at, topic_slot
from pckc_domain.policy.subjects import VALUE, VERSION

MAX_VALUES = 5
"""Values kept of one place: the newest."""

FACT_TYPE = ClaimType.IMPLEMENTATION_DETAIL
IMPORTANCE = 0.3
"""A line of code is a lesser thing to remember than what people decided."""

LOST = "its proof no longer holds: {path} sets {name} no longer"


def owner_of(branch: Branch, path: str) -> str:
    """Return the owner of the facts of a file: every checkout of a branch speaks for the same."""
    return content_id("facts", branch_name(branch), path)


def continued(known: Sequence[Assertion], stated: StatedFact, document: Document) -> tuple[Assertion, ...]:
    """
    Return the assertions of one place, oldest first, after its file was read.

    Args:
        known: Those so far, oldest first.
        stated: What the file sets now.
        document: The version that was read; ``indexed_at`` is when.
    """
    before, last = list(known[:-1]), known[-1] if known else None
    if last and last.claim.value == stated.value:
        return (*before, _again(last, stated, document))
    new = _assertion(stated, document, seq=last.seq + 1 if last else 0)
    ended = [_ended(last, document.indexed_at)] if last else []
    return (*before, *ended, new)[-MAX_VALUES:]


def ceased(known: Sequence[Assertion]) -> tuple[Assertion, ...]:
    """Return the assertions of one place, oldest first, after its file ceased to set anything there."""
    return (*known[:-1], _gone(known[-1]))


def place_after(owner_id: str, assertion: Assertion, stated: StatedFact | None, known: FactPlace | None) -> FactPlace:
    """Return the place of the last *assertion*; what it is *known* to be joined to stays."""
    claim = assertion.claim
    tail = known.tail if known else ""
    if stated is not None and stated.attribute == VERSION:
        tail = topic_slot(stated.tail, VERSION) if stated.tail else topic_slot(stated.subject, VALUE)
    elif stated is not None:
        tail = topic_slot(stated.tail, VALUE) if stated.tail else ""
    return FactPlace(
        slot=place_slot(claim),
        owner_id=owner_id,
        place=place_of(claim),
        topic=topic_slot(claim.subject, claim.attribute),
        tail=tail,
        is_live=claim.status is not ClaimStatus.STALE,
        joined=known.joined if known else "",
    )


def by_slot(facts: Sequence[StatedFact], document: Document) -> Mapping[str, StatedFact]:
    """Return the facts that the file of *document* sets, by the slot of their place."""
    place = Place(branch=branch_name(document.branch), path=document.uri)
    return {slot_at(place, fact.subject, fact.attribute): fact for fact in facts}


def _assertion(fact: StatedFact, document: Document, *, seq: int) -> Assertion:
    claim_id = content_id(
        "claim", branch_name(document.branch), document.uri, fact.subject, fact.attribute, fact.value, str(seq)
    )
    claim = _claim(fact, document, claim_id)
    return Assertion(claim=claim, proof=_proof(claim, fact, document), seq=seq)


def _claim(fact: StatedFact, document: Document, claim_id: str) -> Claim:
    return Claim(
        id=claim_id,
        type=FACT_TYPE,
        subject=fact.subject,
        attribute=fact.attribute,
        value=fact.value,
        path=document.uri,
        text=fact.text,
        confidence=EXACT,
        importance=IMPORTANCE,
        authority=AuthorityClass.REPOSITORY_DERIVED,
        status=ClaimStatus.VERIFIED,
        valid_from=document.indexed_at,
        recorded_at=document.indexed_at,
        branch=document.branch,
        terms=index_terms(f"{fact.subject} {fact.attribute} {fact.value} {fact.text}"),
    )


def _proof(claim: Claim, fact: StatedFact, document: Document) -> Proof:
    locator = RepositoryLocator(
        path=document.uri, blob_hash=document.blob_hash, start_line=fact.line, end_line=fact.line
    )
    digested = digest(fact.excerpt)
    return Proof(
        id=content_id("proof", claim.id, document.uri, digested),
        claim_id=claim.id,
        authority=AuthorityClass.REPOSITORY_DERIVED,
        verification=VerificationStatus.VERIFIED,
        type=ProofType.REPOSITORY,
        source_ref=str(locator),
        excerpt=fact.excerpt,
        digest=digested,
        observed_at=claim.valid_from,
    )


def _again(last: Assertion, fact: StatedFact, document: Document) -> Assertion:
    """Return *last* with the line where it stands now; as long as that is the same, so is its proof."""
    claim = last.claim
    if claim.status is ClaimStatus.STALE or claim.text != fact.text:
        fresh = _claim(fact, document, claim.id)
        claim = attrs.evolve(fresh, valid_from=claim.valid_from, recorded_at=claim.recorded_at, branch=claim.branch)
    is_there = last.proof.source_ref.endswith(f"#L{fact.line}-L{fact.line}")
    if claim is last.claim and is_there and last.proof.digest == digest(fact.excerpt):
        return last
    return attrs.evolve(last, claim=claim, proof=_proof(claim, fact, document))


def _ended(last: Assertion, at: datetime) -> Assertion:
    claim = attrs.evolve(last.claim, status=ClaimStatus.VERIFIED, status_reason="", valid_to=at)
    return attrs.evolve(last, claim=claim, proof=_outlived(last.proof))


def _gone(last: Assertion) -> Assertion:
    claim = last.claim
    name = claim.subject if claim.attribute == VALUE else f"the {claim.attribute} of {claim.subject}"
    reason = LOST.format(path=claim.path, name=name)
    stale = attrs.evolve(claim, status=ClaimStatus.STALE, status_reason=reason)
    return attrs.evolve(last, claim=stale, proof=_outlived(last.proof))


def _outlived(proof: Proof) -> Proof:
    return attrs.evolve(proof, verification=VerificationStatus.SUPERSEDED)
