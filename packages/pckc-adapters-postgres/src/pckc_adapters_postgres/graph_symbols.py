"""The nodes of one graph."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs
from pckc_domain.model.graph import Node
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.graph.symbol_names import last_part, nearest, symbol_terms
from pckc_domain.ports.graph import SymbolRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.fulltext import search, vector
from pckc_adapters_postgres.values import clean, dump, load

_NODES = """
    SELECT t.data, m.community, t.key FROM graph_node t
    LEFT JOIN graph_member m ON m.graph_key = t.graph_key AND m.node_id = t.id AND m.level = 0
    WHERE t.graph_key = %(graph)s AND {condition} ORDER BY t.id
"""
_NAMED = """
    t.kind <> 'rationale' AND t.tail = %(tail)s
    AND (t.qualified_name = %(name)s OR right(t.qualified_name, length(%(name)s) + 1) = '.' || %(name)s)
"""
_NAMES = "SELECT DISTINCT qualified_name FROM graph_node WHERE graph_key = %s AND kind <> 'rationale'"
_AT = "t.path = %(path)s AND t.start_line <= %(last)s AND t.end_line >= %(first)s"
_LAST_LINE = (1 << 31) - 1


class Key(Protocol):
    """Finds a graph's key."""

    def value(self) -> int:
        """Return the key."""


class PostgresSymbols(SymbolRepository):
    """Nodes of one graph."""

    def __init__(self, connection: Connection, key: Key) -> None:
        self._connection = connection
        self._key = key

    def get(self, node_ids: Sequence[str], /) -> Sequence[Node]:
        """See the port."""
        return self._nodes("t.id = ANY(%(ids)s)", {"ids": [*map(clean, node_ids)]})

    def named(self, name: str, /) -> Sequence[Node]:
        """See the port."""
        if found := self.get([name]):
            return found
        name = clean(name)
        meant = self._nodes(_NAMED, {"tail": last_part(name), "name": name})
        return [node for node in meant if node.qualified_name == name] or meant

    def near(self, name: str, /, *, limit: int) -> Sequence[str]:
        """See the port."""
        names = self._connection.rows(_NAMES, (self._key.value(),))
        return nearest(name, (qualified for (qualified,) in names), limit=max(limit, 0))

    def search(self, query: LexicalQuery, /, *, limit: int) -> Sequence[tuple[Node, float]]:
        """See the port."""
        ranked = search(
            self._connection,
            "graph_node",
            query,
            marks=(f"g{self._key.value()}",),
            condition="",
            values={},
            limit=limit,
        )
        scores = {key: score for key, _, score in ranked}
        found = self._connection.rows(
            _NODES.format(condition="t.key = ANY(%(keys)s)"), {"graph": self._key.value(), "keys": list(scores)}
        )
        scored = [(_node(row), scores[row[2]]) for row in found]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0].id))

    def at(self, path: str, /, *, lines: tuple[int, int] | None = None) -> Sequence[Node]:
        """See the port."""
        first, last = lines or (0, _LAST_LINE)
        return self._nodes(_AT, {"path": clean(path), "first": first, "last": last})

    def _nodes(self, condition: str, values: Mapping[str, Any]) -> list[Node]:
        sql = _NODES.format(condition=condition)
        return [_node(row) for row in self._connection.rows(sql, {"graph": self._key.value(), **values})]


def node_row(graph: int, file_key: int, node: Node) -> Row:
    """Columns file_key to words of a node."""
    words = vector(
        names=(node.name, node.qualified_name),
        texts=(node.signature, node.doc, node.text, node.path),
        terms=symbol_terms(node),
        marks=(f"g{graph}",),
    )
    return (
        file_key,
        clean(node.id),
        node.kind.value,
        clean(node.qualified_name),
        last_part(clean(node.qualified_name)),
        clean(node.path),
        node.start_line,
        node.end_line,
        dump(attrs.evolve(node, community=None)),
        words,
    )


def _node(row: Row) -> Node:
    return load({**row[0], "community": row[1]}, Node)
