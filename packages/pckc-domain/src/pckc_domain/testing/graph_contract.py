"""What every canonical store keeps of graphs."""

from collections.abc import Sequence

import attrs
import pytest

from pckc_domain.errors import BackendError
from pckc_domain.model.graph import Community, Edge, EdgeKind, GraphLayer, Node, NodeKind, Span
from pckc_domain.model.linking import KnownFile, LinkedFile
from pckc_domain.model.outbox import OutboxKind, graph_file_id, graph_of_file
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Scope
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.graph import Direction, GraphWork
from pckc_domain.testing.graph_samples import edge, linked, node, node_id, open_call, state
from pckc_domain.testing.samples import SCOPE

A, B, C = "pkg/a.py", "pkg/b.py", "lib/c.py"
A_MODULE = node_id(A, "", NodeKind.MODULE)
RUN, HELP, LOAD = node_id(A, "run"), node_id(B, "help_out"), node_id(C, "Store.load", NodeKind.METHOD)
STORE = node_id(C, "Store", NodeKind.CLASS)
CHECKOUT = "co1"

FILE_A = linked(
    A,
    [
        node(A, "", NodeKind.MODULE, end_line=40),
        node(A, "run", line=10, signature="def run(job)", doc="Runs HTTPServerJob objects.", visibility="public"),
        node(A, "run.WHY", NodeKind.RATIONALE, line=11, text="the café closes early"),
    ],
    [
        edge(A_MODULE, RUN, EdgeKind.CONTAINS),
        edge(RUN, HELP, lines=(11, 12)),
        edge(RUN, HELP, EdgeKind.REFERENCES),
        edge(RUN, LOAD, lines=(14,)),
    ],
    [
        open_call(RUN, "job.load", line=13, candidates=(LOAD,)),
        open_call(RUN, "print", line=12, external="print"),
    ],
    sections={"facts": b"A\x00facts", "links": b"A links"},
    asked={"pkg.b", "pkg.b.help_out"},
    problems=("line 3: syntax error",),
)
FILE_B = linked(B, [node(B, "help_out", line=2)], [edge(HELP, RUN, lines=(3,))], sections={"facts": b"B"}, asked={"é"})
FILE_C = linked(
    C,
    [node(C, "Store", NodeKind.CLASS), node(C, "Store.load", NodeKind.METHOD, line=2)],
    [edge(STORE, LOAD, EdgeKind.CONTAINS)],
    content_hash="cc" * 32,
)
FILES = [FILE_A, FILE_B, FILE_C]


def _filled(store: Canonical, files: Sequence[LinkedFile] = FILES, *, scope: Scope = SCOPE, to: str = CHECKOUT) -> None:
    with store.writing(scope) as work:
        work.graph(to, GraphLayer.REPOSITORY).files.put(files)


def _whole(store: Canonical, *, scope: Scope = SCOPE, of: str = CHECKOUT) -> object:
    with store.reading(scope) as work:
        return work.graph(of, GraphLayer.REPOSITORY).links.whole()


