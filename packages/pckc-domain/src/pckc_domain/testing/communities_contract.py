"""What every engine for communities must do."""

from array import array
from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from pckc_domain.model.weighted_graph import WeightedGraph
from pckc_domain.policy.graph.communities import modularity
from pckc_domain.ports.communities import CommunityDetector

Link = tuple[int, int, float]


def weighted(size: int, links: Sequence[Link]) -> WeightedGraph:
    """Return the graph of these links."""
    return WeightedGraph(
        size=size,
        sources=array("i", (one for one, _, _ in links)),
        targets=array("i", (other for _, other, _ in links)),
        weights=array("d", (weight for _, _, weight in links)),
    )


def planted(groups: int, size: int, *, seed: int) -> tuple[WeightedGraph, list[int]]:
    """Return a graph with *groups* of *size* nodes, joined densely within and sparsely between, and their groups."""
    random = Random(seed)  # noqa: S311 - a sample, no secret
    of = [node % groups for node in range(groups * size)]
    links = [
        (one, other, 1.0)
        for one, other in combinations(range(groups * size), 2)
        if random.random() < (0.4 if of[one] == of[other] else 0.01)
    ]
    return weighted(groups * size, links), of


class CommunitiesContract:
    """Inherit it and provide the fixture *detector*."""

    @pytest.fixture
    def detector(self) -> CommunityDetector:
        """Return the engine under test."""
        raise NotImplementedError

    def test_nothing_has_no_groups(self, detector: CommunityDetector) -> None:
        assert list(detector.partition(weighted(0, []))) == []

    def test_nodes_without_edges_stand_alone(self, detector: CommunityDetector) -> None:
        assert list(detector.partition(weighted(3, []))) == [0, 1, 2]

    def test_two_cliques_with_a_bridge_are_two_groups(self, detector: CommunityDetector) -> None:
        cliques = [(a, b, 1.0) for start in (0, 5) for a, b in combinations(range(start, start + 5), 2)]
        assert list(detector.partition(weighted(10, [*cliques, (0, 5, 1.0)]))) == [0] * 5 + [1] * 5

    def test_weights_count(self, detector: CommunityDetector) -> None:
        ring = [(0, 1, 9.0), (1, 2, 0.1), (2, 3, 9.0), (3, 0, 0.1)]
        assert list(detector.partition(weighted(4, ring))) == [0, 0, 1, 1]

    def test_parallel_edges_add_up(self, detector: CommunityDetector) -> None:
        ring = [(0, 1, 0.5)] * 18 + [(1, 2, 0.1), (2, 3, 9.0), (3, 0, 0.1)]
        assert list(detector.partition(weighted(4, ring))) == [0, 0, 1, 1]

    def test_an_edge_to_itself_joins_nothing(self, detector: CommunityDetector) -> None:
        assert list(detector.partition(weighted(2, [(0, 0, 5.0), (1, 1, 5.0)]))) == [0, 1]

    def test_what_no_way_joins_is_never_one_group(self, detector: CommunityDetector) -> None:
        pairs = [(node, node + 1, 1.0) for node in range(0, 100, 2)]
        assert list(detector.partition(weighted(100, pairs))) == [node // 2 for node in range(100)]

    def test_planted_groups_are_found(self, detector: CommunityDetector) -> None:
        graph, of = planted(6, 30, seed=1)
        assert list(detector.partition(graph)) == of

    def test_groups_are_numbered_by_their_first_nodes(self, detector: CommunityDetector) -> None:
        found = list(detector.partition(planted(5, 12, seed=2)[0]))
        assert list(dict.fromkeys(found)) == list(range(max(found) + 1))

    def test_the_same_graph_gives_the_same_groups(self, detector: CommunityDetector) -> None:
        random = Random(3)  # noqa: S311 - a sample, no secret
        links = [(random.randrange(400), random.randrange(400), random.random() + 0.1) for _ in range(900)]
        graph = weighted(400, links)
        first = list(detector.partition(graph))
        detector.partition(planted(4, 10, seed=4)[0])  # what happens between must not matter
        assert list(detector.partition(graph)) == first

    def test_groups_are_better_than_none(self, detector: CommunityDetector) -> None:
        graph, of = planted(8, 15, seed=5)
        assert modularity(graph, detector.partition(graph)) >= modularity(graph, of) - 0.02
