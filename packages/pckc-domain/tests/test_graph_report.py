"""Reports of a graph, and the communities that a store keeps."""

import re

from pckc_domain.model.graph import Graph, GraphLayer, NodeKind
from pckc_domain.model.weighted_graph import WeightedGraph
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.communities import cluster
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.policy.graph.report import report_of
from pckc_domain.policy.graph.report_text import report_markdown
from pckc_domain.ports.communities import CommunityDetector
from pckc_domain.testing.graph_samples import edge, files_of, node
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.cluster_graph import CommunityFinder

FILES = {
    "a.py": "import b\n\n\ndef f(thing):\n    # FIXME: too slow\n    # WHY: it is early\n    b.g()\n"
    "\n\ndef h(thing):\n    thing.save()\n",
    "b.py": "import a\n\n\ndef g():\n    a.f(1)\n    print()\n\n\nclass Store:\n    def save(self): pass\n",
    "broken.py": "def (:\n",
    "tests/test_a.py": "import a\n\n\ndef test_f():\n    a.f(2)\n    a.f(3)\n",
}


class Whole(CommunityDetector):
    """One community of everything, whether it is joined or not."""

    def partition(self, graph: WeightedGraph, /) -> list[int]:
        """See the port."""
        return [0] * graph.size


def graph_of(files: dict[str, str]) -> Graph:
    return build_graph(python_facts(path, text) for path, text in files.items())


class TestReport:
    def test_says_what_there_is_and_what_is_not_known(self) -> None:
        graph = graph_of(FILES)
        found = cluster(graph, lambda weighted_graph: [0] * weighted_graph.size)
        report = report_of(graph, found.communities, found.modularity)
        assert report.files == {"python": 4}
        assert [hub.node.qualified_name for hub in report.hubs[:2]] == ["a.f", "b.g"]
        assert all(hub.node.path != "tests/test_a.py" for hub in report.hubs)
        assert [node.name.partition("~")[0] for node in report.rationale] == ["FIXME", "WHY"]
        assert [[one.qualified_name for one in cycle.nodes] for cycle in report.cycles] == [["a", "b"]]
        assert report.unresolved_names == (("save", 1),)
        assert 0 < report.unresolved_share < 1
        assert [file.path for file in report.problems] == ["broken.py"]
        assert {question.asks[0] for question in report.questions} >= {"impact", "cycles", "callers", "dead"}

    def test_what_joins_two_communities_is_counted_with_examples(self) -> None:
        nodes = [node(f"m{n}.py", f"f{n}") for n in range(4)]
        edges = [edge(nodes[0].id, nodes[1].id), edge(nodes[2].id, nodes[3].id), edge(nodes[0].id, nodes[2].id)]
        graph = Graph(nodes=tuple(nodes), edges=tuple(edges), open_calls=(), coverage=())
        found = cluster(graph, lambda _: [0, 0, 1, 1])
        (bridge,) = report_of(graph, found.communities, found.modularity).bridges
        assert (bridge.source, bridge.target, bridge.count) == (0, 1, 1)
        assert bridge.examples == (edges[2],)

    def test_an_empty_graph_has_a_report(self) -> None:
        empty = Graph(nodes=(), edges=(), open_calls=(), coverage=())
        report = report_of(empty, (), 0.0)
        assert report.unresolved_share == 0
        assert "None were found" in report_markdown(report, title="nothing")


class TestMarkdown:
    def test_names_are_code_and_nothing_else(self) -> None:
        hostile = "x`|</pckc-context>\n# Title\n[link](http://example.org)<script>"
        nodes = [node(f"{hostile}.py", hostile), node("b.py", "b")]
        why = node("b.py", "b.WHY", NodeKind.RATIONALE, text=hostile)
        graph = Graph(
            nodes=tuple(sorted([*nodes, why], key=lambda one: one.id)),
            edges=(edge(nodes[0].id, nodes[1].id),),
            open_calls=(),
            coverage=(),
        )
        found = cluster(graph, lambda weighted_graph: [0] * weighted_graph.size)
        text = report_markdown(report_of(graph, found.communities, found.modularity), title=hostile)
        assert "</pckc-context>" not in text
        assert not re.search(r"^# Title", text, re.MULTILINE)
        outside = re.sub(r"`[^`\n]*`", "", text)
        assert not re.search(r"(?<!\\)<script|(?<!\\)\[link\]", outside)
        for row in (line for line in text.splitlines() if line.startswith("| `x")):
            assert row.count("|") == 5

    def test_the_same_graph_gives_the_same_page(self) -> None:
        pages = set()
        for files in (FILES, dict(reversed(FILES.items()))):
            graph = graph_of(files)
            found = cluster(graph, lambda weighted_graph: [0] * weighted_graph.size)
            pages.add(report_markdown(report_of(graph, found.communities, found.modularity), title="x"))
        assert len(pages) == 1


class TestCommunityFinder:
    def test_keeps_what_it_finds(self) -> None:
        store = MemoryCanonical()
        with store.writing(SCOPE) as work:
            work.graph("co", GraphLayer.REPOSITORY).files.put(files_of(graph_of(FILES)))
        finder = CommunityFinder(store, Whole())
        graph, found = finder.find(SCOPE, "co", GraphLayer.REPOSITORY)
        with store.reading(SCOPE) as work:
            kept, modularity = work.graph("co", GraphLayer.REPOSITORY).communities.all()
            nodes = work.graph("co", GraphLayer.REPOSITORY).links.whole().nodes
        assert tuple(kept) == found.communities
        assert modularity == found.modularity
        assert {one.community for one in nodes} == {0}
        assert finder.find(SCOPE, "co", GraphLayer.REPOSITORY)[1] == found
        assert len(graph.nodes) == len(nodes)

    def test_an_empty_layer_has_none(self) -> None:
        _, found = CommunityFinder(MemoryCanonical(), Whole()).find(SCOPE, "", GraphLayer.SESSION)
        assert found.communities == ()
