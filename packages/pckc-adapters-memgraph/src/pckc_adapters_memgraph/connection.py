"""Transactions on a server that speaks Bolt."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, LiteralString, Self, TypeVar

import neo4j
from pckc_domain.errors import BackendUnavailableError

from pckc_adapters_memgraph.backend import MemgraphSettings
from pckc_adapters_memgraph.dialects import declarations
from pckc_adapters_memgraph.errors import translating

T = TypeVar("T")
Row = Sequence[Any]
Statement = tuple[LiteralString, Mapping[str, Any]]
Work = Callable[[neo4j.ManagedTransaction], T]


class Connection:
    """
    A pool of connections, shared by threads.

    The first use signs in and does not try again, so that a server that is down is told at once; what fails later, such
    as a deadlock, is tried again for `retry_seconds`.
    """

    def __init__(self, settings: MemgraphSettings, password: str) -> None:
        self._settings = settings
        self._dialect = settings.dialect
        self._is_signed_in = False
        self._is_declared = False
        with translating(settings.url):
            self._driver = neo4j.GraphDatabase.driver(
                settings.url,
                auth=(settings.user, password) if settings.user else None,
                connection_timeout=settings.connect_timeout_seconds,
                connection_acquisition_timeout=settings.connect_timeout_seconds + 1,
                max_transaction_retry_time=settings.retry_seconds,
                telemetry_disabled=True,
            )

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        self._driver.close()

    @property
    def location(self) -> str:
        """The server's address; it holds no credentials."""
        return self._settings.url

    def agent(self) -> str:
        """Return what the server calls itself, with its version."""
        with self._session() as session:
            return session.run("RETURN 1").consume().server.agent or "a server that speaks Bolt"

    def rows(self, query: LiteralString, values: Mapping[str, Any], /) -> list[Row]:
        """Return what *query* finds."""
        with self._session() as session:
            return session.execute_read(self._limited(lambda work: _rows(work, query, values)))

    def change(self, query: LiteralString, values: Mapping[str, Any], /) -> list[Row]:
        """Run a statement that writes, in a transaction of its own, and return what it returns."""
        with self._session() as session:
            return session.execute_write(self._limited(lambda work: _rows(work, query, values)))

    def write(self, statements: Sequence[Statement], /) -> None:
        """Run *statements* in one transaction."""
        with self._session() as session:
            self._declare(session)
            session.execute_write(
                self._limited(lambda work: [_rows(work, query, values) for query, values in statements])
            )

    @contextmanager
    def _session(self) -> Iterator[neo4j.Session]:
        try:
            database = self._settings.database or None
            with translating(self._settings.url), self._driver.session(database=database) as session:
                self._sign_in(session)
                yield session
        except BackendUnavailableError:
            self._is_signed_in = False  # it may be another server that comes back
            self._is_declared = False
            raise

    def _sign_in(self, session: neo4j.Session) -> None:
        if not self._is_signed_in:
            agent = session.run("RETURN 1").consume().server.agent
            if self._settings.dialect == "auto":
                self._dialect = "memgraph" if "memgraph" in agent.lower() else "neo4j"
            self._is_signed_in = True

    def _declare(self, session: neo4j.Session) -> None:
        """Declare the indexes once; a declaration stands alone in its transaction and may be repeated."""
        if not self._is_declared:
            for statement in declarations(self._dialect):
                session.run(statement).consume()
            self._is_declared = True

    def _limited(self, work: Work[T]) -> Work[T]:
        return neo4j.unit_of_work(timeout=self._settings.query_timeout_seconds)(work)


def _rows(work: neo4j.ManagedTransaction, query: LiteralString, values: Mapping[str, Any]) -> list[Row]:
    return [record.values() for record in work.run(query, dict(values))]
