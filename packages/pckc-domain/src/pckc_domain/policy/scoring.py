"""
The scores of passages.

granularity_score = .50 relevance + .20 layer preference + .15 proposition type + .10 source quality + .05 freshness,
each signal in 0..1. Relevance is a convex combination of the lexical rank, normalised per layer, and of the share of
the question that the passage covers; with an embedder also of the normalised semantic rank. A definition of a name
asked for is relevant whatever else it says. The branch then scales the sum by 0.9..1.0, and tests not asked for by 0.9.
"""

from collections.abc import Mapping, Sequence

import attrs

from pckc_domain.model.document import SourceClass
from pckc_domain.model.passage import Layer, PropositionType
from pckc_domain.model.scope import MAINLINE_NAMES, Branch, BranchScope

SOURCE_QUALITY: dict[SourceClass, float] = {
    SourceClass.ADR: 1.0,
    SourceClass.ARCHITECTURE: 0.95,
    SourceClass.CODE: 0.90,
    SourceClass.README: 0.85,
    SourceClass.SPEC: 0.85,
    SourceClass.TEST_REPORT: 0.80,
    SourceClass.MARKDOWN: 0.75,
    SourceClass.NOTE: 0.70,
    SourceClass.WEB: 0.65,
    SourceClass.DIFF: 0.60,
    SourceClass.SESSION: 0.55,
    SourceClass.RUNTIME_LOG: 0.50,
}

LAYER_PREFERENCE = (1.0, 0.6, 0.3)
"""Bonus by position among the preferred layers; a layer that is not among them earns nothing."""

BRANCH_SCORE: dict[BranchScope, float] = {
    BranchScope.CURRENT: 1.0,
    BranchScope.INHERITED: 0.6,
    BranchScope.MAINLINE: 0.5,
    BranchScope.GLOBAL: 0.3,
    BranchScope.HISTORICAL: 0.1,
}


def _weight(default: float) -> float:
    weight: float = attrs.field(default=default, validator=[attrs.validators.ge(0), attrs.validators.le(1)])
    return weight


@attrs.frozen(kw_only=True)
class PassageWeights:
    """
    Weights of the passage score, each in 0..1.

    The first five sum to 1. ``coverage_share`` is what coverage makes of the lexical part of the relevance,
    ``semantic_share`` what the semantic rank makes of the relevance.
    """

    relevance: float = _weight(0.50)
    layer_preference: float = _weight(0.20)
    proposition_type: float = _weight(0.15)
    source_quality: float = _weight(0.10)
    freshness: float = _weight(0.05)
    coverage_share: float = _weight(0.50)
    semantic_share: float = _weight(0.40)
    branch_span: float = _weight(0.10)
    test_penalty: float = _weight(0.10)

    def __attrs_post_init__(self) -> None:
        """Refuse weights that do not sum to 1: scores would leave 0..1."""
        signals = ("relevance", "layer_preference", "proposition_type", "source_quality", "freshness")
        total = sum(getattr(self, name) for name in signals)
        if abs(total - 1) > 1e-6:
            raise ValueError(f"{', '.join(signals)} must sum to 1, not {total:.6g}")


@attrs.frozen(kw_only=True)
class PassageSignals:
    """
    What a passage is scored by, each in 0..1.

    ``lexical`` is the rank within the layer, ``coverage`` the share of the question's words that it holds;
    ``semantic`` is ``None`` when nothing measured it. ``definition`` says how surely it defines a name asked for (see
    ``policy.naming``), ``unasked_test`` is 1 for tests when the question is not about tests.
    """

    lexical: float
    coverage: float
    semantic: float | None
    layer_preference: float
    proposition_type: float
    source_quality: float
    freshness: float
    branch: float
    definition: float = 0.0
    unasked_test: float = 0.0


def normalize_scores(scores: Sequence[float]) -> list[float]:
    """Map the best score to 1.0 and the worst to 0.0, in order; equal scores, or a lone one, are all 1.0."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if high == low:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def layer_bonus(layer: Layer, preferred: Sequence[Layer]) -> float:
    """Return the bonus of *layer* by its position among *preferred*."""
    if layer not in preferred:
        return 0.0
    return LAYER_PREFERENCE[min(preferred.index(layer), len(LAYER_PREFERENCE) - 1)]


def type_bonus(kind: PropositionType | None, wanted: frozenset[PropositionType]) -> float:
    """Return 1.0 for a wanted type, 0.5 when nothing is wanted or the passage has no type, else 0.0."""
    if not wanted or kind is None:
        return 0.5
    return 1.0 if kind in wanted else 0.0


def relation(branch: Branch, current: Branch) -> BranchScope:
    """Return how a unit's *branch* relates to the *current* one."""
    if branch.name is None:
        return BranchScope.CURRENT if current.name is None else BranchScope.GLOBAL
    if branch.name == current.name:
        return BranchScope.CURRENT
    if branch.scope is BranchScope.INHERITED:
        return BranchScope.INHERITED
    if branch.name in MAINLINE_NAMES or branch.scope is BranchScope.MAINLINE:
        return BranchScope.MAINLINE
    return BranchScope.HISTORICAL


def relevance(signals: PassageSignals, weights: PassageWeights) -> float:
    """
    Return the combination of lexical rank and coverage, and of that with the semantic signal if there is one.

    A definition lacks only so much as it is unsure to be the one.
    """
    found = _found(signals, weights)
    return signals.definition + (1 - signals.definition) * found


def _found(signals: PassageSignals, weights: PassageWeights) -> float:
    lexical = (1 - weights.coverage_share) * signals.lexical + weights.coverage_share * signals.coverage
    if signals.semantic is None:
        return lexical
    return (1 - weights.semantic_share) * lexical + weights.semantic_share * signals.semantic


def passage_score(signals: PassageSignals, weights: PassageWeights) -> float:
    """Return the score: the weighted sum, scaled by the branch and by what a test loses."""
    scale = (1 - weights.branch_span * (1 - signals.branch)) * (1 - weights.test_penalty * signals.unasked_test)
    return _granularity(signals, weights) * scale


def explain_passage(signals: PassageSignals, weights: PassageWeights) -> Mapping[str, float]:
    """Return the breakdown of the score, with the names that the tools answer."""
    breakdown = {
        "fts_rank_normalized": signals.lexical,
        "coverage": signals.coverage,
        "layer_preference_bonus": signals.layer_preference,
        "proposition_type_bonus": signals.proposition_type,
        "source_quality": signals.source_quality,
        "freshness_bonus": signals.freshness,
        "relevance": relevance(signals, weights),
        "granularity_score": _granularity(signals, weights),
        "branch_score": signals.branch,
        "definition": signals.definition,
        "test_penalty": weights.test_penalty * signals.unasked_test,
    }
    if signals.semantic is not None:
        breakdown["semantic_normalized"] = signals.semantic
    return {name: round(value, 6) for name, value in breakdown.items()}


def _granularity(signals: PassageSignals, weights: PassageWeights) -> float:
    return (
        weights.relevance * relevance(signals, weights)
        + weights.layer_preference * signals.layer_preference
        + weights.proposition_type * signals.proposition_type
        + weights.source_quality * signals.source_quality
        + weights.freshness * signals.freshness
    )
