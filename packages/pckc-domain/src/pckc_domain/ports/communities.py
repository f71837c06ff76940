"""The communities port: which nodes of a graph belong together."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from pckc_domain.model.weighted_graph import WeightedGraph


class CommunityDetector(Protocol):
    """Divides a graph into groups that are joined within more than between."""

    @abstractmethod
    def partition(self, graph: WeightedGraph, /) -> Sequence[int]:
        """
        Return the group of each node, by node; groups are numbered from 0 in the order of their first nodes.

        No group holds nodes that no way joins. The same graph gives the same groups on every call.

        Raises:
            BackendError: The engine failed.
        """
