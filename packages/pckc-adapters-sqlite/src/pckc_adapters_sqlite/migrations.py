"""The store's schema: numbered SQL files, applied in order and never changed afterwards."""

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attrs
from pckc_domain.errors import BackendUnavailableError, ConfigurationError

from pckc_adapters_sqlite.connection import Connection, Connections, make_folder

APPLICATION_ID = 0x50434B43  # "PCKC"
FOLDER = Path(__file__).parent / "migrations"

_CREATE_TABLE = "CREATE TABLE migration (number INTEGER PRIMARY KEY, sha256 TEXT NOT NULL, applied_at INTEGER NOT NULL)"


@attrs.frozen(kw_only=True)
class Migration:
    """One step of the schema."""

    number: int
    sql: str
    sha256: str


@cache
def migrations() -> tuple[Migration, ...]:
    """Return every migration this version knows, in order."""
    return tuple(
        Migration(number=int(file.name[:4]), sql=sql, sha256=hashlib.sha256(sql.encode()).hexdigest())
        for file in sorted(FOLDER.glob("*.sql"))
        for sql in [file.read_text("utf-8")]
    )


def newest() -> int:
    """Return the number of the newest migration."""
    return migrations()[-1].number


def prepare(connections: Connections) -> None:
    """
    Bring the store to this version's schema; one process does it while others wait.

    Raises:
        ConfigurationError: The file is no store of ours, comes from a newer version or was tampered with.
        BackendUnavailableError: It cannot be opened, or must be changed and cannot be written.
    """
    if _exists(connections.path):
        with connections.reading() as connection:
            missing = _missing(connection, connections.path)
        if not missing:
            return
    writer = connections.writer()
    try:
        connections.retry(lambda: writer.run("PRAGMA journal_mode = WAL"))
    finally:
        writer.close()
    with connections.writing() as connection:
        for migration in _missing(connection, connections.path):
            _apply(connection, migration)


def _exists(path: Path) -> bool:
    """Return whether the store is there; when it is not, its folder is afterwards."""
    try:
        if path.exists():
            return True
        make_folder(path.parent)
    except OSError as error:
        raise BackendUnavailableError(
            f"cannot open the store: {path} ({error.strerror})",
            remedy="Make its folder readable and writable, or choose another store with --store.",
        ) from error
    return False


def _missing(connection: Connection, path: Path) -> tuple[Migration, ...]:
    """Return the migrations that the store still needs."""
    application_id = connection.value("PRAGMA application_id")
    if application_id == 0 and connection.value("SELECT count(*) FROM sqlite_master") == 0:
        return migrations()
    if application_id != APPLICATION_ID:
        raise ConfigurationError(
            f"an SQLite database, but no PCKC store: {path}", remedy="Choose another path for the store."
        )
    known = migrations()
    applied = connection.rows("SELECT number, sha256 FROM migration ORDER BY number")
    if len(applied) > len(known):
        raise ConfigurationError(
            f"the store was written by a newer version (schema {applied[-1][0]}, known are {known[-1].number}): {path}",
            remedy="Upgrade pckc-adapters-sqlite, or choose another path for the store.",
        )
    for (number, sha256), migration in zip(applied, known, strict=False):
        if (number, sha256) != (migration.number, migration.sha256):
            raise ConfigurationError(
                f"migration {number} of the store is not the one this version knows: {path}",
                remedy="Use the version that wrote the store, or delete the file and index again.",
            )
    return known[len(applied) :]


def _apply(connection: Connection, migration: Migration) -> None:
    if migration.number == 1:
        connection.run(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.run(_CREATE_TABLE)
    for statement in _statements(migration.sql):
        connection.run(statement)
    now = time.time_ns() // 1000
    connection.run("INSERT INTO migration VALUES (?, ?, ?)", (migration.number, migration.sha256, now))
    connection.run(f"PRAGMA user_version = {migration.number}")


def _statements(sql: str) -> Iterator[str]:
    """Yield the statements of a script; ``executescript`` would commit in between."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
