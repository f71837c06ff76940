"""A canonical store keeps graphs as the memory store does, whatever is written to it."""

from contextlib import AbstractContextManager

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pckc_domain.model.graph import Community, Edge, EdgeKind, GraphLayer, Node, NodeKind, OpenCall
from pckc_domain.model.linking import LinkedFile
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.testing.graph_samples import edge, linked, node, node_id, open_call, state
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.samples import SCOPE

PATHS = ("a.py", "b.py", "pkg/c.py")
NAMES = ("f", "g", "K.m")
KEYS = ("one", "two", "three")
GRAPHS = (("co1", GraphLayer.REPOSITORY), ("co2", GraphLayer.REPOSITORY))
IDS = tuple(node_id(path, name) for path in PATHS for name in NAMES)

_numbers = st.integers(1, 3)


@st.composite
def _nodes(draw: st.DrawFn, path: str) -> list[Node]:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    return [node(path, name, line=draw(_numbers), doc=draw(st.sampled_from(("", "words")))) for name in names]


@st.composite
def _edges(draw: st.DrawFn, sources: list[str]) -> list[Edge]:
    kinds = st.sampled_from((EdgeKind.CALLS, EdgeKind.CONTAINS))
    ends = draw(st.lists(st.tuples(st.sampled_from(sources), st.sampled_from(IDS), kinds), unique=True, max_size=4))
    return [edge(source, target, kind, lines=(draw(_numbers), 9)) for source, target, kind in ends]


@st.composite
def _calls(draw: st.DrawFn, callers: list[str]) -> list[OpenCall]:
    lines = draw(st.lists(_numbers, unique=True))
    return [
        open_call(
            draw(st.sampled_from(callers)),
            "x.y",
            line=line,
            external=draw(st.sampled_from(("", "os.path"))),
            candidates=draw(st.lists(st.sampled_from(IDS), unique=True, max_size=3)),
        )
        for line in lines
    ]


@st.composite
def linked_files(draw: st.DrawFn) -> LinkedFile:
    """Return a file that may name nodes that are not there."""
    path = draw(st.sampled_from(PATHS))
    if draw(st.integers(0, 4)) == 0:
        return LinkedFile(path=path, language="python", content_hash="bb", graph=None, sections={"facts": b"kept"})
    nodes = draw(_nodes(path))
    ids = [one.id for one in nodes]
    return linked(
        path,
        nodes,
        draw(_edges(ids)) if ids else [],
        draw(_calls(ids)) if ids else [],
        sections=draw(st.dictionaries(st.sampled_from(("facts", "links")), st.binary(max_size=3))),
        asked=draw(st.none() | st.frozensets(st.sampled_from(KEYS))),
        problems=draw(st.lists(st.just("line 1"), max_size=1)),
    )


class GraphStoreEqualsMemory(RuleBasedStateMachine):
    """Writes the same to both; to be given `open`."""

    def open(self) -> AbstractContextManager[Canonical]:
        """Return an empty store."""
        raise NotImplementedError

    @initialize()
    def begin(self) -> None:
        """Open both."""
        self._opened = self.open()
        self.stores: tuple[Canonical, Canonical] = (self._opened.__enter__(), MemoryCanonical())

    def teardown(self) -> None:
        """Close the store."""
        self._opened.__exit__(None, None, None)

    @rule(graph=st.sampled_from(GRAPHS), files=st.lists(linked_files(), min_size=1, max_size=3))
    def put(self, graph: tuple[str, GraphLayer], files: list[LinkedFile]) -> None:
        """Replace files; of one path the last counts."""
        files = list({file.path: file for file in files}.values())
        for store in self.stores:
            with store.writing(SCOPE) as work:
                work.graph(*graph).files.put(files)

    @rule(graph=st.sampled_from(GRAPHS), paths=st.lists(st.sampled_from(PATHS), max_size=2))
    def remove(self, graph: tuple[str, GraphLayer], paths: list[str]) -> None:
        """Forget files."""
        for store in self.stores:
            with store.writing(SCOPE) as work:
                work.graph(*graph).files.remove(paths)

    @rule(graph=st.sampled_from(GRAPHS))
    def clear(self, graph: tuple[str, GraphLayer]) -> None:
        """Forget a graph."""
        for store in self.stores:
            with store.writing(SCOPE) as work:
                work.graph(*graph).files.clear()

    @rule()
    def start_over(self) -> None:
        """Let a projection start over."""
        for store in self.stores:
            with store.writing(SCOPE) as work:
                work.outbox.reset("graph")

    @rule(graph=st.sampled_from(GRAPHS), number=_numbers)
    def note(self, graph: tuple[str, GraphLayer], number: int) -> None:
        """Put a state."""
        for store in self.stores:
            with store.writing(SCOPE) as work:
                work.graph(*graph).state.put(state(number))

    @rule(graph=st.sampled_from(GRAPHS))
    def cluster(self, graph: tuple[str, GraphLayer]) -> None:
        """Let each file be a community."""
        with self.stores[1].reading(SCOPE) as work:
            nodes = work.graph(*graph).links.whole().nodes
        found = []
        for number, path in enumerate(PATHS):
            members = tuple(one.id for one in nodes if one.path == path)
            if members:
                found.append(
                    Community(id=number, level=0, parent=None, name=path, members=members, central=members[:1])
                )
        for store in self.stores:
            with store.writing(SCOPE) as work:
                work.graph(*graph).communities.put(found, modularity=0.25)

    @invariant()
    def both_answer_the_same(self) -> None:
        """Every question to every graph."""
        if not hasattr(self, "stores"):
            return
        for graph in GRAPHS:
            said = []
            for store in self.stores:
                with store.reading(SCOPE) as work:
                    queued = [
                        (each.kind, each.entity_id, each.operation) for each in work.outbox.pending("graph", limit=99)
                    ]
                    said.append((work.graphs(), queued, _answers(work.graph(*graph))))
            assert said[0] == said[1]


def _answers(graph: GraphWork) -> list[object]:
    count = graph.links.count()
    return [
        graph.links.whole(),
        graph.files.known(),
        graph.files.coverage(),
        graph.state.get(),
        graph.communities.all(),
        graph.links.degrees(limit=9),
        (count.files, dict(count.nodes), dict(count.edges), count.open_calls, count.external_calls),
        [graph.links.edges(IDS[:4], direction) for direction in Direction],
        graph.links.edges(IDS, Direction.IN, kinds={EdgeKind.CALLS}),
        graph.links.open_calls(callers=IDS[:2], candidates=IDS[5:]),
        graph.symbols.get(IDS),
        [graph.symbols.named(name) for name in ("f", "K.m", "c.g", "a.f", IDS[0])],
        [graph.symbols.at(path, lines=(4, 5)) for path in PATHS],
        graph.symbols.near("ff", limit=3),
        [graph.memory.load(section, PATHS) for section in ("facts", "links")],
        [graph.memory.askers([key]) for key in KEYS],
        node_kinds(graph),
    ]


def node_kinds(graph: GraphWork) -> set[NodeKind]:
    """Return which kinds of nodes there are."""
    return {one.kind for one in graph.symbols.get(IDS)}
