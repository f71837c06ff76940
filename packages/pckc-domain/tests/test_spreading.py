"""Relevance over the graph."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.graph import Edge, EdgeEvidence, EdgeKind
from pckc_domain.policy.graph.spreading import HUB_EDGES, spread

NAMES = "abcdefgh"


def edge(source: str, target: str, kind: EdgeKind = EdgeKind.CALLS) -> Edge:
    return Edge(source=source, target=target, kind=kind, evidence=EdgeEvidence.EXTRACTED, origin="call")


def reached(seeds: dict[str, float], edges: Sequence[Edge], rounds: int = 4) -> dict[str, float]:
    return spread(seeds, lambda ids: [one for one in edges if {one.source, one.target} & set(ids)], rounds=rounds)


def test_what_is_nearer_gets_more() -> None:
    found = reached({"a": 1.0}, [edge("a", "b"), edge("b", "c"), edge("c", "d")])
    assert found["a"] > found["b"] > found["c"] > found.get("d", 0.0)


def test_relevance_goes_against_the_direction_too() -> None:
    assert reached({"b": 1.0}, [edge("a", "b")])["a"] > 0


def test_calls_pass_on_more_than_imports() -> None:
    found = reached({"a": 1.0}, [edge("a", "b"), edge("a", "c", EdgeKind.IMPORTS)])
    assert found["b"] > found["c"]


def test_a_hub_passes_nothing_on() -> None:
    edges = [edge("hub", f"n{i}") for i in range(HUB_EDGES + 1)]
    assert set(reached({"hub": 1.0}, edges)) == {"hub"}


def test_nothing_comes_of_nothing() -> None:
    assert reached({}, [edge("a", "b")]) == {}


@given(
    st.dictionaries(st.sampled_from(NAMES), st.floats(0.01, 10), min_size=1),
    st.lists(st.builds(edge, st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=20),
)
def test_relevance_never_grows_and_no_order_matters(seeds: dict[str, float], edges: list[Edge]) -> None:
    found = reached(seeds, edges)
    assert sum(found.values()) <= 1 + 1e-9
    assert all(value >= 0 for value in found.values())
    assert found.keys() >= seeds.keys()
    again = reached(dict(reversed(seeds.items())), edges[::-1])
    assert again == pytest.approx(found)
