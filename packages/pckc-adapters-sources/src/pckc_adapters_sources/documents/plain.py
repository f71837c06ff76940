"""Markdown and text."""

import re

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import DocumentKind
from pckc_domain.policy.document_parts import markdown_parts, text_parts, title_of_markdown

from pckc_adapters_sources.documents.parsed import Parsed
from pckc_adapters_sources.repository.decoding import decode

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_MOST_CONTROL = 0.02
"""Text in which more of the characters are control characters is none."""


def read_markdown(data: bytes) -> Parsed:
    """Return the parts of Markdown, by heading."""
    text = decoded(data)
    return Parsed(kind=DocumentKind.MARKDOWN, title=title_of_markdown(text), parts=markdown_parts(text))


def read_text(data: bytes) -> Parsed:
    """Return the paragraphs of a text."""
    return Parsed(kind=DocumentKind.TEXT, parts=text_parts(decoded(data).replace("\f", "\n\n")))


def decoded(data: bytes) -> str:
    """
    Return the text of *data*, whatever its encoding.

    Raises:
        InvalidInputError: It is no text.
    """
    found = decode(data)
    if found is None or len(_CONTROL.findall(found.text[:100_000])) > _MOST_CONTROL * len(found.text):
        raise InvalidInputError(
            "This is no text, HTML, Markdown, PDF or EPUB", remedy="Convert it to one of these, or pass its text"
        )
    return found.text
