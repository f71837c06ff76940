"""A verdict as seen from either of its claims."""

import pytest
from pckc_mcp.curated_forms import verdict_text


@pytest.mark.parametrize(
    ("kind", "other", "seen_from", "text"),
    [
        ("corroborates", "b", "a", "corroborates b"),
        ("corroborates", "b", "b", "corroborated by a"),
        ("duplicate", "b", "b", "repeated by a"),
        ("contradicts", "b", "b", "contradicted by a"),
        ("new", "", "a", "new"),
    ],
)
def test_it_names_the_other_claim(kind: str, other: str, seen_from: str, text: str) -> None:
    assert verdict_text({"claim": "a", "other": other, "verdict": kind}, seen_from) == text
