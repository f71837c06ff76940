"""
The graph index: nodes labelled ``PckcNode``, joined by ``RELATES``.

Data queries are openCypher that Memgraph, Neo4j and ArcadeDB have in common. Every node carries digests of where it
belongs, which all queries go by, so that no name, however odd, leads from one tenant, project or graph to another.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Any, LiteralString

from pckc_domain.model.graph_index import GraphName, IndexCount, IndexEdge, IndexNode, Portion
from pckc_domain.model.identity import content_id
from pckc_domain.model.inference import InferenceRule
from pckc_domain.model.scope import Scope
from pckc_domain.ports.graph import Direction
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.inference import Applied, RuleEngine
from pckc_domain.ports.service import Service

from pckc_adapters_memgraph.connection import Connection, Statement
from pckc_adapters_memgraph.rules import Application

BATCH = 2_000
"""Rows that one statement takes."""

CLEARED = 20_000
"""Nodes forgotten in one transaction of `MemgraphGraphIndex.clear`."""

_FORGET_HOMES: LiteralString = "UNWIND $rows AS home MATCH (n:PckcNode {home: home}) DETACH DELETE n"
_FORGET_NODES: LiteralString = "UNWIND $rows AS key MATCH (n:PckcNode {key: key}) DETACH DELETE n"
_MAKE_NODES: LiteralString = """
    UNWIND $rows AS row
    MERGE (n:PckcNode {key: row.key})
    SET n.home = row.home, n.graph = row.graph, n.scope = row.scope, n.tenant = row.tenant, n.project = row.project,
        n.layer = row.layer, n.checkout = row.checkout, n.owner = row.owner, n.id = row.id, n.kind = row.kind,
        n.name = row.name, n.path = row.path
"""
# Both ends stand alone or were made anew just now: there is no such edge yet.
_MAKE_EDGES: LiteralString = """
    UNWIND $rows AS row
    MATCH (s:PckcNode {key: row.source})
    MATCH (t:PckcNode {key: row.target})
    CREATE (s)-[r:RELATES {kind: row.kind, confidence: row.confidence, origin: row.origin,
                           is_inferred: row.is_inferred, detail: row.detail, layer: row.layer}]->(t)
"""
_EDGES_FROM: LiteralString = """
    UNWIND $keys AS key
    MATCH (s:PckcNode {key: key})-[r:RELATES]->(t:PckcNode)
    WHERE s.graph = $graph AND t.graph = $graph AND ($is_any OR r.kind IN $kinds)
    RETURN s.id, t.id, r.kind, r.confidence, r.origin, r.is_inferred, r.detail
"""
_EDGES_TO: LiteralString = """
    UNWIND $keys AS key
    MATCH (t:PckcNode {key: key})<-[r:RELATES]-(s:PckcNode)
    WHERE s.graph = $graph AND t.graph = $graph AND ($is_any OR r.kind IN $kinds)
    RETURN s.id, t.id, r.kind, r.confidence, r.origin, r.is_inferred, r.detail
"""
# Sorting all of them on the server, or grouping by nodes, costs it more memory than handing over one number for each.
_LEAVING: LiteralString = """
    MATCH (n:PckcNode {graph: $graph})-[r:RELATES]->(:PckcNode)
    WHERE r.kind <> 'contains' AND r.origin <> 'inference' RETURN n.id, count(r)
"""
_REACHING: LiteralString = """
    MATCH (n:PckcNode {graph: $graph})<-[r:RELATES]-(:PckcNode)
    WHERE r.kind <> 'contains' AND r.origin <> 'inference' RETURN n.id, count(r)
