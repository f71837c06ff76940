"""Episodes and evidence, and how evidence is searched."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pckc_domain.model.belief import EvidenceFilter, EvidenceHit
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import Episode, Evidence
from pckc_domain.ports.belief import EvidenceRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.fulltext import search, vector
from pckc_adapters_postgres.outbox import PostgresOutbox
from pckc_adapters_postgres.values import as_json, changes, dump, load, plain

_EPISODES = "SELECT id, data FROM episode WHERE scope_key = %s AND session_id = %s"
_EPISODES_OF = "SELECT id FROM episode WHERE scope_key = %s AND session_id = ANY(%s)"
_KNOWN = "SELECT id FROM episode WHERE scope_key = %s AND id = ANY(%s) ORDER BY id"
_PUT_EPISODE = """
    INSERT INTO episode (scope_key, id, session_id, data) VALUES (%s, %s, %s, %s)
    ON CONFLICT (scope_key, id) DO UPDATE SET session_id = excluded.session_id, data = excluded.data
"""
_DELETE_EPISODES = "DELETE FROM episode WHERE scope_key = %s AND id = ANY(%s)"
_MARK_DERIVED = "UPDATE session SET is_underived = false WHERE scope_key = %s AND id = %s AND is_underived"
_OF_SESSION = "SELECT id, data FROM evidence WHERE scope_key = %s AND session_id = %s"
_ERASE = "DELETE FROM evidence WHERE scope_key = %s AND id = ANY(%s) RETURNING episode_id"
_ERASE_OF = "DELETE FROM evidence WHERE scope_key = %s AND session_id = ANY(%s) RETURNING episode_id"
_COLUMNS = (
    "scope_key", "id", "session_id", "episode_id", "seq", "span_start", "kind", "time", "data", "words",
)  # fmt: skip
_GET = "SELECT id, data FROM evidence WHERE scope_key = %s AND id = ANY(%s)"
_BY_KEY = "SELECT id, data FROM evidence WHERE key = ANY(%s)"
_OF_EPISODES = """
    SELECT data FROM evidence WHERE scope_key = %s AND episode_id = ANY(%s)
    ORDER BY episode_id, seq, span_start, id
"""
_AROUND = """
    SELECT data FROM evidence WHERE key IN (
        SELECT e.key FROM unnest(%s::text[], %s::bigint[]) AS place (session_id, seq)
        JOIN evidence e ON e.session_id = place.session_id AND e.seq BETWEEN place.seq - %s AND place.seq + %s
        WHERE e.scope_key = %s
    )
    ORDER BY session_id, seq, span_start, id
