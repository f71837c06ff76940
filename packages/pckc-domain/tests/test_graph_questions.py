"""Questions to a stored graph."""

import difflib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.graph import EdgeKind, Graph, GraphLayer, NodeKind
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.diffs import parse_diff
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.ports.graph import GraphWork
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.testing.graph_samples import edge, files_of, linked, node, node_id, open_call
from pckc_domain.testing.memory.graph import MemoryGraphWork
from pckc_domain.testing.memory.state import State
from pckc_domain.usecases.graph_changes import changed_symbols
from pckc_domain.usecases.graph_goal import GoalSearch
from pckc_domain.usecases.graph_questions import GraphQuestions

SHOP = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": (
        "class Cart:\n"
        "    def __init__(self):\n        self.items = []\n\n"
        "    def add(self, item):\n        # WHY: prices change overnight\n        return self.check(item)\n\n"
        "    def check(self, item):\n        return item.price()\n\n\n"
        "def price_of(item):\n    return 1\n\n\n"
        "class Item:\n    def price(self):\n        return price_of(self)\n"
    ),
    "main.py": "from shop import Cart\n\n\ndef run(item):\n    Cart().add(item)\n\n\ndef idle():\n    pass\n",
    "tests/test_cart.py": (
        "from shop.cart import Cart\n\n\ndef test_add(item):\n    Cart().add(item)\n\n\ndef test_none():\n    pass\n"
    ),
}


def stored(graph: Graph) -> GraphWork:
    work = MemoryGraphWork(State(is_writable=True), "co", GraphLayer.REPOSITORY)
    work.files.put(files_of(graph))
    return work


def shop() -> GraphWork:
    return stored(build_graph(python_facts(path, text) for path, text in SHOP.items()))


def names(nodes: object) -> list[str]:
    return [one.qualified_name for one in nodes]  # type: ignore[attr-defined]  # nodes, whatever holds them


@pytest.fixture(scope="module")
def work() -> GraphWork:
    return shop()


@pytest.fixture(scope="module")
def questions(work: GraphWork) -> GraphQuestions:
    return GraphQuestions(work)


class TestNames:
    def test_an_unknown_name_lists_near_ones(self, questions: GraphQuestions) -> None:
        with pytest.raises(NotFoundError, match="chek") as raised:
            questions.meanings("Cart.chek")
        assert "shop.cart.Cart.check" in raised.value.remedy

    def test_nothing_is_no_name(self, questions: GraphQuestions) -> None:
        with pytest.raises(NotFoundError):
            questions.meanings("")

    def test_an_ambiguous_name_means_all(self, questions: GraphQuestions) -> None:
        assert names(questions.meanings("Cart.add")) == ["shop.cart.Cart.add"]
        graph = build_graph(python_facts(path, "def f(): pass\n") for path in ("a.py", "b.py"))
        assert names(GraphQuestions(stored(graph)).meanings("f")) == ["a.f", "b.f"]

    def test_words_find_symbols(self, questions: GraphQuestions) -> None:
        assert "shop.cart.price_of" in names(node for node, _ in questions.search("price", limit=5))


class TestCalls:
    def test_callers_of_a_type_make_instances(self, questions: GraphQuestions) -> None:
        found = questions.callers(questions.meanings("Cart"))
        assert names(found.ends.values()) == ["main.run", "tests.test_cart.test_add"]
        assert found.certain == found.ends.keys()

    def test_unresolved_calls_are_counted(self, questions: GraphQuestions) -> None:
        found = questions.callers(questions.meanings("Item.price"))
        assert (found.edges, [call.name for call in found.open_calls]) == ((), ["item.price"])

    def test_an_ambiguous_caller_is_not_certain(self) -> None:
        classes = "".join(f"class {one}(A):\n    def f(self): pass\n" for one in "BC")
        text = f"class A:\n    def f(self): ...\n{classes}def run(a: A):\n    a.f()\n"
        questions = GraphQuestions(stored(build_graph([python_facts("a.py", text)])))
        found = questions.callers(questions.meanings("B.f"))
        assert (names(found.ends.values()), found.certain) == (["a.run"], frozenset())

    def test_callees_name_what_stays_open(self, questions: GraphQuestions) -> None:
        found = questions.callees(questions.meanings("Cart.check"))
        assert (found.edges, [call.name for call in found.open_calls]) == ((), ["item.price"])


