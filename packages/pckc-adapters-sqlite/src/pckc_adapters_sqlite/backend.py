"""What this package offers through its entry points."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.plugin import Backend, Found
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.embedding_cache import EmbeddingCache
from pckc_domain.ports.vector import VectorIndex

from pckc_adapters_sqlite.connection import Connections
from pckc_adapters_sqlite.migrations import prepare


@attrs.frozen(kw_only=True)
class SqliteSettings:
    """
    Where the store is and how it is used.

    Attributes:
        path: The file; it and its folder are created when they are missing. Needs a local file system.
        busy_timeout_seconds: How long to wait for another process that is writing.
        synchronous: ``normal``: nothing that was acknowledged is lost when the process dies, the last moments may be
            lost when the power fails. ``full``: nor then, at one disk flush a commit.
    """

    path: Path = attrs.field(converter=Path)
    busy_timeout_seconds: float = attrs.field(default=30.0, validator=attrs.validators.ge(0))
    synchronous: Literal["normal", "full"] = attrs.field(
        default="normal", validator=attrs.validators.in_(("normal", "full"))
    )


def _look(settings: SqliteSettings) -> Found:
    path = settings.path.expanduser()
    try:
        is_there = path.exists()
    except OSError:
        is_there = True  # opening it says what is wrong
    return Found(is_there, f"SQLite {sqlite3.sqlite_version}, {path}")


@contextmanager
def _connections(settings: SqliteSettings) -> Iterator[Connections]:
    connections = Connections(
        settings.path.expanduser(),
        busy_timeout_seconds=settings.busy_timeout_seconds,
        synchronous=settings.synchronous,
    )
    try:
        prepare(connections)
        yield connections
    finally:
        connections.close()


@contextmanager
def _open_canonical(settings: SqliteSettings) -> Iterator[Canonical]:
    from pckc_adapters_sqlite.unit_of_work import SqliteCanonical

    with _connections(settings) as connections:
        yield SqliteCanonical(connections)


@contextmanager
def _open_vector(settings: SqliteSettings) -> Iterator[VectorIndex]:
    try:
        from pckc_adapters_sqlite.vector import SqliteVectorIndex  # needs numpy
    except ImportError as error:
        raise ConfigurationError(
            "the SQLite vector index needs numpy", remedy="pip install 'pckc-adapters-sqlite[vector]'"
        ) from error
    with _connections(settings) as connections:
        yield SqliteVectorIndex(connections)


@attrs.frozen(kw_only=True)
class EmbeddingCacheSettings:
    """
    Where vectors of texts are kept that may be asked for again.

    Attributes:
        path: The file; it and its folder are created when they are missing. Needs a local file system.
        max_megabytes: How large it may grow; a vector of ``blend`` takes 3.6 kB.
        busy_timeout_seconds: How long to wait for another process that is writing; then it goes on without.
    """

    path: Path = attrs.field(converter=Path)
    max_megabytes: int = attrs.field(default=256, validator=attrs.validators.ge(1))
    busy_timeout_seconds: float = attrs.field(default=5.0, validator=attrs.validators.ge(0))


@contextmanager
def _open_embedding_cache(settings: EmbeddingCacheSettings) -> Iterator[EmbeddingCache]:
    from pckc_adapters_sqlite.embedding_cache import SqliteEmbeddingCache

    connections = Connections(
        settings.path.expanduser(), busy_timeout_seconds=settings.busy_timeout_seconds, synchronous="normal"
    )
    try:
        yield SqliteEmbeddingCache(connections, max_bytes=settings.max_megabytes * 1_000_000)
    finally:
        connections.close()


CANONICAL: Backend[SqliteSettings, Canonical] = Backend(settings=SqliteSettings, open=_open_canonical, look=_look)
VECTOR: Backend[SqliteSettings, VectorIndex] = Backend(settings=SqliteSettings, open=_open_vector, look=_look)
EMBEDDING_CACHE: Backend[EmbeddingCacheSettings, EmbeddingCache] = Backend(
    settings=EmbeddingCacheSettings, open=_open_embedding_cache
)
