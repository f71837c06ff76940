"""What is remembered for those who feed projections."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.projection import Generations, Lease, SetAside, building_cursor
from pckc_domain.ports.projecting import GenerationRepository, LeaseRepository, SetAsideRepository

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.values import clean

_SET_ASIDE = """
    INSERT INTO set_aside (scope_key, projection, kind, entity_id, seq, operation, tries, error)
    SELECT %(scope)s, %(projection)s, %(kind)s, %(entity)s, %(seq)s, %(operation)s, %(tries)s, %(error)s
    WHERE NOT EXISTS (
        SELECT 1 FROM outbox
        WHERE scope_key = %(scope)s AND kind = %(kind)s AND entity_id = %(entity)s AND seq > %(seq)s
    )
    ON CONFLICT (scope_key, kind, entity_id, projection) DO UPDATE
    SET seq = excluded.seq, operation = excluded.operation, tries = excluded.tries, error = excluded.error
"""
_FIND = """
    SELECT kind, entity_id, seq, operation, tries, error FROM set_aside
    WHERE scope_key = %s AND projection = %s AND seq > %s ORDER BY seq LIMIT %s
"""
_COUNT = "SELECT projection, count(*) FROM set_aside WHERE scope_key = %s GROUP BY projection ORDER BY projection"
_REMOVE = "DELETE FROM set_aside WHERE scope_key = %s AND projection = %s AND seq = ANY(%s)"

# A row that another worker is just taking counts as taken: nobody waits for it.
_OFFER = """
    INSERT INTO lease (scope_key, name, holder, until) VALUES (%(scope)s, %(name)s, '', '-infinity')
    ON CONFLICT (scope_key, name) DO NOTHING
"""
_TAKE = """
    WITH free AS (
        SELECT scope_key, name FROM lease
        WHERE scope_key = %(scope)s AND name = %(name)s AND (holder = %(holder)s OR until <= %(now)s)
        FOR UPDATE SKIP LOCKED
    )
    UPDATE lease SET holder = %(holder)s, until = %(until)s FROM free
    WHERE lease.scope_key = free.scope_key AND lease.name = free.name
"""
_LEASE = "SELECT holder, until FROM lease WHERE scope_key = %s AND name = %s AND holder <> ''"
_RELEASE = "UPDATE lease SET holder = '', until = '-infinity' WHERE scope_key = %s AND name = %s AND holder = %s"

_GENERATIONS = "SELECT serving, building FROM generation WHERE scope_key = %s AND projection = %s"
_BEGIN = """
    INSERT INTO generation (scope_key, projection, serving, building) VALUES (%s, %s, 0, %s)
    ON CONFLICT (scope_key, projection) DO UPDATE SET building = excluded.building
"""
_SWITCH = "UPDATE generation SET serving = building, building = NULL WHERE scope_key = %s AND projection = %s"
_MOVES = (
    "DELETE FROM projection WHERE scope_key = %(scope)s AND name = %(name)s",
    "UPDATE projection SET name = %(name)s WHERE scope_key = %(scope)s AND name = %(cursor)s",
    "DELETE FROM set_aside WHERE scope_key = %(scope)s AND projection = %(name)s",
    "UPDATE set_aside SET projection = %(name)s WHERE scope_key = %(scope)s AND projection = %(cursor)s",
)


class PostgresSetAside(SetAsideRepository):
    """Changes of one scope that projections could not take in."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def put(self, failed: Sequence[SetAside], /) -> None:
        """See the port."""
        for each in failed:
            values = {
                "scope": self._scope_key,
                "projection": each.projection,
                "kind": each.entry.kind.value,
                "entity": each.entry.entity_id,
                "seq": each.entry.seq,
                "operation": each.entry.operation.value,
                "tries": each.tries,
                "error": clean(each.error),
            }
            self._connection.run(_SET_ASIDE, values)

    def find(self, projection: str, /, *, after: int = 0, limit: int) -> Sequence[SetAside]:
        """See the port."""
        rows = self._connection.rows(_FIND, (self._scope_key, projection, after, limit))
        return [_set_aside(projection, *row) for row in rows]

    def count(self) -> Mapping[str, int]:
        """See the port."""
        found = self._connection.rows(_COUNT, (self._scope_key,))
        return {str(projection): int(count) for projection, count in found}

    def remove(self, projection: str, seqs: Sequence[int], /) -> None:
        """See the port."""
        self._connection.run(_REMOVE, (self._scope_key, projection, list(seqs)))


class PostgresLeases(LeaseRepository):
    """Who works at what in one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def take(self, name: str, lease: Lease, /, *, now: datetime) -> bool:
        """See the port."""
        values = {
            "scope": self._scope_key,
            "name": name,
            "holder": lease.holder,
            "until": lease.until,
            "now": now,
        }
        self._connection.run(_OFFER, values)
        return self._connection.touched(_TAKE, values) > 0

    def get(self, name: str, /) -> Lease | None:
        """See the port."""
        for holder, until in self._connection.rows(_LEASE, (self._scope_key, name)):
            return Lease(holder=holder, until=until)
        return None

    def release(self, name: str, holder: str, /) -> None:
        """See the port."""
        self._connection.run(_RELEASE, (self._scope_key, name, holder))


class PostgresGenerations(GenerationRepository):
    """Which index of each projection serves one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def get(self, projection: str, /) -> Generations:
        """See the port."""
        for serving, building in self._connection.rows(_GENERATIONS, (self._scope_key, projection)):
            return Generations(serving=serving, building=building)
        return Generations()

    def begin(self, projection: str, generation: int, /) -> None:
        """See the port."""
        self._connection.run(_BEGIN, (self._scope_key, projection, generation))

    def switch(self, projection: str, /) -> None:
        """See the port."""
        if self.get(projection).building is None:
            return
        values = {"scope": self._scope_key, "name": projection, "cursor": building_cursor(projection)}
        for move in _MOVES:
            self._connection.run(move, values)
        self._connection.run(_SWITCH, (self._scope_key, projection))


def _set_aside(
    projection: str, kind: str, entity_id: str, seq: int, operation: str, tries: int, error: str
) -> SetAside:
    entry = OutboxEntry(seq=seq, kind=OutboxKind(kind), entity_id=entity_id, operation=OutboxOperation(operation))
    return SetAside(projection=projection, entry=entry, tries=tries, error=error)
