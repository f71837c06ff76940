"""The nodes of a graph."""

from collections.abc import Mapping, Sequence
from typing import Any

from pckc_domain.model.graph import Node
from pckc_domain.model.identity import text_number
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.graph.symbol_names import last_part, nearest
from pckc_domain.ports.graph import SymbolRepository

from pckc_adapters_sqlite import fts, graph_queries, graph_rows, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.graph_key import GraphKey
from pckc_adapters_sqlite.search import search

LAST_LINE = 1 << 62


class SqliteSymbols(SymbolRepository):
    """Nodes of one graph."""

    def __init__(self, connection: Connection, key: GraphKey) -> None:
        self._connection = connection
        self._key = key

    def get(self, node_ids: Sequence[str], /) -> Sequence[Node]:
        """See the port."""
        return self._nodes(graph_queries.NODES_BY_HASH, {"hashes": str([*map(text_number, node_ids)])})

    def named(self, name: str, /) -> Sequence[Node]:
        """See the port."""
        name = rows.clean(name)
        if found := self.get([name]):
            return found
        tail = text_number(last_part(name))
        meant = self._nodes(graph_queries.NODES_BY_TAIL, {"tail": tail, "name": name}) if name else []
        return [node for node in meant if node.qualified_name == name] or meant

    def near(self, name: str, /, *, limit: int) -> Sequence[str]:
        """See the port."""
        names = self._connection.stream(graph_queries.QUALIFIED_NAMES, (self._key.value(),))
        return nearest(name, (qualified for (qualified,) in names), limit=max(limit, 0))

    def search(self, query: LexicalQuery, /, *, limit: int) -> Sequence[tuple[Node, float]]:
        """See the port."""
        values = {"graph": self._key.value()}
        ranked = search(
            self._connection, fts.SYMBOLS, query, sql=graph_queries.SEARCH_NODES, values=values, limit=limit
        )
        ranks = {key: rank for key, _, rank in ranked}
        found = self._connection.rows(graph_queries.NODES_BY_KEY, {**values, "keys": str(list(ranks))})
        scored = [(graph_rows.node(row, self._key.layer), -ranks[row[-1]]) for row in found]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0].id))

    def at(self, path: str, /, *, lines: tuple[int, int] | None = None) -> Sequence[Node]:
        """See the port."""
        first, last = lines or (0, LAST_LINE)
        return self._nodes(graph_queries.NODES_AT, {"path": rows.clean(path), "first": first, "last": last})

    def _nodes(self, sql: str, values: Mapping[str, Any]) -> list[Node]:
        found = self._connection.rows(sql, {"graph": self._key.value(), **values})
        return sorted((graph_rows.node(row, self._key.layer) for row in found), key=lambda node: node.id)
