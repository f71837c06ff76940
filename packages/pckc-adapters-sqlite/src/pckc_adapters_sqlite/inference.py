"""Inferred edges, and the edges that they are concluded from."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pckc_domain.model.graph import WEIGHTS, EdgeEvidence, GraphLayer
from pckc_domain.model.graph_index import GraphName, IndexLayer
from pckc_domain.model.inference import Derivation, EdgeKey, InferenceState, InferredEdge, inferred_id
from pckc_domain.ports.inference import InferenceRepository

from pckc_adapters_sqlite import graph_queries, graph_rows, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.graph_key import GraphKey

_LINKS = """
    SELECT s.id, t.id, l.kind, l.confidence FROM link l
    JOIN claim s ON s.key = l.source_key JOIN claim t ON t.key = l.target_key
    WHERE s.scope_key = ? AND l.kind IN (SELECT value FROM json_each(?))
"""
_EDGES = """
    SELECT source_key, target_key, kind, evidence FROM graph_edge
    WHERE graph_key = ? AND kind IN (SELECT value FROM json_each(?))
"""
_KEY = "SELECT key FROM inference WHERE scope_key = ? AND layer = ? AND checkout_id = ?"
_FORGET_EDGES = "DELETE FROM inferred_edge WHERE inference_key = ?"
_FORGET = "DELETE FROM inference WHERE key = ?"
_MAKE = "INSERT INTO inference (scope_key, layer, checkout_id, fingerprint, stopped) VALUES (?, ?, ?, ?, ?)"
_PUT = """
    INSERT INTO inferred_edge (inference_key, source, target, kind, id, confidence, depth, rule_id, premises)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_KNOWN = """
    SELECT layer, checkout_id, fingerprint, stopped,
           (SELECT count(*) FROM inferred_edge WHERE inference_key = inference.key)
    FROM inference WHERE scope_key = ? ORDER BY layer, checkout_id
"""
_COLUMNS = "e.source, e.target, e.kind, e.confidence, e.depth, e.rule_id, e.premises"
_ALL = f"SELECT {_COLUMNS} FROM inferred_edge e WHERE inference_key = ? ORDER BY source, target, kind"  # noqa: S608 - ours
_AT = f"""
    SELECT {_COLUMNS} FROM json_each(?2) n CROSS JOIN inferred_edge e ON e.inference_key = ?1 AND e.source = n.value
    UNION
    SELECT {_COLUMNS} FROM json_each(?2) n
    CROSS JOIN inferred_edge e INDEXED BY inferred_edge_target ON e.inference_key = ?1 AND e.target = n.value
    ORDER BY 1, 2, 3
"""  # noqa: S608 - ours
_GET = f"""
    SELECT i.layer, i.checkout_id, {_COLUMNS} FROM inferred_edge e JOIN inference i ON i.key = e.inference_key
    WHERE e.id = ? AND i.scope_key = ?
"""  # noqa: S608 - ours


class SqliteInferences(InferenceRepository):
    """The inferred edges of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def premises(self, graph: GraphName, kinds: Collection[str], /) -> Mapping[EdgeKey, float]:
        """See the port."""
        connection, wanted = self._connection, rows.array(kinds)
        if graph.layer is IndexLayer.CLAIMS:
            links = connection.rows(_LINKS, (self._scope_key, wanted))
            return {EdgeKey(source, target, kind): confidence for source, target, kind, confidence in links}
        key = GraphKey(connection, self._scope_key, graph.checkout_id, GraphLayer(graph.layer.value)).value()
        found = connection.rows(_EDGES, (key, wanted))
        if not found:
            return {}
        names = {
            node: graph_rows.full_id(id_, path) for node, id_, path in connection.rows(graph_queries.ALL_NAMES, (key,))
        }
        return {
            EdgeKey(names[source], names[target], kind): WEIGHTS[EdgeEvidence(evidence)]
            for source, target, kind, evidence in found
            if source in names and target in names
        }

    def replace(self, graph: GraphName, state: InferenceState | None, edges: Sequence[InferredEdge], /) -> None:
        """See the port."""
        place = (self._scope_key, graph.layer.value, rows.clean(graph.checkout_id))
        known = self._connection.value(_KEY, place)
        self._connection.run(_FORGET_EDGES, (known,))
        self._connection.run(_FORGET, (known,))
        if state is None:
            return
        self._connection.run(_MAKE, (*place, state.fingerprint, state.stopped))
        key = self._connection.value(_KEY, place)
        self._connection.run_many(_PUT, ((key, *_row(graph, edge)) for edge in edges))

    def known(self) -> Mapping[GraphName, InferenceState]:
        """See the port."""
        return {
            GraphName(layer=IndexLayer(layer), checkout_id=checkout_id): InferenceState(
                fingerprint=fingerprint, stopped=stopped, edges=edges
            )
            for layer, checkout_id, fingerprint, stopped, edges in self._connection.rows(_KNOWN, (self._scope_key,))
        }

    def edges(self, graph: GraphName, /, *, node_ids: Collection[str] | None = None) -> Sequence[InferredEdge]:
        """See the port."""
        key = self._connection.value(_KEY, (self._scope_key, graph.layer.value, rows.clean(graph.checkout_id)))
        if node_ids is None:
            return [_edge(row) for row in self._connection.rows(_ALL, (key,))]
        return [_edge(row) for row in self._connection.rows(_AT, (key, rows.array(map(rows.clean, node_ids))))]

    def get(self, edge_id: str, /) -> tuple[GraphName, InferredEdge] | None:
        """See the port."""
        for layer, checkout_id, *columns in self._connection.rows(_GET, (rows.clean(edge_id), self._scope_key)):
            return GraphName(layer=IndexLayer(layer), checkout_id=checkout_id), _edge(columns)
        return None


def _row(graph: GraphName, edge: InferredEdge) -> Iterator[object]:
    yield from map(rows.clean, edge.key)
    yield inferred_id(graph, edge.key)
    yield edge.confidence
    yield edge.depth
    yield edge.derivation.rule_id
    yield rows.clean(json.dumps(edge.derivation.premises, ensure_ascii=False, separators=(",", ":")))


def _edge(row: Sequence[Any]) -> InferredEdge:
    source, target, kind, confidence, depth, rule_id, premises = row
    return InferredEdge(
        source=source,
        target=target,
        kind=kind,
        confidence=confidence,
        depth=depth,
        derivation=Derivation(rule_id=rule_id, premises=tuple(EdgeKey(*each) for each in json.loads(premises))),
    )
