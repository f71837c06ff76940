"""
The score of evidence: verbatim passages of sessions.

relevance = convex combination of the normalised lexical and semantic signals; the passages next to one in the
conversation lend it a share of theirs, since an answer is found by its question. Recency orders what is equally
relevant: people ask for what holds now.
"""

from collections.abc import Mapping

import attrs

from pckc_domain.model.session import EventKind


@attrs.frozen(kw_only=True)
class EvidenceWeights:
    """Weights of the evidence score."""

    lexical: float = 0.45
    semantic: float = 0.55
    context: float = 0.15
    claim: float = 0.10
    speaker: float = 0.05
    recency: float = 0.05


KIND_FACTOR: Mapping[EventKind, float] = {
    EventKind.PROMPT: 1.0,
    EventKind.ANNOTATION: 1.0,
    EventKind.RESPONSE: 0.95,
    EventKind.AGENT_MESSAGE: 0.95,
    EventKind.TEST_RESULT: 0.85,
    EventKind.FILE_CHANGE: 0.85,
    EventKind.ERROR: 0.85,
    EventKind.COMMAND: 0.8,
    EventKind.TOOL_RESULT: 0.8,
    EventKind.TOOL_CALL: 0.7,
}
"""What a passage keeps of its score by who or what spoke: people ask for what was said more than what was printed."""


@attrs.frozen(kw_only=True)
class EvidenceSignals:
    """What a passage of a session is scored by, each in 0..1; ``semantic`` is ``None`` when nothing measured it."""

    lexical: float
    semantic: float | None
    context: float
    claim: float
    speaker: float
    recency: float


def relevance_of(lexical: float, semantic: float | None, weights: EvidenceWeights) -> float:
    """Return the lexical signal, or its convex combination with the semantic one."""
    if semantic is None:
        return lexical
    return (weights.lexical * lexical + weights.semantic * semantic) / (weights.lexical + weights.semantic)


def score_evidence(
    kind: EventKind, signals: EvidenceSignals, weights: EvidenceWeights
) -> tuple[float, Mapping[str, float]]:
    """Return the score and its breakdown."""
    relevance = relevance_of(signals.lexical, signals.semantic, weights)
    extra = (
        weights.context * signals.context
        + weights.claim * signals.claim
        + weights.speaker * signals.speaker
        + weights.recency * signals.recency
    )
    factor = KIND_FACTOR.get(kind, 0.7)
    measured = {name: value for name, value in attrs.asdict(signals).items() if value is not None}
    breakdown = {**measured, "relevance": relevance, "kind_factor": factor}
    return factor * (relevance + extra), {name: round(value, 6) for name, value in breakdown.items()}
