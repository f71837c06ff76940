"""What stands on a page of a PDF: runs of text with their boxes, and ruled lines."""

import ctypes
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import attrs
from pypdfium2 import raw  # type: ignore[import-untyped]  # it has no types

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_GUTTER = 1.0
"""A gap within a line of so many times the type size parts columns, or the cells of a table."""
_WITHIN_WORDS = 0.15
"""Smaller gaps than so many times the type size are between letters: no rule stands there."""
_LINE_BREAKS = frozenset((10, 13))
_BLANKS = frozenset((9, 32, 0xA0))
_LINE_END_HYPHENS = frozenset((0x02, 0xFFFE, 0xAD))
HYPHEN = "\u00ad"
_MONOSPACED = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|fixed|code", re.IGNORECASE)
_FEWEST_SHAPES = 6
_MEASURED_LETTERS = 24
_MOST_SEGMENTS = 20_000
_MOST_RULES = 1_000
_STRAIGHT = 1.5
_SHORTEST_RULE = 4.0


class Box(NamedTuple):
    """A rectangle in points; the origin is the page's lower left corner. A tuple, since every letter has one."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """Return how wide it is."""
        return self.right - self.left

    @property
    def middle(self) -> float:
        """Return the height of its middle."""
        return (self.top + self.bottom) / 2

    def around(self, other: "Box") -> "Box":
        """Return the smallest box that holds both."""
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )

    def holds(self, other: "Box") -> bool:
        """Return whether the middle of *other* is inside."""
        return self.left <= (other.left + other.right) / 2 <= self.right and self.bottom <= other.middle <= self.top


@attrs.frozen
class Run:
    """
    Text of one line, without a wide gap in it.

    A hyphen that only parts a word at the end of the line is written as `HYPHEN`. *baseline* is the height on which the
    letters stand, *size* the type size in points.
    """

    text: str
    box: Box
    baseline: float
    size: float
    is_monospaced: bool = False


def runs_of(page: "PdfPage", uprights: Sequence[Box] = ()) -> list[Run]:
    """Return the page's runs of text in the order of the file; *uprights* are rules that part them."""
    text_page = page.get_textpage()
    letters = _Letters(text_page.raw, uprights)
    for index in range(text_page.count_chars()):
        letters.add(index)
    letters.end_run()
    text_page.close()
    return letters.runs


