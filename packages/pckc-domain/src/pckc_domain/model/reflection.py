"""What an agent wants remembered, and what became of it."""

from enum import StrEnum

import attrs

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.proof import AuthorityClass


@attrs.frozen(kw_only=True)
class Reflection:
    """
    One thing to remember, with the evidence named for it.

    Attributes:
        type: See `Claim`.
        text: See `Claim`.
        subject: See `Claim`.
        attribute: See `Claim`.
        value: See `Claim`.
        is_negative: Whether it denies.
        is_standing: See `Claim`.
        event_ids: Events of the session, by the host's id or by their own, or evidence by its id.
        quote: Words of these events, or of any prompt of the session.
        path: File whose lines say so; also the file it is about.
        start_line: First of these lines, from 1; 0 when no lines are named.
        end_line: Last of them; 0 means the first.
    """

    type: ClaimType
    text: str
    subject: str = ""
    attribute: str = ""
    value: str = ""
    is_negative: bool = False
    is_standing: bool = False
    event_ids: tuple[str, ...] = ()
    quote: str = ""
    path: str = ""
    start_line: int = 0
    end_line: int = 0


class Outcome(StrEnum):
    """What became of an item."""

    ADMITTED = "admitted"
    CANDIDATE = "candidate"
    REJECTED = "rejected"


@attrs.frozen(kw_only=True)
class Reflected:
    """
    What became of one item.

    Attributes:
        text: The item's text, redacted; of one that was rejected its first characters.
        outcome: What became of it.
        reason: Why; for an admitted one, what vouches for it.
        claim_id: The claim that now says so, ``""`` when it was rejected.
        authority: Who vouches; ``None`` when it was rejected.
        source_ref: Where the proof is; ``""`` when it was rejected.
    """

    text: str
    outcome: Outcome
    reason: str
    claim_id: str = ""
    authority: AuthorityClass | None = None
    source_ref: str = ""
