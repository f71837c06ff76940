"""What answers a question: labelled pairs in two halves, and what must hold of any of them."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.answering import AnswerText, answer_score, read_question

_SPEC = importlib.util.spec_from_file_location("answering_measure", Path(__file__).parent / "answering" / "measure.py")
assert _SPEC is not None
assert _SPEC.loader is not None
measure = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(measure)


def test_there_are_enough_pairs_in_both_halves() -> None:
    tuning, held_out = measure.pairs("tuning"), measure.pairs("held_out")

    assert min(len(tuning), len(held_out)) >= 30
    assert not set(tuning) & set(held_out)


@pytest.mark.parametrize(("half", "precision", "recall"), [("tuning", 0.95, 0.95), ("held_out", 0.9, 0.9)])
def test_labelled_pairs(half: str, precision: float, recall: float) -> None:
    found = measure.measured(measure.pairs(half))

    assert found[0] >= precision
    assert found[1] >= recall


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Why does Quexo listen on a port?", "Quexo listens on port 77."),
        ("Which port does Quexo not listen on?", "Quexo listens on port 77."),
        ("Which port does Quexo listen on?", "Quexo no longer listens on port 77."),
        ("Which port does Quexo listen on?", "Perun listens on port 77."),
        ("Which server listens on port 4100?", "The server listens on port 4200."),
        ("What is Lumora?", "Lumora listens on port 9000."),
        ("What about [REDACTED:github-token]?", "A token of GitHub is redacted."),
        ("", "Anything."),
    ],
)
def test_no_answer(question: str, text: str) -> None:
    assert not measure.is_answered(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is Lumora?", "Lumora is a search engine."),
        ("Какой порт слушает сервер Ромашка?", "Сервер Ромашка слушает порт 8555."),
        ("Which port does Quexo use for [REDACTED:password]?", "Quexo uses port 77."),
    ],
)
def test_an_answer(question: str, text: str) -> None:
    assert measure.is_answered(question, text)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_weighed(question: str, text: str) -> None:
    assert 0 <= answer_score(read_question(question), AnswerText(text=text)) <= 1


@given(st.sampled_from([one for half in ("tuning", "held_out") for one in measure.pairs(half)]))
def test_a_question_does_not_answer_itself(pair: tuple[bool, str, str]) -> None:
    question = read_question(pair[1])

    assert question.said is None or not answer_score(question, AnswerText(text=pair[1]))
