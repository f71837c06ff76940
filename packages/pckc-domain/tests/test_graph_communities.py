"""Communities of a graph."""

from collections.abc import Sequence
from itertools import combinations

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.model.graph import Community, Edge, EdgeKind, Graph, Node, NodeKind
from pckc_domain.model.weighted_graph import WeightedGraph
from pckc_domain.policy.graph.communities import LARGE, cluster, modularity
from pckc_domain.testing.communities_contract import planted, weighted
from pckc_domain.testing.graph_samples import edge, node


def by_parts(graph: WeightedGraph) -> Sequence[int]:
    """Divide a graph into what is joined at all: as good as any engine where groups are apart."""
    group = list(range(graph.size))

    def of(one: int) -> int:
        while group[one] != one:
            one = group[one]
        return one

    for one, other in zip(graph.sources, graph.targets, strict=True):
        a, b = of(one), of(other)
        group[max(a, b)] = min(a, b)
    return [of(one) for one in range(graph.size)]


def by_halves(graph: WeightedGraph) -> Sequence[int]:
    """Divide what has more than a hundred nodes into what is joined, and anything smaller into two."""
    return by_parts(graph) if graph.size > 100 else [2 * one // max(graph.size, 1) for one in range(graph.size)]


def graph_of(nodes: Sequence[Node], edges: Sequence[Edge]) -> Graph:
    return Graph(nodes=tuple(nodes), edges=tuple(edges), open_calls=(), coverage=())


def cliques(*sizes: int) -> Graph:
    """Return groups of functions that all call each other, a file each."""
    groups = [[node(f"pkg/m{n}.py", f"f{i}", line=4 * i + 1) for i in range(size)] for n, size in enumerate(sizes)]
    edges = [edge(a.id, b.id) for group in groups for a, b in combinations(group, 2)]
    return graph_of([one for group in groups for one in group], edges)


class TestCluster:
    def test_groups_have_members_a_name_and_central_symbols(self) -> None:
        first, second = cluster(cliques(4, 3), by_parts).communities
        assert (first.id, first.level, first.parent, len(first.members)) == (0, 0, None, 4)
        assert (second.id, second.name) == (1, "pkg.m1: f0, f1")
        assert set(first.central) <= set(first.members)

    def test_a_node_without_edges_is_in_none(self) -> None:
        graph = cliques(2)
        alone = attrs.evolve(graph, nodes=(*graph.nodes, node("x.py", "alone")))
        assert [len(one.members) for one in cluster(alone, by_parts).communities] == [2]

    def test_nothing_has_no_communities(self) -> None:
        found = cluster(graph_of([], []), by_parts)
        assert (found.communities, found.modularity) == ((), 0.0)

    def test_a_large_one_is_divided_again(self) -> None:
        found = cluster(cliques(LARGE + 1, LARGE), by_halves).communities
        assert [(one.level, one.parent, len(one.members)) for one in found] == [
            (0, None, 51),
            (0, None, 50),
            (1, 0, 26),
            (1, 0, 25),
        ]
        assert len({one.id for one in found}) == 4

    def test_central_symbols_are_of_kinds_that_may_be_hubs(self) -> None:
        module = node("a.py", "", NodeKind.MODULE)
        constant = node("a.py", "LIMIT", NodeKind.CONSTANT)
        parts = [node("a.py", f"f{i}", line=4 * i + 5) for i in range(3)]
        graph = graph_of(
            [module, constant, *parts],
            [edge(one.id, part.id, EdgeKind.CONTAINS) for one in (module, constant) for part in parts],
        )
        (found,) = cluster(graph, by_parts).communities
        assert set(found.central) == {part.id for part in parts}

    def test_a_node_joined_with_much_is_damped(self) -> None:
        seen: list[WeightedGraph] = []

        def watch(graph: WeightedGraph) -> Sequence[int]:
            seen.append(graph)
            return by_parts(graph)

        hub = node("a.py", "hub")
        leaves = [node("b.py", f"leaf{i:02}") for i in range(40)]
        cluster(graph_of([hub, *leaves], [edge(leaf.id, hub.id) for leaf in leaves]), watch)
        assert seen[0].weights[0] == pytest.approx(1 / 3.6888794541139363)  # ln 40


class TestIds:
    def test_ids_stay_when_a_community_grows_and_another_comes_first(self) -> None:
        before = cluster(cliques(4, 3), by_parts).communities
        graph = cliques(4, 3)
        fresh = [node("a/first.py", f"g{i}") for i in range(2)]
        more = node("pkg/m1.py", "late", line=99)
        grown = graph_of(
            [*graph.nodes, *fresh, more],
            [*graph.edges, edge(fresh[0].id, fresh[1].id), edge(more.id, graph.nodes[-1].id)],
        )
        after = {one.members: one.id for one in cluster(grown, by_parts, previous=before).communities}
        assert {one: number for members, number in after.items() for one in members if one in (fresh[0].id,)} == {
            fresh[0].id: 2
        }
        for old in before:
            (kept,) = [number for members, number in after.items() if set(old.members) <= set(members)]
            assert kept == old.id

    def test_the_larger_part_keeps_the_id(self) -> None:
        graph = cliques(5)
        old = Community(id=7, level=0, parent=None, name="", members=tuple(n.id for n in graph.nodes), central=())
        kept = [one for one in graph.edges if ("f4" in one.source + one.target) == ("f3" in one.source + one.target)]
        divided = attrs.evolve(graph, edges=tuple(kept))
        after = cluster(divided, by_parts, previous=[old]).communities
        assert {len(one.members): one.id for one in after} == {3: 7, 2: 8}


@st.composite
def planted_graphs(draw: st.DrawFn) -> Graph:
    weights, _ = planted(draw(st.integers(1, 4)), draw(st.integers(1, 8)), seed=draw(st.integers(0, 9)))
    nodes = [node(f"m{n % 3}.py", f"f{n}") for n in range(weights.size)]
    return graph_of(
        nodes, [edge(nodes[a].id, nodes[b].id) for a, b in zip(weights.sources, weights.targets, strict=True)]
    )


class TestProperties:
    @settings(max_examples=40)
    @given(planted_graphs(), st.randoms(use_true_random=False))
    def test_the_order_of_nodes_and_edges_does_not_matter(self, graph: Graph, random: st.DataObject) -> None:
        nodes, edges = list(graph.nodes), list(graph.edges)
        random.shuffle(nodes)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
        random.shuffle(edges)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
        assert cluster(graph_of(nodes, edges), by_parts) == cluster(graph, by_parts)

    @settings(max_examples=40)
    @given(planted_graphs())
    def test_the_same_graph_keeps_every_id(self, graph: Graph) -> None:
        before = cluster(graph, by_parts)
        assert cluster(graph, by_parts, previous=before.communities) == before

    @settings(max_examples=40)
    @given(planted_graphs())
    def test_no_node_is_in_two(self, graph: Graph) -> None:
        members = [one for found in cluster(graph, by_parts).communities if found.level == 0 for one in found.members]
        assert len(members) == len(set(members))


def test_modularity_of_two_pairs() -> None:
    pairs = weighted(4, [(0, 1, 1.0), (2, 3, 1.0)])
    assert modularity(pairs, [0, 0, 1, 1]) == pytest.approx(0.5)
    assert modularity(pairs, [0, 0, 0, 0]) == pytest.approx(0.0)
    assert modularity(pairs, [0, 1, 2, 3]) == pytest.approx(-0.25)
