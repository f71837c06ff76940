"""
The vector index in pgvector.

Vectors of a project are compared one by one, which finds exactly the nearest, up to a size; an HNSW index answers for
what is larger.
"""

from array import array
from collections.abc import Sequence
from typing import Any

from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.embedding import EVERYTHING, EmbeddingSpace, Metric, Vector, VectorFilter, VectorHit, VectorItem
from pckc_domain.model.scope import Scope
from pckc_domain.ports.service import Service
from pckc_domain.ports.vector import VectorIndex

from pckc_adapters_postgres.connection import Connection, Connections
from pckc_adapters_postgres.values import clean

TIES = 16
"""Neighbours asked of an HNSW index on top: it does not order equal ones by id."""

SEARCH_BREADTH = 100
"""``hnsw.ef_search``: neighbours kept in sight; the scan goes on while filters leave too few."""

_SPACE = "SELECT key, model, dimensions, metric FROM embedding_space WHERE tenant = %s AND project = %s"
_HOLD = f"{_SPACE} FOR UPDATE"
_MAKE = """
    INSERT INTO embedding_space (tenant, project, model, dimensions, metric) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (tenant, project) DO NOTHING
"""
_COLUMNS = ("space_key", "id", "partition", "owner", "vector")
_REPLACING = """
    ON CONFLICT (space_key, id) DO UPDATE SET
        partition = excluded.partition, owner = excluded.owner, vector = excluded.vector
"""
_DELETE = "DELETE FROM embedding WHERE space_key = %s AND owner = ANY(%s)"
_CLEAR = "DELETE FROM embedding_space WHERE key = %s"
_COUNT = "SELECT count(*) FROM embedding WHERE space_key = %s"
_COUNT_IN = "SELECT count(*) FROM embedding WHERE space_key = %s AND partition = ANY(%s)"
_IS_LARGE = "SELECT count(*) > %s FROM (SELECT 1 FROM embedding WHERE space_key = %s LIMIT %s + 1) few"
_HAS_INDEX = "SELECT to_regclass(%s) IS NOT NULL"
_MAKE_INDEX = "SELECT pckc_index_embeddings(%s)"
_DROP_INDEX = "SELECT pckc_drop_embedding_index(%s)"

# Keys and sizes stand in the text, since only then an index of one space is known to fit. A vector of zeros has no
# direction, and a cosine of 0 with everything.
_NEAREST = """
    SELECT id, 1 - coalesce(nullif(distance, 'NaN'), 1) AS score, vector::real[] FROM (
        SELECT id, vector, vector::vector({size}) <=> %(vector)s::vector({size}) AS distance
        FROM embedding WHERE space_key = {space} {condition}
        ORDER BY {order} LIMIT %(reach)s
    ) near
    ORDER BY score DESC, id LIMIT %(limit)s
"""
_IN = "AND partition = ANY(%(partitions)s)"


