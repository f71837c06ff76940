"""What people decided about claims."""

from collections.abc import Sequence

from pckc_domain.model.claim import GovernanceAct
from pckc_domain.ports.belief import GovernanceRepository

from pckc_adapters_sqlite import belief_queries, belief_rows, rows
from pckc_adapters_sqlite.connection import Connection


class SqliteGovernance(GovernanceRepository):
    """Governance of one scope's claims."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def append(self, act: GovernanceAct, /) -> None:
        """See the port."""
        self._connection.run(belief_queries.APPEND_ACT, (self._scope_key, *belief_rows.act_row(act)))

    def of(self, claim_ids: Sequence[str], /) -> Sequence[GovernanceAct]:
        """See the port."""
        found = self._connection.rows(belief_queries.ACTS, (self._scope_key, rows.array(claim_ids)))
        return [belief_rows.act(row) for row in found]
