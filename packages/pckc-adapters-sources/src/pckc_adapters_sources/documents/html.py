"""HTML: its charset, its main content, its parts."""

import re
from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import DocumentKind
from pckc_domain.policy.document_parts import markdown_parts, one_line

from pckc_adapters_sources.documents.errors import missing, without_text
from pckc_adapters_sources.documents.parsed import Parsed
from pckc_adapters_sources.documents.plain import decoded

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.-]{1,40})", re.I)
_XML_ENCODING = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w:.-]{1,40})", re.I)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
"""What a page says first, and is no longer true of its text."""
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DECLARED_WITHIN = 4096
_AROUND = (
    ".//nav | .//header[not(ancestor::article)] | .//footer | .//aside | .//form | .//script | .//style | .//noscript"
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "head")
_HIDDEN = ".//*[@hidden or @aria-hidden='true' or contains(translate(@style, ' ', ''), 'display:none')]"
MOST_ELEMENTS = 50_000
"""Of larger pages, lists of links and one-page manuals, all is kept: looking for the main content takes long."""
_LITTLE_OF_IT = 0.25
"""When less of the page's text than this is its main content, the content was not found."""


def read_html(data: bytes, *, charset: str = "") -> Parsed:
    """
    Return the main content of a page, by heading or paragraph.

    Args:
        data: The page.
        charset: What the server says.

    Raises:
        InvalidInputError: There is no text in it.
        ConfigurationError: A library is not installed.
    """
    try:
        import trafilatura  # noqa: F401 - asked for here, so that a missing one gives a clear error
        from lxml import html
        from lxml.etree import ParserError
    except ImportError as error:
        raise missing("trafilatura") from error
    text = text_of(data, charset)
    try:
        tree = html.document_fromstring(text)
    except ParserError as error:
        raise without_text("This page") from error
    _drop_unwritable(tree)
    markdown, title, date, notes = _main_content(tree)
    parts = markdown_parts(markdown)
    if not parts:
        raise without_text("This page", remedy="It may be drawn by a script: pass its text as a snippet instead")
    return Parsed(kind=DocumentKind.WEB, title=title, parts=parts, published_at=date, notes=notes)


def text_of(data: bytes, charset: str = "") -> str:
    """Return a page as text: what the server says of its charset comes before what the page says."""
    head = data[:_DECLARED_WITHIN]
    found = _META_CHARSET.search(head) or _XML_ENCODING.search(head)
    try:
        text = decoded(data, charset, found[1].decode("ascii") if found else "")
    except InvalidInputError:
        text = decoded(data.replace(b"\0", b""))  # browsers pass over NULs
    return _DECLARATION.sub("", text, count=1)


def _main_content(tree: "HtmlElement") -> tuple[str, str, datetime | None, tuple[str, ...]]:
    """Return the main content as Markdown, the title, the date, and notes."""
    import trafilatura
    from lxml import etree
    from trafilatura.settings import Document

    from pckc_adapters_sources.documents.markdown import markdown_of

    title, date = one_line(tree.findtext(".//title") or ""), None
    etree.strip_elements(tree, "script", "style", "template", with_tail=False)
    for element in tree.xpath(_HIDDEN):
        if element.getparent() is not None:
            element.drop_tree()
    _mark_languages(tree)
    whole, note = _letters(tree), "the main content was not told from the rest of the page"
    if sum(1 for _ in tree.iter()) <= MOST_ELEMENTS:
        document = trafilatura.bare_extraction(
            deepcopy(tree), include_comments=False, include_formatting=True, favor_recall=True, with_metadata=True
        )
        if isinstance(document, Document):
            title, date = one_line(document.title or "") or title, _date(document.date)
            is_main = _letters(document.body) >= _LITTLE_OF_IT * whole
            if is_main and (_has_headings(document.body) or not _has_headings(tree)):
                return markdown_of(document.body), title, date, ()
            note = "" if is_main else note  # of short pages, it keeps the words without their headings
    for element in tree.xpath(_AROUND):
        if element.getparent() is not None:
            element.drop_tree()
    return markdown_of(body_of(tree)), title, date, tuple(filter(None, [note]))


def _drop_unwritable(tree: "HtmlElement") -> None:
    """Drop the characters that lxml reads, such as from ``&#65535;``, and refuses to write: trafilatura writes."""
    for element in tree.iter():
        for name in ("text", "tail"):
            text = getattr(element, name)
            if text and _UNWRITABLE.search(text):
                setattr(element, name, _UNWRITABLE.sub("", text))


def _has_headings(tree: "HtmlElement") -> bool:
    return (
        next((element for element in tree.iter(*_HEADINGS) if element.get("rend") or element.tag != "head"), None)
        is not None
    )


def _mark_languages(tree: "HtmlElement") -> None:
    """Write the language of code before it: trafilatura drops the classes that name it."""
    from pckc_adapters_sources.documents.markdown import language_of

    for code in tree.iter("pre"):
        language = language_of(code)
        if language:
            inner = code.find("code")
            first = code if inner is None else inner
            first.text = f"\ue000{language}\ue001{first.text or ''}"


def body_of(tree: "HtmlElement") -> "HtmlElement":
    """Return the body of a page, or all of one that has none."""
    body = tree.find("body")
    return tree if body is None else body


def _letters(tree: "HtmlElement") -> int:
    return sum(len(piece.strip()) for piece in tree.itertext())


def _date(text: str | None) -> datetime | None:
    with suppress(ValueError, TypeError):
        return datetime.fromisoformat(text or "").replace(tzinfo=UTC)
    return None
