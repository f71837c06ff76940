"""The domain's communities by the real engine."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_adapters_leiden.backend import IGRAPH
from pckc_domain.model.graph import Graph
from pckc_domain.policy.graph.communities import LARGE, cluster
from pckc_domain.ports.communities import CommunityDetector
from pckc_domain.testing.communities_contract import planted
from pckc_domain.testing.graph_samples import edge, node


@pytest.fixture(scope="module")
def detector() -> Iterator[CommunityDetector]:
    with IGRAPH.open(IGRAPH.settings()) as detector:
        yield detector


def graph_of(groups: int, size: int, seed: int) -> Graph:
    """Return a graph of functions with groups planted in it, a file each."""
    weights, of = planted(groups, size, seed=seed)
    nodes = [node(f"pkg/m{of[n]}.py", f"f{n}", line=4 * n + 1) for n in range(weights.size)]
    edges = [edge(nodes[a].id, nodes[b].id) for a, b in zip(weights.sources, weights.targets, strict=True)]
    return Graph(nodes=tuple(nodes), edges=tuple(edges), open_calls=(), coverage=())


def shuffled(graph: Graph, random: Random) -> Graph:
    nodes, edges = list(graph.nodes), list(graph.edges)
    random.shuffle(nodes)
    random.shuffle(edges)
    return Graph(nodes=tuple(nodes), edges=tuple(edges), open_calls=(), coverage=())


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(2, 20), st.integers(0, 99), st.randoms(use_true_random=False))
def test_the_order_of_nodes_and_edges_does_not_matter(
    detector: CommunityDetector, groups: int, size: int, seed: int, random: Random
) -> None:
    graph = graph_of(groups, size, seed)
    assert cluster(shuffled(graph, random), detector.partition) == cluster(graph, detector.partition)


def test_planted_groups_are_named_by_their_files(detector: CommunityDetector) -> None:
    found = cluster(graph_of(4, 30, 1), detector.partition)
    coarse = [one for one in found.communities if one.level == 0]
    assert sorted(one.name.partition(":")[0] for one in coarse) == [f"pkg.m{n}" for n in range(4)]
    assert found.modularity > 0.5


def test_parts_of_a_large_one_lie_within_it(detector: CommunityDetector) -> None:
    found = cluster(graph_of(2, 2 * LARGE, 2), detector.partition).communities
    members = {one.id: set(one.members) for one in found}
    inner = [one for one in found if one.level == 1]
    assert inner
    for one in inner:
        assert one.parent is not None
        assert set(one.members) < members[one.parent]


def test_ids_stay_while_the_graph_grows(detector: CommunityDetector) -> None:
    before = cluster(graph_of(4, 25, 3), detector.partition).communities
    graph = graph_of(4, 25, 3)
    late = [node("pkg/a0.py", f"late{n}") for n in range(4)]
    more = [edge(one.id, other.id) for one in late for other in late if one.id < other.id]
    grown = Graph(nodes=(*late, *graph.nodes), edges=(*more, *graph.edges), open_calls=(), coverage=())
    after = {one.id: set(one.members) for one in cluster(grown, detector.partition, previous=before).communities}
    for one in (one for one in before if one.level == 0):
        assert len(after[one.id] & set(one.members)) > len(one.members) / 2
