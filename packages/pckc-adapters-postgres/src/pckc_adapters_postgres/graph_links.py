"""What joins the nodes of one graph."""

from collections.abc import Collection, Sequence
from typing import Any

import attrs
from pckc_domain.model.graph import Edge, EdgeKind, FileCoverage, Graph, Node, OpenCall
from pckc_domain.ports.graph import Direction, GraphCount, LinkRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.graph_symbols import Key
from pckc_adapters_postgres.values import clean, load

_EDGES = """
    SELECT e.data FROM graph_edge e
    JOIN graph_node t ON t.graph_key = e.graph_key AND t.id = e.target
    JOIN graph_node s ON s.graph_key = e.graph_key AND s.id = e.source
    WHERE e.graph_key = %(graph)s {condition} ORDER BY e.source, e.target, e.kind
"""
_ENDS = {Direction.OUT: "AND e.source = ANY(%(ids)s)", Direction.IN: "AND e.target = ANY(%(ids)s)"}
_OF_KINDS = "AND e.kind = ANY(%(kinds)s)"
CALLS = """
    SELECT c.data, ARRAY(
        SELECT named.candidate FROM unnest(c.candidates) WITH ORDINALITY AS named (candidate, place)
        JOIN graph_node n ON n.graph_key = c.graph_key AND n.id = named.candidate ORDER BY named.place
    )
    FROM graph_open_call c WHERE c.graph_key = %(graph)s {condition}
"""
CALLS_OF = "AND (c.caller = ANY(%(callers)s) OR c.tail = ANY(%(names)s) OR c.key = ANY(%(keys)s))"
_KNOWN = "SELECT id FROM graph_node WHERE graph_key = %s AND id = ANY(%s)"
MEANING = "SELECT key FROM graph_open_call WHERE graph_key = %s"
_DEGREES = """
    SELECT id, count(*) AS degree FROM (
        SELECT e.source AS id FROM graph_edge e
        JOIN graph_node n ON n.graph_key = e.graph_key AND n.id = e.target
        WHERE e.graph_key = %(graph)s AND e.kind <> 'contains'
        UNION ALL
        SELECT e.target FROM graph_edge e
        JOIN graph_node n ON n.graph_key = e.graph_key AND n.id = e.target
        WHERE e.graph_key = %(graph)s AND e.kind <> 'contains'
    ) ends GROUP BY id ORDER BY degree DESC, id LIMIT %(limit)s
"""
_NODES = """
    SELECT t.data, m.community FROM graph_node t
    LEFT JOIN graph_member m ON m.graph_key = t.graph_key AND m.node_id = t.id AND m.level = 0
    WHERE t.graph_key = %s ORDER BY t.id
"""
_COVERAGE = "SELECT path, language, coverage FROM graph_file WHERE graph_key = %s ORDER BY path"
_COUNT_FILES = "SELECT count(*) FROM graph_file WHERE graph_key = %s"
_COUNT_NODES = "SELECT kind, count(*) FROM graph_node WHERE graph_key = %s GROUP BY kind ORDER BY kind"
_COUNT_EDGES = """
    SELECT e.kind, count(*) FROM graph_edge e
    JOIN graph_node t ON t.graph_key = e.graph_key AND t.id = e.target
    WHERE e.graph_key = %s GROUP BY e.kind ORDER BY e.kind
"""
_COUNT_CALLS = "SELECT is_external, count(*) FROM graph_open_call WHERE graph_key = %s GROUP BY is_external"


class PostgresGraphLinks(LinkRepository):
    """Edges and open calls of one graph."""

    def __init__(self, connection: Connection, key: Key) -> None:
        self._connection = connection
        self._key = key

    def edges(
        self, node_ids: Sequence[str], direction: Direction, /, *, kinds: Collection[EdgeKind] = ()
    ) -> Sequence[Edge]:
        """See the port."""
        values: dict[str, Any] = {"ids": [*map(clean, node_ids)]}
        condition = _ENDS[direction]
        if kinds:
            condition, values["kinds"] = f"{condition} {_OF_KINDS}", [str(kind) for kind in kinds]
        return self._edges(condition, values)

    def open_calls(
        self, *, callers: Sequence[str] = (), candidates: Sequence[str] = (), names: Sequence[str] = ()
    ) -> Sequence[OpenCall]:
        """See the port."""
        known = self._connection.rows(_KNOWN, (self._key.value(), [*map(clean, candidates)])) if candidates else []
        keys = calls_meaning(self._connection, self._key.value(), [id_ for (id_,) in known])
        return self._calls(CALLS_OF, {"callers": [*map(clean, callers)], "names": [*map(clean, names)], "keys": keys})

    def degrees(self, *, limit: int) -> Sequence[tuple[str, int]]:
        """See the port."""
        found = self._connection.rows(_DEGREES, {"graph": self._key.value(), "limit": max(limit, 0)})
        return [(id_, degree) for id_, degree in found]

    def whole(self) -> Graph:
        """See the port."""
        connection, graph = self._connection, self._key.value()
        return Graph(
            nodes=tuple(
                load({**data, "community": community}, Node) for data, community in connection.rows(_NODES, (graph,))
            ),
            edges=tuple(self._edges("", {})),
            open_calls=tuple(self._calls("", {})),
            coverage=tuple(
                load(data, FileCoverage) if data else FileCoverage(path=path, language=language)
                for path, language, data in connection.rows(_COVERAGE, (graph,))
            ),
        )

    def count(self) -> GraphCount:
        """See the port."""
        connection, values = self._connection, (self._key.value(),)
        calls: dict[bool, int] = dict(connection.rows(_COUNT_CALLS, values))
        return GraphCount(
            files=connection.value(_COUNT_FILES, values),
            nodes=dict(connection.rows(_COUNT_NODES, values)),
            edges=dict(connection.rows(_COUNT_EDGES, values)),
            open_calls=calls.get(False, 0),
            external_calls=calls.get(True, 0),
        )

    def _edges(self, condition: str, values: dict[str, Any]) -> list[Edge]:
        sql = _EDGES.format(condition=condition)
        return [load(data, Edge) for (data,) in self._connection.rows(sql, {"graph": self._key.value(), **values})]

    def _calls(self, condition: str, values: dict[str, Any]) -> list[OpenCall]:
        sql = CALLS.format(condition=condition)
        calls = map(_call, self._connection.rows(sql, {"graph": self._key.value(), **values}))
        return sorted(calls, key=lambda call: (call.site, call.caller, call.name))


def calls_meaning(connection: Connection, graph: int, node_ids: Sequence[str]) -> list[int]:
    """Return the keys of the open calls of *graph* that may mean one of the nodes."""
    if not node_ids:
        return []
    with connection.searching(named=node_ids):
        return [key for (key,) in connection.rows(MEANING, (graph,))]


def _call(row: Row) -> OpenCall:
    return attrs.evolve(load(row[0], OpenCall), candidates=tuple(row[1]))
