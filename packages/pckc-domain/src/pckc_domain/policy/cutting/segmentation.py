"""
Paragraphs: a code file as functions and classes, prose as headed sections.

Sections tile the text: every non-blank line belongs to exactly one, in order, with its exact line range.
"""

import re
from collections.abc import Iterator, Sequence

import attrs

from pckc_domain.policy.cutting.code_languages import CONTAINERS
from pckc_domain.policy.cutting.code_outline import Definition
from pckc_domain.policy.cutting.markdown_outline import Block, BlockKind
from pckc_domain.policy.cutting.source_text import SourceText, Span
from pckc_domain.policy.tokens import count_tokens

LONG_CONTAINER_LINES = 80
"""A class longer than this yields its header and each of its methods."""

MAX_SECTION_LINES = 400
MAX_SECTION_TOKENS = 4_000
MAX_LOOSE_LINES = 60
"""Longest run of code outside definitions, cut at blank lines."""

SHORT_LEAD_LINES = 2
"""This many lines directly above a definition belong to it."""

MAX_PROSE_TOKENS = 1_000
LOOSE_PROSE_CHARACTERS = 240
"""Paragraphs outside sections are joined until they are this long."""

MAX_SYMBOLS = 40

_CODE_SPAN = re.compile(r"`([A-Za-z_][\w.:/-]{1,60})(?:\(\))?`")


@attrs.frozen
class Section:
    """
    A paragraph before it has an id.

    Attributes:
        first: First line, from 1.
        last: Last line, inclusive.
        text: Those lines; a part of the one line where a huge line is cut.
        heading: Qualified name (code) or text of the heading (prose); ``""`` outside both.
        path: Names or headings around it and its own, outermost first.
        symbols: Names defined in it (code) or set as code (prose).
    """

    first: int
    last: int
    text: str
    heading: str = ""
    path: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


def segment_code(source: SourceText, definitions: Sequence[Definition]) -> list[Section]:
    """Return the sections of a program; *definitions* are in order, outer before inner."""
    return list(_tile(source, definitions, 0, len(definitions), 1, source.line_count, None))


def segment_prose(source: SourceText, blocks: Sequence[Block]) -> list[Section]:
    """Return the sections of a text: one for each heading, or runs of paragraphs where there is none."""
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    first = 1
    start = 0
    for index, block in enumerate(blocks):
        if block.kind is not BlockKind.HEADING:
            continue
        if (index > start and any(part.kind is not BlockKind.HEADING for part in blocks[start:index])) or (
            index > start and block.level <= blocks[index - 1].level
        ):
            sections += _prose(source, blocks[start:index], first, block.first - 1, path)
            first, start = block.first, index
        while path and path[-1][0] >= block.level:
            path.pop()
        path.append((block.level, block.label))
    if start < len(blocks):
        sections += _prose(source, blocks[start:], first, source.line_count, path)
    return sections


def _prose(
    source: SourceText, blocks: Sequence[Block], first: int, last: int, path: list[tuple[int, str]]
) -> Iterator[Section]:
    headings = tuple(label for _, label in path if label)
    heading = headings[-1] if headings else ""
    ranges = [(first, last)] if headings else _runs(source, blocks)
    for begin, end in ranges:
        for span in _bounded(source, begin, end, MAX_PROSE_TOKENS, MAX_SECTION_LINES):
            symbols = tuple(dict.fromkeys(_CODE_SPAN.findall(span.text)))[:MAX_SYMBOLS] if "`" in span.text else ()
            yield Section(span.first, span.last, span.text, heading, headings, symbols)


def _runs(source: SourceText, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Group blocks outside sections into ranges long enough to stand alone."""
    first = blocks[0].first
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        size = source.start_of(block.last + 1) - source.start_of(first)
        if following is None or (size >= LOOSE_PROSE_CHARACTERS and following.kind is not BlockKind.ITEM):
            yield first, block.last
            first = following.first if following else 0


def _tile(
    source: SourceText,
    definitions: Sequence[Definition],
    begin: int,
    end: int,
    first: int,
    last: int,
    around: Definition | None,
) -> Iterator[Section]:
    """Tile the lines ``first..last`` with the definitions ``begin..end`` and what lies between them."""
    at = first
    index = begin
    while index < end:
        definition = definitions[index]
        inner = index + 1
        while inner < end and definitions[inner].start <= definition.end:
            inner += 1
        start = max(at, definition.first)
        if start <= definition.end and definition.start <= last:
            loose = source.trim(at, start - 1)
            if loose and loose[1] == start - 1 and loose[1] - loose[0] < SHORT_LEAD_LINES:
                start = loose[0]  # `if …:` or a constant right above it
            else:
                yield from _loose(source, at, start - 1, around)
            at = min(definition.end, last) + 1
            at = _with_closing(source, at, last, definitions[inner].first if inner < end else last + 1)
            is_long = at - start > LONG_CONTAINER_LINES and definition.kind in CONTAINERS
            if is_long and inner > index + 1:
                yield from _tile(source, definitions, index + 1, inner, start, at - 1, definition)
            else:
                # a class and its first method may be one section
                head = [around.name] if around is not None and start <= around.start else []
                names = [
                    definition.qualified_name,
                    *head,
                    *(found.name for found in definitions[index + 1 : inner][:MAX_SYMBOLS]),
                ]
                yield from _named(source, start, at - 1, definition, tuple(dict.fromkeys(names))[:MAX_SYMBOLS])
        index = inner
    yield from _loose(source, at, last, around)


def _with_closing(source: SourceText, at: int, last: int, limit: int) -> int:
    """Take lines that only close brackets or blocks to the definition above them."""
    if at <= last and at < limit and source.line(at).strip() in _CLOSING:
        trimmed = source.trim(at + 1, min(last, limit - 1))
        if trimmed is None:
            return at + 1
    return at


_CLOSING = frozenset(("}", "};", "})", "});", "end", ")", "]", "),", "},"))


def _named(
    source: SourceText, first: int, last: int, definition: Definition, symbols: tuple[str, ...]
) -> Iterator[Section]:
    heading = definition.qualified_name
    path = (*definition.scope, definition.name)
    for span in _bounded(source, first, last, MAX_SECTION_TOKENS, MAX_SECTION_LINES):
        yield Section(span.first, span.last, span.text, heading, path, symbols)


def _loose(source: SourceText, first: int, last: int, around: Definition | None) -> Iterator[Section]:
    """Cut code between definitions."""
    for span in _bounded(source, first, last, MAX_PROSE_TOKENS, MAX_LOOSE_LINES):
        if around is None:
            yield Section(span.first, span.last, span.text)
        else:
            path = (*around.scope, around.name)
            symbols = (around.name,) if span.first <= around.start <= span.last else ()
            yield Section(span.first, span.last, span.text, around.qualified_name, path, symbols)


def _bounded(source: SourceText, first: int, last: int, max_tokens: int, max_lines: int) -> Iterator[Span]:
    trimmed = source.trim(first, last)
    if trimmed is None:
        return
    first, last = trimmed
    text = source.lines(first, last)
    # no character weighs more than two tokens
    if last - first < max_lines and (len(text) * 2 <= max_tokens or count_tokens(text) <= max_tokens):
        yield Span(first, last, text)
    else:
        yield from source.pieces(first, last, max_tokens=max_tokens, max_lines=max_lines)
