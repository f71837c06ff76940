"""What this package offers through its entry points."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import attrs
from pckc_domain.errors import ConfigurationError
from pckc_domain.plugin import Backend
from pckc_domain.ports.canonical import Canonical
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


CANONICAL: Backend[SqliteSettings, Canonical] = Backend(settings=SqliteSettings, open=_open_canonical)
VECTOR: Backend[SqliteSettings, VectorIndex] = Backend(settings=SqliteSettings, open=_open_vector)
