"""``pckc graph`` and ``pckc report``, as a person and a script use them."""

import json
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import environ_at
from .program import Program, Repository

FILES = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": (
        "class Cart:\n    def __init__(self):\n        self.items = []\n\n    def add(self, item):\n"
        "        # WHY: prices change overnight\n        return self.check(item)\n\n    def check(self, item):\n"
        "        return item.price()\n\n\ndef _unused():\n    return 3\n"
    ),
    "main.py": "from shop import Cart\n\n\ndef run(item):\n    Cart().add(item)\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_add(item):\n    Cart().add(item)\n",
}


def made(folder: Path, environ: Mapping[str, str]) -> Repository:
    repository = Repository(folder, environ)
    for path, text in FILES.items():
        repository.write(path, text)
    repository.commit("first")
    return repository


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program in a repository whose graph is stored; no test may change it."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "home").mkdir()
    environ = environ_at(folder / "home")
    program = Program(folder=made(folder / "shop", environ).root, environ=environ)
    program("sync")
    return program


@pytest.fixture
def shop(tmp_path: Path, environ: Mapping[str, str]) -> Repository:
    return made(tmp_path / "shop", environ)


@pytest.fixture
def pckc(shop: Repository, environ: Mapping[str, str]) -> Program:
    return Program(folder=shop.root, environ=environ)


class TestQuestions:
    def test_the_graph_follows_the_files_by_itself(self, pckc: Program, shop: Repository) -> None:
        assert pckc("graph", "callers", "Cart.add", "--json").json["at_least"] == 2
        shop.write("more.py", "from shop import Cart\n\n\ndef other(item):\n    Cart().add(item)\n")
        assert pckc("graph", "callers", "Cart.add", "--json", "--no-sync").json["at_least"] == 2
        form = pckc("graph", "callers", "Cart.add", "--json").json
        assert form["at_least"] == 3
        assert form["schema"] == {"name": "pckc.graph.callers", "version": 1}
        assert form["coverage"]["graph"] == {"indexed": 5, "total": 5, "behind": 0}
        edge = next(one for one in form["results"] if one["node"]["qualified_name"] == "more.other")
        assert (edge["evidence"], edge["weight"], edge["line"]) == ("extracted", 1.0, 5)
        assert edge["sites"][0]["path"] == "more.py"

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (("search", "check"), "shop.cart.Cart.check"),
            (("hubs",), "shop.cart.Cart.add"),
            (("neighbors", "Cart.check", "--depth", "2"), "main.run"),
            (("path", "main.run", "Cart.check"), "calls shop.cart.Cart.check"),
            (("callers", "Cart"), "main.run"),
            (("callees", "Cart.add"), "shop.cart.Cart.check"),
            (("impact", "Cart.check"), "run tests/test_cart.py  test_add"),
            (("communities",), "modularity"),
            (("goal", "main.run", "check the price"), "Cart.check"),
            (("dead",), "shop.cart._unused"),
            (("cycles",), "0 groups"),
            (("report",), "## Hubs"),
        ],
        ids=lambda value: value[0] if isinstance(value, tuple) else "",
    )
    def test_every_question_answers_people_and_scripts(
        self, asked: Program, arguments: tuple[str, ...], expected: str
    ) -> None:
        assert expected in asked("graph", *arguments).stdout
        form = asked("graph", *arguments, "--json").json
        assert form["schema"]["name"] == f"pckc.graph.{arguments[0]}"
        assert form["layer"] == "repository"

    def test_report_has_a_command_of_its_own(self, asked: Program) -> None:
        assert asked("report").stdout == asked("graph", "report").stdout
        assert asked("report", "--json").json["nodes"]["module"] == 4

    def test_an_unknown_name_lists_near_ones(self, asked: Program) -> None:
        answer = asked("graph", "callers", "Cart.chek", "--json", check=False)
        assert answer.code == 5
        assert "shop.cart.Cart.check" in answer.error["remedy"]

    @pytest.mark.parametrize(
        "arguments",
        [
            ("callers",), ("path", "main.run"), ("goal", "main.run"), ("impact",), ("search",),
            ("impact", "a", "--diff", "b"), ("hubs", "--diff", "HEAD"), ("neighbors", "Cart", "--depth", "6"),
            ("hubs", "--limit", "0"),
        ],
    )  # fmt: skip
    def test_what_does_not_fit_is_refused(self, asked: Program, arguments: tuple[str, ...]) -> None:
        answer = asked("graph", *arguments, "--json", check=False)
        assert answer.code == 2
        assert answer.error["code"] == "invalid_input"

    def test_the_session_layer_is_apart(self, asked: Program) -> None:
        answer = asked("graph", "callers", "Cart.add", "--layer", "session", "--json", check=False)
        assert (answer.code, answer.error["code"]) == (5, "not_found")


class TestImpactOfADiff:
    def test_since_a_revision(self, pckc: Program, shop: Repository) -> None:
        shop.replace("shop/cart.py", "item.price()", "item.price() * 1.0")
        form = pckc("graph", "impact", "--diff", "HEAD", "--json").json
        assert [one["qualified_name"] for one in form["of"]] == ["shop.cart.Cart.check"]
        assert [one["qualified_name"] for one in form["test_symbols"]] == ["tests.test_cart.test_add"]
        assert form["tests"] == ["tests/test_cart.py"]

    def test_of_a_file_and_of_what_is_typed(self, pckc: Program, shop: Repository, tmp_path: Path) -> None:
        shop.replace("shop/cart.py", "item.price()", "item.price() * 1.0")
        patch = tmp_path / "change.patch"
        patch.write_text(shop.git("diff") + "\n", encoding="utf-8")
        shop.git("checkout", "--", ".")
        form = pckc("graph", "impact", "--diff", patch, "--json").json
        assert [one["qualified_name"] for one in form["of"]] == ["shop.cart.Cart.check"]

    def test_an_unknown_revision_is_refused(self, asked: Program) -> None:
        answer = asked("graph", "impact", "--diff", "nowhere", "--json", check=False)
        assert (answer.code, answer.error["code"]) == (2, "invalid_input")


class TestExport:
    def test_json_is_node_link(self, asked: Program) -> None:
        form = asked("graph", "export").json
        node = next(one for one in form["nodes"] if one["qualified_name"] == "shop.cart.Cart.add")
        assert node["path"] == "shop/cart.py"
        assert {"id", "kind", "name", "language", "start_line", "end_line", "layer", "community"} <= node.keys()
        assert {"source", "target", "kind", "evidence", "weight", "line", "layer"} <= form["edges"][0].keys()
        ids = {one["id"] for one in form["nodes"]}
        assert all(edge["source"] in ids and edge["target"] in ids for edge in form["edges"])

    def test_the_same_files_give_the_same_bytes(self, asked: Program) -> None:
        assert asked("graph", "export").stdout == asked("graph", "export").stdout

    def test_other_forms(self, asked: Program, tmp_path: Path) -> None:
        asked("graph", "export", "--format", "graphml", "--output", tmp_path / "g.graphml")
        root = ElementTree.parse(tmp_path / "g.graphml").getroot()  # noqa: S314 - our own document
        assert root.tag.endswith("graphml")
        assert "MERGE (n:Symbol:Class" in asked("graph", "export", "--format", "cypher").stdout
        page = asked("graph", "export", "--format", "html").stdout
        assert page.startswith("<!doctype html>")
        data = page.partition('<script id="data" type="application/json">')[2].partition("</script>")[0]
        assert "shop.cart.Cart.add" in {one["q"] for one in json.loads(data)["nodes"]}