"""


class PostgresEvidence(EvidenceRepository):
    """Evidence of one scope."""

    def __init__(self, connection: Connection, scope_key: int, outbox: PostgresOutbox) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._outbox = outbox

    def replace(self, session_id: str, episodes: Sequence[Episode], evidence: Sequence[Evidence], /) -> None:
        """See the port."""
        gone, changed = self._replace_episodes(session_id, episodes)
        touched = changed | self._replace_evidence(session_id, evidence)
        self._enqueue(touched, gone)
        self._connection.run(_MARK_DERIVED, (self._scope_key, session_id))

    def get(self, evidence_ids: Sequence[str], /) -> Sequence[Evidence]:
        """See the port."""
        by_id = _by_id(self._connection.rows(_GET, (self._scope_key, list(evidence_ids))))
        return [by_id[id_] for id_ in dict.fromkeys(evidence_ids) if id_ in by_id]

    def search(self, query: LexicalQuery, /, *, where: EvidenceFilter, limit: int) -> Sequence[EvidenceHit]:
        """See the port."""
        condition, values = _condition(where)
        ranked = search(
            self._connection,
            "evidence",
            query,
            marks=(f"{self._scope_key}",),
            condition=condition,
            values=values,
            limit=limit,
        )
        by_id = _by_id(self._connection.rows(_BY_KEY, ([key for key, _, _ in ranked],)))
        return [EvidenceHit(evidence=by_id[id_], score=score) for _, id_, score in ranked]

    def of_episodes(self, episode_ids: Sequence[str], /) -> Sequence[Evidence]:
        """See the port."""
        found = self._connection.rows(_OF_EPISODES, (self._scope_key, list(episode_ids)))
        return [load(data, Evidence) for (data,) in found]

    def around(self, places: Collection[tuple[str, int]], /, *, reach: int) -> Sequence[Evidence]:
        """See the port."""
        sessions, seqs = [session_id for session_id, _ in places], [seq for _, seq in places]
        found = self._connection.rows(_AROUND, (sessions, seqs, reach, reach, self._scope_key))
        return [load(data, Evidence) for (data,) in found]

    def remove(self, session_ids: Sequence[str]) -> None:
        """Erase the episodes and evidence of sessions."""
        removed = (self._scope_key, list(session_ids))
        episodes = [id_ for (id_,) in self._connection.rows(_EPISODES_OF, removed)]
        self._connection.run(_DELETE_EPISODES, (self._scope_key, episodes))
        touched = {id_ for (id_,) in self._connection.change(_ERASE_OF, removed)}
        self._enqueue(touched, episodes)

    def _replace_episodes(self, session_id: str, episodes: Sequence[Episode]) -> tuple[set[str], set[str]]:
        """Return the episodes that vanished and those that changed."""
        connection, scope = self._connection, self._scope_key
        stored: dict[str, Any] = dict(connection.rows(_EPISODES, (scope, session_id)))
        wanted = {episode.id: episode for episode in episodes}
        gone, changed = changes(stored, {id_: plain(episode) for id_, episode in wanted.items()})
        connection.run(_DELETE_EPISODES, (scope, gone))
        connection.run_many(
            _PUT_EPISODE, [(scope, id_, wanted[id_].session_id, as_json(wanted[id_])) for id_ in changed]
        )
        return set(gone), set(changed)

    def _replace_evidence(self, session_id: str, evidence: Sequence[Evidence]) -> set[str]:
        """Return the episodes that gained or lost a passage."""
        connection, scope = self._connection, self._scope_key
        stored: dict[str, Any] = dict(connection.rows(_OF_SESSION, (scope, session_id)))
        wanted = {each.id: each for each in evidence}
        gone, changed = changes(stored, {id_: plain(each) for id_, each in wanted.items()})
        # Another session may hold a passage of an event that moved here.
        touched = {id_ for (id_,) in connection.change(_ERASE, (scope, [*gone, *changed]))}
        connection.insert("evidence", _COLUMNS, (self._row(wanted[id_]) for id_ in changed))
        return touched | {wanted[id_].episode_id for id_ in changed}

    def _row(self, evidence: Evidence) -> Row:
        words = vector(names=(), texts=(evidence.text,), terms=evidence.terms, marks=(f"{self._scope_key}",))
        return (
            self._scope_key,
            evidence.id,
            evidence.session_id,
            evidence.episode_id,
            evidence.seq,
            evidence.start,
            str(evidence.kind),
            evidence.time,
            dump(evidence),
            words,
        )

    def _enqueue(self, touched: Iterable[str], gone: Iterable[str]) -> None:
        """Queue the episodes that are still there and the vanished ones, each by id."""
        known = self._connection.rows(_KNOWN, (self._scope_key, list(touched)))
        self._outbox.append(OutboxKind.EPISODE, [id_ for (id_,) in known], OutboxOperation.UPSERT)
        self._outbox.append(OutboxKind.EPISODE, sorted(gone), OutboxOperation.DELETE)


def _by_id(found: Sequence[Row]) -> dict[str, Evidence]:
    return {id_: load(data, Evidence) for id_, data in found}


def _condition(where: EvidenceFilter) -> tuple[str, dict[str, Any]]:
    """Return *where* as SQL to append to a WHERE clause, and its parameters."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if where.session_ids:
        conditions.append("AND t.session_id = ANY(%(sessions)s)")
        values["sessions"] = list(where.session_ids)
    if where.kinds:
        conditions.append("AND t.kind = ANY(%(kinds)s)")
        values["kinds"] = [str(kind) for kind in where.kinds]
    if where.since is not None:
        conditions.append("AND t.time >= %(since)s")
        values["since"] = where.since
    if where.until is not None:
        conditions.append("AND t.time <= %(until)s")
        values["until"] = where.until
    return " ".join(conditions), values
