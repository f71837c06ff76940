"""Claims: settling them, by slot, and searching them."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from pckc_domain.model.belief import ClaimFilter, ClaimHit, StoredClaim
from pckc_domain.model.claim import Beliefs, Claim, ClaimStatus
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.query import LexicalQuery
from pckc_domain.ports.belief import ClaimRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.fulltext import search, vector
from pckc_adapters_postgres.links import PostgresLinks
from pckc_adapters_postgres.outbox import PostgresOutbox
from pckc_adapters_postgres.proofs import PostgresProofs, proof_row
from pckc_adapters_postgres.values import changes, clean, dump, load, plain

# Each is looked up by itself: a planner without statistics would read all of the project's claims.
_TO_SETTLE = """
    SELECT held.* FROM unnest(%(slots)s::text[]) AS asked (slot) CROSS JOIN LATERAL (
        SELECT id, key, slot, data FROM claim WHERE scope_key = %(scope)s AND slot = asked.slot OFFSET 0
    ) held
    UNION ALL
    SELECT wanted.* FROM unnest(%(ids)s::text[]) AS asked (id) CROSS JOIN LATERAL (
        SELECT id, key, slot, data FROM claim WHERE scope_key = %(scope)s AND id = asked.id OFFSET 0
    ) wanted
"""
_COLUMNS = (
    "scope_key", "id", "slot", "type", "status", "governance", "session_id", "branch_name", "is_standing", "valid_from",
    "valid_to", "data", "words",
)  # fmt: skip
_REPLACING = """
    ON CONFLICT (scope_key, id) DO UPDATE SET
        slot = excluded.slot, type = excluded.type, status = excluded.status, governance = excluded.governance,
        session_id = excluded.session_id, branch_name = excluded.branch_name, is_standing = excluded.is_standing,
        valid_from = excluded.valid_from, valid_to = excluded.valid_to, data = excluded.data, words = excluded.words
"""
_KEYS = """
    SELECT known.* FROM unnest(%s::text[]) AS asked (id) CROSS JOIN LATERAL (
        SELECT id, key FROM claim WHERE scope_key = %s AND id = asked.id OFFSET 0
    ) known
"""
_DELETE = "DELETE FROM claim WHERE scope_key = %s AND id = ANY(%s)"
_STORED = "SELECT t.slot, t.stale_reason, t.data FROM claim t"
_GET = f"{_STORED} WHERE t.scope_key = %s AND t.id = ANY(%s)"
_BY_KEY = f"{_STORED} WHERE t.key = ANY(%s)"
_FIND = f"{_STORED} WHERE t.scope_key = %(scope)s AND t.id > %(after)s {{condition}} ORDER BY t.id LIMIT %(limit)s"
_NOTE = "UPDATE claim SET stale_reason = %s WHERE scope_key = %s AND id = %s AND stale_reason <> %s"

_LISTS = {
    "types": "AND t.type = ANY(%(types)s)",
    "statuses": "AND CASE WHEN t.stale_reason = '' THEN t.status ELSE 'stale' END = ANY(%(statuses)s)",
    "governance": "AND t.governance = ANY(%(governance)s)",
    "slots": "AND t.slot = ANY(%(slots)s)",
    "session_ids": "AND t.session_id = ANY(%(session_ids)s)",
    "branches": "AND t.branch_name = ANY(%(branches)s)",
    "set_below": """
        AND (t.session_id || (t.data->>'document_id') <> '' OR EXISTS (
            SELECT 1 FROM unnest(%(set_below)s::text[]) AS start WHERE starts_with(t.data->>'path', start)
        ))
    """,
}
"""Conditions by the filter's field."""


