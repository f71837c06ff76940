"""
The score of evidence: verbatim passages of sessions.

relevance = the convex combination of coverage and cosine, plus a share of the relevance next to it, since an answer
is found by its question, plus a bonus for the voice asked about; what only asks keeps less of it, and what only takes
note has none. The best passages then lend their relevance to their kin: passages of the same voice that speak of the
same thing. That is how a value is found that replaced another, and the other side of a contradiction: they resemble
each other more than either resembles the question. When the question is about the present, later kin inherit more,
words of change count, and of two kin next to each other the later stands first. Recency itself counts little: it
prefers all that is new, not only what replaced something.

The weights of relevance come from a random search over a model of this score, then single changes to the real one, on
the `dev` conversations of `tests/evaluation`, alone, in pairs of a class, and all in one store; those of inheritance
and kinship from a logistic regression over pairs of statements, then a search over `dev` and `dev2`.
"""

from collections.abc import Mapping

import attrs

from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.acknowledgements import acknowledges


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
        inherited: Share of a passage's relevance that its later kin inherit when the query is about the present.
        inherited_past: The same of earlier kin, and of all when it is about what happened or held before.
        recency: For the newest candidate; the others in proportion to their rank by time. Less about the past.
        change: For words of change. Less when it is about the past.
    """

    lexical: float = 0.40
    semantic: float = 0.60
    context: float = 0.15
    claim: float = 0.10
    speaker: float = 0.20
    asker: float = 0.12
    own: float = 0.20
    inherited: float = 1.0
    inherited_past: float = 0.5
    recency: float = 0.05
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

ASKING_FACTOR = 0.6
"""The same of a passage that only asks: it holds the words of the query, and no answer."""

MIN_KINSHIP = 0.55
MOST_KIN = 2
SEEDS = 4
"""So many of the best passages lend their relevance, each to so many later and earlier kin, from this kinship on."""

MIN_SUCCESSION = 0.5
COMPARABLE = 0.6
"""
Of two passages that stand near each other the later goes first, from this kinship and this share of the score of the
other on: it seems to replace the other.
"""

_SHARED_KINSHIP = 0.2
_RELEVANCE_KINSHIP = 0.1
_CHANGE_KINSHIP = 0.1
_APART_KINSHIP = 0.2
_QUESTION_KINSHIP = -0.2


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


def asks(text: str) -> bool:
    """Return whether *text* ends in a question."""
    return text.rstrip().endswith(("?", "？"))


def relevance_of(evidence: Evidence, signals: EvidenceSignals, weights: EvidenceWeights) -> float:
    """Return how much a passage answers the query by itself and its surroundings; 0 when nothing of it does."""
    if acknowledges(evidence.text):
        return 0.0
    found = (
        match_of(signals.lexical, signals.semantic, weights)
        + weights.context * signals.context
        + weights.claim * signals.claim
    )
    voice = weights.speaker * signals.speaker + weights.asker * signals.asker
    factor = KIND_FACTOR.get(evidence.kind, 0.8) * (ASKING_FACTOR if asks(evidence.text) else 1.0)
    return factor * (found + voice) if found else 0.0


def are_of_one_voice(one: Evidence, other: Evidence) -> bool:
    """Return whether the same speaker spoke both, in the same way."""
    return (one.kind, one.speaker) == (other.kind, other.speaker)


def kinship(
    seed: Evidence, other: Evidence, *, nearness: float, shared: float, relevance: float, has_change: bool
) -> float:
    """
    Return how likely *other* speaks of what *seed* speaks of; 0 when they are not of one voice.

    What is near in the same session is often its continuation; in another session the subject has been taken up again.
    A question states nothing, and what only takes note has no kin.

    Args:
        seed: The passage that lends.
        other: The one that inherits.
        nearness: Cosine of the two, or the like by words.
        shared: Share of the words of *seed* that *other* holds, rare ones counting more.
        relevance: Of *other* to the query, in 0..1.
        has_change: Whether *other* tells of a change.
    """
    if not are_of_one_voice(seed, other) or acknowledges(other.text):
        return 0.0
    close = nearness + _SHARED_KINSHIP * shared + _RELEVANCE_KINSHIP * relevance + _CHANGE_KINSHIP * has_change
    is_apart = seed.session_id != other.session_id
    return max(0.0, close + _APART_KINSHIP * is_apart + _QUESTION_KINSHIP * asks(other.text))


def score_evidence(relevance: float, signals: EvidenceSignals, weights: EvidenceWeights) -> float:
    """Return the score; *relevance* is 1.0 for the best match. What neither matches nor inherits scores 0."""
    carried = max(relevance, weights.own * relevance + signals.inherited) if signals.inherited else relevance
    return carried + weights.recency * signals.recency + weights.change * signals.change if carried else 0.0


def explain_evidence(relevance: float, signals: EvidenceSignals) -> Mapping[str, float]:
    """Return the breakdown of a score: every measured signal, and the relevance."""
    measured = {name: value for name, value in attrs.asdict(signals).items() if value is not None}
    return {name: round(value, 6) for name, value in {**measured, "relevance": relevance}.items()}
