"""Gaps: questions that what is known does not answer."""

from datetime import datetime
from enum import StrEnum

import attrs


class GapStatus(StrEnum):
    """What became of a question."""

    OPEN = "open"
    RESEARCHING = "researching"
    CLOSED = "closed"
    DISMISSED = "dismissed"


class GapPriority(StrEnum):
    """How much the answer matters."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@attrs.frozen(kw_only=True)
class Gap:
    """
    A question to be researched.

    Attributes:
        id: Hash of the normalised question: one question is one gap.
        question: In words, redacted.
        reason: Why it matters, or what raised it; ``""`` when unsaid.
        priority: How much the answer matters.
        status: What became of it.
        raised_by: ``agent``, ``user`` or ``compiler``.
        closed_by: Ids of the claims that answer it.
        created_at: When it was raised, aware UTC.
        updated_at: When it changed last.
    """

    id: str
    question: str
    reason: str = ""
    priority: GapPriority = GapPriority.MEDIUM
    status: GapStatus = GapStatus.OPEN
    raised_by: str
    closed_by: tuple[str, ...] = ()
    created_at: datetime
    updated_at: datetime
