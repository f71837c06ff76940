"""A graph index in dictionaries."""

from collections import Counter
from collections.abc import Collection, Sequence

from pckc_domain.model.graph import EdgeKind
from pckc_domain.model.graph_index import GraphName, IndexCount, IndexEdge, IndexNode, Portion
from pckc_domain.model.inference import INFERENCE
from pckc_domain.model.scope import Scope
from pckc_domain.ports.graph import Direction
from pckc_domain.ports.graph_index import GraphIndex

EdgeKey = tuple[str, str, str]
"""Source, target and kind."""


class _Graph:
    """Nodes with their owners, and edges."""

    def __init__(self) -> None:
        self.nodes: dict[str, tuple[str, IndexNode]] = {}
        self.edges: dict[EdgeKey, IndexEdge] = {}

    def replace(self, portions: Sequence[Portion]) -> None:
        newest = {portion.owner: portion for portion in portions}
        given = {node.id: (portion.owner, node) for portion in newest.values() for node in portion.nodes}
        gone = {id_ for id_, (owner, _) in self.nodes.items() if owner in newest} | given.keys()
        self.edges = {
            key: edge for key, edge in self.edges.items() if edge.source not in gone and edge.target not in gone
        }
        self.nodes = {id_: held for id_, held in self.nodes.items() if id_ not in gone} | given
        for edge in (edge for portion in newest.values() for edge in portion.edges):
            if edge.source in self.nodes and edge.target in self.nodes:
                self.edges[edge.source, edge.target, edge.kind] = edge


class MemoryGraphIndex(GraphIndex):
    """Graphs that live as long as the process."""

    def __init__(self) -> None:
        self._graphs: dict[tuple[Scope, GraphName], _Graph] = {}

    def replace(self, scope: Scope, graph: GraphName, portions: Sequence[Portion], /) -> None:
        """See the port."""
        self._graphs.setdefault((scope, graph), _Graph()).replace(portions)

    def edges(
        self,
        scope: Scope,
        graph: GraphName,
        node_ids: Collection[str],
        direction: Direction,
        /,
        *,
        kinds: Collection[str] = (),
    ) -> Sequence[IndexEdge]:
        """See the port."""
        wanted = set(node_ids)
        return [
            edge
            for _, edge in sorted(self._of(scope, graph).edges.items())
            if (edge.source if direction is Direction.OUT else edge.target) in wanted
            and (not kinds or edge.kind in kinds)
        ]

    def degrees(self, scope: Scope, graph: GraphName, /, *, limit: int) -> Sequence[tuple[str, int]]:
        """See the port."""
        counts: Counter[str] = Counter()
        for edge in self._of(scope, graph).edges.values():
            if edge.kind != EdgeKind.CONTAINS and edge.origin != INFERENCE:
                counts.update((edge.source, edge.target))
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[: max(limit, 0)]

    def count(self, scope: Scope, /) -> IndexCount:
        """See the port."""
        graphs = [graph for (of, _), graph in self._graphs.items() if of == scope]
        return IndexCount(
            nodes=sum(len(graph.nodes) for graph in graphs), edges=sum(len(graph.edges) for graph in graphs)
        )

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        self._graphs = {key: graph for key, graph in self._graphs.items() if key[0] != scope}

    def _of(self, scope: Scope, graph: GraphName) -> _Graph:
        return self._graphs.get((scope, graph), _Graph())
