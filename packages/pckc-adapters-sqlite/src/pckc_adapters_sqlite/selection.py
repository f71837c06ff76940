"""Which parts of a full-text query select, and which only add to the rank; standard library only."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

SELECTED_ROWS = 3_000
"""How many passages the selecting parts of a query may match together."""

COMMON_ROWS = 10_000
"""A part that matches so many passages is left out of the rank while rarer ones are there."""


def any_of(expressions: Iterable[str]) -> str:
    """Return the expression that matches what any of *expressions* matches."""
    return " OR ".join(expressions)


def selective(counted: Sequence[tuple[int, str]]) -> str | None:
    """
    Return an expression that matches few passages, the best ones for a query among them; ``None`` when all are needed.

    Ranking costs a microsecond a match, so a query with a common word would spend its time on passages that hold
    nothing else. Here the rarest parts alone select (two of them together when all are common), and the other parts
    only add to the rank. To that end an expression holds every part twice, so that all of them count alike.

    Args:
        counted: Each part with the number of passages it matches, at most `COMMON_ROWS`.
    """
    counted = sorted(counted)
    totals = list(accumulate(count for count, _ in counted))
    rare = [part for total, (_, part) in zip(totals, counted, strict=True) if total <= SELECTED_ROWS]
    if len(rare) == len(counted) or len(counted) == 1:
        return None
    selecting = rare or [part for _, part in counted[:2]]
    others = [part for count, part in counted[len(selecting) :] if count < COMMON_ROWS]
    selection = any_of(rare) or " AND ".join(selecting)
    return f"({selection}) AND ({any_of([*selecting, *others, *others])})"
