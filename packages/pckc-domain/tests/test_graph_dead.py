"""Dead code candidates and cycles."""

import pytest
from pckc_domain.model.graph import EdgeKind, Graph
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.cycles import cycles
from pckc_domain.policy.graph.liveness import dead_candidates
from pckc_domain.policy.graph.python.facts import python_facts


def graph_of(files: dict[str, str]) -> Graph:
    return build_graph(python_facts(path, text) for path, text in files.items())


def dead(files: dict[str, str]) -> dict[str, str]:
    found = dead_candidates(graph_of(files), files.get)
    return {one.node.qualified_name: one.reason for one in found}


ALIVE = {
    "a constructor and dunders": "class A:\n    def __init__(self): pass\n    def __eq__(self, other): pass\nA()\n",
    "a callback": "def hook(): pass\nregister(hook)\n",
    "an override": "class A:\n    def f(self): return 1\nclass B(A):\n    def f(self): return 2\nuse(B, A().f())\n",
    "what is overridden": "class A:\n    def f(self): ...\nclass B(A):\n    def f(self): pass\nB().f()\n",
    "a method of a class with a base from outside": "import x\nclass A(x.Base):\n    def handle(self): pass\nA()\n",
    "a dispatch table": "def one(): pass\ndef two(): pass\nTABLE = {'1': one, '2': two}\n",
    "a decorated registration": "import web\n@web.route('/')\ndef index(): pass\n",
    "an export": "__all__ = ['f']\ndef f(): pass\n",
    "an entry point": "def main(): pass\n",
    "a name in a text": "import sys\ndef do_it(): pass\ngetattr(sys.modules[__name__], 'do_it')()\n",
    "a name put together": "class A:\n    def do_get(self): pass\ndef run(a, b):\n    getattr(a, f'do_{b}')\nrun(A)\n",
    "a property": "class A:\n    @property\n    def size(self): return 1\nprint(A().size)\n",
    "what an unresolved call may mean": "class A:\n    def save(self): pass\nA()\ndef run(x):\n    x.save()\nrun\n",
    "a nested function that is called": "def f():\n    def g(): pass\n    return g()\nf()\n",
}


@pytest.mark.parametrize("text", ALIVE.values(), ids=ALIVE)
def test_alive(text: str) -> None:
    assert dead({"a.py": text}) == {}


def test_tests_and_what_they_use_are_alive() -> None:
    files = {"a.py": "def f(): pass\n", "tests/test_a.py": "from a import f\n\ndef test_f():\n    f()\n"}
    assert dead(files) == {}


def test_what_a_package_exports_is_alive() -> None:
    assert dead({"p/__init__.py": "from .a import f\n", "p/a.py": "def f(): pass\ndef g(): pass\n"}).keys() == {"p.a.g"}


def test_a_candidate_has_its_reason() -> None:
    text = "def used(): pass\nused()\ndef lone(): helper()\ndef helper(): pass\nclass Old:\n    def f(self): pass\n"
    found = dead({"a.py": text})
    assert found.keys() == {"a.lone", "a.helper", "a.Old"}
    assert found["a.helper"] == "only dead code refers to it: a.lone"
    assert found["a.lone"].startswith("nothing calls")
    assert found["a.Old"].startswith("nothing makes")


def test_those_that_only_call_each_other_are_dead() -> None:
    assert dead({"a.py": "def f(): g()\ndef g(): f()\n"}).keys() == {"a.f", "a.g"}


def test_private_ones_come_first() -> None:
    text = "def open_one():\n    pass\n    pass\n    pass\n\ndef _own(): pass\n"
    found = dead_candidates(graph_of({"a.py": text}), {"a.py": text}.get)
    assert [(one.node.name, one.is_public, one.lines) for one in found] == [("_own", False, 1), ("open_one", True, 4)]


class TestCycles:
    def test_modules_that_import_each_other(self) -> None:
        files = {"a.py": "import b\n", "b.py": "import c\n", "c.py": "import a\n", "d.py": "import a\n"}
        (cycle,) = cycles(graph_of(files), EdgeKind.IMPORTS)
        assert [node.qualified_name for node in cycle.nodes] == ["a", "b", "c"]
        assert [(one.source[0], one.target[0]) for one in cycle.way] == [("a", "b"), ("b", "c"), ("c", "a")]

    def test_an_import_inside_of_a_function_waits(self) -> None:
        assert cycles(graph_of({"a.py": "import b\n", "b.py": "def f():\n    import a\n"}), EdgeKind.IMPORTS) == ()

    def test_functions_that_call_each_other(self) -> None:
        graph = graph_of({"a.py": "def f(): g()\ndef g(): f()\ndef h(): h()\n"})
        (cycle,) = cycles(graph, EdgeKind.CALLS)
        assert [node.name for node in cycle.nodes] == ["f", "g"]

    def test_a_long_row_needs_no_recursion(self) -> None:
        text = "".join(f"def f{n}(): f{n + 1}()\n" for n in range(3000)) + "def f3000(): f0()\n"
        (cycle,) = cycles(graph_of({"a.py": text}), EdgeKind.CALLS)
        assert (len(cycle.nodes), len(cycle.way)) == (3001, 3001)
