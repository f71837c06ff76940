"""The vector index keeps the contract, exactly and with an HNSW index, and says what is missing."""

from collections.abc import Iterator

import attrs
import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, VECTOR, PgvectorSettings, PostgresSettings
from pckc_adapters_postgres.testing import started
from pckc_domain.errors import ConfigurationError
from pckc_domain.model.scope import Scope
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.vector_contract import EVERYWHERE, SCOPE, SPACE, VectorContract, items


@pytest.fixture
def pgvector(settings: PostgresSettings) -> PgvectorSettings:
    """Settings of an empty index."""
    return PgvectorSettings(url=settings.url, schema=settings.schema)


class TestExactly(VectorContract):
    """Each vector is compared."""

    recall = 0.999

    @pytest.fixture
    def vectors(self, pgvector: PgvectorSettings) -> Iterator[VectorIndex]:
        """Yield an empty index."""
        with VECTOR.open(pgvector) as index:
            yield index


class TestWithAnIndex(VectorContract):
    """An HNSW index answers as soon as there are some vectors."""

    @pytest.fixture
    def vectors(self, pgvector: PgvectorSettings) -> Iterator[VectorIndex]:
        """Yield an empty index."""
        with VECTOR.open(attrs.evolve(pgvector, hnsw_above=20)) as index:
            yield index


def test_an_index_is_made_above_the_size(pgvector: PgvectorSettings) -> None:
    """For the space that grew, not for its neighbour; clearing takes it away."""
    other, before = Scope(project="small", tenant="other"), _indexes(pgvector)
    made = []
    with VECTOR.open(attrs.evolve(pgvector, hnsw_above=30)) as index:
        for act in (
            lambda: index.upsert(other, SPACE, items(30)),
            lambda: index.upsert(SCOPE, SPACE, items(31)),
            lambda: index.upsert(other, SPACE, items(31)),
            lambda: index.clear(other),
            lambda: index.clear(SCOPE),
        ):
            act()
            made.append(_indexes(pgvector) - before)
    assert made == [0, 1, 2, 1, 0]


def _indexes(settings: PgvectorSettings) -> int:
    with psycopg.connect(settings.url) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_indexes WHERE schemaname = %s AND indexname ~ '^embedding_hnsw'",
            (settings.schema,),
        ).fetchone()
    assert found
    return int(found[0])


def test_what_is_stored_is_what_was_given(pgvector: PgvectorSettings) -> None:
    """Read with SQL, past the port."""
    stored = items(12)
    with VECTOR.open(pgvector) as index:
        index.upsert(SCOPE, SPACE, stored)
    with psycopg.connect(pgvector.url) as connection:
        connection.execute(f'SET search_path = "{pgvector.schema}", public'.encode())
        found = connection.execute("SELECT id, partition, owner, vector::real[], tenant FROM embedding ORDER BY id")
        rows = found.fetchall()
    assert [(id_, partition, owner, tenant) for id_, partition, owner, _, tenant in rows] == [
        (item.id, item.partition, item.owner, SCOPE.tenant) for item in stored
    ]
    for item, (*_, vector, _) in zip(stored, rows, strict=True):
        assert list(item.vector) == pytest.approx(vector, rel=1e-6)


def test_tenants_do_not_see_each_other(pgvector: PgvectorSettings) -> None:
    """The same project's name under two tenants is two projects."""
    mine, theirs = Scope(project="sample", tenant="mine"), Scope(project="sample", tenant="theirs")
    with VECTOR.open(pgvector) as index:
        index.upsert(mine, SPACE, items(5))
        assert index.count(theirs, partitions=EVERYWHERE) == 0
        assert index.search(theirs, SPACE, items(1)[0].vector, partitions=EVERYWHERE, limit=3) == []
        index.clear(theirs)
        index.delete(theirs, owners=["item-0"])
        assert index.count(mine, partitions=EVERYWHERE) == 5


def test_a_server_without_pgvector_serves_the_canonical_store() -> None:
    """And says what is missing when vectors are asked for; PostgreSQL 18 can look for extensions elsewhere."""
    with started(version=18) as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET extension_control_path = '/nowhere'")
            connection.execute("SELECT pg_reload_conf()")
        with CANONICAL.open(PostgresSettings(url=server.url)) as store, store.writing(SCOPE) as work:
            assert work.claims.get(["none"]) == []
        settings = PgvectorSettings(url=server.url)
        with pytest.raises(ConfigurationError, match="has no pgvector") as raised, VECTOR.open(settings):
            pass
        assert "another backend" in raised.value.remedy
