"""Chunks: windows of surrounding context along paragraph borders."""

from collections.abc import Iterator, Sequence
from itertools import chain

import attrs

from pckc_domain.policy.cutting.segmentation import Section
from pckc_domain.policy.cutting.source_text import SourceText
from pckc_domain.policy.tokens import count_tokens

TARGET_TOKENS = 1_000
"""Paragraphs are packed up to this size, and longer ones cut to it."""

MAX_TOKENS = 1_200
"""No chunk is larger: a paragraph up to this size stays whole."""

MAX_GAP_LINES = 8
MAX_SYMBOLS = 40


@attrs.frozen
class Window:
    """
    A chunk before it has an id.

    Attributes:
        first: First line, from 1.
        last: Last line, inclusive.
        text: Those lines; a part of the one line where a huge line is cut.
        heading: Headings or qualified name it begins under.
        symbols: Names defined in its paragraphs.
    """

    first: int
    last: int
    text: str
    heading: str
    symbols: tuple[str, ...]


def chunk(source: SourceText, sections: Sequence[Section]) -> list[Window]:
    """Return windows of at most ``MAX_TOKENS`` that hold every section, in order; sections are in order."""
    return list(_chunk(source, sections))


def _chunk(source: SourceText, sections: Sequence[Section]) -> Iterator[Window]:
    pending: list[Section] = []
    tokens = 0
    for section in sections:
        size = count_tokens(section.text)
        gap = 0
        is_part = len(section.text) != source.end_of(section.last) - source.start_of(section.first)
        if pending:
            apart = section.first - pending[-1].last
            # a gap is blank, but its blanks count as tokens too
            between = source.text[source.end_of(pending[-1].last) : source.start_of(section.first)] if apart > 0 else ""
            gap = count_tokens(between)
            if is_part or tokens + gap + size > TARGET_TOKENS or not 0 < apart <= MAX_GAP_LINES:
                yield _window(source, pending)
                pending, tokens, gap = [], 0, 0
        if size > MAX_TOKENS:
            yield from _cut(source, section)
        elif is_part:
            yield _window(source, [section])
        else:
            pending.append(section)
            tokens += gap + size
    if pending:
        yield _window(source, pending)


def _window(source: SourceText, sections: list[Section]) -> Window:
    first, last = sections[0].first, sections[-1].last
    text = sections[0].text if len(sections) == 1 else source.lines(first, last)
    symbols = dict.fromkeys(chain.from_iterable(section.symbols for section in sections))
    return Window(first, last, text, _heading(sections[0]), tuple(symbols)[:MAX_SYMBOLS])


def _cut(source: SourceText, section: Section) -> Iterator[Window]:
    if section.first == section.last:
        inner = SourceText(section.text)
        for span in inner.pieces(1, 1, max_tokens=TARGET_TOKENS, max_lines=1):
            yield Window(section.first, section.last, span.text, _heading(section), section.symbols)
        return
    lines = section.last - section.first + 1
    for span in source.pieces(section.first, section.last, max_tokens=TARGET_TOKENS, max_lines=lines):
        yield Window(span.first, span.last, span.text, _heading(section), section.symbols)


def _heading(section: Section) -> str:
    """Word the place of a section: ``A > B`` for headings, the qualified name for code."""
    if section.heading and section.path and section.path[-1] != section.heading:
        return section.heading
    return " > ".join(section.path) or section.heading
