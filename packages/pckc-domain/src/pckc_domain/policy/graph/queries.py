"""Questions to a graph: who calls, what is near, how one gets from here to there, what a change touches."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property

import attrs

from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.graph import Edge, EdgeKind, Graph, Node, NodeKind, OpenCall
from pckc_domain.policy.graph.tests_of import is_test_path

MAX_DEPTH = 5
_NEAR_NAMES = 5
_SPREADING = frozenset(
    (EdgeKind.CALLS, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.OVERRIDES, EdgeKind.REFERENCES,
     EdgeKind.PARAMETER_TYPE, EdgeKind.RETURN_TYPE)
)  # fmt: skip
"""Edges along which a change is felt, against their direction."""


@attrs.frozen(kw_only=True)
class Callers:
    """
    Who calls something: at least these.

    Attributes:
        edges: Calls, by source.
        open_calls: Calls nobody could resolve that may mean it.
    """

    edges: tuple[Edge, ...]
    open_calls: tuple[OpenCall, ...]


@attrs.frozen(kw_only=True)
class Reached:
    """A node with its distance from where a question began, and the edge that led there."""

    node: Node
    distance: int
    edge: Edge


@attrs.frozen(kw_only=True)
class Impact:
    """What feels a change: nodes by distance, and the test files among them."""

    reached: tuple[Reached, ...]
    tests: tuple[str, ...]


class GraphQueries:
    """Answers questions to one graph; it is indexed by the first of them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def _outgoing(self) -> Mapping[str, Sequence[Edge]]:
        return _grouped(self.graph.edges, lambda edge: edge.source)

    @cached_property
    def _incoming(self) -> Mapping[str, Sequence[Edge]]:
        return _grouped(self.graph.edges, lambda edge: edge.target)

    def find(self, name: str) -> list[Node]:
        """
        Return the nodes that *name* means, by id: an id, a qualified name, or the end of one.

        Raises:
            NotFoundError: There is none; the remedy names near ones.
        """
        if name in self.graph.by_id:
            return [self.graph.by_id[name]]
        symbols = [node for node in self.graph.nodes if node.kind is not NodeKind.RATIONALE]
        found = [node for node in symbols if node.qualified_name == name]
        found = found or [node for node in symbols if node.qualified_name.endswith(f".{name}")]
        if found:
            return found
        names = sorted({node.qualified_name for node in symbols})
        last = name.rpartition(".")[2].lower()
        near = get_close_matches(name, names, n=_NEAR_NAMES, cutoff=0.6) or [
            one for one in names if last and last in one.rpartition(".")[2].lower()
        ]
        remedy = f"near names: {', '.join(near[:_NEAR_NAMES])}" if near else "no name is near it"
        raise NotFoundError(f"The graph knows no {name!r}", remedy=remedy)

    def callers(self, nodes: Iterable[Node]) -> Callers:
        """Return who calls *nodes*; of a class, who makes instances."""
        targets = self._as_called(nodes)
        edges = [
            edge
            for target in targets
            for edge in self._incoming.get(target, ())
            if edge.kind is EdgeKind.CALLS or (edge.kind is EdgeKind.REFERENCES and edge.origin == "instance")
        ]
        open_calls = [call for call in self.graph.open_calls if not targets.isdisjoint(call.candidates)]
        return Callers(edges=tuple(sorted(edges, key=_ends)), open_calls=tuple(open_calls))

    def callees(self, nodes: Iterable[Node]) -> Callers:
        """Return what *nodes* call, and the calls in them that gave no edge."""
        ids = {node.id for node in nodes}
        edges = [edge for one in ids for edge in self._outgoing.get(one, ()) if edge.kind is EdgeKind.CALLS]
        open_calls = [call for call in self.graph.open_calls if call.caller in ids]
        return Callers(edges=tuple(sorted(edges, key=_ends)), open_calls=tuple(open_calls))

    def _as_called(self, nodes: Iterable[Node]) -> set[str]:
        targets = {node.id for node in nodes}
        for node in [self.graph.by_id[one] for one in sorted(targets)]:
            if node.kind is NodeKind.CLASS:
                targets |= {
                    edge.target
                    for edge in self._outgoing.get(node.id, ())
                    if edge.kind is EdgeKind.CONTAINS and self.graph.by_id[edge.target].name in ("__init__", "__new__")
                }
        return targets

    def neighbors(self, nodes: Iterable[Node], *, depth: int = 1) -> list[Reached]:
        """
        Return what is joined to *nodes* by at most *depth* edges of any kind and direction, by distance and id.

        Raises:
            InvalidInputError: *depth* is not within 1 to 5.
        """
        if not 1 <= depth <= MAX_DEPTH:
            raise InvalidInputError(f"depth must be 1 to {MAX_DEPTH}, not {depth}")
        return self._spread(nodes, depth, lambda one: [*self._outgoing.get(one, ()), *self._incoming.get(one, ())])

    def impact(self, nodes: Iterable[Node], *, depth: int = 64) -> Impact:
        """Return what feels a change of *nodes* and of what they contain, transitively, and the tests to run."""
        whole = self._with_parts(nodes)
        reached = self._spread(
            whole, depth, lambda one: [edge for edge in self._incoming.get(one, ()) if edge.kind in _SPREADING]
        )
        paths = {one.node.path for one in reached} | {node.path for node in whole}
        return Impact(reached=tuple(reached), tests=tuple(sorted(path for path in paths if is_test_path(path))))

    def path(self, sources: Iterable[Node], targets: Iterable[Node]) -> list[Edge]:
        """Return the edges of a shortest way along their direction, without containment first; none without a way."""
        starts, ends = list(sources), {node.id for node in targets}
        for kinds in (frozenset(EdgeKind) - {EdgeKind.CONTAINS}, frozenset(EdgeKind)):
            came = {one.node.id: one.edge for one in self._spread(
                starts, len(self.graph.nodes), lambda one: [e for e in self._outgoing.get(one, ()) if e.kind in kinds]  # noqa: B023 - called at once
            )}  # fmt: skip
            goal = next((one for one in sorted(ends) if one in came), None)
            if goal is not None:
                way: list[Edge] = []
                begun = {node.id for node in starts}
                while goal not in begun:
                    way.append(came[goal])
                    goal = came[goal].source
                return way[::-1]
        return []

    def _with_parts(self, nodes: Iterable[Node]) -> list[Node]:
        found = {node.id: node for node in nodes}
        stack = list(found)
        while stack:
            for edge in self._outgoing.get(stack.pop(), ()):
                if edge.kind is EdgeKind.CONTAINS and edge.target not in found:
                    found[edge.target] = self.graph.by_id[edge.target]
                    stack.append(edge.target)
        return [found[one] for one in sorted(found)]

    def _spread(self, nodes: Iterable[Node], depth: int, edges_of: Callable[[str], Sequence[Edge]]) -> list[Reached]:
        queue = deque((node.id, 0) for node in nodes)
        seen = {one for one, _ in queue}
        reached: list[Reached] = []
        while queue:
            one, distance = queue.popleft()
            if distance == depth:
                continue
            for edge in edges_of(one):
                other = edge.source if edge.target == one and edge.source != one else edge.target
                if other not in seen:
                    seen.add(other)
                    reached.append(Reached(node=self.graph.by_id[other], distance=distance + 1, edge=edge))
                    queue.append((other, distance + 1))
        return sorted(reached, key=lambda one: (one.distance, one.node.id))


def _grouped(edges: Iterable[Edge], key: Callable[[Edge], str]) -> Mapping[str, Sequence[Edge]]:
    groups: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[key(edge)].append(edge)
    return groups


def _ends(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, edge.kind
