"""What people decided about claims."""

from collections.abc import Sequence

from pckc_domain.model.claim import GovernanceAct
from pckc_domain.ports.belief import GovernanceRepository

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.values import as_json, load

_APPEND = """
    INSERT INTO governance_act (scope_key, session_id, claim_id, data)
    VALUES (
        %(scope)s,
        coalesce(
            (SELECT session_id FROM claim WHERE scope_key = %(scope)s AND id = %(claim)s),
            (SELECT session_id FROM assertion WHERE scope_key = %(scope)s AND id = %(claim)s ORDER BY key LIMIT 1),
            (SELECT session_id FROM governance_act WHERE scope_key = %(scope)s AND claim_id = %(claim)s LIMIT 1),
            ''
        ),
        %(claim)s, %(data)s
    )
"""
_OF = "SELECT data FROM governance_act WHERE scope_key = %s AND claim_id = ANY(%s) ORDER BY key"


class PostgresGovernance(GovernanceRepository):
    """Governance of one scope's claims."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def append(self, act: GovernanceAct, /) -> None:
        """See the port."""
        self._connection.run(_APPEND, {"scope": self._scope_key, "claim": act.claim_id, "data": as_json(act)})

    def of(self, claim_ids: Sequence[str], /) -> Sequence[GovernanceAct]:
        """See the port."""
        found = self._connection.rows(_OF, (self._scope_key, list(claim_ids)))
        return [load(data, GovernanceAct) for (data,) in found]
