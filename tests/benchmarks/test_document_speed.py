"""Speed of reading documents, beside what the libraries underneath take alone."""

import os
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pypdf
import pypdfium2
import pytest
from lxml import html
from pckc_adapters_sources.backend import DOCUMENTS
from pckc_adapters_sources.documents.html import read_html
from pckc_adapters_sources.documents.pdf import read_pdf
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, Preformatted, SimpleDocTemplate, Table

pytestmark = pytest.mark.bench

PAGE_LIMIT_MS = 30.0
"""CPU time a page of a PDF."""

LINKS_LIMIT_SECONDS = 2.0
"""CPU time of a page of 50,000 links."""

START_LIMIT_SECONDS = 1.0
"""CPU time to read a page in a process of its own."""

SENTENCE = "The service keeps every message until it has been read by each of the subscribers. "


def manual(chapters: int = 40) -> bytes:
    """Return a PDF with prose, a table and code in each chapter."""
    styles = getSampleStyleSheet()
    rows = [["name", "value", "unit"], *[[f"limit {number}", str(number), "s"] for number in range(12)]]
    story: list[object] = []
    for number in range(chapters):
        story += [Paragraph(f"Chapter {number}", styles["Heading1"]), *[Paragraph(SENTENCE * 12) for _ in range(5)]]
        story += [Table(rows, style=[("GRID", (0, 0), (-1, -1), 1, colors.black)])]
        story += [Preformatted("def wait(seconds):\n    time.sleep(seconds)\n" * 6, styles["Code"])]
    file = BytesIO()
    SimpleDocTemplate(file).build(story)
    return file.getvalue()


def cpu_seconds(run: Callable[[], object]) -> float:
    """Return the least CPU time of three runs."""
    times = []
    for _ in range(3):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def plain_pdfium(data: bytes) -> list[str]:
    """Return the text of each page as PDFium gives it."""
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data)]


def plain_pypdf(data: bytes) -> list[str]:
    """Return the text of each page as pypdf gives it."""
    return [page.extract_text() for page in pypdf.PdfReader(BytesIO(data)).pages]


def test_pages_of_a_pdf() -> None:
    data = manual()
    pages = len(plain_pdfium(data))
    ours, pdfium, other = (
        1000 * cpu_seconds(run) / pages
        for run in (lambda: read_pdf(data, max_pages=999), lambda: plain_pdfium(data), lambda: plain_pypdf(data))
    )
    beside = f"PDFium's text alone {pdfium:.1f}, pypdf {other:.1f}"
    print(f"\nPDF, {pages} pages: {ours:.1f} ms a page (limit {PAGE_LIMIT_MS:.0f}), {beside}")  # noqa: T201


def test_a_page_of_50_000_links() -> None:
    links = "".join(f'<li><a href="/{number}">entry {number}</a></li>' for number in range(50_000))
    page = f"<html><body><h1>All entries</h1><ul>{links}</ul></body></html>"
    ours, parsed = cpu_seconds(lambda: read_html(page.encode())), cpu_seconds(lambda: html.document_fromstring(page))
    print(f"\n50,000 links: {ours:.2f} s (limit {LINKS_LIMIT_SECONDS:.0f}), lxml alone {parsed:.2f}")  # noqa: T201


def test_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<html><body><h1>Rules</h1><p>{SENTENCE}</p></body></html>")
    with DOCUMENTS.open(DOCUMENTS.settings(folders=(str(tmp_path),))) as source:
        before = children()
        source.read(str(path))
        apart = children() - before
    here = cpu_seconds(lambda: read_html(path.read_bytes()))
    print(f"\nA page, apart: {apart:.2f} s (limit {START_LIMIT_SECONDS:.0f}), in this process {here:.3f}")  # noqa: T201


def children() -> float:
    """Return the CPU time of the processes that were waited for."""
    times = os.times()
    return times.children_user + times.children_system
