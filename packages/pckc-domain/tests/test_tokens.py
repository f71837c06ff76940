"""Tests of the token estimate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.tokens import count_tokens

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT, ANY_TEXT)
def test_what_fits_in_parts_fits_in_one(left: str, right: str) -> None:
    whole = count_tokens(left + right)
    assert max(count_tokens(left), count_tokens(right)) <= whole <= count_tokens(left) + count_tokens(right)


@given(ANY_TEXT)
def test_only_an_empty_text_costs_nothing(text: str) -> None:
    assert (count_tokens(text) == 0) == (text == "")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("The quick brown fox jumps over the lazy dog and runs away from the hunters. ", 3.7, 4.5),
        ("def get(self, key: str) -> int:\n    return self._map[key].value(x=1)\n", 2.6, 3.5),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю. ", 2.0, 2.7),
        ("漢字仮名交じり文", 1.0, 1.0),
    ],
)
def test_characters_a_token(text: str, low: float, high: float) -> None:
    assert low <= len(text * 20) / count_tokens(text * 20) <= high


def test_lone_surrogates_are_counted() -> None:
    assert count_tokens("\ud800") == 1