"""
_COUNT_NODES: LiteralString = "MATCH (n:PckcNode {scope: $scope}) RETURN count(n)"
_COUNT_EDGES: LiteralString = "MATCH (n:PckcNode {scope: $scope})-[r:RELATES]->(:PckcNode) RETURN count(r)"
_SOME_NODES: LiteralString = "MATCH (n:PckcNode {scope: $scope}) RETURN n.key LIMIT $limit"

_SURROGATES = re.compile("[\ud800-\udfff]")


class MemgraphGraphIndex(GraphIndex, RuleEngine, Service):
    """A graph index in Memgraph, or another server that speaks Bolt and openCypher."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def describe(self) -> str:
        """See `Service`."""
        return f"{self._connection.agent()}, {self._connection.location}"

    def replace(self, scope: Scope, graph: GraphName, portions: Sequence[Portion], /) -> None:
        """See the port."""
        newest = {_clean(portion.owner): portion for portion in portions}
        if not newest:
            return
        place = _Place(scope, graph)
        nodes = {row["key"]: row for owner, each in newest.items() for row in _node_rows(place, owner, each.nodes)}
        edges = {(row["source"], row["target"], row["kind"]): row for row in _edge_rows(place, newest.values())}
        self._connection.write(
            [
                *_batched(_FORGET_HOMES, [place.home(owner) for owner in newest]),
                *_batched(_FORGET_NODES, list(nodes)),
                *_batched(_MAKE_NODES, list(nodes.values())),
                *_batched(_MAKE_EDGES, list(edges.values())),
            ]
        )

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
        """See the port."""
        place = _Place(scope, graph)
        keys = sorted({place.node(id_) for id_ in node_ids})
        query = _EDGES_FROM if direction is Direction.OUT else _EDGES_TO
        values = {"graph": place.key, "is_any": not kinds, "kinds": sorted(map(str, kinds))}
        found = [
            IndexEdge(
                source=source,
                target=target,
                kind=kind,
                confidence=confidence,
                origin=origin,
                is_inferred=is_inferred,
                detail=detail,
            )
            for start in range(0, len(keys), BATCH)
            for source, target, kind, confidence, origin, is_inferred, detail in self._connection.rows(
                query, {**values, "keys": keys[start : start + BATCH]}
            )
        ]
        return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind))

    def degrees(self, scope: Scope, graph: GraphName, /, *, limit: int) -> Sequence[tuple[str, int]]:
        """See the port."""
        degrees: Counter[str] = Counter()
        for query in (_LEAVING, _REACHING):
            for id_, count in self._connection.rows(query, {"graph": _Place(scope, graph).key}):
                degrees[id_] += count
        return nsmallest(limit, degrees.items(), key=lambda pair: (-pair[1], pair[0]))

    def apply(self, scope: Scope, graph: GraphName, rules: Sequence[InferenceRule], /, *, limit: int) -> Applied:
        """See the port."""
        return Application(self._connection, _Place(scope, graph).values, limit=limit).run(rules)

    def count(self, scope: Scope, /) -> IndexCount:
        """See the port."""
        values = {"scope": _scope_key(scope)}
        [[nodes]] = self._connection.rows(_COUNT_NODES, values)
        [[edges]] = self._connection.rows(_COUNT_EDGES, values)
        return IndexCount(nodes=nodes, edges=edges)

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        values = {"scope": _scope_key(scope), "limit": CLEARED}
        while found := self._connection.rows(_SOME_NODES, values):
            self._connection.write(_batched(_FORGET_NODES, [key for (key,) in found]))


class _Place:
    """Where a graph's nodes belong."""

    def __init__(self, scope: Scope, graph: GraphName) -> None:
        self.key = content_id("graph", scope.tenant, scope.project, graph.layer, graph.checkout_id)
        self.values = {
            "graph": self.key,
            "scope": _scope_key(scope),
            "tenant": _clean(scope.tenant),
            "project": _clean(scope.project),
            "layer": str(graph.layer),
            "checkout": _clean(graph.checkout_id),
        }

    def home(self, owner: str) -> str:
        return content_id("home", self.key, owner)

    def node(self, id_: str) -> str:
        return content_id("node", self.key, _clean(id_))


def _scope_key(scope: Scope) -> str:
    return content_id("scope", scope.tenant, scope.project)


def _node_rows(place: _Place, owner: str, nodes: Iterable[IndexNode]) -> Iterator[dict[str, Any]]:
    home = place.home(owner)
    for node in nodes:
        yield {
            **place.values,
            "key": place.node(node.id),
            "home": home,
            "owner": owner,
            "id": _clean(node.id),
            "kind": str(node.kind),
            "name": _clean(node.name),
            "path": _clean(node.path),
        }


def _edge_rows(place: _Place, portions: Iterable[Portion]) -> Iterator[dict[str, Any]]:
    for edge in (edge for portion in portions for edge in portion.edges):
        yield {
            "source": place.node(edge.source),
            "target": place.node(edge.target),
            "kind": str(edge.kind),
            "confidence": edge.confidence,
            "origin": _clean(edge.origin),
            "is_inferred": edge.is_inferred,
            "detail": _clean(edge.detail),
            "layer": place.values["layer"],
        }


def _batched(query: LiteralString, rows: Sequence[Any]) -> list[Statement]:
    def values(start: int) -> Mapping[str, Any]:
        return {"rows": rows[start : start + BATCH]}

    return [(query, values(start)) for start in range(0, len(rows), BATCH)]


def _clean(text: str) -> str:
    """Return *text* with lone surrogates, which Bolt cannot carry, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)
