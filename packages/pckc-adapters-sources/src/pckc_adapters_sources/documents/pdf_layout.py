"""The reading order of a page, and its headings, paragraphs, code and tables."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

import attrs

from pckc_adapters_sources.documents.pdf_page import HYPHEN, Box, Run, rules_of, runs_of
from pckc_adapters_sources.documents.pdf_tables import Table, aligned_tables, ruled_tables

if TYPE_CHECKING:
    from pypdfium2 import PdfPage  # type: ignore[import-untyped]  # it has no types

Piece = Run | Table

_HEADING_SIZES = ((1.6, "# "), (1.3, "## "), (1.12, "### "))
_LONGEST_HEADING = 200
_BULLET = re.compile(r"([•◦▪‣●○■–—*-]|\(?\d{1,3}[.)]|\(?[a-zа-я]\))(?=\s+\S)")
_SIGNS = "•◦▪‣●○■"
_NARROWEST_COLUMN = 8.0
"""Of type sizes: narrower columns are bullets, numbers or cells."""
_SHORT_LINE = 5
"""Characters: too few to tell by their widths what they are set in, such as ``}``."""
_SENTENCE_ENDS = (".", "!", "?", ":", "…")
_DEEPEST = 100
_DEEPEST_INDENT = 3.0
"""Of type sizes: text that begins farther to the side does not stand under a heading of its own size."""


def page_markdown(page: "PdfPage", letters: Counter[float]) -> str:
    """
    Return the text of *page* as Markdown.

    Args:
        page: An open page.
        letters: How many letters of each type size stand on the pages before; this page's are added.
    """
    level, upright = rules_of(page)
    runs = runs_of(page, upright)
    if not runs:
        return ""
    for run in runs:
        letters[round(run.size, 1)] += len(run.text)
    body_size = max(letters, key=lambda size: (letters[size], -size))
    tables, rest = ruled_tables(runs, level, upright)
    blocks = [block for group in _in_reading_order([*rest, *tables], 0) for block in _group_blocks(group, body_size)]
    return "\n\n".join(blocks)


def _in_reading_order(pieces: Sequence[Piece], depth: int) -> list[list[Piece]]:
    """Return groups of pieces: column by column where a gutter parts them, else from top to bottom."""
    pieces = _with_tables(pieces)
    if depth < _DEEPEST and (columns := _halves(pieces, upright=True)):
        first, second = columns[::-1] if _reads_leftwards(pieces) else columns
        return [*_in_reading_order(first, depth + 1), *_in_reading_order(second, depth + 1)]
    if depth < _DEEPEST and (halves := _halves(pieces, upright=False)):
        upper, lower = (_in_reading_order(half, depth + 1) for half in halves)
        if len(upper) > 1 or len(lower) > 1:
            return [*upper, *lower]
        return [[*upper[0], *lower[0]]]
    return [list(pieces)]


def _with_tables(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces with runs that stand in rows and columns made into tables."""
    tables, rest = aligned_tables([piece for piece in pieces if isinstance(piece, Run)])
    return [*rest, *tables, *(piece for piece in pieces if isinstance(piece, Table))]


def _halves(pieces: Sequence[Piece], *, upright: bool) -> tuple[list[Piece], list[Piece]] | None:
    """Return the pieces on the two sides of the widest gap; ``None`` when there is none wide enough."""
    if len(pieces) < 2:
        return None
    size = median(piece.size for piece in pieces)
    extent = _across if upright else _down
    ordered = sorted(pieces, key=lambda piece: extent(piece.box))
    best, at, reach = 0.0, 0, extent(ordered[0].box)[1]
    for index, piece in enumerate(ordered[1:], 1):
        start, end = extent(piece.box)
        if start - reach > best and (not upright or _are_columns(ordered[:index], ordered[index:], size)):
            best, at = start - reach, index
        reach = max(reach, end)
    if best < (0.8 if upright else 0.2) * size:
        return None
    return ordered[:at], ordered[at:]


def _across(box: Box) -> tuple[float, float]:
    return box.left, box.right


def _down(box: Box) -> tuple[float, float]:
    return -box.top, -box.bottom


