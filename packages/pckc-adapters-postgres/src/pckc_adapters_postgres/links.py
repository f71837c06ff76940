"""Links between claims."""

from collections.abc import Mapping, Sequence

from pckc_domain.model.claim import Link
from pckc_domain.ports.belief import LinkRepository

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.values import changes, dump, load, plain

_OF = """
    SELECT l.data FROM link l JOIN claim s ON s.key = l.source_key JOIN claim t ON t.key = l.target_key
    WHERE s.scope_key = %(scope)s AND (s.id = ANY(%(ids)s) OR t.id = ANY(%(ids)s))
    ORDER BY s.id, t.id, l.kind
"""
_OF_SLOTS = """
    SELECT s.id, t.id, l.kind, l.slot, l.data FROM link l
    JOIN claim s ON s.key = l.source_key JOIN claim t ON t.key = l.target_key
    WHERE s.scope_key = %s AND l.slot = ANY(%s)
"""
_DELETE = """
    DELETE FROM link l USING claim c WHERE c.key = l.source_key AND c.scope_key = %s AND l.slot = ANY(%s)
"""
_COLUMNS = ("source_key", "target_key", "kind", "slot", "data")
_REPLACING = """
    ON CONFLICT (source_key, target_key, kind) DO UPDATE SET slot = excluded.slot, data = excluded.data
"""


class PostgresLinks(LinkRepository):
    """Links between one scope's claims."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def of(self, claim_ids: Sequence[str], /) -> Sequence[Link]:
        """See the port."""
        found = self._connection.rows(_OF, {"scope": self._scope_key, "ids": list(claim_ids)})
        return [load(data, Link) for (data,) in found]

    def settle(self, by_slot: Mapping[str, Sequence[Link]], keys: Mapping[str, int]) -> frozenset[str]:
        """
        Make their links all that the slots were settled with; one whose other end is unknown is dropped.

        Return the claims whose links changed.
        """
        slots = (self._scope_key, list(by_slot))
        stored = {(s, t, kind): (slot, data) for s, t, kind, slot, data in self._connection.rows(_OF_SLOTS, slots)}
        self._connection.run(_DELETE, slots)
        newest = {
            (link.source_id, link.target_id, link.kind): (slot, link)
            for slot, links in by_slot.items()
            for link in links
            if link.source_id in keys and link.target_id in keys
        }
        rows = [
            (keys[link.source_id], keys[link.target_id], link.kind, slot, dump(link)) for slot, link in newest.values()
        ]
        self._connection.insert("link", _COLUMNS, rows, on_conflict=_REPLACING)
        gone, changed = changes(stored, {key: (slot, plain(link)) for key, (slot, link) in newest.items()})
        return frozenset(source for source, _, _ in (*gone, *changed))