class GraphContract:
    """Give a fixture ``canonical`` that yields an empty store."""

    @pytest.fixture
    def filled(self, canonical: Canonical) -> Canonical:
        """Return the store with three files in it."""
        _filled(canonical)
        return canonical

    def test_what_was_put_is_read_whole(self, filled: Canonical) -> None:
        """Every field of every value comes back, in order."""
        with filled.reading(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY).links.whole()
        given = [file.graph for file in FILES if file.graph]
        assert graph.nodes == tuple(sorted((n for g in given for n in g.nodes), key=lambda n: n.id))
        assert graph.edges == tuple(
            sorted((e for g in given for e in g.edges), key=lambda e: (e.source, e.target, e.kind))
        )
        assert graph.open_calls == tuple(sorted((c for g in given for c in g.open_calls), key=lambda c: c.site))
        assert graph.coverage == tuple(sorted((g.coverage for g in given), key=lambda c: c.path))

    def test_the_order_of_files_and_batches_does_not_matter(self, canonical: Canonical) -> None:
        """Edges may come before what they lead to."""
        for one in (FILE_A, FILE_C, FILE_B):
            _filled(canonical, [one])
        before = _whole(canonical)
        _filled(canonical, list(reversed(FILES)), to="co2")
        assert _whole(canonical, of="co2") == before

    def test_an_edge_shows_only_while_both_ends_are_there(self, canonical: Canonical) -> None:
        """A file may be stored before the files it calls."""
        _filled(canonical, [FILE_A])
        with canonical.reading(SCOPE) as work:
            links = work.graph(CHECKOUT, GraphLayer.REPOSITORY).links
            assert [one.target for one in links.edges([RUN], Direction.OUT)] == []
            assert [one.candidates for one in links.open_calls(callers=[RUN])] == [(), ()]
            assert links.count().edges == {"contains": 1}
        _filled(canonical, [FILE_B, FILE_C])
        with canonical.reading(SCOPE) as work:
            links = work.graph(CHECKOUT, GraphLayer.REPOSITORY).links
            assert {one.target for one in links.edges([RUN], Direction.OUT)} == {HELP, LOAD}

    def test_edges_by_end_and_kind(self, filled: Canonical) -> None:
        """Both ends, several nodes, some kinds."""
        with filled.reading(SCOPE) as work:
            links = work.graph(CHECKOUT, GraphLayer.REPOSITORY).links
            out = links.edges([RUN, A_MODULE, "nobody"], Direction.OUT)
            assert [(one.source, one.target, one.kind) for one in out] == sorted(
                [
                    (A_MODULE, RUN, "contains"),
                    (RUN, LOAD, "calls"),
                    (RUN, HELP, "calls"),
                    (RUN, HELP, "references"),
                ]
            )
            calls = links.edges([HELP], Direction.IN, kinds={EdgeKind.CALLS})
            assert [one.source for one in calls] == [RUN]
            assert calls[0].sites == (Span(A, 11, 4, 11, 9), Span(A, 12, 4, 12, 9))
            assert calls[0].imports[0].text == "from é import b"
            assert links.edges([], Direction.OUT) == []

    def test_open_calls_by_caller_and_by_candidate(self, filled: Canonical) -> None:
        """Each call comes once."""
        with filled.reading(SCOPE) as work:
            links = work.graph(CHECKOUT, GraphLayer.REPOSITORY).links
            assert [call.name for call in links.open_calls(callers=[RUN])] == ["print", "job.load"]
            assert [call.name for call in links.open_calls(candidates=[LOAD])] == ["job.load"]
            assert len(links.open_calls(callers=[RUN], candidates=[LOAD])) == 2
            assert links.open_calls() == []

    def test_open_calls_by_name(self, canonical: Canonical) -> None:
        """The last part of what is called; the rest of the name and other names do not matter."""
        caller = node("o.py", "f")
        calls = [open_call(caller.id, name, line=line) for line, name in enumerate(("gone", "a.gone", "begone"), 1)]
        _filled(canonical, [linked("o.py", [caller], calls=calls)])
        with canonical.reading(SCOPE) as work:
            links = work.graph(CHECKOUT, GraphLayer.REPOSITORY).links
            assert [call.name for call in links.open_calls(names=["gone"])] == ["gone", "a.gone"]
            assert links.open_calls(names=["one"]) == []

    def test_symbols_by_id_name_and_place(self, filled: Canonical) -> None:
        """A name means an id, a qualified name, or the end of one."""
        with filled.reading(SCOPE) as work:
            symbols = work.graph(CHECKOUT, GraphLayer.REPOSITORY).symbols
            assert _ids(symbols.get([LOAD, RUN, "nobody", RUN])) == [LOAD, RUN]
            assert _ids(symbols.named(RUN)) == [RUN]
            assert _ids(symbols.named("lib.c.Store.load")) == [LOAD]
            assert _ids(symbols.named("Store.load")) == [LOAD]
            assert _ids(symbols.named("load")) == [LOAD]
            assert symbols.named("oad") == []
            assert symbols.named("WHY") == []
            assert symbols.named("") == []
            assert len(symbols.at(A)) == 3
            assert _ids(symbols.at(A, lines=(13, 99))) == [A_MODULE, node_id(A, "run.WHY", NodeKind.RATIONALE)]
            assert symbols.at("nowhere.py") == []

    def test_a_qualified_name_outranks_the_end_of_another(self, canonical: Canonical) -> None:
        """``a.run`` is not also ``pkg.a.run``."""
        _filled(canonical, [FILE_A, linked("a.py", [node("a.py", "run")])])
        with canonical.reading(SCOPE) as work:
            symbols = work.graph(CHECKOUT, GraphLayer.REPOSITORY).symbols
            assert _ids(symbols.named("a.run")) == [node_id("a.py", "run")]
            assert len(symbols.named("run")) == 2

    def test_near_names(self, filled: Canonical) -> None:
        """Misspelt and oddly cased names find the symbol; strangers and comments do not."""
        with filled.reading(SCOPE) as work:
            symbols = work.graph(CHECKOUT, GraphLayer.REPOSITORY).symbols
            assert symbols.near("help_oot", limit=5)[0] == "pkg.b.help_out"
            assert symbols.near("x.store", limit=1) == ["lib.c.Store"]
            assert symbols.near("qqqqqqqq", limit=5) == []
            assert symbols.near("help_oot", limit=0) == []

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("run", RUN),
            ("running", RUN),
            ("server job", RUN),
            ("HTTPServerJob", RUN),
            ("help out", HELP),
            ("store load", LOAD),
            ("lib/c.py", STORE),
            ("cafe", node_id(A, "run.WHY", NodeKind.RATIONALE)),
        ],
    )
    def test_search(self, filled: Canonical, query: str, found: str) -> None:
        """Names, their parts, signatures, documentation, comments and paths are searched."""
        with filled.reading(SCOPE) as work:
            hits = work.graph(CHECKOUT, GraphLayer.REPOSITORY).symbols.search(analyze_query(query), limit=10)
        assert found in [one.id for one, _ in hits]
        assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)

    def test_search_without_a_match_or_a_query(self, filled: Canonical) -> None:
        """Any query is safe."""
        with filled.reading(SCOPE) as work:
            symbols = work.graph(CHECKOUT, GraphLayer.REPOSITORY).symbols
            assert symbols.search(analyze_query("unheardof"), limit=10) == []
            assert symbols.search(LexicalQuery(), limit=10) == []
            assert symbols.search(analyze_query("run"), limit=0) == []
            assert symbols.search(analyze_query('"run OR NEAR(* AND'), limit=10)

    def test_degrees_and_counts(self, filled: Canonical) -> None:
        """Containment does not make a hub."""
        with filled.reading(SCOPE) as work:
            links = work.graph(CHECKOUT, GraphLayer.REPOSITORY).links
            assert links.degrees(limit=10) == [(RUN, 4), (HELP, 3), (LOAD, 1)]
            assert links.degrees(limit=1) == [(RUN, 4)]
            count = links.count()
        assert (count.files, count.open_calls, count.external_calls) == (3, 1, 1)
        assert count.nodes == {"module": 1, "function": 2, "class": 1, "method": 1, "rationale": 1}
        assert count.edges == {"contains": 2, "calls": 3, "references": 1}

    def test_a_file_is_replaced(self, filled: Canonical) -> None:
        """All that it gave before goes; what others give stays; a node that is still there keeps its callers."""
        _filled(filled, [linked(B, [node(B, "help_out", line=9, doc="new")], content_hash="dd" * 32)])
        with filled.reading(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert graph.symbols.get([HELP])[0].doc == "new"
            assert graph.links.edges([HELP], Direction.OUT) == []
            assert [one.source for one in graph.links.edges([HELP], Direction.IN, kinds={EdgeKind.CALLS})] == [RUN]
            assert graph.files.known()[B].content_hash == "dd" * 32
            assert graph.memory.load("facts", [B]) == {B: b"B"}
            assert graph.memory.askers(["é"]) == []

    def test_a_node_that_its_file_lost_is_gone(self, filled: Canonical) -> None:
        """And so it is for every question."""
        _filled(filled, [linked(B, [node(B, "other")])])
        with filled.reading(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert graph.symbols.get([HELP]) == []
            assert graph.symbols.named("help_out") == []
            assert graph.symbols.search(analyze_query("help_out"), limit=5) == []
            assert [one.target for one in graph.links.edges([RUN], Direction.OUT)] == [LOAD]
            assert HELP not in {one.id for one in graph.links.whole().nodes}
        _filled(filled, [FILE_B])
        assert {one.target for one in _edges_of(filled, RUN)} == {HELP, LOAD}

    def test_what_a_file_leaves_out_stays(self, filled: Canonical) -> None:
        """Neither its graph nor what it asked changes unless given; sections neither."""
        before = _whole(filled)
        part = attrs.evolve(FILE_A, graph=None, asked=None, sections={"links": b"2"}, content_hash="ee" * 32)
        _filled(filled, [part])
        with filled.reading(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert graph.memory.load("links", [A, B]) == {A: b"2"}
            assert graph.memory.load("facts", [A]) == {A: b"A\x00facts"}
            assert graph.memory.askers(["pkg.b"]) == [A]
            assert graph.files.known()[A].content_hash == "ee" * 32
        assert _whole(filled) == before

    def test_removing_files(self, filled: Canonical) -> None:
        """All that they gave goes, and the edges that led there."""
        with filled.writing(SCOPE) as work:
            work.graph(CHECKOUT, GraphLayer.REPOSITORY).files.remove([B, "nowhere.py"])
        with filled.reading(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert sorted(graph.files.known()) == [C, A]
            assert graph.memory.load("facts", [B]) == {}
            assert graph.memory.askers(["é"]) == []
            assert {one.target for one in graph.links.edges([RUN], Direction.OUT)} == {LOAD}
        _filled(filled, [FILE_B])
        assert {one.target for one in _edges_of(filled, RUN)} == {LOAD}  # the edge came with the other file

    def test_known_files_and_coverage(self, filled: Canonical) -> None:
        """Each file says what was read and what was not."""
        _filled(filled, [linked("bin.py", skipped="binary", content_hash="")])
        with filled.reading(SCOPE) as work:
            files = work.graph(CHECKOUT, GraphLayer.REPOSITORY).files
            assert files.known()["bin.py"] == KnownFile(
                path="bin.py", language="python", content_hash="", skipped="binary"
            )
            assert files.known()[C] == KnownFile(path=C, language="python", content_hash="cc" * 32)
            coverage = files.coverage()
        assert [one.path for one in coverage] == ["bin.py", C, A, B]
        assert coverage[2].problems == ("line 3: syntax error",)
        assert coverage[0].skipped == "binary"

    def test_askers(self, filled: Canonical) -> None:
        """Files by what their links depend on."""
        with filled.reading(SCOPE) as work:
            memory = work.graph(CHECKOUT, GraphLayer.REPOSITORY).memory
            assert memory.askers(["pkg.b", "é", "nobody asked"]) == [A, B]
            assert memory.askers([]) == []
            assert memory.load("facts", [A, B, C]) == {A: b"A\x00facts", B: b"B"}

    def test_communities(self, filled: Canonical) -> None:
        """Nodes tell theirs; members that are gone are members no more."""
        found = [
            Community(id=2, level=0, parent=None, name="b", members=(HELP,), central=(HELP,)),
            Community(id=1, level=0, parent=None, name="run", members=(LOAD, A_MODULE, RUN), central=(RUN, LOAD)),
            Community(id=1, level=1, parent=1, name="run in", members=(LOAD, RUN), central=(RUN,)),
        ]
        with filled.writing(SCOPE) as work:
            work.graph(CHECKOUT, GraphLayer.REPOSITORY).communities.put(found, modularity=0.5)
        with filled.reading(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert graph.communities.all() == ([found[1], found[0], found[2]], 0.5)
            assert [one.community for one in graph.symbols.get([HELP, RUN])] == [1, 2]
            assert {one.community for one in graph.links.whole().nodes} == {1, 2, None}
        _filled(filled, [FILE_C, linked(B)])
        with filled.reading(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert graph.communities.all() == ([found[1], found[2]], 0.5)
            assert graph.symbols.get([LOAD])[0].community == 1

    def test_layers_checkouts_and_scopes_are_apart(self, filled: Canonical) -> None:
        """The same ids may stand in each; nothing of one shows in another, or goes with it."""
        elsewhere = Scope(tenant="other", project=SCOPE.project)
        _filled(filled, [FILE_C], to="co2")
        _filled(filled, [FILE_C], scope=elsewhere)
        with filled.writing(SCOPE) as work:
            session = node("s", "Store", NodeKind.SESSION, layer=GraphLayer.SESSION)
            work.graph("", GraphLayer.SESSION).files.put([linked("s", [session], [edge(session.id, RUN)])])
        with filled.reading(SCOPE) as work:
            graph = work.graph("", GraphLayer.SESSION)
            assert [one.layer for one in graph.links.whole().nodes] == [GraphLayer.SESSION]
            assert graph.links.whole().edges == ()
            assert graph.symbols.named("run") == []
            assert graph.links.edges([RUN], Direction.IN) == []
            assert work.graph(CHECKOUT, GraphLayer.SESSION).links.whole().nodes == ()
            repository = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert session.id not in {one.source for one in repository.links.edges([RUN], Direction.IN)}
            hits = repository.symbols.search(analyze_query("Store"), limit=9)
            assert {one.layer for one, _ in hits} == {GraphLayer.REPOSITORY}
            assert work.graphs() == [
                ("", GraphLayer.SESSION),
                (CHECKOUT, GraphLayer.REPOSITORY),
                ("co2", GraphLayer.REPOSITORY),
            ]
        before = _whole(filled)
        for scope, checkout in ((SCOPE, "co2"), (elsewhere, CHECKOUT)):
            with filled.writing(scope) as work:
                work.graph(checkout, GraphLayer.REPOSITORY).files.clear()
        assert _whole(filled) == before

    def test_clearing(self, filled: Canonical) -> None:
        """Nothing is left, and the graph may be made anew."""
        whole = _whole(filled)
        with filled.writing(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            graph.state.put(state())
            members = Community(id=1, level=0, parent=None, name="run", members=(RUN,), central=(RUN,))
            graph.communities.put([members], modularity=0.1)
            graph.files.clear()
        with filled.reading(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert graph.links.whole().nodes == ()
            assert graph.files.known() == {}
            assert graph.state.get() is None
            assert graph.communities.all() == ([], 0.0)
            assert graph.memory.askers(["pkg.b"]) == []
            assert graph.symbols.search(analyze_query("run"), limit=5) == []
            assert work.graphs() == []
        _filled(filled)
        assert _whole(filled) == whole

    def test_changes_of_files_are_queued(self, canonical: Canonical) -> None:
        """Each file that gives something else, or nothing any more, by path; one only remembered is no change."""
        ids = {path: graph_file_id(CHECKOUT, GraphLayer.REPOSITORY, path) for path in (A, B, C)}
        _filled(canonical, [FILE_B, FILE_A])
        assert _queued(canonical) == [(ids[A], "upsert"), (ids[B], "upsert")]
        _see(canonical)
        _filled(canonical, [FILE_C, attrs.evolve(FILE_B, graph=None)])
        assert _queued(canonical) == [(ids[C], "upsert")]
        _see(canonical)
        with canonical.writing(SCOPE) as work:
            work.graph(CHECKOUT, GraphLayer.REPOSITORY).files.remove([B, "unknown.py"])
        assert _queued(canonical) == [(ids[B], "delete")]
        with canonical.writing(SCOPE) as work:
            work.graph(CHECKOUT, GraphLayer.REPOSITORY).files.clear()
        assert _queued(canonical) == [(ids[path], "delete") for path in (B, C, A)]

    def test_a_projection_may_start_over(self, filled: Canonical) -> None:
        """Every stored file is queued once; what the ids were made of can be told but for the path."""
        _see(filled)
        _filled(filled, [FILE_A], to="co2")
        with filled.writing(SCOPE) as work:
            work.outbox.reset("graph")
        queued = [id_ for id_, operation in _queued(filled) if operation == "upsert"]
        assert sorted(queued) == sorted(
            [
                *(graph_file_id(CHECKOUT, GraphLayer.REPOSITORY, path) for path in (A, B, C)),
                graph_file_id("co2", GraphLayer.REPOSITORY, A),
            ]
        )
        assert {graph_of_file(id_) for id_ in queued} == {
            (CHECKOUT, GraphLayer.REPOSITORY),
            ("co2", GraphLayer.REPOSITORY),
        }
        assert graph_of_file(graph_file_id("a:b", GraphLayer.SESSION, "c:d")) == ("a:b", GraphLayer.SESSION)
        assert not any(path in id_ for id_ in queued for path in (A, B, C))

    def test_state(self, canonical: Canonical) -> None:
        """The last one put counts."""
        with canonical.writing(SCOPE) as work:
            graph = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
            assert graph.state.get() is None
            graph.state.put(state(is_complete=False))
            graph.state.put(state(2))
        with canonical.reading(SCOPE) as work:
            assert work.graph(CHECKOUT, GraphLayer.REPOSITORY).state.get() == state(2)
            assert work.graph("co2", GraphLayer.REPOSITORY).state.get() is None
            assert work.graphs() == [(CHECKOUT, GraphLayer.REPOSITORY)]
        assert canonical.scopes() == [SCOPE]

    def test_a_failed_block_leaves_the_graph_as_it_was(self, filled: Canonical) -> None:
        """Never half a file."""
        before = _whole(filled)
        with pytest.raises(ZeroDivisionError):
            _fail_after_putting(filled, [linked(A), linked(B, [node(B, "x")])])
        assert _whole(filled) == before

    def test_a_snapshot_cannot_be_written(self, filled: Canonical) -> None:
        """And does not move."""
        with filled.reading(SCOPE) as work:
            files = work.graph(CHECKOUT, GraphLayer.REPOSITORY).files
            with pytest.raises(BackendError):
                files.put(FILES)
            with pytest.raises(BackendError):
                files.remove([A])
            with pytest.raises(BackendError):
                files.clear()
            assert len(files.known()) == 3

    def test_odd_text_survives(self, canonical: Canonical) -> None:
        """Lone surrogates, NUL and quotes do no harm."""
        odd = linked("o.py", [node("o.py", "f", doc='a"b\x00c\ud800', signature="def f('x')")])
        _filled(canonical, [odd])
        with canonical.reading(SCOPE) as work:
            found = work.graph(CHECKOUT, GraphLayer.REPOSITORY).symbols.named("f")
        assert [one.signature for one in found] == ["def f('x')"]


def _queued(store: Canonical) -> list[tuple[str, str]]:
    with store.reading(SCOPE) as work:
        pending = work.outbox.pending("graph", limit=99, kinds=[OutboxKind.GRAPH_FILE])
        return [(each.entity_id, each.operation.value) for each in pending]


def _see(store: Canonical) -> None:
    with store.writing(SCOPE) as work:
        for each in work.outbox.pending("graph", limit=99):
            work.outbox.advance("graph", each.seq)


def _fail_after_putting(store: Canonical, files: Sequence[LinkedFile]) -> None:
    with store.writing(SCOPE) as work:
        work.graph(CHECKOUT, GraphLayer.REPOSITORY).files.put(files)
        raise ZeroDivisionError


def _ids(nodes: Sequence[Node]) -> list[str]:
    return [one.id for one in nodes]


def _edges_of(store: Canonical, source: str) -> Sequence[Edge]:
    with store.reading(SCOPE) as work:
        graph: GraphWork = work.graph(CHECKOUT, GraphLayer.REPOSITORY)
        return graph.links.edges([source], Direction.OUT)
