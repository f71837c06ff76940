"""How long what is no belief is kept: candidates nobody confirmed, what lost its proof, what was superseded."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from pckc_domain.model.claim import Assertion, Beliefs, Claim, ClaimStatus, Governance
from pckc_domain.model.document import Document
from pckc_domain.model.passage import Proposition
from pckc_domain.model.retention import Outlived, RetentionRules
from pckc_domain.policy.changes import IN_USE
from pckc_domain.policy.slots import is_fact

_SINCE = re.compile(r" \(since (\d{4}-\d\d-\d\d)\)$")


def outlived(claim: Claim, since: datetime | None, now: datetime, rules: RetentionRules) -> Outlived | None:
    """
    Return why *claim* is of no use any more at *now*; ``None`` when it is, or is kept for good.

    Kept for good are protected types, standing rules, what people decided about (pinned, archived, rejected), what the
    repository alone says, and whether a thing is in use, which decides about other claims.

    Args:
        claim: As it is believed.
        since: When it became what it is, see `began`; one that nobody knows the day of is kept.
        now: The present.
        rules: How long what is kept.
    """
    kind = kind_of(claim)
    if kind is None or since is None or now - since <= timedelta(days=rules.days(kind)):
        return None
    is_kept = claim.is_standing or claim.type in rules.protected or claim.governance is not Governance.ACTIVE
    return None if is_kept or not claim.is_said or claim.attribute == IN_USE else kind


def kind_of(claim: Claim) -> Outlived | None:
    """Return what *claim* is if it is no belief: documents' candidates are, for one source is what they have."""
    if claim.status is ClaimStatus.CANDIDATE and not claim.document_id:
        return Outlived.CANDIDATE
    if claim.superseded_by:
        return Outlived.SUPERSEDED
    return Outlived.STALE if claim.status is ClaimStatus.STALE else None


def began(claim: Claim, newest_version: datetime | None) -> datetime | None:
    """
    Return since when *claim* is what `kind_of` says; ``None`` when nobody knows.

    *newest_version* is when the newest version of the document that it was read from became known: what a document
    says no longer, that version does not say.
    """
    match kind_of(claim):
        case Outlived.CANDIDATE:
            return claim.valid_from
        case Outlived.SUPERSEDED:
            return claim.valid_to
        case Outlived.STALE:
            return stale_since(claim.status_reason) or newest_version
        case _:
            return None


def dated_reason(reason: str, before: str, now: datetime) -> str:
    """Return why a claim is stale with the day since when, which stays while the reason, *before* too, is the same."""
    return before if _SINCE.sub("", before) == reason and stale_since(before) else f"{reason} (since {now.date()})"


def stale_since(reason: str) -> datetime | None:
    """Return the day that `dated_reason` noted, its end, to be on the safe side; ``None`` when it noted none."""
    found = _SINCE.search(reason)
    return datetime.fromisoformat(found[1]).replace(tzinfo=UTC) + timedelta(days=1) if found else None


def said_by(claim_ids: Iterable[str], beliefs: Beliefs, assertions: Iterable[Assertion]) -> list[Assertion]:
    """Return those of a slot's *assertions* that make these claims or restate them."""
    wanted = frozenset(claim_ids)
    places = {proof.source_ref for proof in beliefs.proofs if proof.claim_id in wanted}
    others = {claim.id for claim in beliefs.claims} - wanted
    return [
        one
        for one in assertions
        if not is_fact(one.claim)
        and (one.claim.id in wanted or (one.proof.source_ref in places and one.claim.id not in others))
    ]


def is_rest(after: Beliefs, before: Beliefs, claim_ids: Iterable[str]) -> bool:
    """Return whether *after* is what *before* says but for these claims: nothing else rests on them."""
    gone = frozenset(claim_ids)
    links = {link for link in before.links if link.source_id not in gone and link.target_id not in gone}
    return (
        after.claims == tuple(claim for claim in before.claims if claim.id not in gone)
        and set(after.proofs) == {proof for proof in before.proofs if proof.claim_id not in gone}
        and set(after.links) == links
    )


def replaced_at(version: Document, versions: Iterable[Document]) -> datetime:
    """Return when a stale *version* was replaced, as far as the other *versions* of its path tell."""
    later = [one.indexed_at for one in versions if one.indexed_at > version.indexed_at]
    return min(later, default=version.indexed_at)


def protects(propositions: Iterable[Proposition], current: Iterable[Proposition], rules: RetentionRules) -> bool:
    """Return whether a stale version says something of a protected type that no *current* one does."""
    said = {one.normalized_hash for one in current}
    return any(one.type in rules.protected and one.normalized_hash not in said for one in propositions)
