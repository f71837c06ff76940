"""The passage score: its weights, its normalisation, its bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.document import SourceClass
from pckc_domain.model.passage import Layer, PropositionType
from pckc_domain.model.scope import Branch, BranchScope
from pckc_domain.policy.scoring import (
    SOURCE_QUALITY,
    PassageSignals,
    PassageWeights,
    explain_passage,
    layer_bonus,
    normalize_scores,
    passage_score,
    relation,
    type_bonus,
)

UNIT = st.floats(0, 1)
SIGNALS = st.builds(
    PassageSignals,
    lexical=UNIT,
    coverage=UNIT,
    semantic=st.none() | UNIT,
    layer_preference=UNIT,
    proposition_type=UNIT,
    source_quality=UNIT,
    freshness=UNIT,
    branch=UNIT,
    definition=UNIT,
    unasked_test=UNIT,
)


def signals(**changes: float | None) -> PassageSignals:
    values: dict[str, float | None] = {
        "lexical": 1.0,
        "coverage": 1.0,
        "semantic": None,
        "layer_preference": 1.0,
        "proposition_type": 1.0,
        "source_quality": 1.0,
        "freshness": 1.0,
        "branch": 1.0,
    }
    return PassageSignals(**{**values, **changes})  # type: ignore[arg-type]  # the defaults are numbers


@pytest.mark.parametrize(
    ("signal", "weight"),
    [
        ("lexical", 0.25),
        ("coverage", 0.25),
        ("layer_preference", 0.20),
        ("proposition_type", 0.15),
        ("source_quality", 0.10),
        ("freshness", 0.05),
    ],
)
def test_each_signal_has_the_seeds_weight(signal: str, weight: float) -> None:
    full = passage_score(signals(), PassageWeights())
    without = passage_score(signals(**{signal: 0.0}), PassageWeights())
    assert full == pytest.approx(1.0)
    assert full - without == pytest.approx(weight)


def test_a_semantic_signal_shares_the_relevance() -> None:
    weights = PassageWeights(semantic_share=0.4)
    given_signals = signals(lexical=1.0, semantic=0.0)
    assert passage_score(given_signals, weights) == pytest.approx(0.8)
    assert explain_passage(given_signals, weights)["semantic_normalized"] == 0.0
    assert "semantic_normalized" not in explain_passage(signals(), weights)


def test_the_branch_takes_a_tenth_at_most() -> None:
    assert passage_score(signals(branch=0.0), PassageWeights()) == pytest.approx(0.9)


def test_a_sure_definition_is_relevant_whatever_its_rank() -> None:
    weights = PassageWeights()
    assert passage_score(signals(lexical=0.0, coverage=0.0, definition=1.0), weights) == pytest.approx(1.0)
    surer, less_sure = (signals(lexical=0.0, coverage=0.0, definition=share) for share in (0.9, 0.8))
    assert passage_score(surer, weights) > passage_score(less_sure, weights)


def test_a_test_nobody_asked_for_loses_a_tenth() -> None:
    assert passage_score(signals(unasked_test=1.0), PassageWeights()) == pytest.approx(0.9)
    assert explain_passage(signals(unasked_test=1.0), PassageWeights())["test_penalty"] == pytest.approx(0.1)
    assert explain_passage(signals(), PassageWeights())["test_penalty"] == 0.0


@given(SIGNALS)
def test_a_score_is_between_zero_and_one_and_explained(given_signals: PassageSignals) -> None:
    score = passage_score(given_signals, PassageWeights())
    breakdown = explain_passage(given_signals, PassageWeights())
    assert 0 <= score <= 1 + 1e-9
    assert breakdown["granularity_score"] == pytest.approx(
        0.5 * breakdown["relevance"]
        + 0.2 * breakdown["layer_preference_bonus"]
        + 0.15 * breakdown["proposition_type_bonus"]
        + 0.1 * breakdown["source_quality"]
        + 0.05 * breakdown["freshness_bonus"],
        abs=1e-5,
    )


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_normalising_maps_best_to_one_and_worst_to_zero(scores: list[float]) -> None:
    normalised = normalize_scores(scores)
    assert len(normalised) == len(scores)
    assert normalised[scores.index(max(scores))] == 1.0
    if max(scores) > min(scores):
        assert normalised[scores.index(min(scores))] == 0.0
    assert all(0 <= value <= 1 for value in normalised)


def test_a_lone_hit_is_one_and_none_is_nothing() -> None:
    assert normalize_scores([3.5]) == [1.0]
    assert normalize_scores([]) == []


def test_layer_and_type_bonuses() -> None:
    order = (Layer.PROPOSITION, Layer.PARAGRAPH, Layer.SUMMARY)
    assert [layer_bonus(layer, order) for layer in order] == [1.0, 0.6, 0.3]
    assert layer_bonus(Layer.CHUNK, order) == 0.0
    wanted = frozenset({PropositionType.RISK})
    assert type_bonus(PropositionType.RISK, wanted) == 1.0
    assert type_bonus(PropositionType.DECISION, wanted) == 0.0
    assert type_bonus(None, wanted) == 0.5
    assert type_bonus(PropositionType.DECISION, frozenset()) == 0.5


def test_every_source_class_has_a_quality() -> None:
    assert set(SOURCE_QUALITY) == set(SourceClass)
    assert SOURCE_QUALITY[SourceClass.ADR] == 1.0
    assert SOURCE_QUALITY[SourceClass.RUNTIME_LOG] == 0.5


def test_branches_relate() -> None:
    feature = Branch(name="feature", scope=BranchScope.CURRENT)
    assert relation(Branch(name="feature"), feature) is BranchScope.CURRENT
    assert relation(Branch(name="main"), feature) is BranchScope.MAINLINE
    assert relation(Branch(name="parent", scope=BranchScope.INHERITED), feature) is BranchScope.INHERITED
    assert relation(Branch(name=None), feature) is BranchScope.GLOBAL
    assert relation(Branch(name="other", scope=BranchScope.CURRENT), feature) is BranchScope.HISTORICAL
