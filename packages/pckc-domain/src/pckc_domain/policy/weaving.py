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
    """
    Return *found* with the first of *instructions* put in the places kept for them; each item once, none lost.

    An instruction that is found before its place stays where it is found: being one makes nothing worse.
    """
    kept = [item for item, _ in zip(instructions, PLACES[request], strict=False)]
    put: list[T] = []
    result: list[T] = []
    for item in found:
        while kept and len(result) in PLACES[request]:
            put.append(kept.pop(0))
            result.append(put[-1])
        if item in put:
            continue
        if item in kept:
            kept.remove(item)
        result.append(item)
    return result + kept
