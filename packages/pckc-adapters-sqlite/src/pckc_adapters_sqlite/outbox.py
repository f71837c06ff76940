"""The queue that feeds projections."""

from collections.abc import Collection, Iterable, Sequence

from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation, graph_file_id
from pckc_domain.ports.canonical import OutboxRepository

from pckc_adapters_sqlite import queries
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.rows import array

UNCLAIMED_DELETIONS = 10_000
"""Deletions kept while no projection is known: more than a first run can miss while it works."""

STORED_KINDS = (OutboxKind.DOCUMENT, OutboxKind.CLAIM, OutboxKind.EPISODE)


class SqliteOutbox(OutboxRepository):
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
        scope, connection = self._scope_key, self._connection
        ids = list(entity_ids)
        connection.run_many(queries.ENQUEUE, [(scope, kind.value, id_, operation.value) for id_ in ids])
        connection.run_many(queries.FORGET_SET_ASIDE, [(scope, kind.value, id_) for id_ in ids])
        if operation is OutboxOperation.DELETE:
            connection.run(queries.TRIM_UNCLAIMED_DELETIONS, (scope, UNCLAIMED_DELETIONS))

    def pending(self, projection: str, /, *, limit: int, kinds: Collection[OutboxKind] = ()) -> Sequence[OutboxEntry]:
        """See the port."""
        values = (self._scope_key, self._cursor(projection), array(kinds or OutboxKind), limit)
        rows = self._connection.rows(queries.PENDING, values)
        return [
            OutboxEntry(seq=seq, kind=OutboxKind(kind), entity_id=entity_id, operation=OutboxOperation(operation))
            for seq, kind, entity_id, operation in rows
        ]

    def advance(self, projection: str, seq: int, /) -> None:
        """See the port."""
        self._connection.run(queries.ADVANCE, (self._scope_key, projection, seq))
        self._connection.run(queries.TRIM_SEEN_DELETIONS, (self._scope_key,))

    def lag(self, projection: str, /, *, kinds: Collection[OutboxKind] = ()) -> int:
        """See the port."""
        values = (self._scope_key, self._cursor(projection), array(kinds or OutboxKind))
        count: int = self._connection.value(queries.LAG, values)
        return count

    def reset(self, projection: str, /) -> None:
        """See the port."""
        for kind in STORED_KINDS:
            # Each kind has the name of its table.
            self._connection.run(queries.ENQUEUE_STORED.format(kind=kind.value, table=kind.value), (self._scope_key,))
        self.append(OutboxKind.GRAPH_FILE, self._unqueued_files(), OutboxOperation.UPSERT)
        self._connection.run(queries.FORGET_ALL_SET_ASIDE, (self._scope_key, projection))
        self._connection.run(queries.RESET, (self._scope_key, projection))

    def _unqueued_files(self) -> list[str]:
        """Return the ids of the files of graphs that are not queued as upserts."""
        values = (self._scope_key, OutboxKind.GRAPH_FILE, OutboxOperation.UPSERT)
        queued = {id_ for (id_,) in self._connection.rows(queries.QUEUED, values)}
        stored = self._connection.rows(queries.STORED_GRAPH_FILES, (self._scope_key,))
        ids = {graph_file_id(checkout, GraphLayer(layer), path) for checkout, layer, path in stored}
        return sorted(ids - queued)

    def _cursor(self, projection: str) -> int:
        return self._connection.value(queries.CURSOR, (self._scope_key, projection)) or 0
