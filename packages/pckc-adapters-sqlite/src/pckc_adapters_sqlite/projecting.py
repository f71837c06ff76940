"""What is remembered for those who feed projections."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.projection import Generations, Lease, SetAside, building_cursor
from pckc_domain.ports.projecting import GenerationRepository, LeaseRepository, SetAsideRepository

from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.rows import clean, instant, microseconds

_SET_ASIDE = """
    INSERT OR REPLACE INTO set_aside (scope_key, projection, kind, entity_id, seq, operation, tries, error)
    SELECT :scope, :projection, :kind, :entity, :seq, :operation, :tries, :error
    WHERE NOT EXISTS (
        SELECT 1 FROM outbox WHERE scope_key = :scope AND kind = :kind AND entity_id = :entity AND seq > :seq
    )
"""
_FIND = """
    SELECT kind, entity_id, seq, operation, tries, error FROM set_aside
    WHERE scope_key = ? AND projection = ? AND seq > ? ORDER BY seq LIMIT ?
"""
_COUNT = "SELECT projection, count(*) FROM set_aside WHERE scope_key = ? GROUP BY projection ORDER BY projection"
_REMOVE = "DELETE FROM set_aside WHERE scope_key = ? AND projection = ? AND seq = ?"

_TAKE = """
    INSERT INTO lease (scope_key, name, holder, until) VALUES (:scope, :name, :holder, :until)
    ON CONFLICT DO UPDATE SET holder = :holder, until = :until WHERE holder = :holder OR until <= :now
"""
_LEASE = "SELECT holder, until FROM lease WHERE scope_key = ? AND name = ?"
_RELEASE = "DELETE FROM lease WHERE scope_key = ? AND name = ? AND holder = ?"

_GENERATIONS = "SELECT serving, building FROM generation WHERE scope_key = ? AND projection = ?"
_BEGIN = """
    INSERT INTO generation (scope_key, projection, serving, building) VALUES (?, ?, 0, ?)
    ON CONFLICT DO UPDATE SET building = excluded.building
"""
_SWITCH = "UPDATE generation SET serving = building, building = NULL WHERE scope_key = ? AND projection = ?"
_MOVES = (
    "DELETE FROM projection WHERE scope_key = :scope AND name = :name",
    "UPDATE projection SET name = :name WHERE scope_key = :scope AND name = :cursor",
    "DELETE FROM set_aside WHERE scope_key = :scope AND projection = :name",
    "UPDATE set_aside SET projection = :name WHERE scope_key = :scope AND projection = :cursor",
)


class SqliteSetAside(SetAsideRepository):
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
        return dict(self._connection.rows(_COUNT, (self._scope_key,)))

    def remove(self, projection: str, seqs: Sequence[int], /) -> None:
        """See the port."""
        self._connection.run_many(_REMOVE, [(self._scope_key, projection, seq) for seq in seqs])


class SqliteLeases(LeaseRepository):
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
            "until": microseconds(lease.until),
            "now": microseconds(now),
        }
        return self._connection.run(_TAKE, values) > 0

    def get(self, name: str, /) -> Lease | None:
        """See the port."""
        for holder, until in self._connection.rows(_LEASE, (self._scope_key, name)):
            return Lease(holder=holder, until=instant(until))
        return None

    def release(self, name: str, holder: str, /) -> None:
        """See the port."""
        self._connection.run(_RELEASE, (self._scope_key, name, holder))


class SqliteGenerations(GenerationRepository):
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
