"""Texts of sessions that did not become a claim."""

from collections.abc import Sequence

from pckc_domain.model.claim import Rejection
from pckc_domain.ports.belief import RejectionRepository

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.values import dump, load

_DELETE = "DELETE FROM rejection WHERE scope_key = %s AND session_id = %s"
_COLUMNS = ("scope_key", "session_id", "seq", "rule", "data")
_FIND = """
    SELECT data FROM rejection WHERE scope_key = %(scope)s {condition}
    ORDER BY session_id, seq, rule, (data->>'excerpt') COLLATE "C", (data->>'reason') COLLATE "C",
        (data->>'event_id') COLLATE "C"
    LIMIT %(limit)s
"""


class PostgresRejections(RejectionRepository):
    """Rejections of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def replace(self, session_id: str, rejections: Sequence[Rejection], /) -> None:
        """See the port."""
        self._connection.run(_DELETE, (self._scope_key, session_id))
        rows = [(self._scope_key, r.session_id, r.seq, r.rule, dump(r)) for r in dict.fromkeys(rejections)]
        self._connection.insert("rejection", _COLUMNS, rows)

    def find(self, *, session_id: str | None = None, limit: int) -> Sequence[Rejection]:
        """See the port."""
        condition = "" if session_id is None else "AND session_id = %(session)s"
        values = {"scope": self._scope_key, "session": session_id, "limit": max(limit, 0)}
        return [load(data, Rejection) for (data,) in self._connection.rows(_FIND.format(condition=condition), values)]
