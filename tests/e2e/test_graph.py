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


class TestSessions:
    """The graph of sessions, and the one question that asks for both graphs."""

    SAID = (
        {"seq": 0, "role": "user", "text": "We decided to use DuckDB as the database."},
        {"seq": 1, "role": "tool", "tool": "Edit", "text": "MAX_ITEMS = 30", "path": "shop/cart.py"},
        {"seq": 2, "role": "user", "text": "The Cart.add method must never return None."},
    )

    @pytest.fixture
    def told(self, pckc: Program, tmp_path: Path) -> Program:
        """The program after importing a session that touched a file of the shop."""
        lines = [
            {"session": "first", "time": f"2026-06-01T10:0{one['seq']}:00Z", "id": f"first-{one['seq']}", **one}
            for one in self.SAID
        ]
        story = tmp_path / "story.jsonl"
        story.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        pckc("import", story)
        return pckc

    def test_the_layer_answers_like_the_other(self, told: Program) -> None:
        form = told("graph", "neighbors", "shop/cart.py", "--layer", "session", "--depth", "2", "--json").json
        assert (form["layer"], form["coverage"]["graph"]["indexed"]) == ("session", 1)
        assert {(one["kind"], one["edge"]["kind"]) for one in form["results"]} == {
            ("episode", "touches"), ("session", "contains"),
        }  # fmt: skip
        found = told("graph", "search", "database", "--layer", "session", "--json").json["results"]
        assert [one["name"] for one in found] == [self.SAID[0]["text"]]
        assert told("graph", "hubs", "--layer", "session", "--json").json["results"]
        assert told("graph", "communities", "--layer", "session", "--json").json["total"] >= 1
        exported = told("graph", "export", "--layer", "session", "--json").json
        assert {one["layer"] for one in (*exported["nodes"], *exported["edges"])} == {"session"}

    def test_sessions_of_a_file_and_of_a_symbol(self, told: Program) -> None:
        told("sync")
        form = told("graph", "sessions", "shop/cart.py", "--json").json
        assert form["layer"] == "both"
        assert [(one["source_id"], len(one["episodes"])) for one in form["results"]] == [("first", 1)]
        form = told("graph", "sessions", "Cart.add", "--json").json
        assert form["paths"] == ["shop/cart.py"]
        assert [(one["text"], one["speaks_of_it"]) for one in form["claims"]] == [(self.SAID[2]["text"], True)]
        assert self.SAID[2]["text"] in told("graph", "sessions", "Cart.add").stdout
        assert told("graph", "sessions", "Basket", check=False).code != 0

    def test_made_anew_and_forgotten(self, told: Program) -> None:
        before = told("graph", "export", "--layer", "session", "--json").json
        built = told("graph", "build", "--layer", "session", "--json").json
        assert (built["nodes"], built["edges"]) == (len(before["nodes"]), len(before["edges"]))
        after = told("graph", "export", "--layer", "session", "--json").json
        assert (after["nodes"], after["edges"]) == (before["nodes"], before["edges"])
        told("forget", "--session", "first", "--yes")
        assert told("graph", "hubs", "--layer", "session", check=False).code != 0