class PgvectorIndex(VectorIndex, Service):
    """Vectors in one schema of one database; any number of processes may share it."""

    def __init__(self, connections: Connections, *, hnsw_above: int) -> None:
        self._connections = connections
        self._hnsw_above = hnsw_above

    def describe(self) -> str:
        """See `Service`."""
        with self._connections.plain() as connection:
            version = connection.value("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        return f"pgvector {version}, {self._connections.location}"

    def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
        """See the port."""
        for item in items:
            _check_length(item.vector, space)
        newest = {clean(item.id): item for item in items}
        if not newest:
            return
        with self._connections.writing(scope.tenant) as connection:
            values = (space.model, space.dimensions, space.metric.value)
            if not connection.rows(_HOLD, (scope.tenant, scope.project)):  # writers of a scope wait here for each other
                connection.run(_MAKE, (scope.tenant, scope.project, *values))
            key = _key(connection.rows(_HOLD, (scope.tenant, scope.project)), space)
            rows = [
                (key, id_, clean(item.partition), clean(item.owner), _text(item.vector)) for id_, item in newest.items()
            ]
            connection.insert("embedding", _COLUMNS, rows, on_conflict=_REPLACING)
            if self._hnsw_above and not connection.value(_HAS_INDEX, (_index(key),)):
                reach = self._hnsw_above
                if connection.value(_IS_LARGE, (reach, key, reach)):
                    connection.change(_MAKE_INDEX, (key,))

    def delete(self, scope: Scope, /, *, owners: Sequence[str]) -> None:
        """See the port."""
        with self._connections.writing(scope.tenant) as connection:
            for key, *_ in connection.rows(_HOLD, (scope.tenant, scope.project)):
                connection.run(_DELETE, (key, [*map(clean, owners)]))

    def search(
        self,
        scope: Scope,
        space: EmbeddingSpace,
        vector: Vector,
        /,
        *,
        partitions: frozenset[str],
        limit: int,
        where: VectorFilter = EVERYTHING,  # noqa: ARG002 - nothing of it is kept here
    ) -> Sequence[VectorHit]:
        """See the port."""
        _check_length(vector, space)
        with self._connections.reading(scope.tenant) as connection:
            key = _key(connection.rows(_SPACE, (scope.tenant, scope.project)), space)
            if key is None or limit < 1:
                return []
            is_indexed = bool(connection.value(_HAS_INDEX, (_index(key),)))
            if is_indexed:
                _widen(connection)
            sql = _NEAREST.format(
                size=space.dimensions,
                space=key,
                condition=_IN if partitions else "",
                order="distance" if is_indexed else "distance, id",
            )
            values: dict[str, Any] = {
                "vector": _text(vector),
                "partitions": [*map(clean, partitions)],
                "reach": limit + TIES if is_indexed else limit,
                "limit": limit,
            }
            found = connection.rows(sql, values)
        return [VectorHit(id=id_, score=score, vector=array("f", stored)) for id_, score, stored in found]

    def count(self, scope: Scope, /, *, partitions: frozenset[str]) -> int:
        """See the port."""
        with self._connections.reading(scope.tenant) as connection:
            found: int = 0
            for key, *_ in connection.rows(_SPACE, (scope.tenant, scope.project)):
                named = [*map(clean, partitions)]
                found = connection.value(_COUNT_IN, (key, named)) if named else connection.value(_COUNT, (key,))
        return found

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        with self._connections.writing(scope.tenant) as connection:
            for key, *_ in connection.rows(_HOLD, (scope.tenant, scope.project)):
                if connection.value(_HAS_INDEX, (_index(key),)):
                    connection.change(_DROP_INDEX, (key,))
                connection.run(_CLEAR, (key,))


def _key(found: Sequence[tuple[Any, ...]], space: EmbeddingSpace) -> int | None:
    """Return the key of the space that is held; ``None`` when none is."""
    for key, model, dimensions, metric in found:
        held = EmbeddingSpace(model=model, dimensions=dimensions, metric=Metric(metric))
        if held != space:
            raise ConfigurationError(
                f"the vector index holds {_described(held)}, not {_described(space)}",
                remedy="Run `pckc rebuild --vectors` to embed everything again.",
            )
        return int(key)
    return None


def _widen(connection: Connection) -> None:
    """Let an index scan go on until enough neighbours pass the filters."""
    connection.rows("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)")
    connection.rows(f"SELECT set_config('hnsw.ef_search', '{SEARCH_BREADTH}', true)")


def _index(key: int | None) -> str:
    return f"embedding_hnsw_{key}"


def _described(space: EmbeddingSpace) -> str:
    return f"{space.model} ({space.dimensions} dimensions)"


def _check_length(vector: Vector, space: EmbeddingSpace) -> None:
    if len(vector) != space.dimensions:
        raise InvalidInputError(f"a vector has {len(vector)} components, the space {space.model} {space.dimensions}")


def _text(vector: Vector) -> str:
    return f"[{','.join(f'{x:.9g}' for x in vector)}]"
