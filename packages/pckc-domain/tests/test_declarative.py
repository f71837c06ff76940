"""Plain sentences are kept, what only looks like one is left: on the labelled set and at the edges."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.distillation.declarative import is_declarative

_SPEC = importlib.util.spec_from_file_location(
    "measure_distilling", Path(__file__).parent / "distilling" / "measure.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
measure = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(measure)


@pytest.mark.parametrize("is_held_out", [False, True])
@pytest.mark.parametrize("language", ["English", "Russian"])
def test_precision_and_recall(language: str, is_held_out: bool) -> None:
    sentences = measure.labelled()
    chosen = [one for one in sentences if one.is_held_out is is_held_out and one.language == language]

    found = measure.quality(chosen)

    assert len(sentences) >= 150
    assert found.precision >= 0.92  # somewhat below what was measured
    assert found.recall >= 0.92


@pytest.mark.parametrize("language", ["English", "Russian"])
def test_sentences_that_the_rule_was_not_made_for(language: str) -> None:
    found = measure.quality([one for one in measure.fresh() if one.language == language])

    assert found.precision >= 0.8
    assert found.recall >= 0.9


@pytest.mark.parametrize(
    "text",
    [
        "The planner rewrites correlated subqueries into joins.",
        "Requests without a valid signature are rejected at the edge.",
        "Marie Curie won Nobel prizes in both physics and chemistry.",
        "Whales breathe air through blowholes on top of their heads.",
        "`vacuum` returns the space of dead rows to the file.",
        "Within the cluster every node knows the address of its peers.",
        "Планировщик переставляет соединения таблиц.",
        "Старый диспетчер был разделён на три службы.",
    ],
)
def test_a_subject_and_a_verb_declare(text: str) -> None:
    assert is_declarative(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "Word.",
        "Workers append records to a segment file",  # a heading
        "Open the file with the settings and change the port.",
        "Restart all of the workers after the upgrade has finished.",
        "Everything depends on the kind of work that is done.",
        "Some say that the old planner was better.",
        "Does the planner rewrite subqueries?",
        "ner rewrites correlated subqueries into joins.",  # cut in the middle of a word
        "Сохраните файл настроек и перезапустите службу.",
        "Многие считают прежний планировщик удачным.",
        "Новый журнал для разбора ошибок модели.",
    ],
)
def test_what_declares_nothing(text: str) -> None:
    assert not is_declarative(text)


@given(st.text(st.sampled_from("aA.s'’,-ед Яl1`é中"), max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    assert is_declarative(text) in (True, False)
    assert not is_declarative(text.rstrip(".") + "?")
