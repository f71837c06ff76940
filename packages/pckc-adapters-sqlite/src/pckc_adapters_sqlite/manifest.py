"""What each checkout holds, and what becomes of versions that no checkout holds any more."""

from collections.abc import Iterable, Sequence

from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.scope import Checkout
from pckc_domain.ports.canonical import ManifestRepository

from pckc_adapters_sqlite import queries, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.documents import SqliteDocuments


class SqliteManifest(ManifestRepository):
    """The manifest of one scope."""

    def __init__(self, connection: Connection, scope_key: int, documents: SqliteDocuments) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._documents = documents

    def checkouts(self) -> Sequence[Checkout]:
        """See the port."""
        return [rows.checkout(row) for row in self._connection.rows(queries.CHECKOUTS, (self._scope_key,))]

    def record(self, checkout: Checkout, /) -> None:
        """See the port."""
        self._connection.run(queries.RECORD_CHECKOUT, (self._scope_key, *rows.checkout_row(checkout)))

    def entries(self, checkout_id: str, /, *, paths: Sequence[str] | None = None) -> Sequence[ManifestEntry]:
        """See the port."""
        values: tuple[int | str, ...] = (self._scope_key, checkout_id)
        sql = queries.ENTRIES
        if paths is not None:
            sql, values = queries.ENTRIES_AT, (*values, rows.array(map(rows.clean, paths)))
        return [rows.entry(row) for row in self._connection.rows(sql, values)]

    def put(self, checkout_id: str, entries: Sequence[ManifestEntry], /) -> None:
        """See the port."""
        connection, scope = self._connection, self._scope_key
        newest = {rows.clean(entry.path): entry for entry in entries}
        before = self._at(checkout_id, newest)
        connection.run_many(queries.PUT_ENTRY, [(scope, checkout_id, *rows.entry_row(e)) for e in newest.values()])
        named = {entry.document_id for entry in newest.values() if entry.document_id is not None}
        connection.run(queries.MARK_HELD, (scope, rows.array(named)))
        self._documents.mark(named, is_stale=False)
        self._documents.mark(self._unheld(before), is_stale=True)

    def remove(self, checkout_id: str, paths: Sequence[str], /) -> None:
        """See the port."""
        paths = [rows.clean(path) for path in paths]
        ever = self._connection.rows(queries.VERSIONS_EVER_AT_PATHS, (self._scope_key, rows.array(paths)))
        versions = self._at(checkout_id, paths) | {id_ for (id_,) in ever}
        self._connection.run(queries.DELETE_ENTRIES, (self._scope_key, checkout_id, rows.array(paths)))
        self._documents.remove(self._unheld(versions))

    def _at(self, checkout_id: str, paths: Iterable[str]) -> set[str]:
        """Return the versions the checkout holds at *paths*."""
        found = self._connection.rows(queries.VERSIONS_AT_PATHS, (self._scope_key, checkout_id, rows.array(paths)))
        return {id_ for (id_,) in found}

    def _unheld(self, versions: set[str]) -> set[str]:
        """Return those of *versions* that no checkout holds."""
        held = self._connection.rows(queries.HELD_VERSIONS, (self._scope_key, rows.array(versions)))
        return versions - {id_ for (id_,) in held}
