"""A chunk as pieces: blocks under their headings, and sentences whose place in the chunk is known."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import attrs

from pckc_domain.model.distillation import DistilledClaim, SourceChunk
from pckc_domain.policy.cutting.markdown_outline import BlockKind, Markup, blocks, plain
from pckc_domain.policy.cutting.prose_statements import ITEM_MARK, QUOTE_MARK, SENTENCE
from pckc_domain.policy.cutting.source_text import SourceText
from pckc_domain.policy.distillation.skipping import is_skipped_section

_KEYED_LINE = re.compile(r"[ \t]*(?:\*\*|__|`)?[^\s:*][^:\n]{0,60}:(?:\*\*|__|`)?[ \t]+\S")
_MARKER_LINE = re.compile(r"[ \t]*(?:\.\. |:\w+:|\[[^\]]+\]:|@@ |\+\+\+ |diff )")
_DRAWING = re.compile(r"[│┌├└─▼▲↗]")


class Found(NamedTuple):
    """A claim and the offset in the chunk where its quote begins."""

    at: int
    claim: DistilledClaim


@attrs.frozen
class Piece:
    """
    A block of a chunk.

    Attributes:
        kind: See `Block`.
        raw: Its characters as the chunk has them.
        at: Offset of its first character in the chunk.
        heading: The heading above it; ``""`` when there is none.
        label: See `Block`.
    """

    kind: BlockKind
    raw: str
    at: int
    heading: str
    label: str


@attrs.frozen
class Sentence:
    """
    A sentence or list item.

    Attributes:
        raw: Its characters as the chunk has them.
        at: Offset of the first one in the chunk.
        text: The same on one line, without marks.
        heading: The heading above it; ``""`` when there is none.
        is_item: Whether it is an item of a list, or a line of its own that reads like one.
    """

    raw: str
    at: int
    text: str
    heading: str
    is_item: bool


def pieces(chunk: SourceChunk, text: str) -> Iterator[Piece]:
    """Yield the blocks that may say something, in order; *text* is the chunk's with some characters blanked."""
    source = SourceText(text)
    heading, skipped_level = chunk.heading, 99 if is_skipped_section(chunk.heading) else 0
    for block in blocks(source, Markup.MARKDOWN):
        if block.kind is BlockKind.HEADING:
            heading = block.label or heading
            if not skipped_level or block.level <= skipped_level:
                skipped_level = block.level if is_skipped_section(block.label) else 0
        elif not skipped_level and block.kind not in (BlockKind.FRONT_MATTER, BlockKind.COMMENT):
            start, end = source.start_of(block.first), source.end_of(block.last)
            yield Piece(block.kind, text[start:end], start, heading, block.label)


def sentences(piece: Piece) -> Iterator[Sentence]:
    """Yield the sentences of a paragraph, quotation or list item, in order."""
    if _MARKER_LINE.match(piece.raw) or _DRAWING.search(piece.raw):
        return
    if piece.kind is BlockKind.ITEM:
        mark = ITEM_MARK.match(piece.raw)
        yield from _sentence(piece, mark.end() if mark else 0, len(piece.raw), is_item=True)
        return
    lines = piece.raw.split("\n")
    if len(lines) > 1 and all(map(_KEYED_LINE.match, lines)):  # a list without marks
        at = 0
        for line in lines:
            yield from _sentence(piece, at, at + len(line), is_item=True)
            at += len(line) + 1
        return
    readable = piece.raw
    if piece.kind is BlockKind.QUOTE:
        readable = QUOTE_MARK.sub(lambda match: " " * len(match[0]), readable)
    for match in SENTENCE.finditer(readable):
        yield from _sentence(piece, match.start(), match.end(), is_item=False)


def _sentence(piece: Piece, start: int, end: int, *, is_item: bool) -> Iterator[Sentence]:
    raw = piece.raw[start:end]
    lead = len(raw) - len(raw.lstrip())
    raw = raw.strip()
    words = QUOTE_MARK.sub("", raw) if piece.kind is BlockKind.QUOTE else raw
    if text := plain(words):
        yield Sentence(raw, piece.at + start + lead, text, piece.heading, is_item)
