"""What a document is, by its bytes first."""

import re
from enum import Enum

_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_HTML_SUFFIXES = (".html", ".htm", ".xhtml")
_MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdx", ".mkd")
SNIFFED_BYTES = 4096


class Format(Enum):
    """How bytes are read."""

    PDF = "pdf"
    EPUB = "epub"
    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"


def format_of(head: bytes, *, name: str = "", content_type: str = "") -> Format:
    """
    Return how to read a document that begins with *head*.

    Args:
        head: Its first `SNIFFED_BYTES`.
        name: Its file name or the path of its address.
        content_type: What the server calls it; believed only about text.
    """
    if b"%PDF-" in head[:1024]:
        return Format.PDF
    if head.startswith(b"PK\x03\x04"):
        return Format.EPUB
    name, content_type = name.lower(), content_type.lower()
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")) or name.endswith(_HTML_SUFFIXES) or "html" in content_type:
        return Format.HTML
    if name.endswith(_MARKDOWN_SUFFIXES) or "markdown" in content_type:
        return Format.MARKDOWN
    return Format.TEXT
