"""The edges and open calls of a graph."""

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from pckc_domain.model.graph import Edge, EdgeKind, FileCoverage, Graph, OpenCall
from pckc_domain.model.identity import text_number
from pckc_domain.ports.graph import Direction, GraphCount, LinkRepository

from pckc_adapters_sqlite import graph_queries, graph_rows, rows
from pckc_adapters_sqlite.connection import Connection, Row
from pckc_adapters_sqlite.graph_key import GraphKey

Names = Mapping[int, tuple[str, str]]
"""Node key to node id and path of its file; nodes that are not there are missing."""


class SqliteGraphLinks(LinkRepository):
    """Edges and open calls of one graph."""

    def __init__(self, connection: Connection, key: GraphKey) -> None:
        self._connection = connection
        self._key = key

    def edges(
        self, node_ids: Sequence[str], direction: Direction, /, *, kinds: Collection[EdgeKind] = ()
    ) -> Sequence[Edge]:
        """See the port."""
        sql = graph_queries.EDGES_FROM if direction is Direction.OUT else graph_queries.EDGES_TO
        values = {"graph": self._key.value(), "keys": str(self._keys(node_ids))}
        if kinds:
            sql, values["kinds"] = f"{sql} {graph_queries.OF_KINDS}", rows.array(kinds)
        found = self._connection.rows(sql, values)
        return self._edges(found, self._names(key for row in found for key in row[:2]))

    def open_calls(
        self, *, callers: Sequence[str] = (), candidates: Sequence[str] = (), names: Sequence[str] = ()
    ) -> Sequence[OpenCall]:
        """See the port."""
        values = {
            "graph": self._key.value(),
            "callers": str(self._keys(callers)),
            "candidates": str(self._keys(candidates)),
        }
        sql = graph_queries.OPEN_CALLS_OF
        if names:
            sql, values["names"] = f"{sql} UNION {graph_queries.OPEN_CALLS_NAMED}", rows.array(names)
        found = self._connection.rows(sql, values)
        meant = self._connection.rows(graph_queries.CANDIDATES, (str([row[0] for row in found]),))
        known = self._names([*(row[1] for row in found), *(node for _, node in meant)])
        return _open_calls(found, meant, known)

    def degrees(self, *, limit: int) -> Sequence[tuple[str, int]]:
        """See the port."""
        best: list[Row] = []
        for row in self._connection.stream(graph_queries.DEGREES, {"graph": self._key.value()}):
            if len(best) >= limit and row[1] < best[-1][1]:
                break
            best.append(row)
        names = self._names(key for key, _ in best)
        known = [(names[key][0], degree) for key, degree in best if key in names]
        return sorted(known, key=lambda pair: (-pair[1], pair[0]))[: max(limit, 0)]

    def whole(self) -> Graph:
        """See the port."""
        with _without_collecting():
            return self._whole()

    def _whole(self) -> Graph:
        connection, graph = self._connection, self._key.value()
        values = {"graph": graph}
        names = _named(connection.rows(graph_queries.ALL_NAMES, (graph,)))
        nodes = [graph_rows.node(row, self._key.layer) for row in connection.stream(graph_queries.NODES, values)]
        calls = connection.rows(graph_queries.OPEN_CALLS, values)
        return Graph(
            nodes=tuple(sorted(nodes, key=lambda node: node.id)),
            edges=tuple(self._edges(connection.rows(graph_queries.EDGES, values), names)),
            open_calls=tuple(_open_calls(calls, connection.rows(graph_queries.ALL_CANDIDATES, (graph,)), names)),
            coverage=tuple(
                FileCoverage(path=path, language=language, problems=rows.strings(problems), skipped=skipped)
                for path, language, problems, skipped in connection.rows(graph_queries.COVERAGE, (graph,))
            ),
        )

    def count(self) -> GraphCount:
        """See the port."""
        connection, values = self._connection, (self._key.value(),)
        calls: dict[int, int] = dict(connection.rows(graph_queries.COUNT_OPEN_CALLS, values))
        return GraphCount(
            files=connection.value(graph_queries.COUNT_FILES, values),
            nodes=dict(connection.rows(graph_queries.COUNT_NODES, values)),
            edges=dict(connection.rows(graph_queries.COUNT_EDGES, values)),
            open_calls=calls.get(0, 0),
            external_calls=calls.get(1, 0),
        )

    def _keys(self, node_ids: Sequence[str]) -> list[int]:
        hashes = str([*map(text_number, node_ids)])
        return [key for _, key in self._connection.rows(graph_queries.FOUND_KEYS, (self._key.value(), hashes))]

    def _names(self, keys: Iterable[int]) -> Names:
        return _named(self._connection.rows(graph_queries.NAMES, (str(list(dict.fromkeys(keys))),)))

    def _edges(self, found: Iterable[Row], names: Names) -> list[Edge]:
        layer = self._key.layer
        edges = []
        for row in found:
            source, target = names.get(row[0]), names.get(row[1])
            if source and target:
                edges.append(graph_rows.edge(row, source[0], target[0], source[1], layer))
        edges.sort(key=lambda edge: (edge.source, edge.target, edge.kind))
        return edges


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Hundreds of thousands of values that all stay: looking for garbage among them takes as long as making them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _named(found: Iterable[Row]) -> Names:
    return {key: (graph_rows.full_id(id_, path), path) for key, id_, path in found}


def _open_calls(found: Iterable[Row], meant: Iterable[Row], names: Names) -> list[OpenCall]:
    candidates: dict[int, list[str]] = {}
    for call, node in meant:
        if node in names:
            candidates.setdefault(call, []).append(names[node][0])
    calls = [
        graph_rows.open_call(row, *names[row[1]], tuple(candidates.get(row[0], ()))) for row in found if row[1] in names
    ]
    return sorted(calls, key=lambda call: (call.site, call.caller, call.name))
