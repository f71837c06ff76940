"""Documents as a source reads them: text in parts, each with the place where it stands."""

from datetime import datetime

import attrs

from pckc_domain.model.document import DocumentKind


@attrs.frozen(kw_only=True)
class SourcePart:
    """
    A run of a document's text.

    Attributes:
        place: Where it stands, as a locator names it: ``page=3`` of a PDF, ``section=2 Methods`` of an EPUB,
            ``heading=Install > Linux`` or ``paragraph=4`` elsewhere; unique within the document.
        text: Markdown where the source has structure (headings, lists, tables, code), plain text otherwise; ``\\n`` as
            its only line break, in reading order.
    """

    place: str
    text: str


@attrs.frozen(kw_only=True)
class SourceDocument:
    """
    One version of a document that was read.

    Attributes:
        uri: What it is known by: ``https://…`` as it was asked for, ``file:///…`` resolved, ``text:NAME``.
        kind: How it was read.
        title: Human name; ``""`` when it has none.
        parts: Its text in reading order, never empty.
        content_hash: SHA-256 of the bytes.
        size_bytes: Length of the bytes.
        published_at: When it says that it was written, aware UTC; ``None`` when it does not say.
        fetched_from: The address that answered, after redirects; ``""`` when it was not fetched.
        notes: What a reader of it should know, such as ``2 of 9 pages have no text``.
    """

    uri: str
    kind: DocumentKind
    title: str = ""
    parts: tuple[SourcePart, ...]
    content_hash: str
    size_bytes: int
    published_at: datetime | None = None
    fetched_from: str = ""
    notes: tuple[str, ...] = ()
