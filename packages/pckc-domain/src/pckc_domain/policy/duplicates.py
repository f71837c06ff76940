"""Near-duplicates: results that tell a reader nothing new."""

from collections.abc import Callable, Iterable, Iterator
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
    token_sets: dict[int, list[frozenset[str]]] = {}  # by their sizes: texts of other sizes need no comparing
    for item in items:
        content = text(item)
        if (key := normalize(content)) in seen:
            continue
        tokens = frozenset(text_tokens(content))
        if any(_similarity(tokens, other) >= NEAR_DUPLICATE for other in _of_like_size(token_sets, len(tokens))):
            continue
        seen.add(key)
        token_sets.setdefault(len(tokens), []).append(tokens)
        kept.append(item)
        if len(kept) == limit:
            break
    return kept


def _of_like_size(token_sets: dict[int, list[frozenset[str]]], size: int) -> Iterator[frozenset[str]]:
    for other, sets in token_sets.items():
        if min(size, other) >= NEAR_DUPLICATE * max(size, other) > 0:
            yield from sets


def _similarity(left: frozenset[str], right: frozenset[str]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)
