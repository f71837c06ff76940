"""
The score of evidence: verbatim passages of sessions.

relevance = the convex combination of coverage and cosine, plus a share of the relevance next to it, since an answer is
found by its question, plus a bonus for the voice asked about. The best passages then lend their relevance to their
kin: passages of the same voice that speak of the same thing. That is how a value is found that replaced another, and
the other side of a contradiction: they resemble each other more than either resembles the question. When the question
is about the present, kin are later passages, and recency and words of change count.

The weights come from a random search over a model of this score, then single changes to the real one, on the seven dev
conversations of `tests/evaluation`, alone, in pairs of a class, and all in one store. Recency is a compromise: less
finds a little more, but leaves older values first.
"""

from collections.abc import Mapping

import attrs

from pckc_domain.model.session import EventKind, Evidence


@attrs.frozen(kw_only=True)
class EvidenceWeights:
    """
    Weights of the evidence score.

    Attributes:
        lexical: Of coverage, beside *semantic*.
        semantic: Of the cosine.
        context: Share of the best relevance next to a passage.
        claim: Of a claim that was made of the passage and matches the query.
        speaker: For a passage by somebody the query names.
        asker: For a passage by the user when the query is about the one who asks.
        own: What a passage keeps of its relevance when it inherits from its kin.
        inherited: Share of a passage's relevance that its kin inherit when the query is about the present.
        inherited_past: The same when it is about what happened or held before.
        recency: For the newest candidate; the others in proportion to their rank by time. Less about the past.
        change: For words of change. Less when it is about the past.
    """

    lexical: float = 0.40
    semantic: float = 0.60
    context: float = 0.15
    claim: float = 0.10
    speaker: float = 0.20
    asker: float = 0.12
    own: float = 0.80
    inherited: float = 1.0
    inherited_past: float = 0.5
    recency: float = 0.40
    change: float = 0.10


KIND_FACTOR: Mapping[EventKind, float] = {
    EventKind.PROMPT: 1.0,
    EventKind.ANNOTATION: 1.0,
    EventKind.RESPONSE: 1.0,
    EventKind.AGENT_MESSAGE: 1.0,
    EventKind.TEST_RESULT: 0.9,
    EventKind.FILE_CHANGE: 0.9,
    EventKind.ERROR: 0.9,
    EventKind.COMMAND: 0.85,
    EventKind.TOOL_RESULT: 0.85,
    EventKind.TOOL_CALL: 0.8,
}
"""What a passage keeps of its relevance by who or what spoke: people ask for what was said, not what was printed."""

MIN_KINSHIP = 0.4
MOST_KIN = 2
SEEDS = 4
"""So many of the best passages lend their relevance, each to so many of its kin, from this kinship on."""

_CHANGE_KINSHIP = 0.2
_RELEVANCE_KINSHIP = 0.2
_OTHER_VOICE = -0.2

_HUMAN = frozenset({EventKind.PROMPT, EventKind.ANNOTATION})


@attrs.frozen(kw_only=True)
class EvidenceSignals:
    """
    What a passage of a session is scored by, each in 0..1; ``semantic`` is ``None`` when nothing measured it.

    ``inherited`` is the relevance lent by its kin; ``recency`` and ``change`` are less in questions about the past.
    """

    lexical: float
    semantic: float | None
    context: float = 0.0
    claim: float = 0.0
    speaker: float = 0.0
    asker: float = 0.0
    inherited: float = 0.0
    recency: float = 0.0
    change: float = 0.0


def match_of(lexical: float, semantic: float | None, weights: EvidenceWeights) -> float:
    """Return the lexical signal, or its convex combination with the semantic one."""
    if semantic is None:
        return lexical
    return (weights.lexical * lexical + weights.semantic * semantic) / (weights.lexical + weights.semantic)


def relevance_of(kind: EventKind, signals: EvidenceSignals, weights: EvidenceWeights) -> float:
    """Return how much a passage answers the query by itself and its surroundings; 0 when nothing of it matches."""
    found = (
        match_of(signals.lexical, signals.semantic, weights)
        + weights.context * signals.context
        + weights.claim * signals.claim
    )
    voice = weights.speaker * signals.speaker + weights.asker * signals.asker
    return KIND_FACTOR.get(kind, 0.8) * (found + voice) if found else 0.0


def are_of_one_voice(one: Evidence, other: Evidence) -> bool:
    """Return whether the same speaker spoke both, in the same way."""
    return (one.kind, one.speaker) == (other.kind, other.speaker)


def kinship(seed: Evidence, other: Evidence, *, nearness: float, relevance: float, has_change: bool) -> float:
    """
    Return how likely *other* speaks of what *seed* speaks of; 0 when one is a person's word and the other is not.

    Args:
        seed: The passage that lends.
        other: The one that inherits.
        nearness: Cosine of the two, or the like by words.
        relevance: Of *other* to the query, in 0..1.
        has_change: Whether *other* tells of a change.
    """
    if not are_of_one_voice(seed, other) and not (seed.kind in _HUMAN and other.kind in _HUMAN):
        return 0.0
    voice = 0.0 if are_of_one_voice(seed, other) else _OTHER_VOICE
    return nearness + _RELEVANCE_KINSHIP * relevance + _CHANGE_KINSHIP * has_change + voice


def score_evidence(relevance: float, signals: EvidenceSignals, weights: EvidenceWeights) -> float:
    """Return the score; *relevance* is 1.0 for the best match. What neither matches nor inherits scores 0."""
    carried = max(relevance, weights.own * relevance + signals.inherited) if signals.inherited else relevance
    return carried + weights.recency * signals.recency + weights.change * signals.change if carried else 0.0


def explain_evidence(relevance: float, signals: EvidenceSignals) -> Mapping[str, float]:
    """Return the breakdown of a score: every measured signal, and the relevance."""
    measured = {name: value for name, value in attrs.asdict(signals).items() if value is not None}
    return {name: round(value, 6) for name, value in {**measured, "relevance": relevance}.items()}