def _are_columns(left: Sequence[Piece], right: Sequence[Piece], size: float) -> bool:
    """Return whether both sides of a gap hold text of their own: no bullets or numbers beside it, no code with room."""
    if all(isinstance(piece, Run) and piece.is_monospaced for piece in (*left, *right)):
        return False
    for side in (left, right):
        if max(piece.box.width for piece in side) < _NARROWEST_COLUMN * size:
            return False
    rows = [len({round(piece.box.middle / size) for piece in side}) for side in (left, right)]
    return min(rows) >= 2 or any(isinstance(piece, Table) for piece in (*left, *right))


def _reads_leftwards(pieces: Sequence[Piece]) -> bool:
    letters = "".join(piece.text for piece in pieces if isinstance(piece, Run))[:2000]
    return _leftward(letters) > len(letters) * 0.3


def _leftward(text: str) -> int:
    """Return the number of Hebrew and Arabic letters."""
    return sum("\u0590" <= letter <= "\u08ff" or "\ufb1d" <= letter <= "\ufeff" for letter in text)


@attrs.frozen
class _Line:
    """The runs of one line, joined."""

    text: str
    box: Box
    baseline: float
    size: float
    is_monospaced: bool

    @property
    def type(self) -> tuple[bool, int]:
        """Return what it is set in."""
        return self.is_monospaced, round(self.size)


def _group_blocks(pieces: Sequence[Piece], body_size: float) -> Iterator[str]:
    """Yield the Markdown blocks of a group that is read from top to bottom."""
    lines = list(_lines(pieces))
    block: list[_Line] = []
    text = [line for line in lines if isinstance(line, _Line)]
    pitches, edges = _pitches(text), _edges(text)
    for line in lines:
        if isinstance(line, Table):
            yield from _block(block, body_size)
            yield line.markdown()
            block = []
        elif not block or not _continues(block, line, pitches, body_size):
            yield from _block(block, body_size)
            block = [line]
        elif _ends_before(block, line, edges, body_size):
            start = _last_start(block, edges)
            yield from _block(block[:start], body_size)
            yield from _block(block[start:], body_size)
            block = [line]
        else:
            block.append(line)
    yield from _block(block, body_size)


def _lines(pieces: Sequence[Piece]) -> Iterator[_Line | Table]:
    """Yield the lines and tables from top to bottom, runs of one height joined."""
    row: list[Run] = []
    for piece in sorted(pieces, key=lambda piece: (-_height(piece), piece.box.left)):
        if row and (isinstance(piece, Table) or row[0].baseline - piece.baseline > 0.5 * max(row[0].size, 1)):
            yield _line(row)
            row = []
        if isinstance(piece, Table):
            yield piece
        else:
            row.append(piece)
    if row:
        yield _line(row)


def _height(piece: Piece) -> float:
    return piece.box.middle if isinstance(piece, Table) else piece.baseline


def _line(row: list[Run]) -> _Line:
    text = "".join(run.text for run in row)
    row = sorted(row, key=lambda run: run.box.left, reverse=_leftward(text) > len(text) * 0.3)
    box = row[0].box
    for run in row[1:]:
        box = box.around(run.box)
    largest = max(row, key=lambda run: run.size)
    monospaced = all(run.is_monospaced for run in row)
    text = _spaced(row) if monospaced else " ".join(run.text.rstrip() for run in row)
    return _Line(text, box, largest.baseline, largest.size, monospaced)


def _spaced(row: Sequence[Run]) -> str:
    """Return runs of a monospaced line with as many spaces between them as there is room for."""
    text = row[0].text
    for one, other in pairwise(row):
        width = other.box.width / max(len(other.text), 1) or 1
        text += " " * max(1, round((other.box.left - one.box.right) / width)) + other.text
    return text


def _pitches(lines: Sequence[_Line]) -> dict[tuple[bool, int], float]:
    """Return the usual distance of lines that follow each other, for each type."""
    steps: dict[tuple[bool, int], list[float]] = {}
    for one, other in pairwise(lines):
        step = one.baseline - other.baseline
        if one.type == other.type and 0 < step < 2.2 * one.size:
            steps.setdefault(one.type, []).append(step)
    return {type_: median(found) for type_, found in steps.items()}


def _continues(block: Sequence[_Line], line: _Line, pitches: dict[tuple[bool, int], float], body_size: float) -> bool:
    """Return whether *line* belongs to *block*."""
    last = block[-1]
    step = last.baseline - line.baseline
    if block[0].is_monospaced and (line.is_monospaced or len(line.text) <= _SHORT_LINE):
        return step < 3.2 * line.size
    alike = last.is_monospaced == line.is_monospaced and abs(last.size - line.size) < 0.08 * body_size
    pitch = pitches.get(line.type, 1.35 * line.size)
    return alike and step < max(1.25 * pitch, 1.25 * line.size) and not _BULLET.match(line.text)


