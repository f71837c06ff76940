"""What is left of a text without some of its sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.remnants import OMITTED, remnant, split_sentences, without_spans

TEXTS = st.text(alphabet="aбZ .!?;\n。…1", max_size=60)


@pytest.mark.parametrize(
    ("text", "left_out", "left"),
    [
        ("We swim. The API is slow.", "The API is slow.", "We swim."),
        ("the api is slow. we swim.", "the api is slow.", "we swim."),
        ("We swim. The API is slow. We dive.", "The API is slow.", "We swim. … We dive."),
        ("The API is slow. It is old. We swim.", "The API is slow.", "We swim."),
        ("The API is slow. It is old. Its name is x. But this hurts. We swim.", "The API is slow.", "We swim."),
        ("The API is slow. This project has a pool.", "The API is slow.", "This project has a pool."),
        ("We swim. It is fun. The API is slow.", "The API is slow.", "We swim. It is fun."),
        ("API медленный. Он старый. Мы плаваем.", "API медленный.", "Мы плаваем."),
        ("接口很慢。我们游泳。", "接口很慢。", "我们游泳。"),
        ("1. The API is slow.\n2. We swim.", "The API is slow.", "We swim."),
        ("The API is slow!", "The API is slow", ""),
        (
            "Swim, e.g. daily. Pools are wet. Use it, i.e. swim.",
            "Pools are wet.",
            "Swim, e.g. daily. … Use it, i.e. swim.",
        ),
        ("We swim.", "", "We swim."),
    ],
)
def test_a_sentence_goes_with_what_speaks_of_it(text: str, left_out: str, left: str) -> None:
    """And with nothing else."""
    start = text.index(left_out)
    assert without_spans(text, [(start, start + len(left_out))]) == left


@given(TEXTS, st.lists(st.tuples(st.integers(-9, 70), st.integers(-9, 70)), max_size=4))
def test_no_character_of_a_span_is_left(text: str, spans: list[tuple[int, int]]) -> None:
    """In whatever order they come, and however they overlap."""
    letters = [at for at, letter in enumerate(text) if letter.isalpha()]
    covered = [at for at in letters if any(start <= at < end for start, end in spans)]
    left = without_spans(text, spans)
    assert without_spans(text, reversed(spans)) == left
    assert sum(map(str.isalpha, left)) <= len(letters) - len(covered)
    assert left == text or covered or not any(map(str.isalpha, text)) or any(start < end for start, end in spans)


@given(TEXTS)
def test_sentences_make_up_their_text(text: str) -> None:
    """Blanks between them aside."""
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_what_stands_together_is_told_together() -> None:
    """A mark stands only where something is missing."""
    kept = [("We swim.", True), ("We dive.", True), ("We run.", False), ("We ski.", True), ("We walk.", False)]
    assert remnant(kept) == f"We swim. We dive. {OMITTED} We ski."
    assert remnant([("...", True), ("We run.", False)]) == ""
