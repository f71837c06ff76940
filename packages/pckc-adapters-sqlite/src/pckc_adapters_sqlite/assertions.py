"""Assertions by slot and owner."""

from collections.abc import Collection, Mapping, Sequence

from pckc_domain.model.claim import Assertion
from pckc_domain.ports.belief import AssertionRepository

from pckc_adapters_sqlite import belief_queries, belief_rows, rows
from pckc_adapters_sqlite.connection import Connection

_SLOT, _CLAIM_ID, _RECORDED_AT = 0, 3, 3 + belief_rows.RECORDED_AT


class SqliteAssertions(AssertionRepository):
    """Assertions of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def replace(self, owner_id: str, by_slot: Mapping[str, Sequence[Assertion]], /) -> frozenset[str]:
        """See the port."""
        connection, owner = self._connection, (self._scope_key, owner_id)
        stored = {row[_CLAIM_ID]: row for row in connection.rows(belief_queries.ASSERTIONS_OF_OWNER, owner)}
        known_since = {id_: row[_RECORDED_AT] for id_, row in stored.items()}
        wanted = {
            assertion.claim.id: belief_rows.assertion_row(slot, assertion, known_since.get(assertion.claim.id))
            for slot, assertions in by_slot.items()
            for assertion in assertions
        }
        gone, changed = belief_rows.changes(stored, wanted)
        replaced = [id_ for id_ in (*gone, *changed) if id_ in stored]
        connection.run(belief_queries.DELETE_ASSERTIONS, (*owner, rows.array(replaced)))
        connection.run_many(belief_queries.INSERT_ASSERTION, [(*owner, *row) for row in changed.values()])
        return frozenset(row[_SLOT] for row in (*(stored[id_] for id_ in replaced), *changed.values()))

    def of_slots(self, slots: Sequence[str], /) -> Mapping[str, Sequence[Assertion]]:
        """See the port."""
        by_slot: dict[str, list[Assertion]] = {}
        for row in self._connection.rows(belief_queries.ASSERTIONS_OF_SLOTS, (self._scope_key, rows.array(slots))):
            by_slot.setdefault(row[_SLOT], []).append(belief_rows.assertion(row))
        return by_slot

    def of_owners(self, owner_ids: Collection[str], /) -> Mapping[str, Mapping[str, Sequence[Assertion]]]:
        """See the port."""
        by_owner: dict[str, dict[str, list[Assertion]]] = {}
        owners = (self._scope_key, rows.array(owner_ids))
        for owner_id, *row in self._connection.rows(belief_queries.ASSERTIONS_OF_OWNERS, owners):
            by_owner.setdefault(owner_id, {}).setdefault(row[_SLOT], []).append(belief_rows.assertion(tuple(row)))
        return by_owner

    def slots(self, *, after: str = "", limit: int) -> Sequence[str]:
        """See the port."""
        return [
            slot for (slot,) in self._connection.rows(belief_queries.SLOTS, (self._scope_key, after, max(limit, 0)))
        ]

    def slots_naming(
        self, values: Collection[str], attributes: Collection[str], /, *, versions_of: Collection[str] = ()
    ) -> frozenset[str]:
        """See the port."""
        named = (self._scope_key, rows.array(values), rows.array(attributes))
        found = self._connection.rows(belief_queries.SLOTS_NAMING, named) if values or attributes else []
        if versions_of:
            versioned = (self._scope_key, rows.array(versions_of))
            found = [*found, *self._connection.rows(belief_queries.SLOTS_NAMING_VERSIONS, versioned)]
        return frozenset(slot for (slot,) in found)
