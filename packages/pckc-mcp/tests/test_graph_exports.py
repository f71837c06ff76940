"""Whole graphs in the forms of other programs, with names that try to get out of them."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from math import dist
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.graph import Community, Graph, Node, NodeKind
from pckc_domain.testing.graph_samples import edge, node, open_call
from pckc_mcp.graph.exports import page as pages
from pckc_mcp.graph.exports.cypher import cypher
from pckc_mcp.graph.exports.drawing import drawn
from pckc_mcp.graph.exports.graphml import graphml
from pckc_mcp.graph.exports.page import page

HOSTILE = (
    "</script><script>alert(1)</script>", "<!--<script>", "<img src=x onerror=alert(1)>", "a'b\"c", "\\'; DROP",
    "{{data}}", "]]>", "&amp;", "\u2028line", "\x00\x1b[31m", "`code`", "'}) DETACH DELETE n //", "\ud800",
    "naïve 日本語 😀", "a\r\nb",
)  # fmt: skip
XML = "{http://graphml.graphdrawing.org/xmlns}"


def graph_of(names: tuple[str, ...] = HOSTILE) -> Graph:
    nodes = [
        node(f"pkg/{name}.py", name, line=3, signature=f"def {name}()", doc=name) if name else node("x.py", "x")
        for name in names
    ]
    edges = [edge(a.id, b.id) for a, b in pairwise(nodes)]
    calls = [open_call(nodes[0].id, names[0], candidates=(nodes[-1].id,))] if nodes else []
    return Graph(
        nodes=tuple(sorted(nodes, key=lambda one: one.id)), edges=tuple(edges), open_calls=tuple(calls), coverage=()
    )


def communities(graph: Graph) -> list[Community]:
    ids = [one.id for one in graph.nodes]
    half = len(ids) // 2
    return [
        Community(id=n, level=0, parent=None, name=HOSTILE[n], members=tuple(part), central=())
        for n, part in enumerate((ids[:half], ids[half:]))
    ]


class TestGraphMl:
    def test_any_name_is_read_back(self) -> None:
        graph = graph_of()
        root = ElementTree.fromstring(graphml(graph).encode("utf-8"))  # noqa: S314 - our own document
        found = [one.get("id") for one in root.iter(f"{XML}node")]
        assert found == [re.sub("[\x00-\x08\x0b-\x1f\ud800]", "\ufffd", one.id) for one in graph.nodes]
        names = {key.get("id"): key.get("attr.type") for key in root.iter(f"{XML}key")}
        assert names["node.start_line"] == "int"
        assert {data.get("key") for data in root.iter(f"{XML}data")} <= names.keys()
        ends = {one.get("source") for one in root.iter(f"{XML}edge")} | {
            one.get("target") for one in root.iter(f"{XML}edge")
        }
        assert ends <= set(found)

    def test_other_programs_read_it(self, tmp_path: Any) -> None:
        igraph = pytest.importorskip("igraph")
        graph = graph_of(("one", "two", "naïve 日本語"))
        file = tmp_path / "graph.graphml"
        file.write_text(graphml(graph), encoding="utf-8")
        read = igraph.Graph.Read_GraphML(str(file))
        assert sorted(read.vs["qualified_name"]) == sorted(one.qualified_name for one in graph.nodes)
        assert read.ecount() == 2

    @given(st.text(max_size=20))
    def test_any_text_makes_a_document(self, name: str) -> None:
        ElementTree.fromstring(graphml(graph_of((name, "b"))).encode("utf-8"))  # noqa: S314 - our own document


class TestCypher:
    def test_a_statement_a_line(self) -> None:
        graph = graph_of()
        lines = cypher(graph).splitlines()
        assert len(lines) == len(graph.nodes) + len(graph.edges)
        assert all(line.endswith(";") for line in lines)

    @given(st.text(max_size=30))
    def test_nothing_ends_a_text(self, name: str) -> None:
        statement = cypher(graph_of((name, "b"))).split("\n")[0]
        texts = re.findall(r"'((?:[^'\\]|\\.)*)'", statement)
        assert "'" not in re.sub(r"'(?:[^'\\]|\\.)*'", "", statement)
        ids = {_unescaped(text) for text in texts}
        assert {one.id for one in graph_of((name, "b")).nodes} & ids


def _unescaped(text: str) -> str:
    known = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'"}
    return re.sub(
        r"\\(?:u([0-9A-F]{4})|(.))", lambda found: chr(int(found[1], 16)) if found[1] else known[found[2]], text
    )


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.data: dict[str, str] = {}
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._in = dict(attrs).get("id") or "" if tag == "script" else ""

    def handle_data(self, data: str) -> None:
        if self._in:
            self.data[self._in] = self.data.get(self._in, "") + data


def parsed(text: str) -> _Elements:
    elements = _Elements()
    elements.feed(text)
    return elements


class TestPage:
    def test_a_hostile_name_is_data(self) -> None:
        graph = graph_of()
        elements = parsed(page(graph, communities(graph), title="</script><b>"))
        assert elements.tags.count("script") == 2
        assert not {"img", "b", "iframe", "link"} & set(elements.tags)
        data = json.loads(elements.data["data"])
        assert [one["q"] for one in data["nodes"]] == [one.qualified_name for one in graph.nodes]
        assert data["title"] == "</script><b>"

    def test_nothing_is_loaded(self) -> None:
        text = page(graph_of(), [], title="x")
        elements = parsed(text)
        assert not [name for name, _ in elements.attributes if name in ("src", "href") or name.startswith("on")]
        assert "default-src 'none'" in text
        assert not re.search(
            r"https?://|fetch\(|XMLHttpRequest|innerHTML|document\.write|eval\(", text.split("{", 1)[0]
        )
        assert "innerHTML" not in text

    def test_edges_carry_their_proofs(self) -> None:
        graph = graph_of(("one", "two"))
        data = json.loads(parsed(page(graph, communities(graph), title="x")).data["data"])
        (found,) = data["edges"]
        assert found[2:4] == ["calls", 1.0]
        assert found[4] == ["pkg/one.py:1 (from é import b)"]
        assert sum(one["u"] for one in data["nodes"]) == 1

    def test_a_large_graph_is_drawn_by_its_files(self, monkeypatch: pytest.MonkeyPatch) -> None:
        nodes: list[Node] = [node(f"pkg/m{n % 4}.py", f"f{n}", line=n + 1) for n in range(12)]
        graph = Graph(
            nodes=tuple(sorted(nodes, key=lambda one: one.id)),
            edges=(edge(nodes[0].id, nodes[1].id), edge(nodes[4].id, nodes[5].id), edge(nodes[0].id, nodes[4].id)),
            open_calls=(),
            coverage=(),
        )
        monkeypatch.setattr(pages, "MOST_NODES", 5)
        data = json.loads(parsed(page(graph, [], title="x")).data["data"])
        assert (data["what"], len(data["nodes"])) == ("files", 4)
        assert [(source, target, kind, weight) for source, target, kind, weight, _ in data["edges"]] == [
            (0, 1, "calls", 2.0)
        ]
        monkeypatch.setattr(pages, "MOST_NODES", 3)
        groups = [
            Community(
                id=n, level=0, parent=None, name=f"c{n}", members=tuple(one.id for one in nodes[n::2]), central=()
            )
            for n in range(2)
        ]
        data = json.loads(parsed(page(graph, groups, title="x")).data["data"])
        assert (data["what"], [one["q"] for one in data["nodes"]]) == ("communities", ["c0", "c1"])

    def test_rationale_is_not_drawn(self) -> None:
        why = node("a.py", "WHY", NodeKind.RATIONALE)
        graph = Graph(nodes=(node("a.py", "f"), why), edges=(), open_calls=(), coverage=())
        assert len(json.loads(parsed(page(graph, [], title="x")).data["data"])["nodes"]) == 1

    def test_nothing_is_a_page_too(self) -> None:
        empty = Graph(nodes=(), edges=(), open_calls=(), coverage=())
        assert json.loads(parsed(page(empty, [], title="x")).data["data"])["nodes"] == []


class TestDrawing:
    @given(st.lists(st.integers(-1, 6), max_size=60))
    def test_discs_and_nodes_do_not_overlap(self, groups: list[int]) -> None:
        drawing = drawn(groups, [])
        discs = list(drawing.discs.values())
        for index, one in enumerate(discs):
            for other in discs[index + 1 :]:
                assert dist(one[:2], other[:2]) >= one.radius + other.radius
        assert len(set(drawing.places)) == len(groups)
        for group, place in zip(groups, drawing.places, strict=True):
            assert dist(place, drawing.discs[group][:2]) <= drawing.discs[group].radius + 1

    def test_is_the_same_every_time(self) -> None:
        groups = [n % 7 for n in range(200)]
        pairs = [(n, (n * 7) % 200) for n in range(200)]
        assert drawn(groups, pairs) == drawn(groups, pairs)

    def test_the_most_joined_stands_in_the_middle(self) -> None:
        drawing = drawn([0] * 5, [(3, 0), (3, 1), (3, 2)])
        assert drawing.places[3] == drawing.discs[0][:2]
