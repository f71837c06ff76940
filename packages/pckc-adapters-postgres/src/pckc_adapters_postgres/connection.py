"""Connections to the server: one transaction each, for one tenant."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import Any, LiteralString

import psycopg
from pckc_domain.errors import BackendError, BackendUnavailableError
from psycopg import errors
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from pckc_adapters_postgres.errors import refused_role, translate
from pckc_adapters_postgres.login import Login
from pckc_adapters_postgres.patience import GRACE_SECONDS, PatientConnection
from pckc_adapters_postgres.values import ArrayDumper, array_literal

Row = tuple[Any, ...]

logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what fails is raised, with its remedy

ROWS_AT_ONCE = 200
"""Rows that one statement inserts: while the server works on them, the next ones are made."""

PATIENCE_SECONDS = 1.0
"""How long to wait for the pool before asking the server why."""

SEARCH_ROLE = "pckc_search"
"""Sees of the application's rows those that match the words it searches for."""

APPLICATION_ROLE = "pckc_app"
"""Owns nothing and bypasses nothing: row-level security holds for it."""

_READ: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE: LiteralString = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

# A row's reference is looked up by a query of the server's own, which a connection's `plan_cache_mode` plans anew for
# each row: half of the time that rows take. Planned once, it must use the index, however small the table is by then.
_PLAN_ONCE = "SELECT set_config('plan_cache_mode', 'auto', true), set_config('enable_seqscan', 'off', true)"
_PLAN_ANEW = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true)"


Shapes = dict[str, Mapping[str, str]]
"""The columns of each table inserted into so far, and their types."""

_SHAPE = """
    SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
    WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped
"""


