"""The two engines behind the communities port."""

from collections.abc import Sequence
from random import Random
from threading import Lock
from typing import TYPE_CHECKING

from pckc_domain.model.weighted_graph import WeightedGraph
from pckc_domain.ports.communities import CommunityDetector

from pckc_adapters_leiden.errors import missing_extra, running

if TYPE_CHECKING:
    import igraph  # type: ignore[import-untyped]  # it has no types

_IGRAPH = Lock()
"""igraph draws from one generator per process."""


class IgraphLeiden(CommunityDetector):
    """igraph's Leiden, with modularity as its objective (Traag, Waltman, van Eck: From Louvain to Leiden, 2019)."""

    def __init__(self, *, seed: int, resolution: float, iterations: int) -> None:
        self._seed = seed
        self._resolution = resolution
        self._iterations = iterations

    def partition(self, graph: WeightedGraph, /) -> Sequence[int]:
        """See the port."""
        import igraph  # 40 ms: only who asks for communities pays

        if not graph.sources:
            return range(graph.size)
        with _IGRAPH, running("igraph"):
            igraph.set_random_number_generator(Random(self._seed))  # noqa: S311 - no secret
            found = _drawn(graph).community_leiden(
                objective_function="modularity",
                weights="weight",
                resolution=self._resolution,
                n_iterations=self._iterations,
            )
        return _numbered(found.membership)


class LeidenalgLeiden(CommunityDetector):
    """The authors' own Leiden: slower, with a partition type to choose."""

    def __init__(self, *, seed: int, resolution: float, iterations: int, objective: str) -> None:
        self._seed = seed
        self._resolution = resolution
        self._iterations = iterations
        self._objective = objective

    def partition(self, graph: WeightedGraph, /) -> Sequence[int]:
        """See the port."""
        try:
            import leidenalg  # type: ignore[import-untyped]  # it has no types
        except ImportError as error:
            raise missing_extra("leidenalg") from error

        if not graph.sources:
            return range(graph.size)
        kinds = {
            "modularity": leidenalg.RBConfigurationVertexPartition,
            "constant_potts": leidenalg.CPMVertexPartition,
            "erdos_renyi": leidenalg.RBERVertexPartition,
        }
        with running("leidenalg"):
            found = leidenalg.find_partition(
                _drawn(graph),
                kinds[self._objective],
                weights="weight",
                n_iterations=self._iterations,
                seed=self._seed,
                resolution_parameter=self._resolution,
            )
        return _numbered(found.membership)


def _drawn(graph: WeightedGraph) -> "igraph.Graph":
    import igraph

    drawn = igraph.Graph(n=graph.size, edges=list(zip(graph.sources, graph.targets, strict=True)))
    drawn.es["weight"] = graph.weights
    return drawn


def _numbered(membership: Sequence[int]) -> list[int]:
    """Return *membership* with its groups numbered by their first nodes."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(group, len(numbers)) for group in membership]
