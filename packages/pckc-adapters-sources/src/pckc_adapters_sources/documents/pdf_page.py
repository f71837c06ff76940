"""What stands on a page of a PDF: runs of text with their boxes, and ruled lines."""

import ctypes
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from pypdfium2 import PdfPage  # type: ignore[import-untyped]  # it has no types

_GUTTER = 1.0
"""A gap within a line of so many times the type size parts columns, or the cells of a table."""
_LINE_END_HYPHENS = frozenset((0x02, 0xFFFE, 0xAD))
HYPHEN = "\u00ad"
_MONOSPACED = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|fixed|code", re.IGNORECASE)
_MOST_SEGMENTS = 20_000
_MOST_RULES = 1_000
_STRAIGHT = 1.5
_SHORTEST_RULE = 4.0


@attrs.frozen
class Box:
    """A rectangle in points; the origin is the page's lower left corner."""

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

    A hyphen that only parts a word at the end of the line is written as `HYPHEN`. *size* is the type size in points.
    """

    text: str
    box: Box
    size: float
    is_monospaced: bool = False


def runs_of(page: "PdfPage", uprights: Sequence[Box] = ()) -> list[Run]:
    """Return the page's runs of text in the order of the file; *uprights* are rules that part them."""
    from pypdfium2 import raw

    text_page = page.get_textpage()
    count = text_page.count_chars()
    box = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = map(ctypes.byref, box)
    found: list[Run] = []
    letters: list[str] = []
    bounds: Box | None = None
    last: Box | None = None
    size = 0.0
    monospaced = False

    def end() -> None:
        nonlocal bounds, last
        text = "".join(letters).rstrip()
        if bounds and text.strip():
            found.append(Run(text if monospaced else " ".join(text.split(" ")), bounds, size, monospaced))
        letters.clear()
        bounds = last = None

    for index in range(count):
        code = raw.FPDFText_GetUnicode(text_page, index)
        if code in (10, 13):
            end()
        elif code in (32, 0xA0, 9):
            letters.append(" ")
        elif code:
            if not raw.FPDFText_GetCharBox(text_page, index, left, right, bottom, top):
                continue
            here = Box(box[0].value, box[2].value, box[1].value, box[3].value)
            if last is not None and _is_elsewhere(last, here, size, uprights):
                end()
            if bounds is None:
                letters.clear()
                size = raw.FPDFText_GetFontSize(text_page, index) or 1.0
                size = _seen_size(text_page, index, size)
                monospaced = _is_monospaced(text_page, index)
            letters.append(HYPHEN if code in _LINE_END_HYPHENS else _letter(code))
            bounds = bounds.around(here) if bounds else here
            last = here
    end()
    text_page.close()
    return found


def _letter(code: int) -> str:
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _is_elsewhere(last: Box, here: Box, size: float, uprights: Sequence[Box]) -> bool:
    """Return whether the letter in *here* does not continue the run that ends with *last*."""
    gap = max(here.left - last.right, last.left - here.right)
    if gap > _GUTTER * size or min(abs(here.bottom - last.bottom), abs(here.middle - last.middle)) > 0.6 * size:
        return True
    if gap <= 0 or not uprights:
        return False
    start, end = sorted((last.right, here.left))
    return any(start <= rule.right and rule.left <= end and rule.bottom <= here.middle <= rule.top for rule in uprights)


def _seen_size(text_page: object, index: int, size: float) -> float:
    """Return the type size as it is seen: a page may scale what it says."""
    from pypdfium2 import raw

    box = raw.FS_RECTF()
    if raw.FPDFText_GetLooseCharBox(text_page, index, ctypes.byref(box)) and box.top > box.bottom:
        height = box.top - box.bottom
        return height / 1.2 if size < height / 3 or size > height * 3 else size
    return size


def _is_monospaced(text_page: object, index: int) -> bool:
    from pypdfium2 import raw

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
    from pypdfium2 import raw

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
