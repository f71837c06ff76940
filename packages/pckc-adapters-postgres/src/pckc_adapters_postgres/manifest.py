"""What each checkout holds, and what becomes of versions that no checkout holds any more."""
# ruff: noqa: S608 - what is put together here are constants and names of ours

from collections.abc import Iterable, Sequence

from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.scope import Checkout
from pckc_domain.ports.canonical import ManifestRepository

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.documents import PostgresDocuments
from pckc_adapters_postgres.values import as_json, clean, load

_CHECKOUTS = "SELECT data FROM checkout WHERE scope_key = %s ORDER BY id"
_RECORD = """
    INSERT INTO checkout (scope_key, id, data) VALUES (%s, %s, %s)
    ON CONFLICT (scope_key, id) DO UPDATE SET data = excluded.data
"""
_COLUMNS = "path, size_bytes, mtime_ns, content_hash, document_id, skipped"
_ENTRIES = f"SELECT {_COLUMNS} FROM manifest WHERE scope_key = %s AND checkout_id = %s ORDER BY path"
_ENTRIES_AT = f"""
    SELECT {_COLUMNS} FROM manifest WHERE scope_key = %s AND checkout_id = %s AND path = ANY(%s) ORDER BY path
"""
_PUT = f"""
    INSERT INTO manifest (scope_key, checkout_id, {_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (scope_key, checkout_id, path) DO UPDATE SET
        size_bytes = excluded.size_bytes, mtime_ns = excluded.mtime_ns, content_hash = excluded.content_hash,
        document_id = excluded.document_id, skipped = excluded.skipped
"""
_DELETE = "DELETE FROM manifest WHERE scope_key = %s AND checkout_id = %s AND path = ANY(%s)"
_AT = """
    SELECT document_id FROM manifest
    WHERE scope_key = %s AND checkout_id = %s AND path = ANY(%s) AND document_id IS NOT NULL
"""
_EVER_AT = "SELECT id FROM document WHERE scope_key = %s AND was_held AND uri = ANY(%s)"
_HELD = "SELECT DISTINCT document_id FROM manifest WHERE scope_key = %s AND document_id = ANY(%s)"
_MARK_HELD = "UPDATE document SET was_held = true WHERE scope_key = %s AND NOT was_held AND id = ANY(%s)"


class PostgresManifest(ManifestRepository):
    """The manifest of one scope."""

    def __init__(self, connection: Connection, scope_key: int, documents: PostgresDocuments) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._documents = documents

    def checkouts(self) -> Sequence[Checkout]:
        """See the port."""
        return [load(data, Checkout) for (data,) in self._connection.rows(_CHECKOUTS, (self._scope_key,))]

    def record(self, checkout: Checkout, /) -> None:
        """See the port."""
        self._connection.run(_RECORD, (self._scope_key, checkout.id, as_json(checkout)))

    def entries(self, checkout_id: str, /, *, paths: Sequence[str] | None = None) -> Sequence[ManifestEntry]:
        """See the port."""
        if paths is None:
            found = self._connection.rows(_ENTRIES, (self._scope_key, checkout_id))
        else:
            found = self._connection.rows(_ENTRIES_AT, (self._scope_key, checkout_id, [*map(clean, paths)]))
        return [
            ManifestEntry(
                path=path,
                size_bytes=size,
                mtime_ns=mtime,
                content_hash=content_hash,
                document_id=document_id,
                skipped=skipped,
            )
            for path, size, mtime, content_hash, document_id, skipped in found
        ]

    def put(self, checkout_id: str, entries: Sequence[ManifestEntry], /) -> None:
        """See the port."""
        newest = {clean(entry.path): entry for entry in entries}
        before = self._at(checkout_id, newest)
        at = (self._scope_key, checkout_id)
        rows = [
            (*at, path, each.size_bytes, each.mtime_ns, each.content_hash, each.document_id, clean(each.skipped))
            for path, each in newest.items()
        ]
        self._connection.run_many(_PUT, rows)
        named = {entry.document_id for entry in newest.values() if entry.document_id is not None}
        self._connection.run(_MARK_HELD, (self._scope_key, list(named)))
        self._documents.mark(named, is_stale=False)
        self._documents.mark(self._unheld(before), is_stale=True)

    def remove(self, checkout_id: str, paths: Sequence[str], /) -> None:
        """See the port."""
        paths = [clean(path) for path in paths]
        ever = self._connection.rows(_EVER_AT, (self._scope_key, paths))
        versions = self._at(checkout_id, paths) | {id_ for (id_,) in ever}
        self._connection.run(_DELETE, (self._scope_key, checkout_id, paths))
        self._documents.remove(self._unheld(versions))

    def _at(self, checkout_id: str, paths: Iterable[str]) -> set[str]:
        """Return the versions the checkout holds at *paths*."""
        return {id_ for (id_,) in self._connection.rows(_AT, (self._scope_key, checkout_id, list(paths)))}

    def _unheld(self, versions: set[str]) -> set[str]:
        """Return those of *versions* that no checkout holds."""
        return versions - {id_ for (id_,) in self._connection.rows(_HELD, (self._scope_key, list(versions)))}
