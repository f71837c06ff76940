"""Standing instructions among the passages that a query finds."""

from collections.abc import Sequence
from typing import TypeVar

from pckc_domain.policy.question_forms import Request

T = TypeVar("T")

PLACES = {
    Request.NONE: frozenset[int](),
    Request.PERHAPS: frozenset({3, 5, 7, 9}),
    Request.CLEAR: frozenset({1, 3, 5, 6, 7, 8, 9}),
}
"""
Places, from 0, that are kept for standing instructions. Who asks for something to be done wants it done as told before;
the first place always stays with what the query finds, so that a mistaken request costs little.
"""


def woven(found: Sequence[T], instructions: Sequence[T], request: Request) -> list[T]:
    """Return *found* with the first of *instructions* put in the places kept for them; each item once, none lost."""
    kept = [item for item, _ in zip(instructions, PLACES[request], strict=False)]
    others = [item for item in found if item not in kept]
    result: list[T] = []
    while kept or others:
        take = kept if kept and (len(result) in PLACES[request] or not others) else others
        result.append(take.pop(0))
    return result
