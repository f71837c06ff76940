"""Tests of line ranges."""

from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.cutting.source_text import SourceText
from pckc_domain.policy.tokens import count_tokens

TEXTS = st.lists(st.sampled_from(["", " ", "\t", "a", "слово", "x = 1", "\x0c", "\u2028", "b" * 60, "\r"])).map(
    "\n".join
)


@given(TEXTS)
def test_lines_are_those_of_split(text: str) -> None:
    source = SourceText(text)
    lines = text.split("\n")
    assert [source.line(number) for number in range(1, source.line_count + 1)] == lines
    assert source.lines(1, source.line_count) == text
    for offset in range(len(text)):
        assert source.line_at(offset) == text.count("\n", 0, offset) + 1
    for number in range(1, source.line_count + 1):
        assert text[source.start_of(number) : source.end_of(number)] == lines[number - 1]


@given(TEXTS)
def test_trim_drops_blank_lines_only(text: str) -> None:
    source = SourceText(text)
    wanted = [number for number in range(1, source.line_count + 1) if source.line(number).strip()]
    assert source.trim(1, source.line_count) == ((wanted[0], wanted[-1]) if wanted else None)


@given(TEXTS, st.integers(2, 40), st.integers(1, 6))
def test_pieces_tile_the_range_within_their_limits(text: str, max_tokens: int, max_lines: int) -> None:
    source = SourceText(text)
    pieces = list(source.pieces(1, source.line_count, max_tokens=max_tokens, max_lines=max_lines))
    for piece in pieces:
        assert count_tokens(piece.text) <= max_tokens
        assert piece.last - piece.first < max_lines
        assert piece.text.strip()
    whole = [piece for piece in pieces if piece.text == source.lines(piece.first, piece.last)]
    parts = [piece for piece in pieces if piece not in whole]
    held = [number for piece in whole for number in range(piece.first, piece.last + 1)]
    assert held == sorted(set(held))
    assert all(piece.first == piece.last for piece in parts)
    for number in {piece.first for piece in parts}:
        assert number not in held
        assert "".join(piece.text for piece in parts if piece.first == number).split() == source.line(number).split()
    for number in range(1, source.line_count + 1):
        if source.line(number).strip():
            assert number in held or any(piece.first == number for piece in parts)


def test_pieces_prefer_a_blank_line() -> None:
    text = "\n".join(["a"] * 7 + [""] + ["b"] * 7)
    pieces = list(SourceText(text).pieces(1, 15, max_tokens=100, max_lines=10))
    assert [(piece.first, piece.last) for piece in pieces] == [(1, 7), (9, 15)]
