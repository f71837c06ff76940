"""Document versions, and everything that goes with one: passages and queue entries."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pckc_domain.model.document import Document
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.passage import (
    Chunk,
    DocumentContent,
    Layer,
    Paragraph,
    Passage,
    Proposition,
    Summary,
    layer_of,
)
from pckc_domain.policy.naming import names_of
from pckc_domain.ports.canonical import DocumentRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.curated import PostgresDistillations
from pckc_adapters_postgres.fulltext import vector
from pckc_adapters_postgres.outbox import PostgresOutbox
from pckc_adapters_postgres.values import clean, dump, load

PASSAGES_HELD = 1_000
"""How many passages wait for each other, to be written with few statements."""

_COLUMNS = (
    "scope_key",
    "document_key",
    "is_stale",
    "layer",
    "kind",
    "id",
    "ordinal",
    "digest",
    "names",
    "data",
    "words",
)

_INSERT = """
    INSERT INTO document (scope_key, id, uri, is_stale, was_held, indexed_at, counts, data)
    SELECT
        %(scope)s, id, uri, false,
        EXISTS (SELECT 1 FROM manifest WHERE scope_key = %(scope)s AND document_id = given.id),
        indexed_at, counts::integer[], data
    FROM unnest(%(ids)s::text[], %(uris)s::text[], %(times)s::timestamptz[], %(counts)s::text[], %(data)s::json[])
        AS given (id, uri, indexed_at, counts, data)
    ON CONFLICT DO NOTHING RETURNING id, key
"""
_GET = "SELECT data, is_stale FROM document WHERE scope_key = %s AND id = ANY(%s) ORDER BY id"
_AT = """
    SELECT data, is_stale FROM document WHERE scope_key = %s AND uri = %s ORDER BY is_stale, indexed_at DESC, id
"""
_DELETE = "DELETE FROM document WHERE scope_key = %s AND id = ANY(%s) RETURNING id"
_MARK = """
    UPDATE document SET is_stale = %s WHERE scope_key = %s AND id = ANY(%s) AND is_stale <> %s RETURNING key, id
"""
_MARK_PASSAGES = "UPDATE passage SET is_stale = %s WHERE document_key = ANY(%s)"


class PostgresDocuments(DocumentRepository):
    """Document versions of one scope."""

    def __init__(
        self, connection: Connection, scope_key: int, outbox: PostgresOutbox, distillations: PostgresDistillations
    ) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._outbox = outbox
        self._distillations = distillations
        self._held: dict[str, DocumentContent] = {}
        self._passages_held = 0

    def put(self, content: DocumentContent, /) -> None:
        """See the port."""
        if not self._held:
            self._connection.hold(self._write)
        self._held.setdefault(content.document.id, content)
        self._passages_held += len(content.passages)
        if self._passages_held >= PASSAGES_HELD:
            self._connection.release()

    def _write(self) -> None:
        """Write the versions put since the last statement."""
        held, self._held, self._passages_held = self._held, {}, 0
        documents = [content.document for content in held.values()]
        numbers = [Counter(map(layer_of, content.passages)) for content in held.values()]
        values = {
            "scope": self._scope_key,
            "ids": list(held),
            "uris": [clean(document.uri) for document in documents],
            "times": [document.indexed_at for document in documents],
            "counts": [[number[layer] for layer in Layer] for number in numbers],
            "data": [*map(dump, documents)],
        }
        keys: dict[str, int] = dict(self._connection.change(_INSERT, values))
        made = [id_ for id_ in held if id_ in keys]
        rows = (
            (self._scope_key, keys[id_], False, *passage_row(passage, self._scope_key))
            for id_ in made
            for passage in held[id_].passages
        )
        self._connection.insert("passage", _COLUMNS, rows)
        self._outbox.append(OutboxKind.DOCUMENT, made, OutboxOperation.UPSERT)
        if known := held.keys() - keys.keys():
            self.mark(known, is_stale=False)

    def get(self, document_ids: Sequence[str], /) -> Sequence[Document]:
        """See the port."""
        return [document(*row) for row in self._connection.rows(_GET, (self._scope_key, list(document_ids)))]

    def at(self, uri: str, /) -> Sequence[Document]:
        """See the port."""
        return [document(*row) for row in self._connection.rows(_AT, (self._scope_key, clean(uri)))]

    def retire(self, document_ids: Sequence[str], /) -> None:
        """See the port."""
        self.mark(document_ids, is_stale=True)

    def remove(self, document_ids: Iterable[str], /) -> None:
        """See the port."""
        gone = sorted(id_ for (id_,) in self._connection.change(_DELETE, (self._scope_key, list(document_ids))))
        self._distillations.remove_with(gone)
        self._outbox.append(OutboxKind.DOCUMENT, gone, OutboxOperation.DELETE)

    def mark(self, document_ids: Iterable[str], *, is_stale: bool) -> None:
        """Make known versions stale or fresh; those that are already so are left alone."""
        changed = self._connection.change(_MARK, (is_stale, self._scope_key, list(document_ids), is_stale))
        self._connection.run(_MARK_PASSAGES, (is_stale, [key for key, _ in changed]))
        self._outbox.append(OutboxKind.DOCUMENT, sorted(id_ for _, id_ in changed), OutboxOperation.UPSERT)


def document(data: Any, is_stale: bool) -> Document:
    """Read the columns data and is_stale."""
    return load({**data, "is_stale": is_stale}, Document)


def passage_row(passage: Passage, scope_key: int) -> Row:
    """Columns layer to words of a passage."""
    layer = layer_of(passage)
    kind = str(getattr(passage, "type", "") or getattr(passage, "level", ""))
    names, texts = _fields(passage)
    words = vector(names=names, texts=(passage.text, *texts), terms=passage.terms, marks=(f"{scope_key}", layer))
    return (
        layer.value,
        kind,
        passage.id,
        passage.ordinal,
        passage.digest,
        [clean(name) for name in sorted(names_of(passage))],
        dump(passage),
        words,
    )


def _fields(passage: Passage) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what names what a passage speaks of, and what it says besides its text."""
    match passage:
        case Chunk():
            return (passage.heading, " ".join(passage.symbols)), (passage.module, " ".join(passage.tags))
        case Paragraph():
            return (passage.section_heading, " ".join(passage.symbol_names)), (passage.summary,)
        case Proposition():
            return (passage.subject,), ()
        case Summary():
            return (" ".join(passage.key_symbols),), (passage.purpose,)
        case _:
            raise TypeError(type(passage))
