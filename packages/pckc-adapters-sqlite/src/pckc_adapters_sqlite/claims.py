"""Claims: settling them, by slot, and searching them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pckc_domain.model.belief import ClaimFilter, ClaimHit, StoredClaim
from pckc_domain.model.claim import Beliefs
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.proof import Proof
from pckc_domain.model.query import LexicalQuery
from pckc_domain.ports.belief import ClaimRepository

from pckc_adapters_sqlite import belief_queries, belief_rows, fts, rows
from pckc_adapters_sqlite.connection import Connection, Row
from pckc_adapters_sqlite.outbox import SqliteOutbox
from pckc_adapters_sqlite.search import search


class SqliteClaims(ClaimRepository):
    """Claims of one scope."""

    def __init__(self, connection: Connection, scope_key: int, outbox: SqliteOutbox) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._outbox = outbox

    def settle(self, by_slot: Mapping[str, Beliefs], /) -> None:
        """See the port."""
        wanted: dict[str, Row] = {
            claim.id: (slot, *belief_rows.claim_row(claim))
            for slot, beliefs in by_slot.items()
            for claim in beliefs.claims
        }
        asked = (self._scope_key, rows.array(by_slot), rows.array(wanted))
        found = self._connection.rows(belief_queries.CLAIMS_TO_SETTLE, asked)
        stored = {row[2]: row[1:] for row in found}  # also those that other slots held so far
        keys: dict[str, int] = {row[2]: row[0] for row in found}
        gone, changed = belief_rows.changes(stored, wanted)
        respelled = [id_ for id_ in changed if id_ in stored and _searched(changed[id_]) != _searched(stored[id_])]
        new = [id_ for id_ in changed if id_ not in stored]
        self._unlist([keys[id_] for id_ in (*gone, *respelled)])
        self._erase({id_: keys.pop(id_) for id_ in gone})
        kept = [*keys.values()]
        self._write(changed)
        if new:
            keys |= dict(self._connection.rows(belief_queries.CLAIM_KEYS, self._known_as(new)))
        self._list([keys[id_] for id_ in (*respelled, *new)])
        self._settle_proofs([proof for beliefs in by_slot.values() for proof in beliefs.proofs], keys, kept)
        relinked = self._settle_links(by_slot, keys) - changed.keys()
        self._outbox.append(OutboxKind.LINK, sorted(relinked), OutboxOperation.UPSERT)

    def get(self, claim_ids: Sequence[str], /) -> Sequence[StoredClaim]:
        """See the port."""
        by_id = _by_id(self._connection.rows(belief_queries.CLAIMS, self._known_as(claim_ids)))
        return [by_id[id_] for id_ in dict.fromkeys(claim_ids) if id_ in by_id]

    def search(self, query: LexicalQuery, /, *, where: ClaimFilter, limit: int) -> Sequence[ClaimHit]:
        """See the port."""
        condition, values = _condition(where)
        ranked = search(
            self._connection,
            fts.CLAIMS,
            query,
            sql=belief_queries.SEARCH_CLAIMS.format(table=fts.CLAIMS.name, filter=condition),
            values=values | {"scope": self._scope_key},
            limit=limit,
            narrow=lambda expression: fts.of_types(where.types, expression),
        )
        by_id = _by_id(self._connection.rows(belief_queries.CLAIMS_BY_KEY, (str([key for key, _, _ in ranked]),)))
        return [ClaimHit(stored=by_id[id_], score=-rank) for _, id_, rank in ranked]

    def find(self, *, where: ClaimFilter, after: str = "", limit: int) -> Sequence[StoredClaim]:
        """See the port."""
        condition, values = _condition(where)
        if where.types:
            condition = f"{condition} {belief_queries.CLAIMS_OF_TYPES}"
            values["types"] = rows.array(where.types)
        values |= {"scope": self._scope_key, "after": after, "limit": max(limit, 0)}
        index = belief_queries.BY_SLOT if where.slots else belief_queries.BY_SESSION if where.session_ids else ""
        found = self._connection.rows(belief_queries.FIND_CLAIMS.format(index=index, filter=condition), values)
        return [belief_rows.stored_claim(row) for row in found]

    def note_check(self, claim_id: str, /, *, stale_reason: str) -> None:
        """See the port."""
        noted = (self._scope_key, claim_id, rows.clean(stale_reason))
        if self._connection.run(belief_queries.NOTE_CHECK, noted):
            self._outbox.append(OutboxKind.CLAIM, [claim_id], OutboxOperation.UPSERT)

    def _known_as(self, claim_ids: Sequence[str]) -> tuple[int, str]:
        return self._scope_key, rows.array(claim_ids)

    def _list(self, keys: Sequence[int]) -> None:
        if keys:
            self._connection.run(fts.CLAIMS.insert, (str(keys),))

    def _unlist(self, keys: Sequence[int]) -> None:
        if keys:
            self._connection.run(fts.CLAIMS.delete, (str(keys),))

    def _erase(self, keys: Mapping[str, int]) -> None:
        """Erase claims; their proofs and links go with them."""
        if keys:
            self._connection.run(belief_queries.DELETE_CLAIMS, (str([*keys.values()]),))
            self._outbox.append(OutboxKind.CLAIM, sorted(keys), OutboxOperation.DELETE)

    def _write(self, changed: Mapping[str, Row]) -> None:
        if changed:
            self._connection.run_many(belief_queries.PUT_CLAIM, [(self._scope_key, *row) for row in changed.values()])
            self._outbox.append(OutboxKind.CLAIM, sorted(changed), OutboxOperation.UPSERT)

    def _settle_proofs(self, proofs: Sequence[Proof], keys: Mapping[str, int], kept: Sequence[int]) -> None:
        """Make *proofs* all that the claims were settled with, *kept* ones before; attached ones stay beside them."""
        connection = self._connection
        found = connection.rows(belief_queries.SETTLED_PROOFS, (str(kept),)) if kept else []
        proof_keys = {(claim_key, columns[0]): key for key, claim_key, *columns in found}
        stored: dict[tuple[int, str], Row] = {(row[1], row[2]): row[2:] for row in found}
        wanted = {
            (keys[proof.claim_id], proof.id): belief_rows.proof_row(proof) for proof in proofs if proof.claim_id in keys
        }
        gone, changed = belief_rows.changes(stored, wanted)
        if gone:
            connection.run(belief_queries.DELETE_PROOFS, (str([proof_keys[each] for each in gone]),))
        connection.run_many(belief_queries.PUT_PROOF, [(key, 0, *row) for (key, _), row in changed.items()])

    def _settle_links(self, by_slot: Mapping[str, Beliefs], keys: Mapping[str, int]) -> frozenset[str]:
        """
        Make their links all that the slots were settled with; one whose other end is unknown is dropped.

        Return the claims whose links changed.
        """
        connection = self._connection
        found = connection.rows(belief_queries.LINKS_OF_SLOTS, (self._scope_key, rows.array(by_slot)))
        links = [(slot, link) for slot, beliefs in by_slot.items() for link in beliefs.links]
        elsewhere = {id_ for _, link in links for id_ in (link.source_id, link.target_id)} - keys.keys()
        if elsewhere:
            keys = {**keys, **dict(connection.rows(belief_queries.CLAIM_KEYS, self._known_as(sorted(elsewhere))))}
        stored = {row[:3]: row[:-1] for row in found}
        sources: dict[int, str] = {row[0]: row[-1] for row in found} | {key: id_ for id_, key in keys.items()}
        wanted: dict[Row, Row] = {
            row[:3]: row
            for slot, link in links
            if link.source_id in keys and link.target_id in keys
            for row in [belief_rows.link_row(slot, link, keys)]
        }
        gone, changed = belief_rows.changes(stored, wanted)
        connection.run_many(belief_queries.DELETE_LINK, gone)
        connection.run_many(belief_queries.PUT_LINK, changed.values())
        return frozenset(sources[key] for key, *_ in (*gone, *changed))


def _searched(row: Row) -> list[Row]:
    """Return what a full-text entry is made of, from the columns slot and those of a claim."""
    return [row[1:][columns] for columns in belief_rows.SEARCHED]


def _by_id(found: Sequence[Row]) -> dict[str, StoredClaim]:
    return {stored.claim.id: stored for stored in map(belief_rows.stored_claim, found)}


def _condition(where: ClaimFilter) -> tuple[str, dict[str, Any]]:
    """Return *where* but for its types, which a search looks up in the index, as SQL to append, and its parameters."""
    lists = (
        (where.statuses, "statuses", belief_queries.CLAIMS_OF_STATUSES),
        (where.governance, "governance", belief_queries.CLAIMS_OF_GOVERNANCE),
        (where.slots, "slots", belief_queries.CLAIMS_OF_SLOTS),
        (where.session_ids, "sessions", belief_queries.CLAIMS_OF_SESSIONS),
        (where.branches, "branches", belief_queries.CLAIMS_OF_BRANCHES),
        (where.set_below, "below", belief_queries.SET_BELOW),
    )
    conditions = [condition for kept, _, condition in lists if kept]
    values: dict[str, Any] = {name: rows.array(kept) for kept, name, _ in lists if kept}
    if where.valid_at is not None:
        conditions.append(belief_queries.CLAIMS_VALID_AT)
        values["valid_at"] = rows.microseconds(where.valid_at)
    if where.is_open is not None:
        conditions.append(belief_queries.OPEN_CLAIMS if where.is_open else belief_queries.CLOSED_CLAIMS)
    if where.is_standing:
        conditions.append(belief_queries.STANDING_CLAIMS)
    if where.is_said is not None:
        conditions.append(belief_queries.SAID_CLAIMS if where.is_said else belief_queries.SET_CLAIMS)
    return " ".join(conditions), values
