"""A stored graph whose edges are asked from a graph index."""

from collections.abc import Collection, Iterable, Sequence

from pckc_domain.errors import BackendError, ConfigurationError
from pckc_domain.model.graph import Edge, EdgeKind, Graph, GraphLayer, OpenCall
from pckc_domain.model.graph_index import GraphName
from pckc_domain.model.inference import INFERENCE
from pckc_domain.model.linking import LinkMemory
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.indexing import edge_of, graph_name
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.ports.graph import (
    CommunityRepository,
    Direction,
    GraphCount,
    GraphFileRepository,
    GraphStateRepository,
    GraphWork,
    LinkRepository,
    SymbolRepository,
)
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.usecases.graph_walks import by_id
from pckc_domain.usecases.project_graph import GRAPH_KINDS, GRAPH_PROJECTION


class IndexedLinks(LinkRepository):
    """
    Edges and degrees of the index; all else is the canonical store's.

    When the index fails, the canonical store answers from then on, and *trouble* says why.
    """

    def __init__(self, stored: GraphWork, index: GraphIndex, scope: Scope, name: GraphName, layer: GraphLayer) -> None:
        self.trouble = ""
        self._stored = stored
        self._index = index
        self._scope = scope
        self._name = name
        self._layer = layer

    def edges(
        self, node_ids: Sequence[str], direction: Direction, /, *, kinds: Collection[EdgeKind] = ()
    ) -> Sequence[Edge]:
        """See the port."""
        if not self.trouble:
            try:
                found = self._index.edges(self._scope, self._name, node_ids, direction, kinds=kinds)
                return self._known([edge_of(edge, self._layer) for edge in found if edge.origin != INFERENCE])
            except (BackendError, ConfigurationError) as error:
                self.trouble = error.message
        return self._stored.links.edges(node_ids, direction, kinds=kinds)

    def degrees(self, *, limit: int) -> Sequence[tuple[str, int]]:
        """See the port."""
        if not self.trouble:
            try:
                return self._index.degrees(self._scope, self._name, limit=limit)
            except (BackendError, ConfigurationError) as error:
                self.trouble = error.message
        return self._stored.links.degrees(limit=limit)

    def open_calls(
        self, *, callers: Sequence[str] = (), candidates: Sequence[str] = (), names: Sequence[str] = ()
    ) -> Sequence[OpenCall]:
        """See the port."""
        return self._stored.links.open_calls(callers=callers, candidates=candidates, names=names)

    def whole(self) -> Graph:
        """See the port."""
        return self._stored.links.whole()

    def count(self) -> GraphCount:
        """See the port."""
        return self._stored.links.count()

    def _known(self, edges: Iterable[Edge]) -> Sequence[Edge]:
        """Leave out edges to nodes that came after the moment which the transaction sees."""
        edges = list(edges)
        known = by_id(self._stored, (end for edge in edges for end in (edge.source, edge.target)))
        return [edge for edge in edges if edge.source in known and edge.target in known]


class IndexedGraph(GraphWork):
    """A graph of the canonical store, its links through an index."""

    def __init__(self, stored: GraphWork, links: IndexedLinks) -> None:
        self._stored = stored
        self._links = links

    @property
    def symbols(self) -> SymbolRepository:
        """See the port."""
        return self._stored.symbols

    @property
    def links(self) -> IndexedLinks:
        """See the port."""
        return self._links

    @property
    def files(self) -> GraphFileRepository:
        """See the port."""
        return self._stored.files

    @property
    def communities(self) -> CommunityRepository:
        """See the port."""
        return self._stored.communities

    @property
    def memory(self) -> LinkMemory:
        """See the port."""
        return self._stored.memory

    @property
    def state(self) -> GraphStateRepository:
        """See the port."""
        return self._stored.state


def indexed_graph(
    work: UnitOfWork, index: GraphIndex, scope: Scope, checkout_id: str, layer: GraphLayer
) -> IndexedGraph:
    """Return the graph of a checkout with its edges from *index*; see `why_not_indexed` first."""
    stored = work.graph(checkout_id, layer)
    return IndexedGraph(stored, IndexedLinks(stored, index, scope, graph_name(checkout_id, layer), layer))


def why_not_indexed(work: UnitOfWork, index: GraphIndex, scope: Scope) -> str:
    """Return why questions should not be asked from *index* now; ``""`` when it is in step with what *work* sees."""
    if behind := work.outbox.lag(GRAPH_PROJECTION, kinds=GRAPH_KINDS):
        return f"the graph index is {behind} changes behind"
    try:
        return "" if index.count(scope).nodes else "the graph index holds nothing"
    except (BackendError, ConfigurationError) as error:
        return error.message
