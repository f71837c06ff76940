"""
Rules applied on the server: the statements, and one application to the fixpoint.

In each round the server finds the ends of chains of which one edge is new since the round before; what it finds is
marked as edges of that round. Each hop is a MATCH of its own, since one MATCH never goes along an edge twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, LiteralString, NamedTuple

from pckc_domain.model.inference import INFERENCE, Derivation, EdgeKey, InferenceRule
from pckc_domain.policy.graph.indexing import inferred_detail
from pckc_domain.ports.inference import Applied

from pckc_adapters_memgraph.connection import Connection, Statement

BATCH = 2_000
"""Edges that one statement marks."""

_FORGET: LiteralString = """
    MATCH (s:PckcNode {graph: $graph})-[r:RELATES]->(:PckcNode) WHERE r.origin = $origin
    WITH r LIMIT $limit DELETE r RETURN count(*)
"""
_MARK: LiteralString = """
    UNWIND $rows AS row
    MATCH (s:PckcNode {key: row.source})
    MATCH (t:PckcNode {key: row.target})
    CREATE (s)-[r:RELATES {kind: row.kind, confidence: row.confidence, origin: $origin, is_inferred: true,
                           detail: row.detail, layer: $layer, round: $round}]->(t)
"""
_HOPS: tuple[LiteralString, ...] = (
    "MATCH (n0:PckcNode {graph: $graph})-[r0:RELATES {kind: $k0}]->(n1:PckcNode)",
    "MATCH (n1)-[r1:RELATES {kind: $k1}]->(n2:PckcNode)",
    "MATCH (n2)-[r2:RELATES {kind: $k2}]->(n3:PckcNode)",
    "MATCH (n3)-[r3:RELATES {kind: $k3}]->(n4:PckcNode)",
    "MATCH (n4)-[r4:RELATES {kind: $k4}]->(n5:PckcNode)",
    "MATCH (n5)-[r5:RELATES {kind: $k5}]->(n6:PckcNode)",
    "MATCH (n6)-[r6:RELATES {kind: $k6}]->(n7:PckcNode)",
    "MATCH (n7)-[r7:RELATES {kind: $k7}]->(n8:PckcNode)",
)
_FRESH: tuple[LiteralString, ...] = (
    "coalesce(r0.round, 0) = $last", "coalesce(r1.round, 0) = $last", "coalesce(r2.round, 0) = $last",
    "coalesce(r3.round, 0) = $last", "coalesce(r4.round, 0) = $last", "coalesce(r5.round, 0) = $last",
    "coalesce(r6.round, 0) = $last", "coalesce(r7.round, 0) = $last",
)  # fmt: skip
_NODES: tuple[LiteralString, ...] = ("n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8")
_MIDDLES: tuple[LiteralString, ...] = ("n1.id", "n2.id", "n3.id", "n4.id", "n5.id", "n6.id", "n7.id")
_CONFIDENCES: tuple[LiteralString, ...] = (
    "r0.confidence", "r1.confidence", "r2.confidence", "r3.confidence", "r4.confidence", "r5.confidence",
    "r6.confidence", "r7.confidence",
)  # fmt: skip


class _Found(NamedTuple):
    """The proof of an edge, how sure it is, and the keys of its nodes."""

    derivation: Derivation
    confidence: float
    source: str
    target: str


class Application:
    """One application of rules to one graph."""

    def __init__(self, connection: Connection, graph: Mapping[str, str], *, limit: int) -> None:
        """Take the properties that every node of the graph has."""
        self._connection = connection
        self._graph = graph["graph"]
        self._layer = graph["layer"]
        self._limit = limit
        self._found: dict[EdgeKey, _Found] = {}

    def run(self, rules: Sequence[InferenceRule]) -> Applied:
        """Apply the rules until nothing new follows."""
        self._forget()
        rounds, stopped = 0, ""
        while not stopped:
            fresh: dict[EdgeKey, _Found] = {}
            for rule in rules:
                for key, proof in self._follow(rule, rounds):
                    fresh.setdefault(key, proof)
            if not fresh:
                break
            if len(self._found) + len(fresh) > self._limit:
                stopped = f"more than {self._limit} edges follow"
                fresh = dict(list(fresh.items())[: self._limit - len(self._found)])
            rounds += bool(fresh)
            self._found |= fresh
            self._mark(fresh, rounds)
        return Applied(
            found=tuple((key, found.derivation) for key, found in self._found.items()),
            rounds=rounds,
            stopped=stopped,
        )

    def _forget(self) -> None:
        values = {"graph": self._graph, "origin": INFERENCE, "limit": BATCH}
        while self._connection.change(_FORGET, values) != [[0]]:
            pass

    def _follow(self, rule: InferenceRule, last: int) -> Iterator[tuple[EdgeKey, _Found]]:
        """Yield what a rule gives in one round, with the keys of both nodes; more than may be kept is not fetched."""
        kinds = {f"k{place}": kind for place, kind in enumerate(rule.conditions)}
        values: dict[str, Any] = {
            "graph": self._graph, "then": rule.conclusion, "last": last, "limit": self._limit + 1, **kinds
        }  # fmt: skip
        length = len(rule.conditions)
        for source, target, source_key, target_key, way in self._connection.rows(_query(length), values):
            nodes, confidences = [source, *way[: length - 1], target], way[length - 1 :]
            premises = tuple(EdgeKey(*each) for each in zip(nodes[:-1], nodes[1:], rule.conditions, strict=True))
            yield (
                EdgeKey(source, target, rule.conclusion),
                _Found(
                    derivation=Derivation(rule_id=rule.claim_id, premises=premises),
                    confidence=min(rule.confidence, *confidences),
                    source=source_key,
                    target=target_key,
                ),
            )

    def _mark(self, fresh: Mapping[EdgeKey, _Found], number: int) -> None:
        rows = [
            {
                "source": found.source,
                "target": found.target,
                "kind": key.kind,
                "confidence": found.confidence,
                "detail": inferred_detail(found.derivation),
            }
            for key, found in fresh.items()
        ]
        values = {"origin": INFERENCE, "layer": self._layer, "round": number}
        statements: list[Statement] = [
            (_MARK, {**values, "rows": rows[start : start + BATCH]}) for start in range(0, len(rows), BATCH)
        ]
        self._connection.write(statements)


def _query(length: int) -> LiteralString:
    """
    Return the query for chains of *length*: both ends, their keys, and of one way the ids between them and how sure its
    edges are.

    The edge that is asked for as missing is an optional match, which servers have in common.
    """
    end = _NODES[length]
    hops: LiteralString = " ".join(_HOPS[:length])
    fresh: LiteralString = " OR ".join(_FRESH[:length])
    way: LiteralString = ", ".join((*_MIDDLES[: length - 1], *_CONFIDENCES[:length]))
    return f"""
        {hops} WHERE {fresh}
        OPTIONAL MATCH (n0)-[there:RELATES {{kind: $then}}]->({end})
        WITH n0, {end}, there, [{way}] AS way WHERE there IS NULL
        RETURN n0.id, {end}.id, n0.key, {end}.key, head(collect(way)) LIMIT $limit
    """
