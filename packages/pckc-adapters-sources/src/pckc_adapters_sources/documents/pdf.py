"""PDF: one part for each page that has text."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import DocumentKind
from pckc_domain.model.source import SourcePart
from pckc_domain.policy.document_parts import one_line

from pckc_adapters_sources.documents.cleaning import clean
from pckc_adapters_sources.documents.errors import missing, without_text
from pckc_adapters_sources.documents.parsed import Parsed

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]  # it has no types

_REPAIR = "Repair it first, such as with qpdf, or fetch it again"
_NO_TITLES = ("untitled", "(anonymous)", "anonymous")
_HEADING = re.compile(r"^#+ (.+)$", re.M)
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_FEWEST_RUNNING = 3
"""Pages that a line must stand on to be a running one."""
_LONGEST_RUNNING = 120
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?(?:([+-])(\d\d)'?(\d\d)|Z)?")


def read_pdf(data: bytes, *, max_pages: int) -> Parsed:
    """
    Return the text of up to *max_pages* pages.

    Raises:
        InvalidInputError: It needs a password, is damaged beyond repair, or none of its pages has text.
        ConfigurationError: pypdfium2 is not installed.
    """
    document = _opened(data)
    count = len(document)
    read = min(count, max_pages)
    letters: Counter[float] = Counter()
    pages, blank, damaged = [], 0, 0
    for number in range(1, read + 1):
        text = _page(document, number, letters)
        if text is None:
            damaged += 1
        elif text:
            pages.append(SourcePart(place=f"page={number}", text=text))
        else:
            blank += 1
    pages = _without_running_lines(pages)
    if not pages and damaged:
        raise InvalidInputError("The pages of this PDF are damaged", remedy=_REPAIR)
    if not pages:
        raise without_text("This PDF", remedy="Its pages are pictures: run it through OCR first, such as ocrmypdf")
    notes = (
        f"{blank} of {count} pages have no text" if blank else "",
        f"{damaged} of {count} pages are damaged" if damaged else "",
        f"only the first {read} of {count} pages were read" if read < count else "",
    )
    about = document.get_metadata_dict()
    return Parsed(
        kind=DocumentKind.PDF,
        title=_title(about.get("Title", ""), pages),
        parts=tuple(pages),
        published_at=_date(about.get("ModDate", "") or about.get("CreationDate", "")),
        notes=tuple(filter(None, notes)),
    )


def _opened(data: bytes) -> "PdfDocument":
    try:
        from pypdfium2 import PdfDocument, PdfiumError
        from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY  # type: ignore[import-untyped]  # no types
    except ImportError as error:
        raise missing("pypdfium2") from error
    try:
        return PdfDocument(data)
    except PdfiumError as error:
        if error.err_code == FPDF_ERR_PASSWORD:
            raise InvalidInputError(
                "This PDF needs a password", remedy="Remove the password first, such as with qpdf --decrypt"
            ) from error
        if error.err_code == FPDF_ERR_SECURITY:
            raise InvalidInputError(
                "This PDF is protected in a way that cannot be read", remedy="Save it without protection first"
            ) from error
        raise InvalidInputError(f"This PDF is damaged: {error}", remedy=_REPAIR) from error


def _page(document: "PdfDocument", number: int, letters: Counter[float]) -> str | None:
    """Return the text of a page; ``None`` when it is damaged."""
    from pypdfium2 import PdfiumError

    from pckc_adapters_sources.documents.pdf_layout import page_markdown

    try:
        page = document[number - 1]
    except PdfiumError:
        return None
    try:
        return clean(page_markdown(page, letters)).strip()
    except PdfiumError:
        return None
    finally:
        page.close()


def _title(said: str, pages: Sequence[SourcePart]) -> str:
    """Return the title that the file gives itself, else its first heading."""
    title = one_line(clean(said))
    if title and title.lower() not in _NO_TITLES:
        return title
    heading = _HEADING.search(pages[0].text)
    return one_line(heading[1]) if heading else ""


def _without_running_lines(pages: list[SourcePart]) -> list[SourcePart]:
    """Return the pages without the first and last blocks that most of them share, numbers apart."""
    split = [page.text.split("\n\n") for page in pages]
    fewest = max(_FEWEST_RUNNING, len(pages) / 2)
    found = [Counter(_likeness(blocks[end]) for blocks in split) for end in (0, -1)]
    running = [{line for line, count in counted.items() if line and count >= fewest} for counted in found]
    kept: list[SourcePart] = []
    for page, blocks in zip(pages, split, strict=True):
        start = 1 if _likeness(blocks[0]) in running[0] else 0
        end = len(blocks) - (1 if _likeness(blocks[-1]) in running[1] else 0)
        text = "\n\n".join(blocks[start:end])
        kept.append(SourcePart(place=page.place, text=text) if text else page)
    return kept


def _likeness(block: str) -> str:
    """Return *block* with all numbers alike; ``""`` for one that is no running line: a heading, or too long."""
    return _NUMBER.sub("*", block) if len(block) <= _LONGEST_RUNNING and block[0] != "#" else ""


def _date(text: str) -> datetime | None:
    """Return the time that a PDF writes as ``D:20240501120000+02'00'``."""
    match = _DATE.match(text)
    if not match:
        return None
    year, month, day, hour, minute, second, sign, hours, minutes = match.groups()
    zone = f"{sign}{hours}:{minutes}" if sign else "+00:00"
    with suppress(ValueError):
        at = datetime.fromisoformat(f"{year}-{month}-{day}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}")
        return at.astimezone(UTC)
    return None
