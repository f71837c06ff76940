"""Verdicts: how one claim bears on another, as a check found it."""

from datetime import datetime
from enum import StrEnum

import attrs


class VerdictKind(StrEnum):
    """
    What comparing a claim with another found.

    ``duplicate`` and ``corroborates`` have a direction: the claim repeats the other one, or says all that the other
    one says, and so proves it. ``contradicts`` goes both ways.
    """

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

    Two claims that corroborate each other have two of them.

    Attributes:
        claim_id: The claim of which it speaks; of ``corroborates`` the one that proves, of ``duplicate`` the repeating.
        other_id: What it was compared with: what is proven, what is repeated; ``""`` for ``new``.
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
