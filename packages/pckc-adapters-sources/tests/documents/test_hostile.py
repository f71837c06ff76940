"""Whatever the bytes, a reader gives text or a refusal."""

import zipfile
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_adapters_sources.documents.epub import read_epub
from pckc_adapters_sources.documents.html import read_html
from pckc_adapters_sources.documents.parsed import Parsed
from pckc_adapters_sources.documents.pdf import read_pdf
from pckc_domain.errors import InvalidInputError
from reportlab.pdfgen.canvas import Canvas

TAGS = ("p", "div", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "code", "h1", "h3", "dl", "dt", "dd", "a", "br")
TAGS += ("blockquote", "section", "article", "main", "nav", "span", "script", "head", "caption", "svg", "b")
SNIPPETS = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS]),
    st.sampled_from([f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        ["<!--", "-->", "<![CDATA[", "&lt;", "&#0;", "&#xD800;", "<td colspan=-3>", '<ol start="x">', "\x00", "|"]
    ),
    st.text(max_size=8),
)


def judged(read: Callable[[], Parsed]) -> None:
    """Read; a text has places that are unique, on one line, and parts that are not empty."""
    try:
        parts = read().parts
    except InvalidInputError:
        return
    assert parts
    assert len({part.place for part in parts}) == len(parts)
    assert all(part.text.strip() and "\r" not in part.text and "\n" not in part.place for part in parts)


@settings(deadline=None, max_examples=80)
@given(st.lists(SNIPPETS, max_size=40).map("".join))
def test_pages(page: str) -> None:
    judged(lambda: read_html(page.encode("utf-8", "replace")))


def book() -> bytes:
    """Return a small book, unpacked so that bytes can be changed in it."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("META-INF/container.xml", '<container><rootfile full-path="p.opf"/></container>')
        items = '<item id="n" href="n.xhtml" properties="nav"/><item id="c" href="c.xhtml"/>'
        spine = '<spine><itemref idref="c"/></spine>'
        archive.writestr("p.opf", f"<package><manifest>{items}</manifest>{spine}</package>")
        archive.writestr("n.xhtml", '<html><nav><a href="c.xhtml#x">One</a></nav></html>')
        archive.writestr("c.xhtml", '<html><body><p>Before.</p><h1 id="x">One</h1><p>After.</p></body></html>')
    return file.getvalue()


def drawing() -> bytes:
    """Return a small PDF with a picture, a table's lines and text."""
    file = BytesIO()
    canvas = Canvas(file, invariant=True, pageCompression=0)
    canvas.grid([60, 120, 180], [600, 620, 640])
    for at, word in enumerate(("name", "value", "size", "10")):
        canvas.drawString(65 + 60 * (at % 2), 625 - 20 * (at // 2), word)
    canvas.drawString(60, 500, "A line of words below the table.")
    canvas.save()
    return file.getvalue()


CHANGES = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=12)


def changed(data: bytes, changes: list[tuple[float, int]]) -> bytes:
    """Return *data* with some bytes changed."""
    result = bytearray(data)
    for place, value in changes:
        result[int(place * len(data))] = value
    return bytes(result)


@settings(deadline=None, max_examples=80)
@given(CHANGES)
def test_damaged_books(changes: list[tuple[float, int]]) -> None:
    judged(lambda: read_epub(changed(book(), changes), max_unpacked_bytes=1 << 20))


@settings(deadline=None, max_examples=80)
@given(CHANGES)
def test_damaged_drawings(changes: list[tuple[float, int]]) -> None:
    judged(lambda: read_pdf(changed(drawing(), changes), max_pages=5))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("made", [book, drawing])
def test_cut_files(made: Callable[[], bytes], share: float) -> None:
    data = made()[: int(len(made()) * share)]
    if made is book:
        judged(lambda: read_epub(data, max_unpacked_bytes=1 << 20))
    else:
        judged(lambda: read_pdf(data, max_pages=5))
