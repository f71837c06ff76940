"""The key of a graph, which its rows are stored under."""

from pckc_domain.model.graph import GraphLayer

from pckc_adapters_sqlite import graph_queries
from pckc_adapters_sqlite.connection import Connection

NO_GRAPH = 0
"""Key of a graph that was never written to: no row has it."""


class GraphKey:
    """The graph of one layer of one checkout of one scope."""

    def __init__(self, connection: Connection, scope_key: int, checkout_id: str, layer: GraphLayer) -> None:
        self.layer = layer
        self.checkout_id = checkout_id
        self._connection = connection
        self._identity = (scope_key, checkout_id, layer.value)
        self._value: int | None = None

    def value(self) -> int:
        """Return the key; `NO_GRAPH` before the first writing."""
        if self._value is None:
            self._value = self._connection.value(graph_queries.GRAPH_KEY, self._identity)
        return self._value or NO_GRAPH

    def made(self) -> int:
        """Return the key of the graph, which is made when there is none; for writing only."""
        if not self.value():
            self._connection.run(graph_queries.INSERT_GRAPH, self._identity)
        return self.value()

    def forget(self) -> None:
        """The graph was deleted."""
        self._value = None
