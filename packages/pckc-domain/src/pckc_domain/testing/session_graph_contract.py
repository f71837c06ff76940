"""What every canonical store keeps of the session graph, through the use cases that keep it."""

from collections.abc import Sequence

import attrs
import pytest

from pckc_domain.errors import NotFoundError
from pckc_domain.model.graph import Community, EdgeKind, Graph, GraphLayer, NodeKind
from pckc_domain.model.memory import MemoryRequest
from pckc_domain.model.session import EventKind
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.conversations import SCOPE, Line, conversation
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.graph_samples import linked
from pckc_domain.testing.graph_samples import node as symbol
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.graph_sessions import told_of
from pckc_domain.usecases.recall_claims import ClaimSearch
from pckc_domain.usecases.remember import Deriver, prepare_event
from pckc_domain.usecases.session_graph import SessionGraphKeeper, session_graph

CWD = "/home/ann/shop"
CART = "shop/cart.py"
OTHER = "shop/tax.py"
CART_NODE, OTHER_NODE = f"file#{CART}", f"file#{OTHER}"

FIRST: tuple[Line, ...] = (
    "We decided to use DuckDB as the database.",
    (EventKind.FILE_CHANGE, "MAX_ITEMS = 30"),
    (EventKind.TOOL_RESULT, "listed"),
)
SECOND: tuple[Line, ...] = (
    "We decided to use PostgreSQL as the database.",
    (EventKind.FILE_CHANGE, "RATE = 7"),
)


def store(canonical: Canonical, name: str, lines: Sequence[Line], paths: Sequence[str], *, day: int = 0) -> str:
    """Store and derive a session whose file changes are of *paths*, in order; return its id."""
    told, events = conversation(name, lines, cwd=CWD)
    left = list(paths)
    placed = []
    for event in events:
        at = attrs.evolve(event, time=event.time.replace(day=2 + day) if event.time else None)
        if event.kind is EventKind.FILE_CHANGE and left:
            at = attrs.evolve(at, path=left.pop(0), tool="Edit")
        placed.append(at if event.kind is not EventKind.TOOL_RESULT else attrs.evolve(at, tool="Bash"))
    with canonical.writing(SCOPE) as work:
        work.sessions.put(told, [prepare_event(event) for event in placed])
    Deriver(canonical, FixedClock()).run(SCOPE)
    return told.id


def whole(canonical: Canonical) -> Graph:
    """Return the session graph, the communities left out."""
    with canonical.reading(SCOPE) as work:
        return session_graph(work).links.whole()


def ends(graph: Graph, kind: EdgeKind) -> set[tuple[str, str]]:
    """Return the names of what edges of *kind* join."""
    return {(graph.by_id[edge.source].name, graph.by_id[edge.target].name) for edge in graph.edges if edge.kind is kind}


