"""What only takes note, and what answers however short it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.acknowledgements import ASSENT, acknowledges


@pytest.mark.parametrize(
    "text",
    [
        "Noted, I will follow that.",
        "Sure!",
        "Got it, thanks.",
        "I'll keep that in mind.",
        "**Understood.** 👍",
        "Will do.",
        "Sounds good!",
        "Yes, noted",
        "Хорошо, понял",
        "Понял, буду следовать этому.",
        "Да, конечно!",
        "Принято, учту.",
    ],
)
def test_what_only_takes_note(text: str) -> None:
    assert acknowledges(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Yes.",
        "No.",
        "No, don't follow that.",
        "Not sure.",
        "Sure?",
        "Sure, port 8080.",
        "Thanks, that fixed the parser.",
        "It was great.",
        "Right, use tabs.",
        "Да.",
        "Нет, не понял.",
        "Понял, ставлю PostgreSQL.",
        "Хорошо, порт 80",
        "Хорошо?",
        "I will follow it. " * 20,
    ],
)
def test_what_says_something(text: str) -> None:
    assert not acknowledges(text)


@given(st.lists(st.sampled_from(sorted(ASSENT)), max_size=5), st.text("abcdefghijklmnop", min_size=5, max_size=9))
def test_a_word_of_content_is_never_passed_over(words: list[str], word: str) -> None:
    said = " ".join([*words, f"x{word}z"])
    assert not acknowledges(said)
