"""Standing instructions are noticed, whoever worded them; what is asked once or told of a habit is none."""

from datetime import UTC, datetime

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.analysis import index_terms, stem_english, text_tokens
from pckc_domain.policy.directives import DIRECTIVE_WORDS, MIN_STRENGTH, directive_strength, is_directive

INSTRUCTIONS = [
    "From now on answer in French.",
    "Always run the linter before you commit.",
    "Never touch the vendored folder.",
    "Whenever you write SQL, use upper case for keywords.",
    "Please don't use emojis in your replies.",
    "Stop apologising in every message.",
    "If you rename a public function, update the changelog.",
    "No abbreviations in variable names.",
    "Rule: one assertion per test.",
    "I'd rather you asked me before deleting files.",
    "Keep summaries under five lines, with no headings.",
    "I was thinking. By default the dates must be ISO.",
    "Отныне отвечай только по-русски.",
    "Никогда не коммить в main.",
    "Если меняешь схему, обязательно пиши миграцию.",
    "Пожалуйста, не используй смайлики.",
]
OTHERS = [
    "Where do I always park?",
    "I never liked the sea.",
    "She has always lived in Oslo.",
    "My train leaves at nine.",
    "Rename parse to read.",
    "What a lovely day!",
    "The build failed again",
    "Just this once, don't run the linter.",
    "",
    "Я никогда не был в Риме.",
    "Поезд уходит в девять.",
]


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_instructions_are_noticed(text: str) -> None:
    assert directive_strength(text) >= MIN_STRENGTH


@pytest.mark.parametrize("text", OTHERS)
def test_other_words_are_not(text: str) -> None:
    assert directive_strength(text) < MIN_STRENGTH


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_each_is_found_by_a_word_of_the_list(text: str) -> None:
    """Without vectors the full-text index finds them by these words."""
    held = {stem_english(token) for token in text_tokens(text)} | set(index_terms(text).split())
    assert held & ({stem_english(word) for word in DIRECTIVE_WORDS.words} | set(DIRECTIVE_WORDS.terms))


@given(st.text())
def test_any_text_has_a_strength(text: str) -> None:
    assert 0 <= directive_strength(text) <= 1


def test_only_a_users_words_to_an_agent_instruct() -> None:
    said = Evidence(
        id="1",
        session_id="s",
        episode_id="e",
        event_id="v",
        seq=0,
        kind=EventKind.PROMPT,
        time=datetime(2026, 1, 1, tzinfo=UTC),
        text="Always water the ferns.",
        start=0,
        end=23,
    )

    assert is_directive(said)
    assert not is_directive(attrs.evolve(said, kind=EventKind.RESPONSE))
    assert not is_directive(attrs.evolve(said, speaker="Ann"))
