"""The queue that feeds projections."""

from collections.abc import Collection, Iterable, Sequence

from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation, graph_file_id
from pckc_domain.ports.canonical import OutboxRepository

from pckc_adapters_postgres.connection import Connection

UNCLAIMED_DELETIONS = 10_000
"""Deletions kept while no projection is known: more than a first run can miss while it works."""

STORED_KINDS = (OutboxKind.DOCUMENT, OutboxKind.CLAIM, OutboxKind.EPISODE)

# The writer holds the scope's row, so that numbers become visible in their order.
_ENQUEUE = """
    WITH taken AS (
        UPDATE scope SET last_seq = last_seq + %(count)s WHERE key = %(scope)s RETURNING last_seq - %(count)s AS before
    )
    INSERT INTO outbox (scope_key, seq, kind, entity_id, operation)
    SELECT %(scope)s, before + place, %(kind)s, id, %(operation)s
    FROM taken CROSS JOIN unnest(%(ids)s::text[]) WITH ORDINALITY AS asked (id, place)
    ON CONFLICT (scope_key, kind, entity_id) DO UPDATE SET seq = excluded.seq, operation = excluded.operation
"""
_PENDING = """
    SELECT seq, kind, entity_id, operation FROM outbox
    WHERE scope_key = %s AND seq > %s AND kind = ANY(%s) ORDER BY seq LIMIT %s
"""
_LAG = "SELECT count(*) FROM outbox WHERE scope_key = %s AND seq > %s AND kind = ANY(%s)"
_CURSOR = "SELECT seq FROM projection WHERE scope_key = %s AND name = %s"
_ADVANCE = """
    INSERT INTO projection (scope_key, name, seq) VALUES (%s, %s, %s)
    ON CONFLICT (scope_key, name) DO UPDATE SET seq = greatest(projection.seq, excluded.seq)
"""
_RESET = """
    INSERT INTO projection (scope_key, name, seq) VALUES (%s, %s, 0)
    ON CONFLICT (scope_key, name) DO UPDATE SET seq = 0
"""
# What is queued as an upsert already keeps its place. Each kind has the name of its table.
_UNQUEUED = """
    SELECT id FROM {table} stored
    WHERE scope_key = %s AND NOT EXISTS (
        SELECT 1 FROM outbox o
        WHERE o.scope_key = stored.scope_key AND o.kind = %s AND o.entity_id = stored.id AND o.operation = 'upsert'
    )
    ORDER BY id
"""
_QUEUED = "SELECT entity_id FROM outbox WHERE scope_key = %s AND kind = %s AND operation = %s"
_STORED_GRAPH_FILES = """
    SELECT g.checkout_id, g.layer, f.path FROM graph g JOIN graph_file f ON f.graph_key = g.key WHERE g.scope_key = %s
"""
_FORGET_SET_ASIDE = "DELETE FROM set_aside WHERE scope_key = %(scope)s AND kind = %(kind)s AND entity_id = ANY(%(ids)s)"
_FORGET_ALL_SET_ASIDE = "DELETE FROM set_aside WHERE scope_key = %s AND projection = %s"
_TRIM_SEEN = """
    DELETE FROM outbox
    WHERE scope_key = %(scope)s AND operation = 'delete'
      AND seq <= (SELECT min(seq) FROM projection WHERE scope_key = %(scope)s)
"""
_TRIM_UNCLAIMED = """
    DELETE FROM outbox
    WHERE scope_key = %(scope)s AND operation = 'delete'
      AND NOT EXISTS (SELECT 1 FROM projection WHERE scope_key = %(scope)s)
      AND seq <= (
        SELECT seq FROM outbox WHERE scope_key = %(scope)s AND operation = 'delete'
        ORDER BY seq DESC LIMIT 1 OFFSET %(kept)s
      )
"""


class PostgresOutbox(OutboxRepository):
    """
    One row per entity, its newest change.

    Upserts stay, so that a projection that starts later finds every stored entity in the queue; deletions go when every
    known projection has seen them.
    """

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def append(self, kind: OutboxKind, entity_ids: Iterable[str], operation: OutboxOperation, /) -> None:
        """See the port."""
        ids = list(reversed(dict.fromkeys(reversed(list(entity_ids)))))  # an id's last place counts
        if not ids:
            return
        values = {"scope": self._scope_key, "count": len(ids), "kind": kind, "operation": operation, "ids": ids}
        self._connection.run(_ENQUEUE, values)
        self._connection.run(_FORGET_SET_ASIDE, values)
        if operation is OutboxOperation.DELETE:
            self._connection.run(_TRIM_UNCLAIMED, {"scope": self._scope_key, "kept": UNCLAIMED_DELETIONS})

    def pending(self, projection: str, /, *, limit: int, kinds: Collection[OutboxKind] = ()) -> Sequence[OutboxEntry]:
        """See the port."""
        values = (self._scope_key, self._cursor(projection), list(kinds or OutboxKind), max(limit, 0))
        found = self._connection.rows(_PENDING, values)
        return [
            OutboxEntry(seq=seq, kind=OutboxKind(kind), entity_id=entity_id, operation=OutboxOperation(operation))
            for seq, kind, entity_id, operation in found
        ]

    def advance(self, projection: str, seq: int, /) -> None:
        """See the port."""
        self._connection.run(_ADVANCE, (self._scope_key, projection, seq))
        self._connection.run(_TRIM_SEEN, {"scope": self._scope_key})

    def lag(self, projection: str, /, *, kinds: Collection[OutboxKind] = ()) -> int:
        """See the port."""
        values = (self._scope_key, self._cursor(projection), list(kinds or OutboxKind))
        count: int = self._connection.value(_LAG, values)
        return count

    def reset(self, projection: str, /) -> None:
        """See the port."""
        for kind in STORED_KINDS:
            missing = self._connection.rows(_UNQUEUED.format(table=kind.value), (self._scope_key, kind))
            self.append(kind, [id_ for (id_,) in missing], OutboxOperation.UPSERT)
        self.append(OutboxKind.GRAPH_FILE, self._unqueued_files(), OutboxOperation.UPSERT)
        self._connection.run(_FORGET_ALL_SET_ASIDE, (self._scope_key, projection))
        self._connection.run(_RESET, (self._scope_key, projection))

    def _unqueued_files(self) -> list[str]:
        """Return the ids of the files of graphs that are not queued as upserts."""
        values = (self._scope_key, OutboxKind.GRAPH_FILE, OutboxOperation.UPSERT)
        queued = {id_ for (id_,) in self._connection.rows(_QUEUED, values)}
        stored = self._connection.rows(_STORED_GRAPH_FILES, (self._scope_key,))
        ids = {graph_file_id(checkout, GraphLayer(layer), path) for checkout, layer, path in stored}
        return sorted(ids - queued)

    def _cursor(self, projection: str) -> int:
        return self._connection.value(_CURSOR, (self._scope_key, projection)) or 0