class TestWalks:
    def test_path_follows_edges(self, questions: GraphQuestions) -> None:
        way = questions.path(questions.meanings("main.run"), questions.meanings("Cart.check"))
        assert names(way.nodes) == ["main.run", "shop.cart.Cart.add", "shop.cart.Cart.check"]
        assert not questions.path(questions.meanings("Cart.check"), questions.meanings("main.run")).nodes

    def test_path_to_itself_has_no_edges(self, questions: GraphQuestions) -> None:
        way = questions.path(questions.meanings("main.run"), questions.meanings("main.run"))
        assert (names(way.nodes), way.edges) == (["main.run"], ())

    def test_containment_leads_only_where_nothing_else_does(self, questions: GraphQuestions) -> None:
        way = questions.path(questions.meanings("shop.cart"), questions.meanings("Item.price"))
        assert [edge.kind for edge in way.edges] == [EdgeKind.CONTAINS, EdgeKind.CONTAINS]

    def test_neighbors_by_distance(self, questions: GraphQuestions) -> None:
        near = questions.neighbors(questions.meanings("Cart.check"), depth=2)
        assert not near.is_cut
        assert {one.node.qualified_name for one in near.reached if one.distance == 1} == {
            "shop.cart.Cart",
            "shop.cart.Cart.add",
        }

    @pytest.mark.parametrize("depth", [0, 6])
    def test_depth_has_bounds(self, questions: GraphQuestions, depth: int) -> None:
        with pytest.raises(InvalidInputError):
            questions.neighbors(questions.meanings("Cart"), depth=depth)

    def test_a_cut_is_said(self, questions: GraphQuestions) -> None:
        near = questions.neighbors(questions.meanings("Cart"), depth=5, limit=2)
        assert (len(near.reached), near.is_cut) == (2, True)

    def test_hubs_are_no_modules(self, questions: GraphQuestions) -> None:
        hubs = questions.hubs(limit=3)
        assert len(hubs) == 3
        assert names(hub.node for hub in hubs[:2]) == ["shop.cart.Cart.add", "shop.cart.Cart"]
        assert all(hub.node.kind is not NodeKind.MODULE for hub in hubs)


class TestImpact:
    def test_names_the_tests_to_run(self, questions: GraphQuestions) -> None:
        impact = questions.impact(questions.meanings("Cart.check"))
        assert names(one.node for one in impact.reached) == [
            "shop.cart.Cart.add", "main.run", "tests.test_cart.test_add",
        ]  # fmt: skip
        assert names(impact.tests) == ["tests.test_cart.test_add"]

    def test_tests_come_nearest_first_and_helpers_are_none(self) -> None:
        files = {
            "a.py": "def f(): pass\ndef g(): f()\n",
            "tests/helping.py": "from a import g\n\ndef helper(): g()\n",
            "tests/test_far.py": "from tests.helping import helper\n\ndef test_far(): helper()\n",
            "tests/test_near.py": "from a import f\n\ndef test_near(): f()\n",
        }
        work = stored(build_graph(python_facts(path, text) for path, text in files.items()))
        impact = GraphQuestions(work).impact(GraphQuestions(work).meanings("a.f"))
        assert names(impact.tests) == ["tests.test_near.test_near", "tests.test_far.test_far"]

    def test_a_test_that_makes_an_unresolved_call_may_feel_it(self) -> None:
        files = {
            "a.py": "class A:\n    def save(self): pass\n",
            "tests/test_a.py": "def test_save(thing):\n    thing.save()\n",
        }
        work = stored(build_graph(python_facts(path, text) for path, text in files.items()))
        impact = GraphQuestions(work).impact(GraphQuestions(work).meanings("A.save"))
        assert (impact.tests, names(impact.possible_tests)) == ((), ["tests.test_a.test_save"])

    def test_of_a_type_is_that_of_its_parts(self, questions: GraphQuestions) -> None:
        impact = questions.impact(questions.meanings("Item"))
        assert "shop.cart.Item.price" in names(impact.changed)
        assert [call.name for call in impact.open_calls] == ["item.price"]


