"""The graph index as a projection of the store."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pckc_domain.errors import BackendError
from pckc_domain.model.graph import Edge
from pckc_domain.model.graph_index import CLAIM_GRAPH, GraphName, IndexCount, IndexEdge, Portion
from pckc_domain.model.inference import InferenceRule, InferredEdge
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, graph_file_id, graph_of_file
from pckc_domain.model.projection import generation_scope, probe_scope
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.indexing import claim_node, code_edge, graph_name, inferred_edge, link_edge, symbol_node
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.inference import Applied, InferenceRepository, RuleEngine
from pckc_domain.usecases.graph_walks import batches
from pckc_domain.usecases.projecting import Projection

GRAPH_PROJECTION = "graph"
GRAPH_KINDS = (OutboxKind.CLAIM, OutboxKind.LINK, OutboxKind.GRAPH_FILE)
"""Changes that the graph index follows."""

BATCH_FILES = 40
"""Files of code graphs among the changes that are written together: a file has a hundred times the edges of a claim."""


class GraphProjection(Projection):
    """
    Keeps claims with their links, and the files of code graphs with their symbols, in a graph index.

    A claim is an owner with its links, a file of a code graph one with its symbols; each is read as it is now, with
    every edge that touches it, so that no order of changes leaves anything behind.
    """

    def __init__(self, canonical: Canonical, index: GraphIndex) -> None:
        self._canonical = canonical
        self._index = index
        self._paths: dict[str, str] = {}

    @property
    def name(self) -> str:
        """See the protocol."""
        return GRAPH_PROJECTION

    @property
    def kinds(self) -> Collection[OutboxKind]:
        """See the protocol."""
        return GRAPH_KINDS

    @property
    def stage(self) -> str:
        """See the protocol."""
        return "graph index"

    def batch(self, entries: Sequence[OutboxEntry], /) -> Sequence[OutboxEntry]:
        """See the protocol; some files or many claims."""
        files = 0
        for place, entry in enumerate(entries):
            files += entry.kind is OutboxKind.GRAPH_FILE
            if files > BATCH_FILES:
                return entries[:place]
        return entries

    def project(self, scope: Scope, entries: Sequence[OutboxEntry], /, *, into: Scope) -> None:
        """See the protocol."""
        with self._canonical.reading(scope) as work:
            portions = self._portions(work, entries)
        for graph, given in portions.items():
            self._index.replace(into, graph, given)

    def probe(self, scope: Scope, /) -> None:
        """See the protocol."""
        beside = probe_scope(scope)
        self._index.replace(beside, CLAIM_GRAPH, [Portion(owner="probe")])
        self._index.clear(beside)

    def wanted(self, scope: Scope, /) -> int:
        """See the protocol; claims and symbols."""
        with self._canonical.reading(scope) as work:
            symbols = sum(sum(work.graph(*place).links.count().nodes.values()) for place in work.graphs())
            return symbols + sum(work.census.claims().values())

    def count(self, into: Scope, /) -> int:
        """See the protocol."""
        return self._index.count(into).nodes

    def clear(self, into: Scope, /) -> None:
        """See the protocol."""
        self._index.clear(into)

    def _portions(self, work: UnitOfWork, entries: Sequence[OutboxEntry]) -> Mapping[GraphName, Sequence[Portion]]:
        """Return what the changed claims and files hold now; nothing for those that are gone."""
        files = [entry.entity_id for entry in entries if entry.kind is OutboxKind.GRAPH_FILE]
        claims = sorted({entry.entity_id for entry in entries if entry.kind is not OutboxKind.GRAPH_FILE})
        portions: dict[GraphName, Sequence[Portion]] = {}
        for place in sorted(set(map(graph_of_file, files))):
            graph = work.graph(*place)
            name = graph_name(*place)
            own = [file_id for file_id in files if graph_of_file(file_id) == place]
            if not self._paths.keys() >= set(own):
                self._paths |= {graph_file_id(*place, path): path for path in graph.files.known()}
            follows = work.inferences if name in work.inferences.known() else None
            portions[name] = [_file_portion(graph, name, follows, id_, self._paths.get(id_)) for id_ in own]
        if claims:
            portions[CLAIM_GRAPH] = list(_claim_portions(work, claims))
        return portions


class ServingGraphIndex(GraphIndex, RuleEngine):
    """The generation of a graph index that serves; what is cleared goes from both."""

    def __init__(self, canonical: Canonical, index: GraphIndex) -> None:
        self._canonical = canonical
        self._index = index

    def replace(self, scope: Scope, graph: GraphName, portions: Sequence[Portion], /) -> None:
        """See the port."""
        self._index.replace(self._serving(scope), graph, portions)

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
        return self._index.edges(self._serving(scope), graph, node_ids, direction, kinds=kinds)

    def degrees(self, scope: Scope, graph: GraphName, /, *, limit: int) -> Sequence[tuple[str, int]]:
        """See the port."""
        return self._index.degrees(self._serving(scope), graph, limit=limit)

    def count(self, scope: Scope, /) -> IndexCount:
        """See the port."""
        return self._index.count(self._serving(scope))

    def apply(self, scope: Scope, graph: GraphName, rules: Sequence[InferenceRule], /, *, limit: int) -> Applied:
        """
        See the port.

        Raises:
            BackendError: The index applies no rules.
        """
        if not isinstance(self._index, RuleEngine):
            raise BackendError("the graph index applies no rules", remedy='set engine = "embedded" in [inference]')
        return self._index.apply(self._serving(scope), graph, rules, limit=limit)

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        for generation in (0, 1):
            self._index.clear(generation_scope(scope, generation))

    def _serving(self, scope: Scope) -> Scope:
        with self._canonical.reading(scope) as work:
            return generation_scope(scope, work.generations.get(GRAPH_PROJECTION).serving)


def _claim_portions(work: UnitOfWork, claim_ids: Sequence[str]) -> Iterator[Portion]:
    claims = {stored.claim.id: stored.claim for stored in work.claims.get(claim_ids)}
    edges: dict[str, list[IndexEdge]] = {}
    inferred = map(inferred_edge, work.inferences.edges(CLAIM_GRAPH, node_ids=claim_ids))
    for edge in _once([*map(link_edge, work.links.of(claim_ids)), *inferred]):
        for end in {edge.source, edge.target}:
            edges.setdefault(end, []).append(edge)
    for id_ in claim_ids:
        if claim := claims.get(id_):
            yield Portion(owner=id_, nodes=(claim_node(claim),), edges=tuple(edges.get(id_, ())))
        else:
            yield Portion(owner=id_)


def _file_portion(
    graph: GraphWork, name: GraphName, follows: InferenceRepository | None, file_id: str, path: str | None
) -> Portion:
    """Return what the file at *path* holds; it has none when it was gone before anybody asked."""
    nodes = graph.symbols.at(path) if path is not None else ()
    ids = [node.id for node in nodes]
    inferred: Sequence[InferredEdge] = follows.edges(name, node_ids=ids) if follows and ids else ()
    return Portion(
        owner=file_id,
        nodes=tuple(map(symbol_node, nodes)),
        edges=tuple(_once([*map(code_edge, _touching(graph, ids)), *map(inferred_edge, inferred)])),
    )


def _once(edges: Iterable[IndexEdge]) -> Iterable[IndexEdge]:
    """Yield edges but for those that were read since they were concluded."""
    known: dict[tuple[str, str, str], IndexEdge] = {}
    for edge in edges:
        known.setdefault((edge.source, edge.target, edge.kind), edge)
    return known.values()


def _touching(graph: GraphWork, ids: Sequence[str]) -> Iterable[Edge]:
    """Return the edges that leave or reach nodes, each once."""
    found = (edge for batch in batches(ids) for direction in Direction for edge in graph.links.edges(batch, direction))
    return {(edge.source, edge.target, edge.kind): edge for edge in found}.values()
