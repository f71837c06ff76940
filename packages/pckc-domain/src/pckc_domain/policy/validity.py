"""Whether a claim holds at an instant, and how long one is shown that nobody confirmed."""

from datetime import datetime, timedelta

from pckc_domain.model.claim import VISIBLE, Claim, ClaimStatus
from pckc_domain.model.retention import CANDIDATE_DAYS

CANDIDATE_LIFETIME = timedelta(days=CANDIDATE_DAYS)


def holds(claim: Claim, at: datetime | None) -> bool:
    """Return whether *claim* holds at an instant; ``None`` means whenever nothing has closed it."""
    if at is None:
        return claim.valid_to is None
    return claim.valid_from <= at and (claim.valid_to is None or at < claim.valid_to)


DOUBTED = frozenset({ClaimStatus.STALE, ClaimStatus.CONTESTED})


def is_sound(claim: Claim) -> bool:
    """Return whether nothing has closed *claim*, put it in doubt or taken it out of sight."""
    return claim.valid_to is None and claim.status not in DOUBTED and claim.governance in VISIBLE


def is_expired(claim: Claim, now: datetime, lifetime: timedelta = CANDIDATE_LIFETIME) -> bool:
    """Return whether *claim* is a session's candidate that nobody confirmed within its *lifetime* from being said."""
    is_of_session = claim.status is ClaimStatus.CANDIDATE and not claim.document_id
    return is_of_session and now - claim.valid_from > lifetime
