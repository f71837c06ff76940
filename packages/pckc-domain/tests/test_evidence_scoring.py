"""The score of evidence: its bounds and what each signal does."""

from datetime import UTC, datetime

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.evidence_scoring import (
    MIN_KINSHIP,
    EvidenceSignals,
    EvidenceWeights,
    explain_evidence,
    kinship,
    match_of,
    relevance_of,
    score_evidence,
)

WEIGHTS = EvidenceWeights()
UNIT = st.floats(0, 1)
NAMES = [field.name for field in attrs.fields(EvidenceSignals)]
SIGNALS = st.builds(EvidenceSignals, **dict.fromkeys(NAMES, UNIT) | {"semantic": UNIT | st.none()})


def passage(
    kind: EventKind = EventKind.PROMPT, speaker: str = "", *, session: str = "s", text: str = "text"
) -> Evidence:
    return Evidence(
        id="1",
        session_id=session,
        episode_id="e",
        event_id="v",
        seq=0,
        kind=kind,
        speaker=speaker,
        time=datetime(2026, 1, 1, tzinfo=UTC),
        text=text,
        start=0,
        end=len(text),
    )


@given(UNIT, UNIT)
def test_a_match_lies_between_its_parts(lexical: float, semantic: float) -> None:
    low, high = sorted((lexical, semantic))
    assert low - 1e-9 <= match_of(lexical, semantic, WEIGHTS) <= high + 1e-9
    assert match_of(lexical, None, WEIGHTS) == lexical


@given(SIGNALS, st.sampled_from(EventKind))
def test_a_voice_alone_is_no_answer(signals: EvidenceSignals, kind: EventKind) -> None:
    silent = attrs.evolve(signals, lexical=0.0, semantic=None, context=0.0, claim=0.0)
    assert relevance_of(passage(kind), silent, WEIGHTS) == 0.0


@pytest.mark.parametrize("signal", ["lexical", "semantic", "context", "claim", "speaker", "asker"])
def test_each_signal_raises_the_relevance(signal: str) -> None:
    plain = EvidenceSignals(lexical=0.5, semantic=0.5)
    raised = attrs.evolve(plain, **{signal: 1.0})
    assert relevance_of(passage(), raised, WEIGHTS) > relevance_of(passage(), plain, WEIGHTS)


def test_what_was_said_counts_more_than_what_was_printed() -> None:
    signals = EvidenceSignals(lexical=1.0, semantic=None)
    said, printed = (
        relevance_of(passage(kind), signals, WEIGHTS) for kind in (EventKind.RESPONSE, EventKind.TOOL_RESULT)
    )
    assert said > printed


@pytest.mark.parametrize("question", ["Which port is it?", "На каком порту?\n", "哪个端口？"])
def test_what_is_stated_counts_more_than_what_is_asked(question: str) -> None:
    signals = EvidenceSignals(lexical=1.0, semantic=None)
    stated, asked = (relevance_of(passage(text=text), signals, WEIGHTS) for text in ("Which port? It is 80.", question))
    assert stated > asked > 0


@given(UNIT, SIGNALS)
def test_inheriting_never_lowers_a_score(relevance: float, signals: EvidenceSignals) -> None:
    alone = score_evidence(relevance, attrs.evolve(signals, inherited=0.0), WEIGHTS)
    assert score_evidence(relevance, signals, WEIGHTS) >= alone


@given(SIGNALS)
def test_what_neither_matches_nor_inherits_scores_nothing(signals: EvidenceSignals) -> None:
    assert score_evidence(0.0, attrs.evolve(signals, inherited=0.0), WEIGHTS) == 0.0


def close(one: Evidence, other: Evidence, *, has_change: bool = False) -> float:
    return kinship(one, other, nearness=0.5, shared=0.2, relevance=0.3, has_change=has_change)


def test_kin_speak_with_one_voice() -> None:
    ann, bob, agent = passage(speaker="Ann"), passage(speaker="Bob"), passage(EventKind.RESPONSE)
    assert close(ann, ann) == close(agent, agent) >= MIN_KINSHIP
    assert close(ann, bob) == close(ann, agent) == 0.0


def test_what_makes_closer_kin() -> None:
    plain = close(passage(), passage())
    assert close(passage(), passage(), has_change=True) > plain
    assert close(passage(), passage(session="another")) > plain
    assert close(passage(), passage(text="Is it?")) < plain


@given(UNIT, UNIT, UNIT)
def test_kinship_is_never_negative(nearness: float, shared: float, relevance: float) -> None:
    asked = passage(text="Is it?")
    assert kinship(passage(), asked, nearness=nearness, shared=shared, relevance=relevance, has_change=False) >= 0


@given(UNIT, SIGNALS)
def test_the_breakdown_names_what_was_measured(relevance: float, signals: EvidenceSignals) -> None:
    measured = {name for name in NAMES if getattr(signals, name) is not None}
    assert set(explain_evidence(relevance, signals)) == measured | {"relevance"}