class Connection:
    """
    Statements of one transaction.

    They are sent without waiting for each other (a pipeline), but for those whose answer is asked for. What fails is
    raised by the next of these, at the latest when the transaction ends.
    """

    def __init__(
        self,
        raw: "psycopg.Connection[Row]",
        location: str,
        *,
        role: str,
        shapes: Shapes,
        is_writable: bool,
        pipeline: psycopg.Pipeline | None = None,
    ) -> None:
        self._raw = raw
        self._pipeline = pipeline
        self._location = location
        self._role = role or "none"
        self._shapes = shapes
        self._is_writable = is_writable
        self._held: list[Callable[[], None]] = []

    def rows(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
        """Return every row of a query."""
        return list(self._answers([self._send(sql, values)]))

    def together(self, *asked: tuple[str, Sequence[Any]]) -> list[list[Row]]:
        """Run statements that may write, and return the rows that each answers; the server is waited for once."""
        self._check_writable()
        sent = [self._send(sql, values) for sql, values in asked]
        with translating(self._location):
            if self._pipeline:
                self._pipeline.sync()
            return [cursor.fetchall() for cursor in sent]

    def value(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> Any:
        """Return the first column of the first row; ``None`` when there is none."""
        found = self.rows(sql, values)
        return found[0][0] if found else None

    def change(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Row]:
        """Run a statement that writes, and return the rows it answers."""
        self._check_writable()
        return self.rows(sql, values)

    def run(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> None:
        """Run a statement that writes; nobody waits for it."""
        self._check_writable()
        self._send(sql, values)

    def touched(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> int:
        """Run a statement that writes, and return how many rows it touched."""
        return len(self.change(f"{sql} RETURNING 1", values))

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement that writes once for each row of values."""
        self._check_writable()
        self.release()
        rows = list(rows)
        if rows:
            with translating(self._location), self._raw.cursor() as cursor:
                cursor.executemany(sql.encode(), rows)

    def insert(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        *,
        on_conflict: str = "",
        returning: str = "",
    ) -> Iterator[Row]:
        """
        Append rows, many with one statement: it has an array of each column's values.

        Return what *returning* names of each row; it is waited for when it is read.

        COPY does not go with row-level security, and by way of a temporary table everything is written twice.
        """
        self._check_writable()
        types, names, rows = self._shape(table), ", ".join(columns), iter(rows)
        # An array of arrays is one of texts that are arrays.
        given = ", ".join(
            f"unnest(%s::text[])::{type_}" if (type_ := types[name]).endswith("[]") else f"unnest(%s::{type_}[])"
            for name in columns
        )
        sql = f"INSERT INTO {table} ({names}) SELECT {given} {on_conflict}"
        if returning:
            sql = f"{sql} RETURNING {returning}"
        sent: list[psycopg.Cursor[Row]] = []
        while batch := list(islice(rows, ROWS_AT_ONCE)):
            if not sent:
                self._send(_PLAN_ONCE, ())
            sent.append(self._send(sql, [list(column) for column in zip(*batch, strict=True)]))
        if sent:
            self._send(_PLAN_ANEW, ())
        return self._answers(sent if returning else [])

    def hold(self, write: Callable[[], None]) -> None:
        """Call *write* before anything else is sent, or when the transaction ends; until then it may gather more."""
        self._check_writable()
        self._held.append(write)

    def release(self) -> None:
        """Write what is held."""
        while self._held:
            self._held.pop(0)()

    def _answers(self, sent: Sequence["psycopg.Cursor[Row]"]) -> Iterator[Row]:
        with translating(self._location):
            if self._pipeline:
                self._pipeline.sync()
            for cursor in sent:
                yield from cursor.fetchall()

    def _shape(self, table: str) -> Mapping[str, str]:
        """Return the types of a table's columns by their names."""
        if table not in self._shapes:
            self._shapes[table] = dict(self.rows(_SHAPE, (table,)))
        return self._shapes[table]

    def _send(self, sql: str, values: Sequence[Any] | dict[str, Any]) -> "psycopg.Cursor[Row]":
        self.release()
        with translating(self._location):
            return self._raw.execute(sql.encode(), values or None)

    @contextmanager
    def searching(self, *, words: str = "", named: Sequence[str] = ()) -> Iterator[None]:
        """
        See only rows that match, in the tables that have such; an index finds them.

        *words* are a ``tsquery``, *named* are ids of which an open call may mean one.
        """
        self._send(
            "SELECT set_config('role', %s, true), set_config('pckc.words', %s, true),"
            " set_config('pckc.named', %s, true)",
            (SEARCH_ROLE, words, array_literal(named)),
        )
        yield
        self._send("SELECT set_config('role', %s, true)", (self._role,))  # an error ends the transaction, and this too

    def _check_writable(self) -> None:
        """The server would refuse as well, and end the snapshot."""
        if not self._is_writable:
            raise BackendError("opened for reading", remedy="Write inside canonical.writing().")


def describe(connections: "Connections") -> str:
    """Return the server's name, version and place."""
    with connections.plain() as connection:
        return f"PostgreSQL {connection.value('SHOW server_version')}, {connections.location}"


@contextmanager
def translating(location: str) -> Iterator[None]:
    """Raise the server's errors as PCKC's."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, location) from error


class Connections:
    """A pool; threads and processes share the server."""

    def __init__(
        self,
        login: Login,
        location: str,
        *,
        role: str,
        schema: str,
        pool_size: int,
        connect_timeout_seconds: float,
        lock_timeout_seconds: float,
        statement_timeout_seconds: float,
    ) -> None:
        self.login = login
        self.location = location
        self._role = role
        self._timeout = connect_timeout_seconds
        self._connect_timeout = max(1, int(connect_timeout_seconds))
        self._shapes: Shapes = {}
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
        self._patience = max(statement_timeout_seconds, lock_timeout_seconds) + GRACE_SECONDS
        self._pool: ConnectionPool[PatientConnection] = ConnectionPool(
            login.address.conninfo,
            connection_class=PatientConnection,
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
            raw = psycopg.connect(self.login.address.conninfo, connect_timeout=self._connect_timeout)
        except psycopg.Error as error:
            raise translate(error, self.location, self.login) from error
        try:
            if self._role:
                raw.execute(f'SET ROLE "{self._role}"'.encode())
        except (errors.InsufficientPrivilege, errors.InvalidParameterValue) as error:
            raise refused_role(self.login, self._role, raw.info.user, self.location) from error
        except psycopg.Error as error:
            raise translate(error, self.location, self.login) from error
        finally:
            raw.close()

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    @contextmanager
    def reading(self, tenant: str) -> Iterator[Connection]:
        """Open a snapshot of one tenant."""
        with self._transaction(_READ, tenant, is_writable=False) as connection:
            yield connection

    @contextmanager
    def writing(self, tenant: str) -> Iterator[Connection]:
        """Open a transaction of one tenant."""
        with self._transaction(_WRITE, tenant, is_writable=True) as connection:
            yield connection

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """Open a transaction of no tenant, whose statements may be scripts: they wait for each other."""
        with self._transaction(_WRITE, "", is_writable=True, is_pipeline=False) as connection:
            yield connection

    @contextmanager
    def plain(self) -> Iterator[Connection]:
        """Open a connection without transaction or tenant, for what cannot run inside one."""
        with self._raw() as raw:
            yield self._connection(raw, is_writable=True)

    def _connection(
        self, raw: "psycopg.Connection[Row]", *, is_writable: bool, pipeline: psycopg.Pipeline | None = None
    ) -> Connection:
        return Connection(
            raw, self.location, role=self._role, shapes=self._shapes, is_writable=is_writable, pipeline=pipeline
        )

    @contextmanager
    def _transaction(
        self, begin: LiteralString, tenant: str, *, is_writable: bool, is_pipeline: bool = True
    ) -> Iterator[Connection]:
        with self._raw() as raw:
            try:
                with translating(self.location), raw.pipeline() if is_pipeline else nullcontext() as pipeline:
                    raw.execute(begin)
                    raw.execute("SELECT set_config('pckc.tenant', %s, true)", (tenant,))
                    connection = self._connection(raw, is_writable=is_writable, pipeline=pipeline)
                    yield connection
                    connection.release()
                    end = raw.execute("COMMIT")
                if end.statusmessage != "COMMIT":  # an error was passed over
                    raise BackendError(f"the transaction had failed and was undone at {self.location}")
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
    def _raw(self) -> Iterator[PatientConnection]:
        raw = self._taken()
        try:
            yield raw
        finally:
            self._pool.putconn(raw)

    def _taken(self) -> PatientConnection:
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

    def _configure(self, raw: PatientConnection) -> None:
        raw.patience_seconds = self._patience
        raw.adapters.register_dumper(list, ArrayDumper)
        if self._role:
            raw.execute(f'SET ROLE "{self._role}"'.encode())
