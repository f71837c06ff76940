"""A store of claims and code graphs with a graph index beside it, and what the index must then answer."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

from hypothesis import strategies as st

from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.graph_index import CLAIM_GRAPH, GraphName, IndexCount, IndexEdge, Portion
from pckc_domain.model.linking import LinkedFile
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.indexing import link_edge
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.testing.conversations import SCOPE, tell
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.graph_store_machine import GRAPHS, IDS, PATHS, linked_files
from pckc_domain.testing.projections import WORKER, graph_projector
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.graph_questions import GraphQuestions
from pckc_domain.usecases.indexed_graph import indexed_graph, why_not_indexed
from pckc_domain.usecases.project_graph import (
    GRAPH_KINDS,
    GRAPH_PROJECTION,
    GraphProjection,
    ServingGraphIndex,
)
from pckc_domain.usecases.projecting import Projector
from pckc_domain.usecases.rebuild import Rebuilder, RebuildReport
from pckc_domain.usecases.remember import Deriver

Deed = tuple[str, tuple[str, GraphLayer], LinkedFile, int]
"""What is done, to which graph, with which file and number, as far as it needs them."""

ACTS = ("put", "put", "put", "remove", "clear", "tell", "tell", "forget", "project", "fail", "lose", "rebuild")

deeds: st.SearchStrategy[list[Deed]] = st.lists(
    st.tuples(st.sampled_from(ACTS), st.sampled_from(GRAPHS), linked_files(), st.integers(0, 3)), max_size=14
)


class BreakingIndex(GraphIndex):
    """Another index, down after *calls_left* more calls; ``None`` means never."""

    def __init__(self, inner: GraphIndex) -> None:
        self.calls_left: int | None = None
        self._inner = inner

    def _call(self) -> GraphIndex:
        if self.calls_left == 0:
            raise BackendUnavailableError("the graph server is down")
        if self.calls_left is not None:
            self.calls_left -= 1
        return self._inner

    def replace(self, scope: Scope, graph: GraphName, portions: Sequence[Portion], /) -> None:
        """See the port."""
        self._call().replace(scope, graph, portions)

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
        return self._call().edges(scope, graph, node_ids, direction, kinds=kinds)

    def degrees(self, scope: Scope, graph: GraphName, /, *, limit: int) -> Sequence[tuple[str, int]]:
        """See the port."""
        return self._call().degrees(scope, graph, limit=limit)

    def count(self, scope: Scope, /) -> IndexCount:
        """See the port."""
        return self._call().count(scope)

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        self._call().clear(scope)


class Projected:
    """A store and the index that is fed from it."""

    def __init__(self, canonical: Canonical, index: GraphIndex) -> None:
        self.canonical = canonical
        self.index = BreakingIndex(index)
        self.serving = ServingGraphIndex(canonical, self.index)

    def do(self, deed: Deed) -> None:
        """Do one thing."""
        act, graph, file, number = deed
        acts: Mapping[str, Callable[[], object]] = {
            "put": lambda: self.write(lambda work: work.graph(*graph).files.put([file])),
            "remove": lambda: self.write(lambda work: work.graph(*graph).files.remove([PATHS[number % 3]])),
            "clear": lambda: self.write(lambda work: work.graph(*graph).files.clear()),
            "tell": lambda: self.tell(number),
            "forget": lambda: self.forget(number),
            "project": self.project,
            "fail": lambda: self.fail_after(number),
            "lose": lambda: self.serving.clear(SCOPE),
            "rebuild": self.rebuild,
        }
        acts[act]()

    def write(self, change: Callable[[UnitOfWork], None]) -> None:
        """Change the store."""
        with self.canonical.writing(SCOPE) as work:
            change(work)

    def tell(self, number: int) -> None:
        """Say something that supersedes or confirms what was said in other sessions."""
        tell(self.canonical, f"s{number}", [f"The queue listens on port 80{number % 2}0.", "We decided to use Redis."])

    def forget(self, number: int) -> None:
        """Forget a session, if it was told."""
        with self.canonical.reading(SCOPE) as work:
            sessions = [session.id for session in work.sessions.find(limit=9) if session.source_id == f"s{number}"]
        for session_id in sessions:
            Eraser(self.canonical, Deriver(self.canonical, FixedClock())).forget_session(SCOPE, session_id)

    def project(self) -> int:
        """Bring the index up to date; one that was lost is fed from the beginning."""
        return self.projector().run(SCOPE)

    def projector(self) -> Projector:
        """Return what feeds the index."""
        return graph_projector(self.canonical, self.index)

    def rebuild(self) -> RebuildReport:
        """Make the index anew."""
        return Rebuilder(self.canonical, GraphProjection(self.canonical, self.index), WORKER).run(SCOPE)

    def fail_after(self, calls: int) -> None:
        """Let the index break down on the way."""
        self.index.calls_left = calls
        with suppress(BackendUnavailableError):
            self.project()
        self.index.calls_left = None

    def lag(self) -> int:
        """Return how far behind the index is."""
        with self.canonical.reading(SCOPE) as work:
            return work.outbox.lag(GRAPH_PROJECTION, kinds=GRAPH_KINDS)

    def check(self) -> None:
        """The index, brought up to date, holds and answers what the store does."""
        self.project()
        assert self.lag() == 0
        projection = GraphProjection(self.canonical, self.serving)
        assert projection.count(SCOPE) == projection.wanted(SCOPE)
        nodes = edges = 0
        with self.canonical.reading(SCOPE) as work:
            for place in work.graphs():
                stored, indexed = work.graph(*place), indexed_graph(work, self.serving, SCOPE, *place)
                whole = stored.links.whole()
                ids = [node.id for node in whole.nodes]
                assert list(indexed.links.edges(ids, Direction.OUT)) == list(whole.edges)
                assert list(indexed.links.edges(ids, Direction.IN)) == list(whole.edges)
                assert answers(indexed) == answers(stored)
                assert indexed.links.trouble == ""
                nodes, edges = nodes + len(whole.nodes), edges + len(whole.edges)
            claims = [stored.claim.id for stored in work.claims.find(where=ClaimFilter(), limit=999)]
            links = sorted(map(link_edge, work.links.of(claims)), key=lambda one: (one.source, one.target, one.kind))
            assert list(self.serving.edges(SCOPE, CLAIM_GRAPH, claims, Direction.OUT)) == links
            assert self.serving.count(SCOPE) == IndexCount(nodes=nodes + len(claims), edges=edges + len(links))
            assert bool(why_not_indexed(work, self.serving, SCOPE)) is not bool(nodes + len(claims))


def answers(graph: GraphWork) -> list[object]:
    """Return what questions along edges answer: neighbours, ways, callers, what a change touches, and hubs."""
    questions = GraphQuestions(graph)
    there = graph.symbols.get(IDS)
    return [
        questions.hubs(limit=4),
        *(questions.neighbors([node], depth=3, limit=5) for node in there),
        *(questions.path([one], [other]) for one in there for other in there),
        *(questions.callers([node]) for node in there),
        *(questions.callees([node]) for node in there),
        *(questions.impact([node]) for node in there),
    ]
