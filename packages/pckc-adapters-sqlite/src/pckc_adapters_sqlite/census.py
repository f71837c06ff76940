"""How much a scope holds."""

from collections.abc import Mapping

from pckc_domain.model.claim import ClaimStatus, ClaimType, Governance
from pckc_domain.model.session import EventKind
from pckc_domain.ports.belief import Census

from pckc_adapters_sqlite import belief_queries
from pckc_adapters_sqlite.connection import Connection


class SqliteCensus(Census):
    """Counts of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def sessions(self) -> Mapping[str, int]:
        """See the port."""
        return dict(self._connection.rows(belief_queries.COUNT_SESSIONS, (self._scope_key,)))

    def events(self) -> Mapping[EventKind, int]:
        """See the port."""
        found = self._connection.rows(belief_queries.COUNT_EVENTS, (self._scope_key,))
        return {EventKind(kind): count for kind, count in found}

    def claims(self) -> Mapping[tuple[ClaimType, ClaimStatus, Governance], int]:
        """See the port."""
        found = self._connection.rows(belief_queries.COUNT_CLAIMS, (self._scope_key,))
        return {
            (ClaimType(type_), ClaimStatus(status), Governance(governance)): count
            for type_, status, governance, count in found
        }

    def evidence(self) -> int:
        """See the port."""
        count: int = self._connection.value(belief_queries.COUNT_EVIDENCE, (self._scope_key,))
        return count