class _Letters:
    """The letters of the run that is not over yet, and the runs that are."""

    def __init__(self, text_page: object, uprights: Sequence[Box]) -> None:
        self.runs: list[Run] = []
        self._page = text_page
        self._uprights = uprights
        self._numbers = [ctypes.c_double() for _ in range(4)]
        self._places = [ctypes.byref(number) for number in self._numbers]
        self._text: list[str] = []
        self._drawn: list[int] = []
        self._boxes: list[Box] = []
        self._size = 0.0

    def add(self, index: int) -> None:
        """Add the letter *index* of the page, which may begin another run."""
        code = raw.FPDFText_GetUnicode(self._page, index)
        if code in _LINE_BREAKS:
            self.end_run()
        elif code in _BLANKS:
            self._text.append(" ")
        elif code and raw.FPDFText_GetCharBox(self._page, index, *self._places):
            left, right, bottom, top = self._numbers
            box = Box(left.value, bottom.value, right.value, top.value)
            if self._boxes and _is_elsewhere(self._boxes[-1], box, self._size, self._uprights):
                self.end_run()
            if not self._boxes:
                self._text.clear()
                self._size = _seen_size(self._page, index)
            self._text.append(HYPHEN if code in _LINE_END_HYPHENS else _letter(code))
            self._drawn.append(index)
            self._boxes.append(box)

    def end_run(self) -> None:
        """End the run."""
        if self._boxes:
            drawn = self._drawn
            sample = (drawn[0], drawn[len(drawn) // 2], drawn[-1])
            monospaced = all(_is_monospaced(self._page, index) for index in sample) or self._is_evenly_spaced()
            size = max(_seen_size(self._page, index) for index in sample)
            text = "".join(self._text).rstrip()
            lefts, bottoms, rights, tops = zip(*self._boxes, strict=True)
            box = Box(min(lefts), min(bottoms), max(rights), max(tops))
            self.runs.append(Run(text, box, self._origin(drawn[0])[1], size, monospaced))
        self._text.clear()
        self._drawn.clear()
        self._boxes.clear()

    def _origin(self, index: int) -> tuple[float, float]:
        raw.FPDFText_GetCharOrigin(self._page, index, *self._places[:2])
        return self._numbers[0].value, self._numbers[1].value

    def _is_evenly_spaced(self) -> bool:
        """Return whether letters of several shapes take the same room."""
        if len(set(self._text)) < _FEWEST_SHAPES:
            return False
        places = [(index, self._origin(index)[0]) for index in self._drawn[:_MEASURED_LETTERS]]
        steps = [after - before for (one, before), (other, after) in pairwise(places) if other == one + 1]
        return len(steps) >= _FEWEST_SHAPES and max(steps) - min(steps) < 0.02 * self._size


def _letter(code: int) -> str:
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _is_elsewhere(last: Box, here: Box, size: float, uprights: Sequence[Box]) -> bool:
    """Return whether the letter in *here* does not continue the run that ends with *last*."""
    gap = max(here.left - last.right, last.left - here.right)
    if gap > _GUTTER * size:
        return True
    if abs(here.bottom - last.bottom) > 0.6 * size and abs(here.middle - last.middle) > 0.6 * size:
        return True
    if gap <= _WITHIN_WORDS * size or not uprights:
        return False
    start, end = sorted((last.right, here.left))
    return any(start <= rule.right and rule.left <= end and rule.bottom <= here.middle <= rule.top for rule in uprights)


def _seen_size(text_page: object, index: int) -> float:
    """Return the type size as it is seen: a page may scale what it says."""
    size = raw.FPDFText_GetFontSize(text_page, index) or 1.0
    box = raw.FS_RECTF()
    if raw.FPDFText_GetLooseCharBox(text_page, index, ctypes.byref(box)) and box.top > box.bottom:
        height = box.top - box.bottom
        return float(height / 1.2 if size < height / 3 or size > height * 3 else size)
    return float(size)


def _is_monospaced(text_page: object, index: int) -> bool:
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    raw.FPDFText_GetFontInfo(text_page, index, name, 128, ctypes.byref(flags))
    return bool(flags.value & 1) or _MONOSPACED.search(name.value.decode("latin-1")) is not None


def rules_of(page: "PdfPage") -> tuple[list[Box], list[Box]]:
    """Return the page's level and its upright lines, edges of rectangles among them."""
    level: list[Box] = []
    upright: list[Box] = []
    for (x, y), (to_x, to_y) in _segments(page):
        box = Box(min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y))
        if box.top - box.bottom <= _STRAIGHT and box.width >= _SHORTEST_RULE:
            level.append(box)
        elif box.width <= _STRAIGHT and box.top - box.bottom >= _SHORTEST_RULE:
            upright.append(box)
    return level[:_MOST_RULES], upright[:_MOST_RULES]


Point = tuple[float, float]


def _segments(page: "PdfPage") -> Iterator[tuple[Point, Point]]:
    """Yield the straight strokes of the page's paths."""
    seen = 0
    x, y = ctypes.c_float(), ctypes.c_float()
    for shape in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=1):
        matrix = shape.get_matrix()
        start = last = (0.0, 0.0)
        for index in range(raw.FPDFPath_CountSegments(shape)):
            seen += 1
            if seen > _MOST_SEGMENTS:
                return
            segment = raw.FPDFPath_GetPathSegment(shape, index)
            raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
            here = matrix.on_point(x.value, y.value)
            kind = raw.FPDFPathSegment_GetType(segment)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                start = here
            elif kind == raw.FPDF_SEGMENT_LINETO:
                yield last, here
            last = here
            if raw.FPDFPathSegment_GetClose(segment):
                yield last, start
