"""
Relevance that spreads over the graph from where it is evident: personalised PageRank.

``p = restart * seeds + (1 - restart) * W p``, with W the weights of the edges, in both directions, divided by their sum
at each node (Haveliwala 2002). Only the strongest nodes of each round pass on what they hold, so that a question costs
a neighbourhood and never the whole graph.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

from pckc_domain.model.graph import Edge, EdgeKind

RESTART = 0.3
ROUNDS = 3
BREADTH = 100
"""Nodes that pass on what they hold in one round."""

HUB_EDGES = 400
"""A node with more edges than this says nothing about any one of them and passes nothing on."""

KIND_WEIGHTS: Mapping[EdgeKind, float] = {
    EdgeKind.CALLS: 1.0,
    EdgeKind.OVERRIDES: 0.8,
    EdgeKind.INHERITS: 0.7,
    EdgeKind.IMPLEMENTS: 0.7,
    EdgeKind.RATIONALE: 0.6,
    EdgeKind.REFERENCES: 0.5,
    EdgeKind.CONTAINS: 0.4,
    EdgeKind.PARAMETER_TYPE: 0.4,
    EdgeKind.RETURN_TYPE: 0.4,
    EdgeKind.IMPORTS: 0.2,
}
"""How much of relevance an edge passes on; kinds of the session layer pass on all of it."""

Touching = Callable[[Sequence[str]], Sequence[Edge]]
"""Returns the edges that leave or reach the nodes given, each once."""


def spread(seeds: Mapping[str, float], touching: Touching, *, rounds: int = ROUNDS) -> dict[str, float]:
    """
    Return the relevance of every node reached, the seeds included; it sums to at most 1.

    Args:
        seeds: Node id to evidence, above 0.
        touching: Where edges come from; asked once for each node.
        rounds: How many edges away relevance gets at most.
    """
    total = sum(seeds.values())
    if not total:
        return {}
    start = {node: weight / total for node, weight in seeds.items()}
    held = dict(start)
    neighbours: dict[str, list[tuple[str, float]]] = {}
    for _ in range(rounds):
        passing = sorted(held, key=lambda node: (-held[node], node))[:BREADTH]
        _look_up(neighbours, [node for node in passing if node not in neighbours], touching)
        news: dict[str, float] = defaultdict(float)
        for node in passing:
            for other, share in neighbours[node]:
                news[other] += (1 - RESTART) * held[node] * share
        for node, weight in start.items():
            news[node] += RESTART * weight
        held = news
    return dict(held)


def _look_up(neighbours: dict[str, list[tuple[str, float]]], nodes: Collection[str], touching: Touching) -> None:
    if not nodes:
        return
    wanted = frozenset(nodes)
    found: dict[str, dict[str, float]] = {node: {} for node in sorted(wanted)}
    for edge in touching(sorted(wanted)):
        weight = edge.weight * KIND_WEIGHTS.get(edge.kind, 1.0)
        for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
            if one in wanted and one != other:
                found[one][other] = found[one].get(other, 0.0) + weight
    for node, weights in found.items():
        total = sum(weights.values())
        is_hub = len(weights) > HUB_EDGES
        neighbours[node] = [] if is_hub else [(other, weight / total) for other, weight in sorted(weights.items())]
