"""Near-duplicates: results that tell a reader nothing new."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from pckc_domain.model.identity import normalize
from pckc_domain.policy.analysis import text_tokens

NEAR_DUPLICATE = 0.9
"""Jaccard similarity of the token sets from which on two texts count as one."""

T = TypeVar("T")


def without_near_duplicates(items: Iterable[T], text: Callable[[T], str], *, limit: int) -> list[T]:
    """Return the first *limit* of *items* whose text is no near-duplicate of a kept one's, in order."""
    kept: list[T] = []
    seen: set[str] = set()
    token_sets: list[frozenset[str]] = []
    for item in items:
        content = text(item)
        if (key := normalize(content)) in seen:
            continue
        tokens = frozenset(text_tokens(content))
        if any(_similarity(tokens, other) >= NEAR_DUPLICATE for other in token_sets):
            continue
        seen.add(key)
        token_sets.append(tokens)
        kept.append(item)
        if len(kept) == limit:
            break
    return kept


def _similarity(left: frozenset[str], right: frozenset[str]) -> float:
    small, large = sorted((len(left), len(right)))
    if not large or small / large < NEAR_DUPLICATE:  # the bound that spares most intersections
        return 0.0
    shared = len(left & right)
    return shared / (small + large - shared)
