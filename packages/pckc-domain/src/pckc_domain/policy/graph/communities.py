"""
Communities of a graph: found at two levels, named, and called as before.

How nodes are divided is an engine's work; what it is given, and what is made of its answer, is said here.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from math import log

import attrs

from pckc_domain.model.graph import Community, Edge, Graph, GraphLayer, Node, NodeKind
from pckc_domain.model.weighted_graph import WeightedGraph
from pckc_domain.policy.graph.hubs import HUB_KINDS

LARGE = 50
"""A community of more members is divided again."""

DAMPED_SHARE = 0.95
"""Nodes whose degree is above this share of all degrees are damped."""

CENTRAL = 5
NAMED = 2
PLACE_SHARE = 0.5
"""A folder or module names a community when it holds this share of the members."""

Partition = Callable[[WeightedGraph], Sequence[int]]


@attrs.frozen(kw_only=True)
class Clustering:
    """
    The communities of a graph.

    Attributes:
        communities: By level and id.
        modularity: Of level 0, over the damped weights: -0.5 to 1.
    """

    communities: tuple[Community, ...]
    modularity: float


def cluster(graph: Graph, partition: Partition, *, previous: Iterable[Community] = ()) -> Clustering:
    """
    Return the communities of *graph*: level 0, and level 1 within those of more than `LARGE` members.

    A node without edges is in none. The same graph and *previous* give the same communities, in whatever order nodes
    and edges come. A community is called like the one of *previous*, of its level, that it shares most members with.
    """
    nodes = sorted(graph.nodes, key=lambda node: node.id)
    joined = _Joined(nodes, graph.edges)
    coarse = [list(group) for group in _groups(partition(joined.weighted), range(len(nodes))) if len(group) > 1]
    fine = [
        (parent, [members[one] for one in group])
        for parent, members in enumerate(coarse)
        if len(members) > LARGE
        for group in _parts(partition, joined.within(members))
    ]
    labels = {member: number for number, group in enumerate(coarse) for member in group}
    membership = [labels.get(node, len(coarse) + node) for node in range(len(nodes))]
    ids = _kept_ids([*((0, group) for group in coarse), *((1, group) for _, group in fine)], nodes, list(previous))
    parents = [None] * len(coarse) + [ids[parent] for parent, _ in fine]
    found = [
        joined.community(members, id=ids[number], level=int(number >= len(coarse)), parent=parents[number])
        for number, members in enumerate([*coarse, *(group for _, group in fine)])
    ]
    return Clustering(
        communities=tuple(sorted(found, key=lambda one: (one.level, one.id))),
        modularity=modularity(joined.weighted, membership),
    )


def modularity(graph: WeightedGraph, membership: Sequence[int]) -> float:
    """
    Return how much more weight lies within groups than chance would put there (Newman and Girvan, 2004).

    Zero for a graph without edges.
    """
    total = sum(graph.weights)
    if not total:
        return 0.0
    inside = 0.0
    degree: dict[int, float] = defaultdict(float)
    for source, target, weight in zip(graph.sources, graph.targets, graph.weights, strict=True):
        one, other = membership[source], membership[target]
        degree[one] += weight
        degree[other] += weight
        inside += weight if one == other else 0.0
    return inside / total - sum((weight / (2 * total)) ** 2 for weight in degree.values())


class _Joined:
    """A graph by numbers: its nodes in order, and one damped weight for each pair that is joined."""

    def __init__(self, nodes: Sequence[Node], edges: Iterable[Edge]) -> None:
        self._nodes = nodes
        number = {node.id: index for index, node in enumerate(nodes)}
        tenths: dict[tuple[int, int], int] = defaultdict(int)  # whole numbers add up alike in any order
        for edge in edges:
            one, other = number.get(edge.source, -1), number.get(edge.target, -1)
            if one >= 0 and other >= 0 and one != other:
                tenths[min(one, other), max(one, other)] += round(edge.weight * 10)
        degrees = Counter(end for pair in tenths for end in pair)
        damping = _damping(degrees)
        pairs = sorted(tenths)
        self.degrees: Mapping[int, int] = degrees
        self.weighted = WeightedGraph(
            size=len(nodes),
            sources=array("i", (one for one, _ in pairs)),
            targets=array("i", (other for _, other in pairs)),
            weights=array(
                "d", (tenths[pair] / 10 * damping.get(pair[0], 1.0) * damping.get(pair[1], 1.0) for pair in pairs)
            ),
        )
        self._edges_of: dict[int, list[int]] = defaultdict(list)
        for index, (one, _) in enumerate(pairs):
            self._edges_of[one].append(index)

    def within(self, members: Sequence[int]) -> WeightedGraph:
        """Return the part of the graph between *members*, renumbered in their order."""
        number = {member: index for index, member in enumerate(members)}
        whole = self.weighted
        kept = [
            index for member in members for index in self._edges_of.get(member, ()) if whole.targets[index] in number
        ]
        return WeightedGraph(
            size=len(members),
            sources=array("i", (number[whole.sources[index]] for index in kept)),
            targets=array("i", (number[whole.targets[index]] for index in kept)),
            weights=array("d", (whole.weights[index] for index in kept)),
        )

    def community(self, members: Sequence[int], *, id: int, level: int, parent: int | None) -> Community:
        """Return the community of *members*, with its central symbols and a name."""
        nodes = [self._nodes[member] for member in members]
        ranked = sorted(
            (member for member in members if self._nodes[member].kind in HUB_KINDS),
            key=lambda member: (-self.degrees[member], self._nodes[member].id),
        )
        central = [self._nodes[member] for member in ranked[:CENTRAL]]
        return Community(
            id=id,
            level=level,
            parent=parent,
            name=_name(nodes, central),
            members=tuple(node.id for node in nodes),
            central=tuple(node.id for node in central),
        )


def _damping(degrees: Mapping[int, int]) -> Mapping[int, float]:
    """Return 1/ln(degree) for the nodes above the 95th percentile of degree; e is where that would raise a weight."""
    if not degrees:
        return {}
    ranked = sorted(degrees.values())
    bound = ranked[min(len(ranked) - 1, int(DAMPED_SHARE * len(ranked)))]
    return {node: 1 / log(degree) for node, degree in degrees.items() if degree > bound and degree >= 3}


def _groups(membership: Sequence[int], nodes: Iterable[int]) -> list[list[int]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for node in nodes:
        groups[membership[node]].append(node)
    return list(groups.values())


def _parts(partition: Partition, graph: WeightedGraph) -> list[list[int]]:
    """Return the parts of a community; none when it does not fall apart."""
    groups = [group for group in _groups(partition(graph), range(graph.size)) if len(group) > 1]
    return groups if len(groups) > 1 else []


def _kept_ids(
    groups: Sequence[tuple[int, Sequence[int]]], nodes: Sequence[Node], previous: Sequence[Community]
) -> list[int]:
    """Return an id for each group: that of the earlier community it shares most with, each used once, or a new one."""
    before = {(one.level, member): one.id for one in previous for member in one.members}
    overlaps = sorted(
        (-shared, old, number)
        for number, (level, group) in enumerate(groups)
        for old, shared in Counter(
            before[level, nodes[member].id] for member in group if (level, nodes[member].id) in before
        ).items()
    )
    kept: dict[int, int] = {}
    taken: set[int] = set()
    for _, old, number in overlaps:
        if number not in kept and old not in taken:
            kept[number] = old
            taken.add(old)
    fresh = count(max((one.id for one in previous), default=-1) + 1)
    return [kept[number] if number in kept else next(fresh) for number in range(len(groups))]


def _name(nodes: Sequence[Node], central: Sequence[Node]) -> str:
    """Return such as ``shop.cart: Cart, add``: where most members stand, and the most joined ones."""
    place = _place(nodes)
    telling = [node for node in central if not node.name.startswith("__")] or central
    names = ", ".join(list(dict.fromkeys(node.name for node in telling))[:NAMED])
    return ": ".join(part for part in (place, names) if part) or nodes[0].name


def _place(nodes: Sequence[Node]) -> str:
    """Return the deepest folder or file, dotted, that holds most of *nodes*."""
    counts: Counter[tuple[str, ...]] = Counter()
    placed = (node.path for node in nodes if node.layer is GraphLayer.REPOSITORY or node.kind is NodeKind.FILE)
    for path, number in Counter(placed).items():
        parts = tuple(path.rsplit(".", 1)[0].removesuffix("/__init__").split("/"))
        for depth in range(1, len(parts) + 1):
            counts[parts[:depth]] += number
    wide = [place for place, held in counts.items() if place[0] and held >= PLACE_SHARE * len(nodes)]
    deepest = max(wide, key=lambda place: (len(place), place), default=())
    return ".".join(deepest)