class PostgresClaims(ClaimRepository):
    """Claims of one scope."""

    def __init__(
        self,
        connection: Connection,
        scope_key: int,
        outbox: PostgresOutbox,
        proofs: PostgresProofs,
        links: PostgresLinks,
    ) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._outbox = outbox
        self._proofs = proofs
        self._links = links

    def settle(self, by_slot: Mapping[str, Beliefs], /) -> None:
        """See the port."""
        connection, scope = self._connection, self._scope_key
        wanted = {claim.id: (slot, claim) for slot, beliefs in by_slot.items() for claim in beliefs.claims}
        found = connection.rows(_TO_SETTLE, {"scope": scope, "slots": list(by_slot), "ids": list(wanted)})
        stored = {id_: (slot, data) for id_, _, slot, data in found}  # also those that other slots held so far
        gone, changed = changes(
            stored, {id_: (slot, plain(claim) if id_ in stored else None) for id_, (slot, claim) in wanted.items()}
        )
        if gone:
            connection.run(_DELETE, (scope, gone))
            self._outbox.append(OutboxKind.CLAIM, sorted(gone), OutboxOperation.DELETE)
        rows = (self._row(*wanted[id_]) for id_ in changed)
        made = connection.insert("claim", _COLUMNS, rows, on_conflict=_REPLACING, returning="id, key")
        self._outbox.append(OutboxKind.CLAIM, sorted(changed), OutboxOperation.UPSERT)
        # What needs no key is made while the server takes in the claims.
        proofs = [
            (proof.claim_id, proof_row(proof))
            for beliefs in by_slot.values()
            for proof in beliefs.proofs
            if proof.claim_id in wanted
        ]
        known: dict[str, int] = {id_: key for id_, key, _, _ in found if id_ in wanted}
        keys = known | dict(made)
        self._proofs.settle(keys, proofs, settled=list(known.values()))
        links = [link for beliefs in by_slot.values() for link in beliefs.links]
        ends = {id_ for link in links for id_ in (link.source_id, link.target_id)} - keys.keys()
        keys |= dict(connection.rows(_KEYS, (sorted(ends), scope))) if ends else {}
        relinked = self._links.settle({slot: beliefs.links for slot, beliefs in by_slot.items()}, keys)
        self._outbox.append(OutboxKind.LINK, sorted(relinked.difference(changed)), OutboxOperation.UPSERT)

    def get(self, claim_ids: Sequence[str], /) -> Sequence[StoredClaim]:
        """See the port."""
        by_id = _by_id(self._connection.rows(_GET, (self._scope_key, list(claim_ids))))
        return [by_id[id_] for id_ in dict.fromkeys(claim_ids) if id_ in by_id]

    def search(self, query: LexicalQuery, /, *, where: ClaimFilter, limit: int) -> Sequence[ClaimHit]:
        """See the port."""
        condition, values = _condition(where)
        ranked = search(
            self._connection,
            "claim",
            query,
            marks=(f"{self._scope_key}",),
            condition=condition,
            values=values,
            limit=limit,
        )
        by_id = _by_id(self._connection.rows(_BY_KEY, ([key for key, _, _ in ranked],)))
        return [ClaimHit(stored=by_id[id_], score=score) for _, id_, score in ranked]

    def find(self, *, where: ClaimFilter, after: str = "", limit: int) -> Sequence[StoredClaim]:
        """See the port."""
        condition, values = _condition(where)
        values |= {"scope": self._scope_key, "after": after, "limit": max(limit, 0)}
        return [_stored(row) for row in self._connection.rows(_FIND.format(condition=condition), values)]

    def note_check(self, claim_id: str, /, *, stale_reason: str) -> None:
        """See the port."""
        reason = clean(stale_reason)
        if self._connection.touched(_NOTE, (reason, self._scope_key, claim_id, reason)):
            self._outbox.append(OutboxKind.CLAIM, [claim_id], OutboxOperation.UPSERT)

    def _row(self, slot: str, claim: Claim) -> Row:
        words = vector(
            names=(claim.subject,),
            texts=(claim.text, claim.attribute, claim.value),
            terms=claim.terms,
            marks=(f"{self._scope_key}",),
        )
        return (
            self._scope_key,
            claim.id,
            slot,
            claim.type,
            claim.status,
            claim.governance,
            claim.session_id,
            clean(claim.branch.name or ""),
            claim.is_standing,
            claim.valid_from,
            claim.valid_to,
            dump(claim),
            words,
        )


def _stored(row: Row) -> StoredClaim:
    slot, reason, data = row
    claim = load(data, Claim)
    if reason:
        claim = attrs.evolve(claim, status=ClaimStatus.STALE, status_reason=reason)
    return StoredClaim(claim=claim, slot=slot)


def _by_id(found: Sequence[Row]) -> dict[str, StoredClaim]:
    return {stored.claim.id: stored for stored in map(_stored, found)}


def _condition(where: ClaimFilter) -> tuple[str, dict[str, Any]]:
    """Return *where* as SQL to append to a WHERE clause, and its parameters."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    for name, condition in _LISTS.items():
        if kept := getattr(where, name):
            conditions.append(condition)
            values[name] = [str(each) for each in kept]
    if where.valid_at is not None:
        conditions.append("AND t.valid_from <= %(valid_at)s AND (t.valid_to IS NULL OR t.valid_to > %(valid_at)s)")
        values["valid_at"] = where.valid_at
    if where.is_open is not None:
        conditions.append(f"AND t.valid_to IS {'' if where.is_open else 'NOT '}NULL")
    if where.is_standing:
        conditions.append("AND t.is_standing")
    if where.is_said is not None:
        conditions.append(f"AND t.session_id || (t.data->>'document_id') {'<>' if where.is_said else '='} ''")
    return " ".join(conditions), values
