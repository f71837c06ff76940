"""What every graph index that applies rules must do. Inherit `RuleEngineContract` and provide the fixture *engine*."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Protocol

import attrs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pckc_domain.model.graph_index import CLAIM_GRAPH, IndexEdge
from pckc_domain.model.inference import INFERENCE, EdgeKey, InferenceRule
from pckc_domain.policy.graph.indexing import inferred_edge
from pckc_domain.policy.inference import conclude, is_sound, weighed
from pckc_domain.ports.graph import Direction
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.ports.inference import RuleEngine
from pckc_domain.testing.graph_index_contract import GRAPH, SCOPE, edge, portions
from pckc_domain.testing.inference_samples import NODES, edge_keys, rule, rule_shapes


class ApplyingIndex(GraphIndex, RuleEngine, Protocol):
    """A graph index that applies rules."""


def fill(engine: ApplyingIndex, keys: Collection[EdgeKey]) -> dict[EdgeKey, float]:
    """Store these edges and return them with their confidence."""
    confidences = {key: (1.0, 0.5)[key.source > key.target] for key in keys}
    edges = [edge(*key, confidence=sure) for key, sure in confidences.items()]
    engine.clear(SCOPE)
    engine.replace(SCOPE, GRAPH, portions({name: [name] for name in NODES}, edges))
    return confidences


def marked(engine: ApplyingIndex) -> list[IndexEdge]:
    """Return the edges that are marked as concluded."""
    return [one for one in engine.edges(SCOPE, GRAPH, NODES, Direction.OUT) if one.origin == INFERENCE]


class RuleEngineContract:
    """The same as embedded, marks, and limits."""

    @given(st.lists(rule_shapes, max_size=3), st.frozensets(edge_keys, max_size=8))
    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    def test_it_concludes_what_is_concluded_embedded(
        self, engine: ApplyingIndex, shapes: list[tuple[tuple[str, ...], str]], keys: frozenset[EdgeKey]
    ) -> None:
        """Each edge with a proof that is one, and marked as such, with its confidence."""
        rules = [attrs.evolve(rule(number, *shape), confidence=0.75) for number, shape in enumerate(shapes)]
        premises = fill(engine, keys)
        applied = engine.apply(SCOPE, GRAPH, rules, limit=1000)
        expected = conclude(rules, premises)
        assert {key for key, _ in applied.found} == {one.key for one in expected.edges}
        assert applied.stopped == ""
        assert is_sound(applied.found, rules, premises)
        assert marked(engine) == [inferred_edge(one) for one in weighed(applied.found, rules, premises)]

    def test_the_longest_chain(self, engine: ApplyingIndex) -> None:
        """Eight kinds, around a cycle and through a self-loop."""
        keys = [EdgeKey("a", "b", "calls"), EdgeKey("b", "a", "calls"), EdgeKey("a", "a", "calls")]
        rules = [rule(1, ["calls"] * 8, "reaches")]
        premises = fill(engine, keys)
        applied = engine.apply(SCOPE, GRAPH, rules, limit=1000)
        assert {key[:2] for key, _ in applied.found} == {("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")}
        assert is_sound(applied.found, rules, premises)

    def test_what_followed_before_is_forgotten(self, engine: ApplyingIndex) -> None:
        """Of the graph alone; what was read stays."""
        first = [rule(1, ["calls"], "needs")]
        fill(engine, [EdgeKey("a", "b", "calls")])
        engine.replace(SCOPE, CLAIM_GRAPH, portions({"c": ["c", "d"]}, [edge("c", "d")]))
        engine.apply(SCOPE, CLAIM_GRAPH, first, limit=9)
        engine.apply(SCOPE, GRAPH, first, limit=9)
        assert [(one.source, one.target, one.kind) for one in marked(engine)] == [("a", "b", "needs")]
        engine.apply(SCOPE, GRAPH, [], limit=9)
        assert marked(engine) == []
        assert list(engine.edges(SCOPE, GRAPH, ["a"], Direction.OUT)) == [edge("a", "b", confidence=1.0)]
        assert len(engine.edges(SCOPE, CLAIM_GRAPH, ["c"], Direction.OUT)) == 2

    def test_a_limit_is_kept_and_told(self, engine: ApplyingIndex) -> None:
        """And what was found is proven all the same."""
        keys = [EdgeKey(one, two, "calls") for one, two in pairwise(NODES)]
        rules: Sequence[InferenceRule] = [rule(1, ["calls"], "needs"), rule(2, ["needs", "needs"], "needs")]
        premises = fill(engine, keys)
        for limit in range(6):
            applied = engine.apply(SCOPE, GRAPH, rules, limit=limit)
            assert len(applied.found) == limit == len(marked(engine))
            assert applied.stopped
            assert is_sound(applied.found, rules, premises)
        assert not engine.apply(SCOPE, GRAPH, rules, limit=6).stopped
