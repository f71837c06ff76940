"""Episodes and evidence, and how evidence is searched."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pckc_domain.model.belief import EvidenceFilter, EvidenceHit
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import Episode, Evidence
from pckc_domain.ports.belief import EvidenceRepository

from pckc_adapters_sqlite import belief_queries, belief_rows, fts, rows
from pckc_adapters_sqlite.connection import Connection, Row
from pckc_adapters_sqlite.outbox import SqliteOutbox
from pckc_adapters_sqlite.search import search


class SqliteEvidence(EvidenceRepository):
    """Evidence of one scope."""

    def __init__(self, connection: Connection, scope_key: int, outbox: SqliteOutbox) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._outbox = outbox

    def replace(self, session_id: str, episodes: Sequence[Episode], evidence: Sequence[Evidence], /) -> None:
        """See the port."""
        gone, changed = self._replace_episodes(session_id, episodes)
        touched = changed | self._replace_evidence(session_id, evidence)
        self._enqueue(touched, gone)
        self._connection.run(belief_queries.MARK_DERIVED, (self._scope_key, session_id))

    def get(self, evidence_ids: Sequence[str], /) -> Sequence[Evidence]:
        """See the port."""
        found = self._connection.rows(belief_queries.EVIDENCE, (self._scope_key, rows.array(evidence_ids)))
        by_id = {row[0]: belief_rows.evidence(row) for row in found}
        return [by_id[id_] for id_ in dict.fromkeys(evidence_ids) if id_ in by_id]

    def search(self, query: LexicalQuery, /, *, where: EvidenceFilter, limit: int) -> Sequence[EvidenceHit]:
        """See the port."""
        condition, values = _condition(where)
        sql = belief_queries.SEARCH_EVIDENCE.format(table=fts.EVIDENCE.name, filter=condition)
        values |= {"scope": self._scope_key}
        ranked = search(self._connection, fts.EVIDENCE, query, sql=sql, values=values, limit=limit)
        found = self._connection.rows(belief_queries.EVIDENCE_BY_KEY, (str([key for key, _, _ in ranked]),))
        by_id = {row[0]: belief_rows.evidence(row) for row in found}
        return [EvidenceHit(evidence=by_id[id_], score=-rank) for _, id_, rank in ranked]

    def of_episodes(self, episode_ids: Sequence[str], /) -> Sequence[Evidence]:
        """See the port."""
        found = self._connection.rows(belief_queries.EVIDENCE_OF_EPISODES, (self._scope_key, rows.array(episode_ids)))
        return [belief_rows.evidence(row) for row in found]

    def around(self, places: Collection[tuple[str, int]], /, *, reach: int) -> Sequence[Evidence]:
        """See the port."""
        spans = json.dumps([[session_id, seq - reach, seq + reach] for session_id, seq in places])
        found = self._connection.rows(belief_queries.EVIDENCE_AROUND, {"scope": self._scope_key, "spans": spans})
        return [belief_rows.evidence(row) for row in found]

    def remove(self, session_ids: Sequence[str]) -> None:
        """Erase the episodes and evidence of sessions."""
        removed = (self._scope_key, rows.array(session_ids))
        episodes = [id_ for (id_,) in self._connection.rows(belief_queries.EPISODES_OF_SESSIONS, removed)]
        self._connection.run(belief_queries.DELETE_EPISODES, (self._scope_key, rows.array(episodes)))
        touched = self._erase(self._connection.rows(belief_queries.EVIDENCE_KEYS_OF_SESSIONS, removed))
        self._enqueue(touched, episodes)

    def _replace_episodes(self, session_id: str, episodes: Sequence[Episode]) -> tuple[set[str], set[str]]:
        """Return the episodes that vanished and those that changed."""
        connection, scope = self._connection, self._scope_key
        stored = {row[0]: row for row in connection.rows(belief_queries.EPISODES_OF_SESSION, (scope, session_id))}
        gone, changed = belief_rows.changes(stored, {each.id: belief_rows.episode_row(each) for each in episodes})
        connection.run(belief_queries.DELETE_EPISODES, (scope, rows.array(gone)))
        connection.run_many(belief_queries.PUT_EPISODE, [(scope, *row) for row in changed.values()])
        return set(gone), set(changed)

    def _replace_evidence(self, session_id: str, evidence: Sequence[Evidence]) -> set[str]:
        """Return the episodes that gained or lost a passage."""
        connection, scope = self._connection, self._scope_key
        stored = {row[0]: row for row in connection.rows(belief_queries.EVIDENCE_OF_SESSION, (scope, session_id))}
        gone, changed = belief_rows.changes(stored, {each.id: belief_rows.evidence_row(each) for each in evidence})
        # Another session may hold a passage of an event that moved here.
        touched = self._erase(connection.rows(belief_queries.EVIDENCE_KEYS, (scope, rows.array([*gone, *changed]))))
        connection.run_many(belief_queries.INSERT_EVIDENCE, [(scope, *row) for row in changed.values()])
        new = connection.rows(belief_queries.EVIDENCE_KEYS, (scope, rows.array(changed)))
        connection.run(fts.EVIDENCE.insert, (str([key for key, _ in new]),))
        return touched | {row[2] for row in changed.values()}

    def _erase(self, found: Sequence[Row]) -> set[str]:
        """Erase passages, given by key and episode, and return the episodes that lost one."""
        if found:
            keys = str([key for key, _ in found])
            self._connection.run(fts.EVIDENCE.delete, (keys,))
            self._connection.run(belief_queries.DELETE_EVIDENCE, (keys,))
        return {episode_id for _, episode_id in found}

    def _enqueue(self, touched: Iterable[str], gone: Iterable[str]) -> None:
        """Queue the episodes that are still there and the vanished ones, each by id."""
        known = self._connection.rows(belief_queries.KNOWN_EPISODES, (self._scope_key, rows.array(touched)))
        self._outbox.append(OutboxKind.EPISODE, [id_ for (id_,) in known], OutboxOperation.UPSERT)
        self._outbox.append(OutboxKind.EPISODE, sorted(gone), OutboxOperation.DELETE)


def _condition(where: EvidenceFilter) -> tuple[str, dict[str, Any]]:
    """Return *where* as SQL to append to a WHERE clause, and its parameters."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if where.session_ids:
        conditions.append(belief_queries.EVIDENCE_OF_SESSION_IDS)
        values["sessions"] = rows.array(where.session_ids)
    if where.kinds:
        conditions.append(belief_queries.EVIDENCE_OF_KINDS)
        values["kinds"] = rows.array(where.kinds)
    if where.since is not None:
        conditions.append(belief_queries.EVIDENCE_SINCE)
        values["since"] = rows.microseconds(where.since)
    if where.until is not None:
        conditions.append(belief_queries.EVIDENCE_UNTIL)
        values["until"] = rows.microseconds(where.until)
    return " ".join(conditions), values
