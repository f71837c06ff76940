"""The session graph stays what its sessions and slots amount to, whatever happens in which order."""

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import NotFoundError
from pckc_domain.model.claim import Beliefs, Governance, LinkKind
from pckc_domain.model.graph import EdgeKind, Graph, GraphLayer, NodeKind
from pckc_domain.model.session import EventKind
from pckc_domain.policy.episodes import segment_episodes
from pckc_domain.policy.graph.sessions import LINK_EDGES, session_file, slot_file, thing_path, things_of
from pckc_domain.testing.belief_samples import claim
from pckc_domain.testing.conversations import SCOPE, Line, conversation
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.session_graph_contract import store, whole
from pckc_domain.usecases.claim_proximity import claim_proximity
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.remember import Deriver
from pckc_domain.usecases.session_graph import SessionGraphKeeper, session_graph

NAMES = ("s0", "s1", "s2")
PATHS = ("a.py", "b/c.py", "/home/ann/shop/a.py")
SAID: tuple[Line, ...] = (
    "We decided to use DuckDB as the database.",
    "We decided to use PostgreSQL as the database.",
    "The worker listens on port 9000.",
    "The worker listens on port 8000.",
    "There is a bug in the parser: it crashes on empty input.",
    "Maybe it is the cache.",
    (EventKind.FILE_CHANGE, "MAX_ITEMS = 30"),
    (EventKind.FILE_CHANGE, "MAX_ITEMS = 31"),
    (EventKind.TOOL_RESULT, "done"),
)
tellings = st.tuples(
    st.just("tell"), st.sampled_from(NAMES), st.lists(st.sampled_from(SAID), min_size=1, max_size=5),
    st.lists(st.sampled_from(PATHS), max_size=3),
)  # fmt: skip
forgettings = st.tuples(st.just("forget"), st.sampled_from(NAMES))
decisions = st.tuples(st.just("decide"), st.integers(0, 20), st.sampled_from(list(Governance)))


def claims_in(graph: Graph) -> list[str]:
    return [node.id.partition("#")[2] for node in graph.nodes if node.kind is NodeKind.CLAIM]


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(st.one_of(tellings, forgettings, decisions), max_size=7))
def test_any_history_gives_the_graph_of_what_is_stored(steps: list[tuple[object, ...]]) -> None:
    canonical = MemoryCanonical()
    clock = FixedClock()
    eraser = Eraser(canonical, Deriver(canonical, clock))
    for step in steps:
        match step:
            case ("tell", str(name), list(lines), list(paths)):
                store(canonical, name, lines, paths, day=NAMES.index(name))
            case ("forget", str(name)):
                try:
                    eraser.forget_session(SCOPE, name)
                except NotFoundError:
                    continue
            case ("decide", int(number), Governance() as decision):
                if claims := claims_in(whole(canonical)):
                    Governor(canonical, clock).decide(
                        SCOPE, claims[number % len(claims)], decision, actor="ann", reason="so"
                    )
    kept = whole(canonical)
    assert all(edge.source in kept.by_id and edge.target in kept.by_id for edge in kept.edges)
    assert {node.layer for node in kept.nodes} | {edge.layer for edge in kept.edges} <= {GraphLayer.SESSION}
    SessionGraphKeeper(canonical, clock).run(SCOPE, from_scratch=True)
    assert whole(canonical) == kept
    with canonical.reading(SCOPE) as work:
        sessions = [session.source_id for session in work.sessions.find(limit=9)]
    for name in sessions:
        eraser.forget_session(SCOPE, name)
    left = whole(canonical)
    assert (left.nodes, left.edges, left.coverage) == ((), (), ())


def test_paths_are_those_of_the_project() -> None:
    """Whatever folder a transcript names them from."""
    told, events = conversation("s", [(EventKind.FILE_CHANGE, "A = 1")] * 4, cwd="/home/ann/shop")
    paths = ("/home/ann/shop/x.py", "/tree/x.py", "./x.py", "/elsewhere/x.py")
    placed = [attrs.evolve(event, path=path) for event, path in zip(events, paths, strict=True)]
    file = session_file(told, segment_episodes(placed), placed, (), ["/tree"])
    assert {thing_path(id_) for id_ in things_of(file)} == {"x.py", "/elsewhere/x.py"}


def test_a_slot_that_no_session_speaks_of_is_not_kept() -> None:
    """Thousands of settings would drown what sessions say."""
    fact = claim("MAX is 3.", id="c1", session_id="", path="a.py")
    assert slot_file("slot", Beliefs(claims=(fact,)), {}) is None
    said = claim("MAX is 3.", id="c2", session_id="s")
    together = slot_file("slot", Beliefs(claims=(fact, said)), {"c1": "a.py"})
    assert together is not None
    assert together.graph is not None
    assert [node.id for node in together.graph.nodes] == ["claim#c1", "claim#c2"]
    assert [(edge.source, edge.target, edge.kind) for edge in together.graph.edges] == [
        ("claim#c1", "file#a.py", EdgeKind.REFERENCES)
    ]


@pytest.mark.parametrize("governance", [Governance.REJECTED, Governance.ARCHIVED])
def test_hidden_claims_are_not_kept(governance: Governance) -> None:
    """They are looked at by name only."""
    hidden = claim("MAX is 3.", id="c1", session_id="s", governance=governance)
    assert slot_file("slot", Beliefs(claims=(hidden,)), {}) is None


def test_every_link_that_settling_makes_is_an_edge() -> None:
    """Links that nothing makes yet have no edge."""
    assert {kind.value for kind in LINK_EDGES} == {kind.value for kind in LINK_EDGES.values()}
    assert {LinkKind.SUPERSEDES, LinkKind.CONTRADICTS, LinkKind.CONFIRMS} <= LINK_EDGES.keys()


class TestProximity:
    @pytest.fixture
    def canonical(self) -> MemoryCanonical:
        return MemoryCanonical()

    def test_nothing_is_near_where_there_is_nothing(self, canonical: MemoryCanonical) -> None:
        with canonical.reading(SCOPE) as work:
            assert claim_proximity(session_graph(work), "what of a.py?", {}) == {}
            assert claim_proximity(session_graph(work), "what?", {"c": 1.0}) == {}

    def test_a_session_or_tool_that_is_named(self, canonical: MemoryCanonical) -> None:
        """Relevance spreads from either, the nearest claim counts 1."""
        one = store(canonical, "s0", [SAID[0], SAID[8]], [])
        store(canonical, "s1", [SAID[2]], [], day=1)
        with canonical.reading(SCOPE) as work:
            graph = session_graph(work)
            of_session = claim_proximity(graph, "what?", {}, session_ids=[one])
            of_tool = claim_proximity(graph, "what did `Bash` do?", {})
            claims = {node.name: node.id.partition("#")[2] for node in graph.links.whole().nodes}
        assert of_session == of_tool == {claims[str(SAID[0])]: 1.0}
