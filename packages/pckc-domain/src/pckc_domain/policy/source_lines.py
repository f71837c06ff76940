"""A source document as one text: which line stands at which place, and where a quote stands."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.document import Document, DocumentKind, SourceClass, document_id
from pckc_domain.model.passage import Chunk, Layer, Passage, layer_of
from pckc_domain.model.scope import Scope
from pckc_domain.model.source import SourceDocument, SourcePart

SOURCE_CLASSES: Mapping[DocumentKind, SourceClass] = {
    DocumentKind.WEB: SourceClass.WEB,
    DocumentKind.MARKDOWN: SourceClass.MARKDOWN,
    DocumentKind.PDF: SourceClass.NOTE,
    DocumentKind.EPUB: SourceClass.NOTE,
    DocumentKind.TEXT: SourceClass.NOTE,
}
"""What a document that was ingested is worth as a source."""


@attrs.frozen(kw_only=True)
class SourceLines:
    """
    The text of a document.

    Attributes:
        text: Its parts, a blank line between two.
        starts: The first line of each part, from 1, ascending.
        places: The place of each part.
    """

    text: str
    starts: tuple[int, ...]
    places: tuple[str, ...]

    @classmethod
    def of(cls, parts: Sequence[SourcePart]) -> "SourceLines":
        """Join *parts*."""
        starts, line = [], 1
        for part in parts:
            starts.append(line)
            line += part.text.count("\n") + 2
        return cls(
            text="\n\n".join(part.text for part in parts),
            starts=tuple(starts),
            places=tuple(part.place for part in parts),
        )

    def place_at(self, line: int) -> str:
        """Return the place of *line*, from 1."""
        return self.places[max(0, bisect_right(self.starts, line) - 1)]


def version_of(scope: Scope, source: SourceDocument, recipe: str, read_at: datetime) -> Document:
    """Return the document version that *source* is, cut by *recipe*."""
    return Document(
        id=document_id(scope, source.uri, source.content_hash, recipe),
        uri=source.uri,
        kind=source.kind,
        source=SOURCE_CLASSES[source.kind],
        content_hash=source.content_hash,
        blob_hash="",
        size_bytes=source.size_bytes,
        title=source.title,
        indexed_at=read_at,
    )


class PlacesOfLines:
    """Where the lines of a document stand, known from its passages: each knows the place of its first line."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        starts = {
            one.start_line: one.place
            for one in sorted(passages, key=lambda one: one.id)
            if layer_of(one) in (Layer.PARAGRAPH, Layer.CHUNK)
        }
        self._lines = sorted(starts)
        self._places = [starts[line] for line in self._lines]

    def of_quote(self, chunk: Chunk, quote: str) -> str | None:
        """Return the place at which *quote* begins in *chunk*; ``None`` when the chunk does not have it."""
        found = find_quote(chunk.text, quote)
        return None if found is None else self.at(chunk, found[0])

    def at(self, chunk: Chunk, start: int) -> str:
        """Return the place of the character *start* of the text of *chunk*."""
        line = chunk.start_line + chunk.text.count("\n", 0, start)
        at = bisect_right(self._lines, line)
        return self._places[at - 1] if at else chunk.place


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return start and end of *quote* in *text*, whatever the white space between its words; ``None`` without it."""
    words = quote.split()
    if not words:
        return None
    exact = text.find(quote)
    if exact >= 0:
        return exact, exact + len(quote)
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    return match.span() if match else None
