"""Links between claims."""

from collections.abc import Sequence

from pckc_domain.model.claim import Link
from pckc_domain.ports.belief import LinkRepository

from pckc_adapters_sqlite import belief_queries, belief_rows, rows
from pckc_adapters_sqlite.connection import Connection


class SqliteLinks(LinkRepository):
    """Links between one scope's claims."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def of(self, claim_ids: Sequence[str], /) -> Sequence[Link]:
        """See the port."""
        found = self._connection.rows(belief_queries.LINKS, (self._scope_key, rows.array(claim_ids)))
        return [belief_rows.link(row) for row in found]