class SessionGraphContract:
    """Give a fixture ``canonical`` that yields an empty store."""

    @pytest.fixture
    def told(self, canonical: Canonical) -> tuple[str, str]:
        """Two sessions, of which the second takes back what the first says."""
        first = store(canonical, "first", FIRST, [f"{CWD}/{CART}"])
        return first, store(canonical, "second", SECOND, [f"{CWD}/{OTHER}"], day=5)

    def test_what_sessions_do_is_joined(self, canonical: Canonical, told: tuple[str, str]) -> None:
        """Sessions hold episodes, episodes state claims and touch files, sessions use tools, claims follow claims."""
        graph = whole(canonical)
        kinds = {kind: sum(node.kind is kind for node in graph.nodes) for kind in NodeKind}
        assert (kinds[NodeKind.SESSION], kinds[NodeKind.FILE], kinds[NodeKind.TOOL]) == (2, 2, 2)
        assert ends(graph, EdgeKind.USES) == {("first", "Edit"), ("first", "Bash"), ("second", "Edit")}
        assert {target for _, target in ends(graph, EdgeKind.TOUCHES)} == {"cart.py", "tax.py"}
        duck, postgres = FIRST[0], SECOND[0]
        assert ends(graph, EdgeKind.SUPERSEDES) == {(postgres, duck)}
        assert {target for _, target in ends(graph, EdgeKind.STATES)} >= {duck, postgres}
        assert graph.by_id[CART_NODE].qualified_name == "shop.cart.py"
        touched = next(edge for edge in graph.edges if edge.target == CART_NODE and edge.kind is EdgeKind.TOUCHES)
        assert [(site.path, site.line) for site in touched.sites] == [(f"session:{told[0]}", 1)]

    @pytest.mark.usefixtures("told")
    def test_edges_stay_in_their_layer(self, canonical: Canonical) -> None:
        """A repository graph with nodes of the same files is not joined."""
        with canonical.writing(SCOPE) as work:
            work.graph("co", GraphLayer.REPOSITORY).files.put([linked(CART, [symbol(CART, "", NodeKind.MODULE)])])
        graph = whole(canonical)
        assert {node.layer for node in graph.nodes} | {edge.layer for edge in graph.edges} == {GraphLayer.SESSION}
        assert all(edge.source in graph.by_id and edge.target in graph.by_id for edge in graph.edges)
        with canonical.reading(SCOPE) as work:
            repository = work.graph("co", GraphLayer.REPOSITORY).links.whole()
        assert (len(repository.nodes), repository.edges) == (1, ())

    def test_deriving_again_changes_nothing(self, canonical: Canonical, told: tuple[str, str]) -> None:
        """Nor does making it anew of what is stored."""
        before = whole(canonical)
        with canonical.reading(SCOPE) as work:
            sessions = work.sessions.get(told)
        for session in sessions:
            Deriver(canonical, FixedClock()).derive(SCOPE, session)
        assert whole(canonical) == before
        keeper = SessionGraphKeeper(canonical, FixedClock())
        assert not keeper.run(SCOPE)
        assert keeper.run(SCOPE, from_scratch=True)
        assert whole(canonical) == before

    @pytest.mark.usefixtures("told")
    def test_a_store_without_a_graph_gets_one(self, canonical: Canonical) -> None:
        """As one does that an earlier version wrote; the next derivation makes it."""
        before = whole(canonical)
        with canonical.writing(SCOPE) as work:
            session_graph(work).files.clear()
        assert not whole(canonical).nodes
        Deriver(canonical, FixedClock()).run(SCOPE)
        assert whole(canonical) == before

    def test_a_file_that_is_named_no_more_goes(self, canonical: Canonical) -> None:
        """A session that gains events is replaced as a whole; what others name stays."""
        store(canonical, "first", FIRST, [CART])
        store(canonical, "second", SECOND, [CART])
        eraser = Eraser(canonical, Deriver(canonical, FixedClock()))
        eraser.forget_session(SCOPE, "first")
        graph = whole(canonical)
        assert CART_NODE in graph.by_id
        assert "tool#Bash" not in graph.by_id
        assert {one.qualified_name for one in graph.nodes if one.kind is NodeKind.SESSION} == {"second"}
        eraser.forget_session(SCOPE, "second")
        assert whole(canonical).nodes == ()

    @pytest.mark.usefixtures("told")
    def test_forgetting_clears_communities(self, canonical: Canonical) -> None:
        """Their names are made of what was said."""
        members = (CART_NODE, OTHER_NODE)
        with canonical.writing(SCOPE) as work:
            named = Community(id=0, level=0, parent=None, name="DuckDB", members=members, central=())
            session_graph(work).communities.put([named], modularity=0.5)
        Eraser(canonical, Deriver(canonical, FixedClock())).forget_session(SCOPE, "first")
        with canonical.reading(SCOPE) as work:
            assert session_graph(work).communities.all() == ([], 0.0)

    def test_both_layers_are_asked_by_path(self, canonical: Canonical, told: tuple[str, str]) -> None:
        """A symbol leads to its file, the file to the sessions that touched it; an unknown name is refused."""
        code = [symbol(CART, "", NodeKind.MODULE), symbol(CART, "Cart", NodeKind.CLASS)]
        with canonical.writing(SCOPE) as work:
            work.graph("co", GraphLayer.REPOSITORY).files.put([linked(CART, code)])
        with canonical.reading(SCOPE) as work:
            of_file, of_symbol = told_of(work, "co", CART), told_of(work, "co", "Cart")
            assert [one.session.id for one in of_file.sessions] == [told[0]]
            assert [(one.start_line, one.end_line) for one in of_file.sessions[0].episodes] == [(1, 2)]
            assert (of_symbol.paths, of_symbol.sessions) == ((CART,), of_file.sessions)
            assert [one.session.id for one in told_of(work, "co", OTHER).sessions] == [told[1]]  # gone from the tree
            with pytest.raises(NotFoundError):
                told_of(work, "co", "Basket")

    def test_claims_near_what_is_asked_count_more(self, canonical: Canonical) -> None:
        """Of two claims that match alike, that of the session which touched the file that is named is nearer."""
        store(canonical, "far", ["The parser cache listens on port 9000."], [])
        near = store(
            canonical, "near", ["The lexer cache listens on port 8000.", (EventKind.FILE_CHANGE, "A = 1")], [CART]
        )
        search = ClaimSearch(canonical, clock=FixedClock())
        results = search.search(SCOPE, MemoryRequest(query=f"which cache port in {CART}?")).results
        proximity = {one.claim.session_id: one.breakdown["graph_proximity"] for one in results}
        assert proximity[near] == 1.0
        assert max(value for session, value in proximity.items() if session != near) < 1.0
