"""Markdown and text."""

import codecs
import re
from collections.abc import Sequence
from contextlib import suppress

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import DocumentKind
from pckc_domain.policy.document_parts import markdown_parts, text_parts, title_of_markdown

from pckc_adapters_sources.documents.parsed import Parsed
from pckc_adapters_sources.repository.decoding import decode

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_AS_BROWSERS_READ = {"iso8859-1": "cp1252", "ascii": "cp1252"}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_MOST_CONTROL = 0.02
"""Text in which more of the characters are control characters is none."""
_SAMPLE = 100_000


def read_markdown(data: bytes, *, charset: str = "") -> Parsed:
    """Return the parts of Markdown, by heading; *charset* is what a server says."""
    text = decoded(data, charset)
    return Parsed(kind=DocumentKind.MARKDOWN, title=title_of_markdown(text), parts=markdown_parts(text))


def read_text(data: bytes, *, charset: str = "") -> Parsed:
    """Return the paragraphs of a text; *charset* is what a server says."""
    return Parsed(kind=DocumentKind.TEXT, parts=text_parts(decoded(data, charset).replace("\f", "\n\n")))


def decoded(data: bytes, *charsets: str) -> str:
    """
    Return the text of *data*: a byte order mark decides, then the first of *charsets* that fits, then a guess.

    Raises:
        InvalidInputError: It is no text.
    """
    text = None if data.startswith(_MARKS) else _declared(data, charsets)
    if text is None:
        found = decode(data)
        text = found.text if found else "\0"
    if len(_CONTROL.findall(text[:_SAMPLE])) > _MOST_CONTROL * len(text[:_SAMPLE]):
        raise InvalidInputError(
            "This is no text, HTML, Markdown, PDF or EPUB", remedy="Convert it to one of these, or pass its text"
        )
    return text


def _declared(data: bytes, charsets: Sequence[str]) -> str | None:
    for name in filter(None, charsets):
        with suppress(LookupError, UnicodeDecodeError):
            codec = codecs.lookup(name).name
            text = data.decode(_AS_BROWSERS_READ.get(codec, codec))
            return text.replace("\r\n", "\n").replace("\r", "\n")
    return None
