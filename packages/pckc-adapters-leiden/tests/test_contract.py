"""Both engines keep the port's contract."""

from collections.abc import Iterator
from itertools import combinations

import pytest
from pckc_adapters_leiden.backend import IGRAPH, LEIDENALG
from pckc_domain.ports.communities import CommunityDetector
from pckc_domain.testing.communities_contract import CommunitiesContract, planted, weighted


class TestIgraph(CommunitiesContract):
    @pytest.fixture
    def detector(self) -> Iterator[CommunityDetector]:
        with IGRAPH.open(IGRAPH.settings()) as detector:
            yield detector

    def test_a_higher_resolution_gives_more_groups(self, detector: CommunityDetector) -> None:
        graph, _ = planted(4, 25, seed=6)
        with IGRAPH.open(IGRAPH.settings(resolution=8.0)) as finer:
            assert max(finer.partition(graph)) > max(detector.partition(graph))


class TestLeidenalg(CommunitiesContract):
    @pytest.fixture
    def detector(self) -> Iterator[CommunityDetector]:
        with LEIDENALG.open(LEIDENALG.settings()) as detector:
            yield detector


@pytest.mark.parametrize("objective", ["constant_potts", "erdos_renyi"])
def test_other_objectives_find_groups(objective: str) -> None:
    cliques = [(a, b, 1.0) for start in (0, 5) for a, b in combinations(range(start, start + 5), 2)]
    with LEIDENALG.open(LEIDENALG.settings(objective=objective, resolution=0.5)) as detector:
        assert list(detector.partition(weighted(10, [*cliques, (0, 5, 1.0)]))) == [0] * 5 + [1] * 5
