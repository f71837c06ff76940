"""Walks along the edges of a stored graph, a batch of nodes at a time."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from pckc_domain.model.graph import EdgeKind, Node
from pckc_domain.model.graph_answers import AnyEdge, Reached, Spread, Way
from pckc_domain.ports.graph import Direction, GraphWork

BATCH = 200
"""Nodes whose edges are asked for at once."""

IN_CODE = frozenset(EdgeKind) - {EdgeKind.CONTAINS}
"""Everything but that one stands in the other."""


E_co = TypeVar("E_co", bound=AnyEdge, covariant=True)


class Joins(Protocol[E_co]):
    """What a walk goes along: the links of a graph, or more than was read."""

    @abstractmethod
    def edges(
        self, node_ids: Sequence[str], direction: Direction, /, *, kinds: Collection[EdgeKind] = ()
    ) -> Sequence[E_co]:
        """Return the edges that leave or reach *node_ids*, of *kinds* if any are named."""


def spread(
    graph: GraphWork,
    starts: Iterable[str],
    directions: Sequence[Direction],
    *,
    kinds: Collection[EdgeKind] = (),
    depth: int,
    limit: int,
    joins: Joins[AnyEdge] | None = None,
) -> Spread:
    """Return what is at most *depth* edges from *starts*, nearest first; no more is read once *limit* is full."""
    joins = joins or graph.links
    seen = set(starts)
    frontier = sorted(seen)
    found: list[tuple[int, str, AnyEdge]] = []
    distance = 0
    is_cut = False
    while frontier and distance < depth and not is_cut:
        distance += 1
        level: list[tuple[int, str, AnyEdge]] = []
        for batch in batches(frontier):
            for edge, other in steps(joins, batch, directions, kinds):
                if other not in seen:
                    seen.add(other)
                    level.append((distance, other, edge))
            if len(found) + len(level) > limit:
                is_cut = True
                break
        level.sort(key=lambda step: step[1])
        found += level
        frontier = [other for _, other, _ in level]
    nodes = by_id(graph, [other for _, other, _ in found[:limit]])
    reached = [
        Reached(node=nodes[other], distance=far, edge=edge) for far, other, edge in found[:limit] if other in nodes
    ]
    return Spread(reached=tuple(reached), is_cut=is_cut)


def shortest(
    graph: GraphWork,
    sources: Collection[str],
    targets: Collection[str],
    *,
    kinds: Collection[EdgeKind],
    joins: Joins[AnyEdge] | None = None,
) -> Way:
    """Return a shortest way from one of *sources* to one of *targets*: both ends are walked from until they meet."""
    joins = joins or graph.links
    came: dict[str, AnyEdge | None] = dict.fromkeys(sources)
    leads: dict[str, AnyEdge | None] = dict.fromkeys(targets)
    distances = (dict.fromkeys(sources, 0), dict.fromkeys(targets, 0))
    frontiers = (sorted(came), sorted(leads))
    sides = ((Direction.OUT, came), (Direction.IN, leads))
    meeting = sorted(came.keys() & leads.keys())
    while not meeting and all(frontiers):
        side = 0 if len(frontiers[0]) <= len(frontiers[1]) else 1
        direction, ways = sides[side]
        fresh = []
        for batch in batches(frontiers[side]):
            for edge, other in steps(joins, batch, (direction,), kinds):
                if other not in ways:
                    ways[other] = edge
                    here = edge.source if direction is Direction.OUT else edge.target
                    distances[side][other] = distances[side][here] + 1
                    fresh.append(other)
        frontiers = (sorted(fresh), frontiers[1]) if side == 0 else (frontiers[0], sorted(fresh))
        meeting = [other for other in fresh if other in sides[1 - side][1]]
    if not meeting:
        return Way()
    return _joined(graph, min(meeting, key=lambda one: (distances[0][one] + distances[1][one], one)), came, leads)


def _joined(
    graph: GraphWork, middle: str, came: Mapping[str, AnyEdge | None], leads: Mapping[str, AnyEdge | None]
) -> Way:
    before: list[AnyEdge] = []
    at = middle
    while (edge := came[at]) is not None:
        before.append(edge)
        at = edge.source
    first, after = at, []
    at = middle
    while (edge := leads[at]) is not None:
        after.append(edge)
        at = edge.target
    edges = [*before[::-1], *after]
    ids = [first, *(edge.target for edge in edges)]
    nodes = by_id(graph, ids)
    return Way(nodes=tuple(nodes[one] for one in ids), edges=tuple(edges))


def steps(
    joins: Joins[E_co], ids: Sequence[str], directions: Sequence[Direction], kinds: Collection[EdgeKind]
) -> Iterable[tuple[E_co, str]]:
    """Yield the edges that leave or reach *ids*, each with its other end."""
    for direction in directions:
        for edge in joins.edges(ids, direction, kinds=kinds):
            yield edge, edge.target if direction is Direction.OUT else edge.source


def batches(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    """Yield *ids* in slices of `BATCH`."""
    return (ids[start : start + BATCH] for start in range(0, len(ids), BATCH))


def by_id(graph: GraphWork, ids: Iterable[str]) -> dict[str, Node]:
    """Return the known ones among *ids*."""
    return {node.id: node for batch in batches(sorted(set(ids))) for node in graph.symbols.get(batch)}
