"""Inferred edges, and the edges that they are concluded from."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pckc_domain.model.graph import WEIGHTS, EdgeEvidence, GraphLayer
from pckc_domain.model.graph_index import GraphName, IndexLayer
from pckc_domain.model.inference import Derivation, EdgeKey, InferenceState, InferredEdge, inferred_id
from pckc_domain.ports.inference import InferenceRepository

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.values import as_json, clean

_LINKS = """
    SELECT s.id, t.id, l.kind, (l.data->>'confidence')::double precision FROM link l
    JOIN claim s ON s.key = l.source_key JOIN claim t ON t.key = l.target_key
    WHERE s.scope_key = %s AND l.kind = ANY(%s)
"""
_EDGES = """
    SELECT e.source, e.target, e.kind, e.data->>'evidence' FROM graph_edge e
    JOIN graph g ON g.key = e.graph_key
    JOIN graph_node s ON s.graph_key = e.graph_key AND s.id = e.source
    JOIN graph_node t ON t.graph_key = e.graph_key AND t.id = e.target
    WHERE g.scope_key = %s AND g.checkout_id = %s AND g.layer = %s AND e.kind = ANY(%s)
"""
_FORGET = "DELETE FROM inference WHERE scope_key = %s AND layer = %s AND checkout_id = %s"
_MAKE = """
    INSERT INTO inference (scope_key, layer, checkout_id, fingerprint, stopped) VALUES (%s, %s, %s, %s, %s)
"""
_KEY = "SELECT key FROM inference WHERE scope_key = %s AND layer = %s AND checkout_id = %s"
_EDGE_COLUMNS = (
    "inference_key", "source", "target", "kind", "id", "confidence", "depth", "rule_id", "premises",
)  # fmt: skip
_KNOWN = """
    SELECT layer, checkout_id, fingerprint, stopped,
           (SELECT count(*) FROM inferred_edge e WHERE e.inference_key = inference.key)
    FROM inference WHERE scope_key = %s ORDER BY layer, checkout_id
"""
_COLUMNS = "e.source, e.target, e.kind, e.confidence, e.depth, e.rule_id, e.premises"
_ALL = f"SELECT {_COLUMNS} FROM inferred_edge e WHERE inference_key = %(key)s"  # noqa: S608 - our names
_AT = f"{_ALL} AND (source = ANY(%(ids)s) OR target = ANY(%(ids)s))"
_IN_ORDER = "ORDER BY source, target, kind"
_GET = f"""
    SELECT i.layer, i.checkout_id, {_COLUMNS} FROM inferred_edge e JOIN inference i ON i.key = e.inference_key
    WHERE e.id = %s AND i.scope_key = %s
"""  # noqa: S608 - our names


class PostgresInferences(InferenceRepository):
    """The inferred edges of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def premises(self, graph: GraphName, kinds: Collection[str], /) -> Mapping[EdgeKey, float]:
        """See the port."""
        wanted = [*map(clean, map(str, kinds))]
        if graph.layer is IndexLayer.CLAIMS:
            links = self._connection.rows(_LINKS, (self._scope_key, wanted))
            return {EdgeKey(source, target, kind): confidence for source, target, kind, confidence in links}
        place = (self._scope_key, clean(graph.checkout_id), GraphLayer(graph.layer.value).value)
        return {
            EdgeKey(source, target, kind): WEIGHTS[EdgeEvidence(evidence)]
            for source, target, kind, evidence in self._connection.rows(_EDGES, (*place, wanted))
        }

    def replace(self, graph: GraphName, state: InferenceState | None, edges: Sequence[InferredEdge], /) -> None:
        """See the port."""
        place = self._place(graph)
        self._connection.run(_FORGET, place)
        if state is None:
            return
        self._connection.run(_MAKE, (*place, state.fingerprint, state.stopped))
        key = self._connection.value(_KEY, place)
        self._connection.insert("inferred_edge", _EDGE_COLUMNS, [(key, *_row(graph, edge)) for edge in edges])

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
        values = {"key": self._connection.value(_KEY, self._place(graph)), "ids": [*map(clean, node_ids or ())]}
        sql = _ALL if node_ids is None else _AT
        return [_edge(row) for row in self._connection.rows(f"{sql} {_IN_ORDER}", values)]

    def get(self, edge_id: str, /) -> tuple[GraphName, InferredEdge] | None:
        """See the port."""
        for layer, checkout_id, *columns in self._connection.rows(_GET, (clean(edge_id), self._scope_key)):
            return GraphName(layer=IndexLayer(layer), checkout_id=checkout_id), _edge(columns)
        return None

    def _place(self, graph: GraphName) -> tuple[int, str, str]:
        return self._scope_key, graph.layer.value, clean(graph.checkout_id)


def _row(graph: GraphName, edge: InferredEdge) -> Iterator[object]:
    yield from map(clean, edge.key)
    yield inferred_id(graph, edge.key)
    yield edge.confidence
    yield edge.depth
    yield edge.derivation.rule_id
    yield as_json(edge.derivation.premises)


def _edge(row: Sequence[Any]) -> InferredEdge:
    source, target, kind, confidence, depth, rule_id, premises = row
    return InferredEdge(
        source=source,
        target=target,
        kind=kind,
        confidence=confidence,
        depth=depth,
        derivation=Derivation(rule_id=rule_id, premises=tuple(EdgeKey(*each) for each in premises)),
    )
