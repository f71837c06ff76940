"""Bytes to a document's text, whatever they are."""

from pckc_adapters_sources.documents.kinds import SNIFFED_BYTES, Format, format_of
from pckc_adapters_sources.documents.parsed import Parsed
from pckc_adapters_sources.documents.plain import read_markdown, read_text
from pckc_adapters_sources.documents.settings import DocumentSettings


def parse(
    data: bytes, settings: DocumentSettings, *, name: str = "", content_type: str = "", charset: str = ""
) -> Parsed:
    """
    Return the text of *data*; the arguments are as for `format_of` and `read_html`.

    Raises:
        InvalidInputError: It cannot be read, or has no text.
        ConfigurationError: A library is not installed.
    """
    match format_of(data[:SNIFFED_BYTES], name=name, content_type=content_type):
        case Format.PDF:
            from pckc_adapters_sources.documents.pdf import read_pdf  # libraries are loaded when they are needed

            return read_pdf(data, max_pages=settings.max_pages)
        case Format.EPUB:
            from pckc_adapters_sources.documents.epub import read_epub

            return read_epub(data, max_unpacked_bytes=settings.max_unpacked_bytes)
        case Format.HTML:
            from pckc_adapters_sources.documents.html import read_html

            return read_html(data, charset=charset)
        case Format.MARKDOWN:
            return read_markdown(data, charset=charset)
        case Format.TEXT:
            return read_text(data, charset=charset)
