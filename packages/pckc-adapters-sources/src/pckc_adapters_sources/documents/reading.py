"""A file's or an answer's bytes to the document that the port gives back."""

import hashlib
from pathlib import Path

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.source import SourceDocument

from pckc_adapters_sources.documents.errors import too_large, without_text
from pckc_adapters_sources.documents.parsed import Parsed
from pckc_adapters_sources.documents.parsing import parse
from pckc_adapters_sources.documents.settings import DocumentSettings


def read_file(path: Path, settings: DocumentSettings) -> SourceDocument:
    """
    Return the document in the file at *path*, which may be read.

    Raises:
        InvalidInputError: It cannot be read, is too large, or has no text.
    """
    try:
        with path.open("rb") as file:
            data = file.read(settings.max_bytes + 1)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror}", remedy="Check the path") from error
    if len(data) > settings.max_bytes:
        raise too_large(str(path), settings.max_bytes, "max_bytes")
    return document_of(data, parse(data, settings, name=path.name), uri=path.as_uri(), settings=settings)


def document_of(
    data: bytes, parsed: Parsed, *, uri: str, settings: DocumentSettings, fetched_from: str = ""
) -> SourceDocument:
    """
    Return the document that *data* was parsed to.

    Raises:
        InvalidInputError: It has no text, or too much.
    """
    parts = tuple(part for part in parsed.parts if part.text.strip())
    if not parts:
        raise without_text(uri)
    if sum(len(part.text) for part in parts) > settings.max_text_characters:
        raise too_large(f"The text of {uri}", settings.max_text_characters, "max_text_characters", unit="characters")
    return SourceDocument(
        uri=uri,
        kind=parsed.kind,
        title=parsed.title,
        parts=parts,
        content_hash=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
        published_at=parsed.published_at,
        fetched_from=fetched_from,
        notes=parsed.notes,
    )