class TestChanges:
    @staticmethod
    def diff(path: str, old: str, new: str) -> str:
        lines = difflib.unified_diff(
            SHOP[path].replace(new, old).splitlines(True), SHOP[path].splitlines(True), f"a/{path}", f"b/{path}"
        )
        return "".join(lines)

    @staticmethod
    def changed(work: GraphWork, text: str) -> tuple[list[str], dict[str, str]]:
        found = changed_symbols(work, parse_diff(text), SHOP.get)
        return names(found.nodes), dict(found.unknown)

    def test_lines_lead_to_the_innermost_symbol(self, work: GraphWork) -> None:
        text = self.diff("shop/cart.py", "return item.cost()", "return item.price()")
        assert self.changed(work, text) == (["shop.cart.Cart.check"], {})

    def test_taken_lines_belong_to_the_symbol_above(self, work: GraphWork) -> None:
        text = self.diff("shop/cart.py", "    # one\n    # two\n    return 1\n", "    return 1\n")
        assert self.changed(work, text)[0] == ["shop.cart.price_of"]

    def test_a_diff_that_is_not_applied_counts_the_lines_before_it(self, work: GraphWork) -> None:
        before = SHOP["shop/cart.py"].splitlines(True)
        after = ["# a new first line\n", "# and another\n", *before[:-1], "        return 2\n"]
        text = "".join(difflib.unified_diff(before, after, "a/shop/cart.py", "b/shop/cart.py"))
        assert self.changed(work, text)[0] == ["shop.cart", "shop.cart.Item.price"]

    def test_a_gone_file_is_named(self, work: GraphWork) -> None:
        text = (
            "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        )
        assert self.changed(work, text) == ([], {"old.py": "the file is gone"})

    def test_a_file_without_symbols_is_named(self, work: GraphWork) -> None:
        found = changed_symbols(
            work, parse_diff("--- a/notes.md\n+++ b/notes.md\n@@ -1 +1 @@\n-a\n+b\n"), lambda _: "b\n"
        )
        assert found.unknown == {"notes.md": "the graph has no symbols of it"}


class TestGoal:
    def test_leads_towards_the_goal_and_says_what_it_pruned(self) -> None:
        text = (
            "def save_invoice(): write_table()\ndef write_table(): pass\ndef log_event(): flush()\n"
            "def flush(): rotate()\ndef rotate(): pass\ndef start():\n    save_invoice()\n    log_event()\n"
        )
        work = stored(build_graph([python_facts("a.py", text)]))
        start = GraphQuestions(work).meanings("start")
        answer = GoalSearch(work).ways(start, "where is the invoice written to a table?")
        assert {way.nodes[-1].name for way in answer.ways} == {"save_invoice", "write_table"}
        assert {"rotate", "flush"} & {one.node.name for one in answer.pruned}
        assert all(one.reason for one in answer.pruned)
        for way in answer.ways:
            assert len(way.edges) == len(way.nodes) - 1

    def test_a_narrow_search_names_the_crowded_out(self) -> None:
        text = (
            "".join(f"def parse_{n}(): pass\n" for n in range(5))
            + "def start():\n"
            + "".join(f"    parse_{n}()\n" for n in range(5))
        )
        work = stored(build_graph([python_facts("a.py", text)]))
        answer = GoalSearch(work).ways(GraphQuestions(work).meanings("start"), "parse", width=2)
        assert len(answer.ways) == 2
        assert (len(answer.pruned), answer.pruned_total) == (3, 3)
        assert "went on" in answer.pruned[0].reason

    def test_meaning_counts_where_there_is_an_embedder(self) -> None:
        work = shop()
        start = GraphQuestions(work).meanings("main.run")
        by_words = GoalSearch(work).ways(start, "check price")
        by_meaning = GoalSearch(work, embedder=HashEmbedder()).ways(start, "check price")
        assert by_words.ways[0].likeness != by_meaning.ways[0].likeness


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Return a small graph of calls with unresolved ones."""
    size = draw(st.integers(2, 9))
    files = [f"m{n % 3}.py" for n in range(size)]
    ids = [node_id(files[n], f"f{n}") for n in range(size)]
    ends = st.integers(0, size - 1)
    pairs = draw(st.sets(st.tuples(ends, ends), max_size=24))
    opened = draw(st.sets(st.tuples(ends, ends), max_size=4))
    gathered = [
        linked(
            path,
            [node(path, f"f{n}", line=4 * n + 1) for n in range(size) if files[n] == path],
            [edge(ids[a], ids[b]) for a, b in pairs if files[a] == path],
            [open_call(ids[a], "x.f", line=4 * a + 2, candidates=(ids[b],)) for a, b in opened if files[a] == path],
        )
        for path in sorted(set(files))
    ]
    work = MemoryGraphWork(State(is_writable=True), "co", GraphLayer.REPOSITORY)
    work.files.put(gathered)
    return work.links.whole()


class TestProperties:
    @given(graphs())
    def test_impact_holds_every_caller(self, graph: Graph) -> None:
        questions = GraphQuestions(stored(graph))
        for one in graph.nodes[:3]:
            impact = questions.impact([one])
            felt = {each.node.id for each in impact.reached} | {each.id for each in impact.changed}
            assert questions.callers([one]).ends.keys() <= felt

    @given(graphs(), st.data())
    def test_a_path_is_valid_edge_by_edge_and_shortest(self, graph: Graph, data: st.DataObject) -> None:
        source, target = data.draw(st.sampled_from(graph.nodes)), data.draw(st.sampled_from(graph.nodes))
        way = GraphQuestions(stored(graph)).path([source], [target])
        assert _distance(graph, source.id, target.id) == (len(way.edges) if way.nodes else None)
        if way.nodes:
            assert (way.nodes[0], way.nodes[-1]) == (source, target)
            assert set(way.edges) <= set(graph.edges)
            assert [(one.source, one.target) for one in way.edges] == [
                (a.id, b.id) for a, b in zip(way.nodes, way.nodes[1:], strict=False)
            ]

    @given(graphs(), st.integers(1, 5))
    def test_neighbors_are_as_near_as_said(self, graph: Graph, depth: int) -> None:
        start = graph.nodes[0]
        near = GraphQuestions(stored(graph)).neighbors([start], depth=depth)
        joined = {(one.source, one.target) for one in graph.edges} | {(one.target, one.source) for one in graph.edges}
        level, seen = {start.id}, {start.id}
        for distance in range(1, depth + 1):
            level = {b for a, b in joined if a in level} - seen
            seen |= level
            assert {one.node.id for one in near.reached if one.distance == distance} == level


def _distance(graph: Graph, source: str, target: str) -> int | None:
    level: set[str] = {source}
    seen: set[str] = set()
    distance = 0
    while level:
        if target in level:
            return distance
        seen |= level
        level = {one.target for one in graph.edges if one.source in level} - seen
        distance += 1
    return None


def test_layers_are_apart() -> None:
    state = State(is_writable=True)
    repository: GraphWork = MemoryGraphWork(state, "co", GraphLayer.REPOSITORY)
    session: GraphWork = MemoryGraphWork(state, "", GraphLayer.SESSION)
    repository.files.put([linked("a.py", [node("a.py", "f")])])
    paths: Sequence[str] = [one.id for one in GraphQuestions(repository).meanings("f")]
    assert paths
    with pytest.raises(NotFoundError):
        GraphQuestions(session).meanings("f")
