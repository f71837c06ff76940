"""
The scores of symbols.

A convex combination of four signals, each normalised to 0..1: whether the text names the symbol (a stack frame, a path
with a line, an identifier), its lexical rank, the best passage in it, and how much relevance reaches it over the graph.
Signals that nothing measured leave their weight to the others. A file is worth its best symbol and a little of each
further one; then a symbol shares in the worth of its file.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import attrs

from pckc_domain.model.graph import Node


@attrs.frozen(kw_only=True)
class SymbolWeights:
    """Weights of the signals; they sum to 1."""

    named: float = 0.40
    lexical: float = 0.15
    passage: float = 0.30
    graph: float = 0.15


FURTHER_SYMBOLS = 0.25
"""What the second symbol of a file adds to it, the third a quarter of that, and so on."""

FILE_SHARE = 0.4
"""What the file makes of a symbol's score in the end: symbols of one file bear each other out."""

TEST_WORTH = 0.5
"""What a test is worth when nobody asked about tests."""


@attrs.frozen(kw_only=True)
class SymbolSignals:
    """Signals by node id, each normalised to 0..1; nodes left out have 0."""

    named: Mapping[str, float]
    lexical: Mapping[str, float]
    passage: Mapping[str, float]
    graph: Mapping[str, float]


def normalized(values: Mapping[str, float]) -> dict[str, float]:
    """Return *values* divided by the greatest of them."""
    best = max(values.values(), default=0.0)
    return {key: value / best for key, value in values.items()} if best > 0 else {}


def score_symbol(node_id: str, signals: SymbolSignals, weights: SymbolWeights) -> tuple[float, dict[str, float]]:
    """Return the score of a node in 0..1, and its breakdown."""
    parts = {name: getattr(signals, name) for name in ("named", "lexical", "passage", "graph")}
    measured = {name: getattr(weights, name) for name, values in parts.items() if values}
    total = sum(measured.values())
    breakdown = {name: round(values.get(node_id, 0.0), 6) for name, values in parts.items() if name in measured}
    score = sum(measured[name] * value for name, value in breakdown.items()) / total if total else 0.0
    return score, breakdown


def rank_files(scored: Iterable[tuple[Node, float]]) -> list[tuple[str, float]]:
    """Return the files of scored nodes with their scores, best first, ties by path."""
    by_path: dict[str, list[float]] = defaultdict(list)
    for node, score in scored:
        by_path[node.path].append(score)
    totals = {
        path: sum(score * FURTHER_SYMBOLS**rank for rank, score in enumerate(sorted(scores, reverse=True)))
        for path, scores in by_path.items()
    }
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))
