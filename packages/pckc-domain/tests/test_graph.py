"""Tests of the repository graph: identity, evidence, proofs, open calls, broken files and questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.graph import Edge, EdgeEvidence, EdgeKind, Graph, ImportLink, NodeKind
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.hierarchy import linearize
from pckc_domain.policy.graph.modules import File, Folder, module_name
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.policy.graph.python.modules import Modules
from pckc_domain.policy.graph.tests_of import is_test_path

SHOP = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": (
        "class Cart:\n    size: int = 0\n\n    def add(self, item):\n        # WHY: prices change overnight\n"
        "        return self.check(item)\n\n    def check(self, item):\n        return item.price()\n"
    ),
    "main.py": "from shop import Cart\nLIMIT = 3\n\ndef run():\n    Cart().add(1)\n    len([])\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\ndef test_add():\n    Cart().add(2)\n",
}


def graph_of(files: dict[str, str]) -> Graph:
    return build_graph(python_facts(path, text) for path, text in files.items())


def edges_of(graph: Graph, kind: EdgeKind) -> dict[tuple[str, str], Edge]:
    names = {node.id: node.qualified_name for node in graph.nodes}
    return {(names[edge.source], names[edge.target]): edge for edge in graph.edges if edge.kind is kind}


class TestNodes:
    def test_ids_are_path_scope_kind_and_ordinal(self) -> None:
        graph = graph_of({"a.py": "def f():\n    def g(): pass\ndef f():\n    def g(): pass\nx = lambda: 1\n"})
        assert [(node.id, node.qualified_name) for node in graph.nodes if node.kind is not NodeKind.VARIABLE] == [
            ("a.py###module#0".replace("###", "##"), "a"),
            ("a.py#<lambda1>#lambda#0", "a.<lambda1>"),
            ("a.py#f#function#0", "a.f"),
            ("a.py#f#function#1", "a.f"),
            ("a.py#f.g#function#0", "a.f.g"),
            ("a.py#f~1.g#function#0", "a.f.g"),
        ]

    def test_files_named_alike_never_merge(self) -> None:
        graph = graph_of({"a/tool.py": "def f(): pass\n", "b/tool.py": "def f(): pass\n"})
        assert [node.qualified_name for node in graph.nodes if node.name == "f"] == ["a.tool.f", "b.tool.f"]

    def test_kinds_and_lines(self) -> None:
        graph = graph_of(SHOP)
        found = {node.qualified_name: (node.kind, node.start_line, node.end_line) for node in graph.nodes}
        assert found["shop.cart.Cart"] == (NodeKind.CLASS, 1, 9)
        assert found["shop.cart.Cart.add"] == (NodeKind.METHOD, 4, 6)
        assert found["shop.cart.Cart.size"] == (NodeKind.FIELD, 2, 2)
        assert found["main.LIMIT"] == (NodeKind.CONSTANT, 2, 2)
        assert found["shop"] == (NodeKind.MODULE, 1, 2)

    def test_rationale_speaks_of_its_scope(self) -> None:
        graph = graph_of(SHOP)
        assert ("shop.cart.Cart.add.WHY", "shop.cart.Cart.add") in edges_of(graph, EdgeKind.RATIONALE)
        assert [node.text for node in graph.nodes if node.kind is NodeKind.RATIONALE] == ["prices change overnight"]

    def test_signatures_and_documentation(self) -> None:
        text = (
            '"""Sells things."""\n@cache\ndef f(a: int = 1,  # one\n      b: str = "x:y") -> int:\n'
            '    """Do it.\n\n    More."""\n'
            "class A(f, metaclass=M): pass\nasync def g(é): return {1: 2}\n"
        )
        found = {node.qualified_name: (node.signature, node.doc) for node in graph_of({"a.py": text}).nodes}
        assert found["a"] == ("", "Sells things.")
        assert found["a.f"] == ('def f(a: int = 1, b: str = "x:y") -> int', "Do it.")
        assert found["a.A"] == ("class A(f, metaclass=M)", "")
        assert found["a.g"] == ("async def g(é)", "")

    def test_a_signature_holds_no_secret(self) -> None:
        (found,) = [
            node for node in graph_of({"a.py": f'def f(key="ghp_{"a1B2" * 9}"): pass\n'}).nodes if node.name == "f"
        ]
        assert "a1B2" not in found.signature
        assert "REDACTED" in found.signature

    def test_names_of_modules(self) -> None:
        assert [module_name(path) for path in ("a/b.py", "a/__init__.py", "m.py")] == ["a.b", "a", "m"]


class TestEdges:
    def test_a_call_proves_itself_by_site_and_imports(self) -> None:
        edge = edges_of(graph_of(SHOP), EdgeKind.CALLS)["main.run", "shop.cart.Cart.add"]
        assert edge.evidence is EdgeEvidence.EXTRACTED
        assert [(site.path, site.line) for site in edge.sites] == [("main.py", 5)]
        imported = edges_of(
            graph_of({**SHOP, "main.py": "from shop import Cart\nCart.add(Cart(), 1)\n"}), EdgeKind.CALLS
        )
        assert imported["main", "shop.cart.Cart.add"].imports == (
            ImportLink("main.py", 1, "from shop import Cart"),
            ImportLink("shop/__init__.py", 1, "from .cart import Cart"),
        )

    def test_an_annotation_infers(self) -> None:
        files = {"a.py": "class A:\n    def f(self): pass\n\ndef run(a: A) -> A:\n    a.f()\n"}
        graph = graph_of(files)
        assert edges_of(graph, EdgeKind.CALLS)["a.run", "a.A.f"].weight == 0.8
        assert ("a.run", "a.A") in edges_of(graph, EdgeKind.PARAMETER_TYPE)
        assert ("a.run", "a.A") in edges_of(graph, EdgeKind.RETURN_TYPE)

    def test_overrides_of_a_declared_type_are_ambiguous(self) -> None:
        classes = "".join(f"class {one}(A):\n    def f(self): pass\n" for one in "BC")
        graph = graph_of({"a.py": f"class A:\n    def f(self): ...\n{classes}def run(a: A):\n    a.f()\n"})
        calls = edges_of(graph, EdgeKind.CALLS)
        assert {pair[1]: edge.evidence for pair, edge in calls.items()} == {
            "a.B.f": EdgeEvidence.AMBIGUOUS,
            "a.C.f": EdgeEvidence.AMBIGUOUS,
        }
        assert edges_of(graph, EdgeKind.OVERRIDES).keys() == {("a.B.f", "a.A.f"), ("a.C.f", "a.A.f")}
        assert edges_of(graph, EdgeKind.INHERITS).keys() == {("a.B", "a.A"), ("a.C", "a.A")}

    def test_one_of_several_is_not_certain(self) -> None:
        def evidence(count: int) -> set[EdgeEvidence]:
            defined = "".join(f"def f{at}(): pass\n" for at in range(count))
            chosen = ", ".join(f"f{at}" for at in range(count))
            graph = graph_of({"a.py": f"{defined}def run():\n    for f in [{chosen}]:\n        f()\n"})
            return {edge.evidence for edge in edges_of(graph, EdgeKind.CALLS).values()}

        assert [evidence(count) for count in (1, 2, 3)] == [
            {EdgeEvidence.EXTRACTED},
            {EdgeEvidence.INFERRED},
            {EdgeEvidence.AMBIGUOUS},
        ]

    def test_what_the_language_calls_together_is_certain(self) -> None:
        text = "class A:\n    def __enter__(self): pass\n    def __exit__(self, *a): pass\nwith A(): pass\n"
        calls = edges_of(graph_of({"a.py": text}), EdgeKind.CALLS)
        assert {edge.evidence for edge in calls.values()} == {EdgeEvidence.EXTRACTED}
        assert len(calls) == 2

    def test_a_class_implements_a_protocol(self) -> None:
        text = "from typing import Protocol\nclass A(Protocol): ...\nclass B(A): ...\nclass C(B): ...\n"
        graph = graph_of({"a.py": text})
        assert edges_of(graph, EdgeKind.IMPLEMENTS).keys() == {("a.B", "a.A")}
        assert edges_of(graph, EdgeKind.INHERITS).keys() == {("a.C", "a.B")}

    def test_production_never_binds_to_tests(self) -> None:
        graph = graph_of(
            {
                "lib.py": "def run(callback):\n    callback()\n",
                "tests/test_lib.py": "from lib import run\n\ndef hook(): pass\n\ndef test():\n    run(hook)\n",
            }
        )
        assert edges_of(graph, EdgeKind.CALLS).keys() == {("tests.test_lib.test", "lib.run")}

    def test_a_mention_is_a_reference(self) -> None:
        graph = graph_of({"a.py": "def f(): pass\n\ndef run():\n    return [f]\n"})
        assert edges_of(graph, EdgeKind.REFERENCES).keys() == {("a.run", "a.f")}
        assert not edges_of(graph, EdgeKind.CALLS)

    def test_imports_join_modules_and_symbols(self) -> None:
        imports = edges_of(graph_of(SHOP), EdgeKind.IMPORTS)
        assert imports.keys() >= {("main", "shop"), ("main", "shop.cart.Cart"), ("shop", "shop.cart")}


class TestOpenCalls:
    def test_an_unknown_receiver_keeps_its_candidates(self) -> None:
        graph = graph_of({"a.py": "class A:\n    def save(self): pass\n\ndef run(x):\n    x.save()\n"})
        (call,) = graph.open_calls
        assert (call.name, call.site.line, call.external, call.candidates) == (
            "x.save", 5, "", ("a.py#A.save#method#0",),
        )  # fmt: skip

    def test_what_is_external_has_no_candidates(self) -> None:
        graph = graph_of({"a.py": "import json\n\ndef dumps(): pass\n\njson.dumps([].append)\n"})
        assert [(call.external, call.candidates) for call in graph.open_calls] == [("json.dumps", ())]


class TestBrokenFiles:
    def test_the_rest_of_a_file_is_read(self) -> None:
        graph = graph_of({"a.py": "def f(): pass\n\ndef g(:\n    f()\n\ndef h():\n    f()\n"})
        assert ("a.h", "a.f") in edges_of(graph, EdgeKind.CALLS)
        assert graph.coverage[0].problems

    def test_deep_nesting_yields_the_module(self) -> None:
        graph = graph_of({"a.py": "x = " + "(" * 5000 + ")" * 5000, "b.py": "y = " + "-" * 50000 + "1"})
        assert {node.qualified_name for node in graph.nodes} >= {"a", "b"}
        assert all(one.problems for one in graph.coverage)

    @given(st.text(alphabet="abc():\n \t=.,*@[]{}'\"#defclass", max_size=60))
    def test_any_text_gives_a_graph(self, text: str) -> None:
        assert graph_of({"a.py": text}).nodes[0].path == "a.py"

    def test_endless_structures_end(self) -> None:
        text = (
            "from functools import partial\ndef f(*args):\n    f(1, *args)\n    g = f\n    while True:\n"
            "        g = partial(g, g)\n    g()\nx = external()\nwhile True:\n    x = x.next\nclass A(A): pass\n"
        )
        assert ("a.f", "a.f") in edges_of(graph_of({"a.py": text}), EdgeKind.CALLS)


class TestDeterminism:
    def test_the_order_of_files_does_not_matter(self) -> None:
        assert graph_of(SHOP) == graph_of(dict(reversed(SHOP.items())))


class TestModules:
    PATHS = ("app/__init__.py", "app/x.py", "space/y.py", "src/lib/__init__.py", "json.py", "tests/run.py", "z.py")

    @pytest.mark.parametrize(
        ("importer", "module", "level", "found"),
        [
            ("app/x.py", "app.x", 0, "app/x.py"),
            ("app/x.py", "x", 1, "app/x.py"),
            ("app/x.py", "", 1, "app/__init__.py"),
            ("z.py", "lib", 0, "src/lib/__init__.py"),
            ("z.py", "space.y", 0, "space/y.py"),
            ("z.py", "json", 0, "json.py"),
            ("tests/run.py", "json", 0, None),
            ("tests/run.py", "x", 0, None),
            ("z.py", "numpy", 0, None),
        ],
    )
    def test_finds_what_python_finds(self, importer: str, module: str, level: int, found: str | None) -> None:
        answer = Modules(self.PATHS, {}).find(importer, module, level)
        assert answer == (None if found is None else File(found))

    def test_a_folder_is_a_namespace(self) -> None:
        assert Modules(self.PATHS, {}).find("z.py", "space", 0) == Folder("space")


class TestHierarchy:
    def test_order_is_that_of_python(self) -> None:
        class A: ...

        class B(A): ...

        class C(A): ...

        class D(B, C): ...

        kinds = [A, B, C, D]
        bases = {kinds.index(one): [kinds.index(base) for base in one.__bases__ if base in kinds] for one in kinds}
        assert linearize(3, bases.__getitem__, {}) == [kinds.index(one) for one in D.__mro__ if one in kinds]

    def test_a_class_that_is_its_own_ancestor(self) -> None:
        assert linearize(0, {0: [1], 1: [0]}.__getitem__, {}) == [0, 1]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("tests/a.py", True), ("a/test_b.py", True), ("conftest.py", True), ("a/b_test.py", True), ("attest.py", False)],
)
def test_what_a_test_is(path: str, expected: bool) -> None:
    assert is_test_path(path) is expected


class TestPythonBytes:
    TEXT = (
        "# é\r\n@deco\r\ndef ä(a):\r\n    'döc'\r\n    return lambda: 'ü'\r\n\r\n"
        "class _C:\r\n    def __init__(self): pass\r\n"
    )

    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    def test_definitions_are_cut_out_of_the_bytes(self, mark: str) -> None:
        text = mark + self.TEXT
        data = text.encode()
        found = {
            scope.name: (data[scope.start_byte : scope.end_byte].decode(), scope.visibility)
            for scope in python_facts("a.py", text).scopes
        }
        assert found == {
            "a": (text, "public"),
            "ä": ("@deco\r\ndef ä(a):\r\n    'döc'\r\n    return lambda: 'ü'", "public"),
            "<lambda1>": ("lambda: 'ü'", "public"),
            "_C": ("class _C:\r\n    def __init__(self): pass", "private"),
            "__init__": ("def __init__(self): pass", "public"),
        }

    def test_nul_bytes_and_deep_lines_are_named(self) -> None:
        text = f"def f(): pass\n\0\nx = y{'.a' * 20000}\ndef g():\n    f()\n"
        facts = python_facts("a.py", text)
        assert [scope.name for scope in facts.scopes] == ["a", "f", "g"]
        assert len(facts.problems) == 2
