"""Keep the graph index in step with the store, through the outbox."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pckc_domain.model.graph import Edge
from pckc_domain.model.graph_index import CLAIM_GRAPH, GraphName, IndexEdge, Portion
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, graph_file_id, graph_of_file
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.indexing import claim_node, code_edge, graph_name, link_edge, symbol_node
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.usecases.graph_walks import batches

GRAPH_PROJECTION = "graph"
GRAPH_KINDS = (OutboxKind.CLAIM, OutboxKind.LINK, OutboxKind.GRAPH_FILE)
"""Changes that the graph index follows."""

BATCH_ENTRIES = 400
"""Changes read from the queue at once."""

BATCH_FILES = 40
"""Files of code graphs among them that are written together: a file has a hundred times the edges of a claim."""


class GraphProjector:
    """
    Feeds the graph index from the outbox: at least once, in order, resumable at any point.

    A claim is an owner with its links, a file of a code graph one with its symbols; each is read as it is now, with
    every edge that touches it, so that no order of changes leaves anything behind.
    """

    def __init__(self, canonical: Canonical, index: GraphIndex) -> None:
        self._canonical = canonical
        self._index = index
        self._paths: dict[str, str] = {}

    def run(
        self,
        scope: Scope,
        *,
        progress: ProgressListener = ignore_progress,
        is_enough: Callable[[], bool] = lambda: False,
    ) -> int:
        """
        Project pending changes until there are none, or *is_enough* says so, and return how many were projected.

        What is left is projected by the next run. An index that holds nothing of the scope, because it is new or was
        lost, is fed from the beginning.

        Raises:
            BackendUnavailableError: The index or the store cannot be reached; what was projected stays so.
        """
        if self._index.count(scope).nodes == 0:
            self._start_over(scope)
        done = 0
        with self._canonical.reading(scope) as work:
            total = work.outbox.lag(GRAPH_PROJECTION, kinds=GRAPH_KINDS)
        while not is_enough() and (step := self._step(scope)):
            done += step
            progress(Progress(stage="graph index", done=done, total=max(done, total)))
        return done

    def rebuild(self, scope: Scope, *, progress: ProgressListener = ignore_progress) -> int:
        """Forget the scope's graphs, make them all anew and return the number of changes projected."""
        self._index.clear(scope)
        self._start_over(scope)
        return self.run(scope, progress=progress)

    def _start_over(self, scope: Scope) -> None:
        with self._canonical.writing(scope) as work:
            work.outbox.reset(GRAPH_PROJECTION)

    def _step(self, scope: Scope) -> int:
        with self._canonical.reading(scope) as work:
            entries = _together(work.outbox.pending(GRAPH_PROJECTION, limit=BATCH_ENTRIES, kinds=GRAPH_KINDS))
            if not entries:
                return 0
            portions = self._portions(work, entries)
        for graph, given in portions.items():
            self._index.replace(scope, graph, given)
        with self._canonical.writing(scope) as work:
            work.outbox.advance(GRAPH_PROJECTION, entries[-1].seq)
        return len(entries)

    def _portions(self, work: UnitOfWork, entries: Sequence[OutboxEntry]) -> Mapping[GraphName, Sequence[Portion]]:
        """Return what the changed claims and files hold now; nothing for those that are gone."""
        files = [entry.entity_id for entry in entries if entry.kind is OutboxKind.GRAPH_FILE]
        claims = sorted({entry.entity_id for entry in entries if entry.kind is not OutboxKind.GRAPH_FILE})
        portions: dict[GraphName, Sequence[Portion]] = {}
        for place in sorted(set(map(graph_of_file, files))):
            graph = work.graph(*place)
            own = [file_id for file_id in files if graph_of_file(file_id) == place]
            if not self._paths.keys() >= set(own):
                self._paths |= {graph_file_id(*place, path): path for path in graph.files.known()}
            portions[graph_name(*place)] = [_file_portion(graph, id_, self._paths.get(id_)) for id_ in own]
        if claims:
            portions[CLAIM_GRAPH] = list(_claim_portions(work, claims))
        return portions


def _together(pending: Sequence[OutboxEntry]) -> Sequence[OutboxEntry]:
    """Return the first ones of *pending*, with no more than `BATCH_FILES` files among them."""
    files = 0
    for place, entry in enumerate(pending):
        files += entry.kind is OutboxKind.GRAPH_FILE
        if files > BATCH_FILES:
            return pending[:place]
    return pending


def _claim_portions(work: UnitOfWork, claim_ids: Sequence[str]) -> Iterator[Portion]:
    claims = {stored.claim.id: stored.claim for stored in work.claims.get(claim_ids)}
    edges: dict[str, list[IndexEdge]] = {}
    for link in work.links.of(claim_ids):
        for end in {link.source_id, link.target_id}:
            edges.setdefault(end, []).append(link_edge(link))
    for id_ in claim_ids:
        if claim := claims.get(id_):
            yield Portion(owner=id_, nodes=(claim_node(claim),), edges=tuple(edges.get(id_, ())))
        else:
            yield Portion(owner=id_)


def _file_portion(graph: GraphWork, file_id: str, path: str | None) -> Portion:
    """Return what the file at *path* holds; it has none when it was gone before anybody asked."""
    nodes = graph.symbols.at(path) if path is not None else ()
    ids = [node.id for node in nodes]
    return Portion(
        owner=file_id,
        nodes=tuple(map(symbol_node, nodes)),
        edges=tuple(map(code_edge, _touching(graph, ids))),
    )


def _touching(graph: GraphWork, ids: Sequence[str]) -> Iterable[Edge]:
    """Return the edges that leave or reach nodes, each once."""
    found = (edge for batch in batches(ids) for direction in Direction for edge in graph.links.edges(batch, direction))
    return {(edge.source, edge.target, edge.kind): edge for edge in found}.values()
