"""Connections to the server: one transaction each, for one tenant."""
# ruff: noqa: S608 - what is put together here are constants and names of ours

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, LiteralString

import psycopg
from pckc_domain.errors import BackendError, BackendUnavailableError
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from pckc_adapters_postgres.errors import translate

Row = tuple[Any, ...]

logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # what fails is raised, with its remedy

FEWEST_COPIED = 400
"""Rows from which on copying them is quicker than naming them in a statement."""

PATIENCE_SECONDS = 1.0
"""How long to wait for the pool before asking the server why."""

SEARCH_ROLE = "pckc_search"
"""Sees of the application's rows those that match the words it searches for."""

APPLICATION_ROLE = "pckc_app"
"""Owns nothing and bypasses nothing: row-level security holds for it."""


class Connection:
    """Statements of one transaction."""

    def __init__(self, raw: "psycopg.Connection[Row]", location: str, *, role: str, is_writable: bool) -> None:
        self._raw = raw
        self._location = location
        self._role = role or "none"
        self._is_writable = is_writable
        self._has_temporary: bool | None = None

    def rows(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
        """Return every row of a query."""
        with self.translating():
            return self._raw.execute(sql.encode(), values or None).fetchall()

    def value(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> Any:
        """Return the first column of the first row; ``None`` when there is none."""
        found = self.rows(sql, values)
        return found[0][0] if found else None

    def change(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
        """Run a statement that writes, and return the rows it answers."""
        self._check_writable()
        return self.rows(sql, values)

    def run(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> int:
        """Run a statement that writes, and return how many rows it touched."""
        self._check_writable()
        with self.translating():
            return self._raw.execute(sql.encode(), values or None).rowcount

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement that writes once for each row of values."""
        self._check_writable()
        rows = list(rows)
        if rows:
            with self.translating(), self._raw.cursor() as cursor:
                cursor.executemany(sql.encode(), rows)

    def insert(
        self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, on_conflict: str = ""
    ) -> None:
        """
        Append rows, many with one statement.

        COPY does not go with row-level security: it fills a temporary table, and from there many rows are inserted.
        """
        self._check_writable()
        names, rows = ", ".join(columns), iter(rows)
        first = list(islice(rows, FEWEST_COPIED))
        if len(first) == FEWEST_COPIED and self._may_copy():
            copied = self._copied(table, names, chain(first, rows))
            self.run(f"INSERT INTO {table} ({names}) SELECT {names} FROM {copied} {on_conflict}")
            return
        one = f"({', '.join(['%s'] * len(columns))})"
        while first:
            sql = f"INSERT INTO {table} ({names}) VALUES {', '.join([one] * len(first))} {on_conflict}"
            self.run(sql, [value for row in first for value in row])
            first = list(islice(rows, FEWEST_COPIED))

    def _may_copy(self) -> bool:
        """Return whether temporary tables are allowed; they are, unless a database's owner took the right away."""
        if self._has_temporary is None:
            self._has_temporary = bool(self.value("SELECT has_database_privilege(current_database(), 'TEMPORARY')"))
        return self._has_temporary

    def _copied(self, table: str, names: str, rows: Iterable[Sequence[Any]]) -> str:
        """
        Copy *rows* into a temporary table, which is empty again when the transaction ends, and return its name.

        The server reads the first rows while the next ones are still being made.
        """
        name = f"pg_temp.copied_{table}"
        with self.translating(), self._raw.cursor() as cursor:
            if not self.value("SELECT to_regclass(%s)", (name,)):
                made = f"CREATE TEMPORARY TABLE copied_{table} ON COMMIT DELETE ROWS AS SELECT {names} FROM {table}"
                cursor.execute(f"{made} WITH NO DATA".encode())
            else:
                cursor.execute(f"TRUNCATE {name}".encode())
            with cursor.copy(f"COPY {name} ({names}) FROM STDIN".encode()) as copy:
                for row in rows:
                    copy.write_row(row)
        return name

    @contextmanager
    def searching(self, words: str) -> Iterator[None]:
        """See only rows that match *words*, a ``tsquery``, in the tables that have such; the index finds them."""
        self.rows("SELECT set_config('role', %s, true), set_config('pckc.words', %s, true)", (SEARCH_ROLE, words))
        yield
        self.rows(
            "SELECT set_config('role', %s, true)", (self._role,)
        )  # an error ends the transaction, and this with it

    def _check_writable(self) -> None:
        """The server would refuse as well, and end the snapshot."""
        if not self._is_writable:
            raise BackendError("opened for reading", remedy="Write inside canonical.writing().")

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Raise the server's errors as PCKC's."""
        try:
            yield
        except psycopg.Error as error:
            raise translate(error, self._location) from error


class Connections:
    """A pool; threads and processes share the server."""

    def __init__(
        self,
        conninfo: str,
        location: str,
        *,
        role: str,
        schema: str,
        pool_size: int,
        connect_timeout_seconds: float,
        lock_timeout_seconds: float,
        statement_timeout_seconds: float,
    ) -> None:
        self.location = location
        self._conninfo = conninfo
        self._role = role
        self._timeout = connect_timeout_seconds
        self._connect_timeout = max(1, int(connect_timeout_seconds))
        options = " ".join(
            (
                f"-c search_path={schema},public",
                f"-c lock_timeout={int(lock_timeout_seconds * 1000)}",
                f"-c statement_timeout={int(statement_timeout_seconds * 1000)}",
                "-c timezone=UTC",
                "-c plan_cache_mode=force_custom_plan",  # how many rows match differs from word to word
                "-c jit=off",  # compiling takes longer than these queries
            )
        )
        self._pool: ConnectionPool[psycopg.Connection[Row]] = ConnectionPool(
            conninfo,
            kwargs={"autocommit": True, "options": options, "connect_timeout": self._connect_timeout},
            min_size=0,
            max_size=pool_size,
            reconnect_timeout=0,  # who asks next tries anew, without waiting as long as the failures before
            configure=self._configure,
            check=ConnectionPool.check_connection,
            open=True,
        )

    def check(self) -> None:
        """Connect once, to say at once what is wrong: the pool would go on trying."""
        try:
            psycopg.connect(self._conninfo, connect_timeout=self._connect_timeout).close()
        except psycopg.Error as error:
            raise translate(error, self.location) from error

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    @contextmanager
    def reading(self, tenant: str) -> Iterator[Connection]:
        """Open a snapshot of one tenant."""
        begin: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        with self._transaction(begin, tenant, is_writable=False) as connection:
            yield connection

    @contextmanager
    def writing(self, tenant: str) -> Iterator[Connection]:
        """Open a transaction of one tenant."""
        begin: LiteralString = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
        with self._transaction(begin, tenant, is_writable=True) as connection:
            yield connection

    @contextmanager
    def plain(self) -> Iterator[Connection]:
        """Open a connection without transaction or tenant, for what cannot run inside one."""
        with self._raw() as raw:
            yield Connection(raw, self.location, role=self._role, is_writable=True)

    @contextmanager
    def _transaction(self, begin: LiteralString, tenant: str, *, is_writable: bool) -> Iterator[Connection]:
        with self._raw() as raw:
            connection = Connection(raw, self.location, role=self._role, is_writable=is_writable)
            try:
                with connection.translating():
                    raw.execute(begin)
                    raw.execute("SELECT set_config('pckc.tenant', %s, true)", (tenant,))
                yield connection
                with connection.translating():
                    raw.execute("COMMIT")
            except BaseException:
                if not raw.closed:
                    self._roll_back(raw)
                raise

    def _roll_back(self, raw: "psycopg.Connection[Row]") -> None:
        try:
            raw.execute("ROLLBACK")
        except psycopg.Error:  # the server is gone, and the transaction with it
            raw.close()

    @contextmanager
    def _raw(self) -> Iterator["psycopg.Connection[Row]"]:
        raw = self._taken()
        try:
            yield raw
        finally:
            self._pool.putconn(raw)

    def _taken(self) -> "psycopg.Connection[Row]":
        """Take a connection from the pool, which keeps the reason to itself when it cannot make one."""
        end = time.monotonic() + self._timeout
        while True:
            try:
                return self._pool.getconn(timeout=max(0.01, min(PATIENCE_SECONDS, end - time.monotonic())))
            except PoolClosed as error:
                raise BackendError(f"the store at {self.location} was closed") from error
            except PoolTimeout as error:
                self.check()
                if time.monotonic() >= end:
                    raise BackendUnavailableError(
                        f"all connections to {self.location} are in use", remedy="Try again, or raise pool_size."
                    ) from error

    def _configure(self, raw: "psycopg.Connection[Row]") -> None:
        if self._role:
            raw.execute(f'SET ROLE "{self._role}"'.encode())
