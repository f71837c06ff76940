"""A real PostgreSQL for the tests: the one that ``PCKC_TEST_POSTGRES_URL`` names, or one that is started here."""

import os
from collections.abc import Iterator

import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, VECTOR, PgvectorSettings, PostgresSettings
from pckc_adapters_postgres.testing import server_url

TABLES = (
    "graph", "link", "proof", "claim", "assertion", "fact_place", "rejection", "governance_act", "transcript",
    "inference", "distillation", "verdict", "gap", "trace",
    "evidence", "episode", "event", "session", "set_aside", "lease", "generation", "projection",
    "outbox", "passage", "document", "manifest", "checkout", "scope", "embedding_space",
)  # fmt: skip
"""Tables that no other one's deletion empties, in an order that references allow."""


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Yield the url of a server with an owner's rights."""
    with server_url() as url:
        yield url


@pytest.fixture(scope="session")
def schema(server: str) -> Iterator[PostgresSettings]:
    """Yield settings with a schema of this process, made once."""
    settings = PostgresSettings(url=server, schema=f"pckc_test_{os.getpid()}")
    with CANONICAL.open(settings), VECTOR.open(PgvectorSettings(url=server, schema=settings.schema)):
        yield settings
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA "{settings.schema}" CASCADE'.encode())


@pytest.fixture
def settings(schema: PostgresSettings) -> PostgresSettings:
    """Return settings whose schema holds nothing."""
    empty(schema)
    return schema


def empty(settings: PostgresSettings) -> None:
    """Delete every row of the schema."""
    statements = [f'SET search_path = "{settings.schema}"']
    statements += [f"DELETE FROM {table}" for table in TABLES]  # noqa: S608 - our names; truncating costs new files
    with psycopg.connect(settings.url) as connection:
        connection.execute("; ".join(statements).encode())  # one way there and back
