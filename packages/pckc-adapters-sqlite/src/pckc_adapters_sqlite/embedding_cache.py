"""What was embedded before, in a file of its own beside the store: it may be deleted at any time."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock

from pckc_domain.errors import BackendError, BackendUnavailableError, PckcError
from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.model.scope import Scope
from pckc_domain.ports.embedding_cache import EmbeddingCache, Remembered

from pckc_adapters_sqlite.connection import Connections, make_folder
from pckc_adapters_sqlite.rows import array, clean

APPLICATION_ID = 0x50434B45  # "PCKE"

# A scope's key is its era: once it is cleared, it gets one that was never used before.
_SCHEMA = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    "CREATE TABLE scope (era INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, project TEXT NOT NULL,"
    " UNIQUE (tenant, project)) STRICT",
    "CREATE TABLE space (key INTEGER PRIMARY KEY, model TEXT NOT NULL, dimensions INTEGER NOT NULL,"
    " metric TEXT NOT NULL, UNIQUE (model, dimensions, metric)) STRICT",
    "CREATE TABLE vector (era INTEGER NOT NULL REFERENCES scope ON DELETE CASCADE, space INTEGER NOT NULL,"
    " digest TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (era, space, digest)) STRICT, WITHOUT ROWID",
)
_ERA = "SELECT era FROM scope WHERE tenant = ? AND project = ?"
_NEW_ERA = "INSERT OR IGNORE INTO scope (tenant, project) VALUES (?, ?)"
_SPACE = "SELECT key FROM space WHERE model = ? AND dimensions = ? AND metric = ?"
_NEW_SPACE = "INSERT OR IGNORE INTO space (model, dimensions, metric) VALUES (?, ?, ?)"
_GET = """
SELECT digest, vector FROM vector WHERE era = ? AND space = ? AND digest IN (SELECT value FROM json_each(?))
"""
_PUT = "INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)"
_CLEAR = "DELETE FROM scope WHERE tenant = ? AND project = ?"
_EVICT = "DELETE FROM vector WHERE random() % 8 = 0"
_USED_BYTES = """
SELECT (pages.page_count - free.freelist_count) * size.page_size
FROM pragma_page_count AS pages, pragma_freelist_count AS free, pragma_page_size AS size
"""


class SqliteEmbeddingCache(EmbeddingCache):
    """
    A cache in one file, which several processes may share.

    When it is full a random eighth goes. Whoever embeds the same texts again in the same order then still finds some of
    them even if all are too many; had those gone that were longest unused, nothing would be left when it is asked for.

    Args:
        connections: To the file; it is made when there is something to keep.
        max_bytes: How large it may grow.
    """

    def __init__(self, connections: Connections, *, max_bytes: int) -> None:
        self._connections = connections
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._is_ready = False

    def get(self, scope: Scope, space: EmbeddingSpace, digests: Collection[str], /) -> Remembered:
        """See the port."""
        with self._usable():
            self._prepare()
            with self._connections.reading() as connection:
                era = connection.value(_ERA, _named(scope))
                key = connection.value(_SPACE, _described(space))
                rows = connection.rows(_GET, (era, key, array(digests)))
            if era is None:
                era = self._begin(scope)
        return Remembered(vectors={key: _vector(stored) for key, stored in rows}, era=era)

    def put(self, scope: Scope, space: EmbeddingSpace, vectors: Mapping[str, Vector], /, *, era: int) -> None:
        """See the port."""
        with self._usable():
            self._prepare()
            with self._connections.writing() as connection:
                if connection.value(_ERA, _named(scope)) != era:
                    return
                connection.run(_NEW_SPACE, _described(space))
                key = connection.value(_SPACE, _described(space))
                connection.run_many(_PUT, [(era, key, digest, vector.tobytes()) for digest, vector in vectors.items()])
                if connection.value(_USED_BYTES) > self._max_bytes:
                    connection.run(_EVICT)

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        with self._usable():
            if not self._connections.path.exists():
                return
            self._prepare()
            with self._connections.writing() as connection:
                connection.run(_CLEAR, _named(scope))
            writer = self._connections.writer()
            try:
                self._connections.retry(lambda: writer.run("VACUUM"))
                if writer.value("PRAGMA wal_checkpoint(TRUNCATE)"):
                    raise BackendUnavailableError("others are reading it")
            finally:
                writer.close()

    def _begin(self, scope: Scope) -> int:
        with self._connections.writing() as connection:
            connection.run(_NEW_ERA, _named(scope))
            era: int = connection.value(_ERA, _named(scope))
        return era

    def _prepare(self) -> None:
        """Make the file, or see that it is one of these, once; one process makes it while others wait."""
        with self._lock:
            if self._is_ready:
                return
            make_folder(self._connections.path.parent)
            writer = self._connections.writer()
            try:
                is_new = not writer.value("SELECT count(*) FROM sqlite_master")
                if not is_new and writer.value("PRAGMA application_id") != APPLICATION_ID:
                    raise BackendError("it is something else")
                self._connections.retry(lambda: writer.run("PRAGMA journal_mode = WAL"))
            finally:
                writer.close()
            with self._connections.writing() as connection:
                if not connection.value("SELECT count(*) FROM sqlite_master"):
                    for statement in _SCHEMA:
                        connection.run(statement)
            self._is_ready = True

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Say of whatever goes wrong that it is the cache, which nobody needs."""
        try:
            yield
        except (PckcError, OSError) as error:
            raise BackendError(
                f"the cache of embeddings cannot be used: {self._connections.path} ({error})",
                remedy="delete that file: it holds nothing that cannot be made again",
            ) from error


def _named(scope: Scope) -> tuple[str, str]:
    return clean(scope.tenant), clean(scope.project)


def _described(space: EmbeddingSpace) -> tuple[str, int, str]:
    return clean(space.model), space.dimensions, space.metric.value


def _vector(stored: bytes) -> Vector:
    vector = Vector("f")
    vector.frombytes(stored)
    return vector
