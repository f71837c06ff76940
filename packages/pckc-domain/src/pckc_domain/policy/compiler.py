"""
Choose the smallest set that covers.

Greedy weighted set cover: again and again the candidate with the most (newly covered goals x worth) per token, ties by
id; then a pruning pass drops what the others cover as well. Greedy cover is within ln(n) of the optimum (Chvatal 1979).
"""

from collections.abc import Iterable, Mapping, Sequence

import attrs


@attrs.frozen(kw_only=True)
class Candidate:
    """
    Something that may enter a pack.

    Attributes:
        id: Its id.
        tokens: Cost when rendered, >= 1.
        covers: Keys of the goals it covers.
        worth: Freshness x authority x sufficiency of proof x relevance, above 0.
    """

    id: str
    tokens: int
    covers: frozenset[str]
    worth: float


@attrs.frozen(kw_only=True)
class Cover:
    """The chosen ids in the order of choice, and the reason for every id left out."""

    chosen: tuple[str, ...]
    excluded: Mapping[str, str]


def choose_cover(candidates: Sequence[Candidate], *, budget_tokens: int) -> Cover:
    """Return a cover of all goals that the candidates can cover within *budget_tokens*; no chosen one is redundant."""
    open_candidates = {candidate.id: candidate for candidate in candidates if candidate.covers}
    excluded = {candidate.id: "covers no sub-goal" for candidate in candidates if not candidate.covers}
    chosen: list[Candidate] = []
    covered: set[str] = set()
    left = budget_tokens
    while best := _best(open_candidates.values(), covered, left):
        chosen.append(open_candidates.pop(best.id))
        covered |= best.covers
        left -= best.tokens
    kept = _pruned(chosen)
    excluded |= {candidate.id: "made redundant by the others" for candidate in chosen if candidate not in kept}
    excluded |= {candidate.id: _why_left(candidate, covered) for candidate in open_candidates.values()}
    return Cover(chosen=tuple(candidate.id for candidate in kept), excluded=excluded)


def _best(candidates: Iterable[Candidate], covered: set[str], left: int) -> Candidate | None:
    best: Candidate | None = None
    best_value = 0.0
    for candidate in candidates:
        gain = len(candidate.covers - covered)
        if not gain or candidate.tokens > left:
            continue
        value = gain * candidate.worth / candidate.tokens
        if best is None or (-value, candidate.id) < (-best_value, best.id):
            best, best_value = candidate, value
    return best


def _pruned(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Drop, from the last chosen to the first, whatever the rest covers without it."""
    kept = list(chosen)
    for candidate in reversed(chosen):
        rest = frozenset[str]().union(*(other.covers for other in kept if other is not candidate))
        if candidate.covers <= rest:
            kept.remove(candidate)
    return kept


def _why_left(candidate: Candidate, covered: set[str]) -> str:
    if candidate.covers <= covered:
        return "its sub-goals are covered already"
    return "does not fit the budget"
