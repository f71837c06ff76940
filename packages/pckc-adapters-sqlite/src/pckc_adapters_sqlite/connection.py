"""Connections to one SQLite file, shared by threads and processes."""

import os
import sqlite3
import stat
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from pckc_domain.errors import BackendUnavailableError

from pckc_adapters_sqlite.errors import FAILURES, translate

Row: TypeAlias = tuple[Any, ...]
Values: TypeAlias = Sequence[Any] | Mapping[str, Any]

PAGE_SIZE_BYTES = 8192
CHECKPOINT_PAGES = 4096  # 32 MB: bulk indexing would otherwise wait for the disk every 1000 pages
CACHE_KIB = 65_536
MAP_BYTES = 1 << 30
RETRY_SECONDS = 0.02


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for its owner alone; what is there stays as it is."""
    if not folder.parent.exists():
        make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def close_to_others(path: Path) -> None:
    """
    Leave a file of this user's to its owner alone when everybody may do something with it, as earlier versions made it.

    One that is open to a group only is shared on purpose.
    """
    with suppress(OSError, AttributeError):  # there is none, it cannot be changed, or the system knows no owners
        found = path.stat()
        is_own_file = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()  # a device is for everybody
        if is_own_file and found.st_mode & 0o007:
            path.chmod(found.st_mode & 0o700)


class Connection:
    """One connection; every SQLite error leaves it translated."""

    def __init__(self, raw: sqlite3.Connection, path: str) -> None:
        self._raw = raw
        self._path = path

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """Return every row of a query."""
        try:
            return self._raw.execute(sql, values).fetchall()
        except FAILURES as error:
            raise translate(error, self._path) from error

    def stream(self, sql: str, values: Values = ()) -> Iterator[Row]:
        """Yield the rows of a query as they are computed."""
        try:
            yield from self._raw.execute(sql, values)
        except FAILURES as error:
            raise translate(error, self._path) from error

    def value(self, sql: str, values: Values = ()) -> Any:
        """Return the first column of the first row; ``None`` without a row."""
        try:
            row = self._raw.execute(sql, values).fetchone()
        except FAILURES as error:
            raise translate(error, self._path) from error
        return row[0] if row else None

    def run(self, sql: str, values: Values = ()) -> int:
        """Execute a statement; return the number of rows it changed."""
        try:
            return self._raw.execute(sql, values).rowcount
        except FAILURES as error:
            raise translate(error, self._path) from error

    def run_many(self, sql: str, rows: Iterable[Values]) -> None:
        """Execute a statement once per row."""
        try:
            self._raw.executemany(sql, rows)
        except FAILURES as error:
            raise translate(error, self._path) from error

    def rollback(self) -> None:
        """End the transaction, if one is open, without a trace."""
        with suppress(*FAILURES):  # a failed transaction may have been rolled back by SQLite itself
            self._raw.rollback()

    def close(self) -> None:
        """Close the connection."""
        with suppress(*FAILURES):
            self._raw.close()


class Connections:
    """
    The open connections of one process to one file.

    A unit of work borrows one for its length, so no two threads ever work on the same connection.
    """

    def __init__(self, path: Path, *, busy_timeout_seconds: float, synchronous: str) -> None:
        self.path = path
        self._busy_timeout_seconds = busy_timeout_seconds
        self._synchronous = synchronous
        self._readers: deque[Connection] = deque()
        self._writers: deque[Connection] = deque()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Borrow a connection inside a read transaction; its first query fixes the snapshot."""
        connection = self._readers.pop() if self._readers else self._reader()
        connection.run("BEGIN")
        try:
            yield connection
        finally:
            connection.rollback()
            self._readers.append(connection)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Borrow a connection inside a write transaction: committed at the end, rolled back when the block raises."""
        connection = self._writers.pop() if self._writers else self.writer()
        try:
            self.retry(lambda: connection.run("BEGIN IMMEDIATE"))
            yield connection
            connection.run("COMMIT")
        finally:
            connection.rollback()
            self._writers.append(connection)

    def retry(self, action: Callable[[], object]) -> None:
        """
        Run *action* until the store is free or the busy timeout is over.

        SQLite waits by itself, but not when another process is just changing the journal mode, recovering or closing.
        """
        deadline = time.monotonic() + self._busy_timeout_seconds
        while True:
            try:
                action()
            except BackendUnavailableError as error:
                cause = error.__cause__
                is_busy = isinstance(cause, sqlite3.Error) and cause.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not is_busy or time.monotonic() >= deadline:
                    raise
                time.sleep(RETRY_SECONDS)
            else:
                return

    def writer(self) -> Connection:
        """Open a connection that may write, and create the file, for its owner alone, when there is none."""
        with suppress(OSError):  # it is there, or SQLite says why it cannot be; what SQLite lays beside it has its mode
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        connection = self._connect("rwc")
        connection.run(f"PRAGMA page_size = {PAGE_SIZE_BYTES}")
        connection.run(f"PRAGMA synchronous = {self._synchronous}")
        connection.run(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        connection.run("PRAGMA foreign_keys = ON")
        connection.run("PRAGMA secure_delete = ON")  # what is erased leaves no bytes behind
        return connection

    def _reader(self) -> Connection:
        try:
            connection = self._connect("rw")
        except BackendUnavailableError:
            connection = self._read_only()
        connection.run("PRAGMA query_only = ON")
        return connection

    def _read_only(self) -> Connection:
        """Open a store in a folder that cannot be written, where SQLite has no place for its shared memory."""
        try:
            return self._connect("ro")
        except BackendUnavailableError:
            wal = Path(f"{self.path}-wal")
            if wal.exists() and wal.stat().st_size:
                raise  # its newest changes are in there, and an immutable file is read without them
            return self._connect("ro&immutable=1")

    def _connect(self, mode: str) -> Connection:
        path = str(self.path)
        try:
            raw = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={mode}",
                uri=True,
                timeout=self._busy_timeout_seconds,
                isolation_level=None,
                check_same_thread=False,  # lent to one thread at a time
                cached_statements=256,
            )
        except FAILURES as error:
            raise translate(error, path) from error
        connection = Connection(raw, path)
        try:
            connection.run(f"PRAGMA cache_size = -{CACHE_KIB}")
            connection.run(f"PRAGMA mmap_size = {MAP_BYTES}")
            connection.run("PRAGMA temp_store = MEMORY")
            self.retry(lambda: connection.rows("SELECT 1 FROM sqlite_master LIMIT 1"))  # opens the file at last
        except BaseException:
            connection.close()
            raise
        for beside in ("", "-wal", "-shm"):
            close_to_others(Path(f"{path}{beside}"))
        return connection

    def close(self) -> None:
        """Close every connection."""
        for idle in (self._readers, self._writers):
            while idle:
                idle.pop().close()
