"""Assertions by slot and owner."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs
from pckc_domain.model.claim import Assertion
from pckc_domain.model.identity import digest
from pckc_domain.ports.belief import AssertionRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.values import changes, clean, dump, load, plain

_OF_OWNER = "SELECT id, slot, data FROM assertion WHERE scope_key = %s AND owner_id = %s"
_OF_SLOTS = """
    SELECT slot, data FROM assertion WHERE scope_key = %s AND slot = ANY(%s)
    ORDER BY slot, observed_at, seq, id, owner_id
"""
_OF_OWNERS = """
    SELECT owner_id, slot, data FROM assertion WHERE scope_key = %s AND owner_id = ANY(%s)
    ORDER BY owner_id, slot, observed_at, seq, id
"""
_DELETE = "DELETE FROM assertion WHERE scope_key = %s AND owner_id = %s AND id = ANY(%s)"
_COLUMNS = (
    "scope_key", "owner_id", "slot", "id", "value_hash", "attribute_hash", "session_id", "observed_at", "seq", "data",
)  # fmt: skip
_SLOTS = "SELECT DISTINCT slot FROM assertion WHERE scope_key = %s AND slot > %s ORDER BY slot LIMIT %s"
_SLOTS_NAMING = """
    SELECT DISTINCT slot FROM assertion
    WHERE scope_key = %s AND (value_hash = ANY(%s) OR attribute_hash = ANY(%s))
"""
_SLOTS_NAMING_VERSIONS = """
    SELECT DISTINCT slot FROM assertion
    WHERE scope_key = %(scope)s AND (
        split_part(data->'claim'->>'value', ' ', 1) = ANY(%(names)s) AND strpos(data->'claim'->>'value', ' ') > 0
        OR split_part(data->'claim'->>'subject', ' ', 1) = ANY(%(names)s) AND strpos(data->'claim'->>'subject', ' ') > 0
        OR split_part(data->'claim'->>'attribute', ' ', 2) = ANY(%(names)s)
            AND split_part(data->'claim'->>'attribute', ' ', 3) <> ''
    )
"""


class PostgresAssertions(AssertionRepository):
    """Assertions of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def replace(self, owner_id: str, by_slot: Mapping[str, Sequence[Assertion]], /) -> frozenset[str]:
        """See the port."""
        connection, scope = self._connection, self._scope_key
        stored = {id_: (slot, data) for id_, slot, data in connection.rows(_OF_OWNER, (scope, owner_id))}
        wanted: dict[str, tuple[str, Assertion]] = {}
        for slot, assertions in by_slot.items():
            for assertion in assertions:
                id_ = assertion.claim.id
                known = load(stored[id_][1], Assertion).claim.recorded_at if id_ in stored else None
                wanted[id_] = slot, _known_since(assertion, known)
        gone, changed = changes(stored, {id_: (slot, plain(each)) for id_, (slot, each) in wanted.items()})
        replaced = [id_ for id_ in (*gone, *changed) if id_ in stored]
        connection.run(_DELETE, (scope, owner_id, replaced))
        connection.insert("assertion", _COLUMNS, (self._row(owner_id, *wanted[id_]) for id_ in changed))
        return frozenset((*(stored[id_][0] for id_ in replaced), *(wanted[id_][0] for id_ in changed)))

    def of_slots(self, slots: Sequence[str], /) -> Mapping[str, Sequence[Assertion]]:
        """See the port."""
        by_slot: dict[str, list[Assertion]] = {}
        for slot, data in self._connection.rows(_OF_SLOTS, (self._scope_key, list(slots))):
            by_slot.setdefault(slot, []).append(load(data, Assertion))
        return by_slot

    def of_owners(self, owner_ids: Collection[str], /) -> Mapping[str, Mapping[str, Sequence[Assertion]]]:
        """See the port."""
        by_owner: dict[str, dict[str, list[Assertion]]] = {}
        for owner_id, slot, data in self._connection.rows(_OF_OWNERS, (self._scope_key, list(owner_ids))):
            by_owner.setdefault(owner_id, {}).setdefault(slot, []).append(load(data, Assertion))
        return by_owner

    def slots(self, *, after: str = "", limit: int) -> Sequence[str]:
        """See the port."""
        return [slot for (slot,) in self._connection.rows(_SLOTS, (self._scope_key, after, max(limit, 0)))]

    def slots_naming(
        self, values: Collection[str], attributes: Collection[str], /, *, versions_of: Collection[str] = ()
    ) -> frozenset[str]:
        """See the port."""
        named = (self._scope_key, [*map(_hash, values)], [*map(_hash, attributes)])
        found = [*self._connection.rows(_SLOTS_NAMING, named)]
        if versions_of:
            versioned = {"scope": self._scope_key, "names": [*map(clean, versions_of)]}
            found += self._connection.rows(_SLOTS_NAMING_VERSIONS, versioned)
        return frozenset(slot for (slot,) in found)

    def _row(self, owner_id: str, slot: str, assertion: Assertion) -> Row:
        claim = assertion.claim
        return (
            self._scope_key,
            owner_id,
            slot,
            claim.id,
            _hash(claim.value),
            _hash(claim.attribute),
            claim.session_id,
            assertion.proof.observed_at,
            assertion.seq,
            dump(assertion),
        )


def _hash(text: str) -> str:
    """Values may be longer than an index takes."""
    return digest(clean(text))


def _known_since(assertion: Assertion, recorded_at: datetime | None) -> Assertion:
    if recorded_at is None:
        return assertion
    return attrs.evolve(assertion, claim=attrs.evolve(assertion.claim, recorded_at=recorded_at))
