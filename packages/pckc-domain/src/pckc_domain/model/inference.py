"""What rules conclude from the edges of a graph, and from what."""

from collections.abc import Mapping
from typing import NamedTuple

import attrs

from pckc_domain.model.graph_index import GraphName
from pckc_domain.model.identity import content_id

INFERENCE = "inference"
"""Origin of every edge that a rule concluded."""

MOST_EDGES = 200_000
"""Edges that are concluded of one graph, unless configured."""


class EdgeKey(NamedTuple):
    """What tells an edge from every other one of its graph."""

    source: str
    target: str
    kind: str


@attrs.frozen(kw_only=True)
class InferenceRule:
    """
    Edges of these kinds, one behind the other, give an edge of another kind from the first node to the last.

    Attributes:
        claim_id: The claim that states it.
        conditions: The kinds, at least one.
        conclusion: The kind of the edge that is concluded.
        confidence: The claim's, 0 to 1.
    """

    claim_id: str
    conditions: tuple[str, ...]
    conclusion: str
    confidence: float = 1.0

    def __str__(self) -> str:
        """Return it as people write it."""
        return f"{' + '.join(self.conditions)} -> {self.conclusion}"


@attrs.frozen(kw_only=True)
class RuleBook:
    """
    The rules that hold.

    Attributes:
        rules: By claim id.
        ignored: Claim id to why it is no rule.
    """

    rules: tuple[InferenceRule, ...] = ()
    ignored: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def kinds(self) -> frozenset[str]:
        """Every kind that a rule speaks of."""
        return frozenset(kind for rule in self.rules for kind in (*rule.conditions, rule.conclusion))


class Derivation(NamedTuple):
    """
    The proof of an inferred edge.

    Attributes:
        rule_id: The claim that states the rule.
        premises: The edges it was applied to, each beginning where the one before ends.
    """

    rule_id: str
    premises: tuple[EdgeKey, ...]


class InferredEdge(NamedTuple):
    """
    An edge that nobody has read anywhere; a tuple, since there may be hundreds of thousands.

    Attributes:
        kind: Any kind that a rule concludes; it need not be one that edges of code have.
        confidence: The lowest of its rule's and its premises'.
        depth: One more than the deepest of its premises; what was read has depth 0. So no edge supports itself.
    """

    source: str
    target: str
    kind: str
    confidence: float
    depth: int
    derivation: Derivation

    @property
    def key(self) -> EdgeKey:
        """What tells it from others of its graph."""
        return EdgeKey(self.source, self.target, self.kind)


@attrs.frozen(kw_only=True)
class InferenceState:
    """
    What the inferred edges of a graph were concluded from.

    Attributes:
        fingerprint: Of rules, premises and limit; see `policy.inference.fingerprint`.
        stopped: Why not everything was concluded; ``""`` when all of it was.
        edges: How many there are.
    """

    fingerprint: str
    stopped: str = ""
    edges: int = 0


def inferred_id(graph: GraphName, key: EdgeKey) -> str:
    """Return the id of an inferred edge, by which it is asked about."""
    return content_id("inferred", graph.layer, graph.checkout_id, *key)