def _edges(lines: Sequence[_Line]) -> dict[tuple[bool, int], float]:
    """Return how far to the right the lines of each type reach."""
    edges: dict[tuple[bool, int], float] = {}
    for line in lines:
        edges[line.type] = max(edges.get(line.type, line.box.right), line.box.right)
    return edges


def _ends_before(
    block: Sequence[_Line], line: _Line, edges: Mapping[tuple[bool, int], float], body_size: float
) -> bool:
    """
    Return whether *block*, set like the text below it, ends before *line*: a heading, an entry, a name of something.

    Running text goes on in a new line only where the next word has no room before the right edge. So a line that is
    broken earlier ends there, if what follows begins a sentence; one that ends a sentence parts itself.
    """
    last = block[-1]
    is_large = last.size >= _HEADING_SIZES[-1][0] * body_size  # a large heading may be broken where it looks well
    if is_large or last.is_monospaced or abs(last.box.left - line.box.left) > _DEEPEST_INDENT * line.size:
        return False
    begins = next((letter for letter in line.text if letter.isalnum()), "").isupper()
    return begins and last.text[-1:].isalnum() and _has_room(last, line, edges)


def _last_start(block: Sequence[_Line], edges: Mapping[tuple[bool, int], float]) -> int:
    """Return where the last lines of *block* begin: behind one that ends a sentence, and before the right edge."""
    ends = (
        index
        for index in range(len(block) - 1, 0, -1)
        if block[index - 1].text.endswith(_SENTENCE_ENDS) and _has_room(block[index - 1], block[index], edges)
    )
    return next(ends, 0)


def _has_room(line: _Line, below: _Line, edges: Mapping[tuple[bool, int], float]) -> bool:
    """Return whether the first word of the line *below* has room behind *line*."""
    word = below.text.split(" ", 1)[0]
    room = below.box.width * (len(word) + 1) / max(1, len(below.text))
    return line.box.right + room < edges[line.type]


def _block(lines: Sequence[_Line], body_size: float) -> Iterator[str]:
    if not lines:
        return
    if lines[0].is_monospaced and (len(lines) > 1 or re.search(r"[=(){};$/<>]", lines[0].text)):
        yield _code(lines)
        return
    text = joined(line.text for line in lines)
    if not text:
        return
    size = max(line.size for line in lines)
    mark = next((mark for times, mark in _HEADING_SIZES if size >= times * body_size), "")
    if mark and len(text) <= _LONGEST_HEADING:
        yield mark + text
    else:
        yield f"- {text[1:].lstrip()}" if text[0] in _SIGNS else text


def joined(lines: Iterable[str]) -> str:
    """Return lines as one, the words that line ends part made whole."""
    text = ""
    for line in lines:
        line = " ".join(line.split())
        if text.endswith(HYPHEN):
            keeps = "-" in text.split(" ")[-1] or not line[:1].islower()
            text = text.removesuffix(HYPHEN) + ("-" if keeps else "") + line
        elif text.endswith("-") and text[-2:-1].isalpha() and line[:1].islower():
            keeps = "-" in text.split(" ")[-1][:-1]
            text = (text if keeps else text[:-1]) + line
        else:
            text = f"{text} {line}".strip()
    return text.removesuffix(HYPHEN) + "-" if text.endswith(HYPHEN) else text


def _code(lines: Sequence[_Line]) -> str:
    """Return lines of code, indented as they stand, with blank lines where there is room for them."""
    left = min(line.box.left for line in lines)
    widths = [line.box.width / len(line.text) for line in lines if len(line.text) > 3]
    width = median(widths) if widths else lines[0].size * 0.6
    pitch = _pitches(lines).get(lines[0].type, lines[0].size * 1.2)
    out: list[str] = []
    for index, line in enumerate(lines):
        if index and lines[index - 1].baseline - line.baseline > 1.6 * pitch:
            out.append("")
        out.append(" " * round((line.box.left - left) / width) + line.text.replace(HYPHEN, "-").rstrip())
    return "\n".join(["```", *out, "```"])
