"""How much a scope holds."""

from collections.abc import Mapping

from pckc_domain.model.claim import ClaimStatus, ClaimType, Governance
from pckc_domain.model.session import EventKind
from pckc_domain.ports.belief import Census

from pckc_adapters_postgres.connection import Connection

_SESSIONS = "SELECT host, count(*) FROM session WHERE scope_key = %s GROUP BY host ORDER BY host"
_EVENTS = "SELECT kind, count(*) FROM event WHERE scope_key = %s GROUP BY kind ORDER BY kind"
_EVIDENCE = "SELECT count(*) FROM evidence WHERE scope_key = %s"
_CLAIMS = """
    SELECT type, CASE WHEN stale_reason = '' THEN status ELSE 'stale' END, governance, count(*)
    FROM claim WHERE scope_key = %s GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


class PostgresCensus(Census):
    """Counts of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def sessions(self) -> Mapping[str, int]:
        """See the port."""
        return dict(self._connection.rows(_SESSIONS, (self._scope_key,)))

    def events(self) -> Mapping[EventKind, int]:
        """See the port."""
        return {EventKind(kind): count for kind, count in self._connection.rows(_EVENTS, (self._scope_key,))}

    def claims(self) -> Mapping[tuple[ClaimType, ClaimStatus, Governance], int]:
        """See the port."""
        found = self._connection.rows(_CLAIMS, (self._scope_key,))
        return {
            (ClaimType(type_), ClaimStatus(status), Governance(governance)): count
            for type_, status, governance, count in found
        }

    def evidence(self) -> int:
        """See the port."""
        count: int = self._connection.value(_EVIDENCE, (self._scope_key,))
        return count
