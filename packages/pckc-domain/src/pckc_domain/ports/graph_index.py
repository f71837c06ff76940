"""The graph index port."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Protocol

from pckc_domain.model.graph_index import GraphName, IndexCount, IndexEdge, Portion
from pckc_domain.model.scope import Scope
from pckc_domain.ports.graph import Direction


class GraphIndex(Protocol):
    """A rebuildable projection that finds edges and hubs inside one graph of one scope."""

    @abstractmethod
    def replace(self, scope: Scope, graph: GraphName, portions: Sequence[Portion], /) -> None:
        """
        Forget the nodes that each owner gave before, with every edge that touches them, and store what it gives now;
        of one owner the last portion counts. Idempotent; all of it is stored or nothing.

        An edge is stored when both its ends are there. Portions that agree with each other may come in any order.
        """

    @abstractmethod
    def edges(
        self,
        scope: Scope,
        graph: GraphName,
        node_ids: Collection[str],
        direction: Direction,
        /,
        *,
        kinds: Collection[str] = (),
    ) -> Sequence[IndexEdge]:
        """Return the edges that leave or reach *node_ids*, of *kinds* if any are named, by source, target and kind."""

    @abstractmethod
    def degrees(self, scope: Scope, graph: GraphName, /, *, limit: int) -> Sequence[tuple[str, int]]:
        """
        Return the ids of the *limit* most joined nodes with their number of edge ends, most joined first, ties by id;
        edges of kind ``contains`` or of origin ``inference`` do not count, nor do nodes without others.
        """

    @abstractmethod
    def count(self, scope: Scope, /) -> IndexCount:
        """Return how much of *scope* there is."""

    @abstractmethod
    def clear(self, scope: Scope, /) -> None:
        """Forget everything of *scope*."""
