"""Document versions, and everything that goes with one: passages, search tables and queue entries."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pckc_domain.model.document import Document
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.passage import DocumentContent, Layer, layer_of
from pckc_domain.ports.canonical import DocumentRepository

from pckc_adapters_sqlite import fts, queries, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.curated import SqliteDistillations
from pckc_adapters_sqlite.outbox import SqliteOutbox


class SqliteDocuments(DocumentRepository):
    """Document versions of one scope."""

    def __init__(
        self, connection: Connection, scope_key: int, outbox: SqliteOutbox, distillations: SqliteDistillations
    ) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._outbox = outbox
        self._distillations = distillations

    def put(self, content: DocumentContent, /) -> None:
        """See the port."""
        connection, scope, document = self._connection, self._scope_key, content.document
        counts = Counter(map(layer_of, content.passages))
        values = (scope, *rows.document_row(document), *(counts[layer] for layer in Layer))
        if not connection.run(queries.INSERT_DOCUMENT, values):
            self.mark([document.id], is_stale=False)
            return
        key = connection.value(queries.DOCUMENT_KEY, (scope, document.id))
        connection.run_many(
            queries.INSERT_PASSAGE, [(scope, key, *rows.passage_row(passage)) for passage in content.passages]
        )
        for layer in counts:
            connection.run(fts.TABLES[layer].insert, (key,))
        self._outbox.append(OutboxKind.DOCUMENT, [document.id], OutboxOperation.UPSERT)

    def get(self, document_ids: Sequence[str], /) -> Sequence[Document]:
        """See the port."""
        found = self._connection.rows(queries.DOCUMENTS, (self._scope_key, rows.array(document_ids)))
        return [rows.document(row) for row in found]

    def at(self, uri: str, /) -> Sequence[Document]:
        """See the port."""
        found = self._connection.rows(queries.VERSIONS, (self._scope_key, rows.clean(uri)))
        return [rows.document(row) for row in found]

    def retire(self, document_ids: Sequence[str], /) -> None:
        """See the port."""
        self.mark(document_ids, is_stale=True)

    def remove(self, document_ids: Iterable[str], /) -> None:
        """See the port."""
        connection = self._connection
        known = connection.rows(queries.KNOWN_DOCUMENTS, (self._scope_key, rows.array(document_ids)))
        keys = [(key,) for key, _ in known]
        for table in fts.TABLES.values():
            connection.run_many(table.delete, keys)
        connection.run_many(queries.DELETE_PASSAGES, keys)
        connection.run_many(queries.DELETE_DOCUMENT, keys)
        self._distillations.remove_with([id_ for _, id_ in known])
        self._outbox.append(OutboxKind.DOCUMENT, [id_ for _, id_ in known], OutboxOperation.DELETE)

    def mark(self, document_ids: Iterable[str], *, is_stale: bool) -> None:
        """Make known versions stale or fresh; those that are already so are left alone."""
        connection, flag = self._connection, int(is_stale)
        changed = connection.rows(queries.DOCUMENTS_TO_MARK, (self._scope_key, flag, rows.array(document_ids)))
        marks = [(flag, key) for key, _ in changed]
        connection.run_many(queries.MARK_DOCUMENT, marks)
        connection.run_many(queries.MARK_PASSAGES, marks)
        self._outbox.append(OutboxKind.DOCUMENT, [id_ for _, id_ in changed], OutboxOperation.UPSERT)
