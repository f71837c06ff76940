"""The rule engine of `judge`: labelled pairs, and what must hold of any pair."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pckc_domain.model.verdict import VerdictKind
from pckc_domain.policy.judging.judge import compare, differs_in_substance, judge

_SPEC = importlib.util.spec_from_file_location("judging_measure", Path(__file__).parent / "judging" / "measure.py")
assert _SPEC is not None
assert _SPEC.loader is not None
measure = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(measure)

ALL_PAIRS = [*measure.pairs("tuning"), *measure.pairs("held_out")]
WORDS = st.sampled_from(
    (
        "the cache Cache timeout is not never 30 60 s MB enabled disabled — не кэш порт 8080 v1.2.3 2024-05-01 . , "
        "must `a_b` without"
    ).split()
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join))


def test_there_are_enough_pairs_in_both_halves() -> None:
    assert len(ALL_PAIRS) >= 120
    assert min(len(measure.pairs("tuning")), len(measure.pairs("held_out"))) >= 60


@pytest.mark.parametrize(
    ("half", "kind", "precision", "recall"),
    [
        ("tuning", VerdictKind.CONTRADICTS, 0.95, 0.9),
        ("tuning", VerdictKind.DUPLICATE, 0.9, 0.8),
        ("tuning", VerdictKind.CORROBORATES, 0.9, 0.8),
        ("tuning", VerdictKind.NEW, 0.85, 0.9),
        ("held_out", VerdictKind.CONTRADICTS, 0.95, 0.8),
    ],
)
def test_labelled_pairs(half: str, kind: VerdictKind, precision: float, recall: float) -> None:
    found = measure.measured(measure.pairs(half))[kind]

    assert found[0] >= precision
    assert found[1] >= recall


@pytest.mark.parametrize(("label", "one", "other"), ALL_PAIRS)
def test_different_things_never_contradict(label: VerdictKind, one: str, other: str) -> None:
    if label is VerdictKind.NEW:
        assert compare(one, other).kind is not VerdictKind.CONTRADICTS


@given(TEXTS, TEXTS)
@example("0:0A00:B", "0;1:0A00")
def test_order_does_not_matter(one: str, other: str) -> None:
    assert compare(one, other).kind is compare(other, one).kind
    assert differs_in_substance(one, other) is differs_in_substance(other, one)


@given(TEXTS)
def test_a_text_is_its_own_duplicate(text: str) -> None:
    assert compare(text, text).kind is VerdictKind.DUPLICATE
    assert not differs_in_substance(text, text)


@given(st.integers(1, 999), st.integers(1, 999))
def test_one_thing_with_two_numbers_contradicts(one: int, other: int) -> None:
    verdict = compare(f"The pool holds at most {one} connections.", f"The pool holds at most {other} connections.").kind

    assert verdict is (VerdictKind.DUPLICATE if one == other else VerdictKind.CONTRADICTS)


@given(st.integers(1, 999), st.integers(1, 999))
def test_two_things_with_two_numbers_do_not(one: int, other: int) -> None:
    assert compare(f"The read pool holds {one} connections.", f"The write pool holds {other} connections.").kind is (
        VerdictKind.NEW
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The timeout is 30 seconds.", "The timeout is 60 seconds."),
        ("The API supports batches.", "The API does not support batches."),
        ("Кэш включён.", "Кэш выключен."),
        ("Set `max_size` before the start.", "Set `min_size` before the start."),
        ("Released on 2024-05-01.", "Released on 2024-05-02."),
        ("It needs 3 nodes.", "It needs 5 nodes and a disk."),
    ],
)
def test_what_differs_in_substance_is_told(one: str, other: str) -> None:
    assert differs_in_substance(one, other)


def test_the_weightiest_verdict_wins_and_names_its_claim() -> None:
    claim = "The default timeout is 30 seconds."
    others = ["The pool is shared.", "The default timeout is 60 seconds.", "The default timeout is 30 s."]

    assert (judge(claim, others).kind, judge(claim, others).against) == (VerdictKind.DUPLICATE, 2)
    assert (judge(claim, others[:2]).kind, judge(claim, others[:2]).against) == (VerdictKind.CONTRADICTS, 1)
    assert (judge(claim, others[:1]).kind, judge(claim, others[:1]).against) == (VerdictKind.NEW, None)
    assert judge(claim, []).kind is VerdictKind.NEW


def test_a_reason_is_one_sentence_without_the_texts() -> None:
    reason = judge("The secret port is 4711.", ["The secret port is 4712."]).reason

    assert reason
    assert "4711" not in reason
    assert "secret" not in reason


def test_long_texts_are_no_trouble() -> None:
    long = "The cache holds 100 entries and is never shared. " * 400

    assert compare(long, long + "It is fast.").kind in set(VerdictKind)
