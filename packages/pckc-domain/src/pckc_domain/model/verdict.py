"""Verdicts: how one claim bears on another, as a check found it."""

from datetime import datetime
from enum import StrEnum

import attrs


class VerdictKind(StrEnum):
    """What comparing a claim with another found."""

    NEW = "new"
    DUPLICATE = "duplicate"
    CORROBORATES = "corroborates"
    CONTRADICTS = "contradicts"


@attrs.frozen(kw_only=True)
class Judgement:
    """
    What a critic says of a claim beside others.

    Attributes:
        kind: Its verdict.
        against: Position of the claim it was decided by, from 0; ``None`` for ``new``.
        reason: One sentence.
    """

    kind: VerdictKind
    against: int | None = None
    reason: str = ""


@attrs.frozen(kw_only=True)
class Verdict:
    """
    A stored verdict; there is one of a claim, another claim and a method, the newest.

    Attributes:
        claim_id: The claim that was looked at.
        other_id: What it was compared with; ``""`` for ``new``.
        kind: What was found.
        similarity: Cosine of the two texts, -1 to 1; ``None`` when none was computed.
        method: ``rules``, ``documents`` (cross-confirmation) or ``model:NAME``.
        reason: One sentence, without text of either claim.
        at: When, aware UTC.
    """

    claim_id: str
    other_id: str = ""
    kind: VerdictKind
    similarity: float | None = None
    method: str
    reason: str = ""
    at: datetime
