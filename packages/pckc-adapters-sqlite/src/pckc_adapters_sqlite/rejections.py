"""Texts of sessions that did not become a claim."""

from collections.abc import Sequence

from pckc_domain.model.claim import Rejection
from pckc_domain.ports.belief import RejectionRepository

from pckc_adapters_sqlite import belief_queries, belief_rows
from pckc_adapters_sqlite.connection import Connection


class SqliteRejections(RejectionRepository):
    """Rejections of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def replace(self, session_id: str, rejections: Sequence[Rejection], /) -> None:
        """See the port."""
        connection, scope = self._connection, self._scope_key
        found = connection.rows(belief_queries.REJECTIONS_OF_SESSION, (scope, session_id))
        keys = {row: key for key, *columns in found for row in [tuple(columns)]}
        wanted = dict.fromkeys(map(belief_rows.rejection_row, rejections))
        gone = [key for row, key in keys.items() if row not in wanted]
        connection.run(belief_queries.DELETE_REJECTIONS, (str(gone),))
        connection.run_many(belief_queries.INSERT_REJECTION, [(scope, *row) for row in wanted if row not in keys])

    def find(self, *, session_id: str | None = None, limit: int) -> Sequence[Rejection]:
        """See the port."""
        condition = "" if session_id is None else belief_queries.REJECTED_IN_SESSION
        found = self._connection.rows(
            belief_queries.FIND_REJECTIONS.format(filter=condition),
            {"scope": self._scope_key, "session": session_id, "limit": max(limit, 0)},
        )
        return [belief_rows.rejection(row) for row in found]
