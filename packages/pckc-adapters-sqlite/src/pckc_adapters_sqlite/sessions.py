"""Sessions and their events."""

from collections.abc import Iterable, Sequence

from pckc_domain.model.proof import EventLocator
from pckc_domain.model.session import Event, Session
from pckc_domain.ports.belief import SessionRepository

from pckc_adapters_sqlite import belief_queries, belief_rows, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.curated import SqliteTraces
from pckc_adapters_sqlite.evidence import SqliteEvidence


class SqliteSessions(SessionRepository):
    """Sessions of one scope."""

    def __init__(self, connection: Connection, scope_key: int, evidence: SqliteEvidence, traces: SqliteTraces) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._evidence = evidence
        self._traces = traces

    def put(self, session: Session, events: Sequence[Event], /) -> Sequence[str]:
        """See the port."""
        connection, scope = self._connection, self._scope_key
        connection.run(belief_queries.PUT_SESSION, (scope, *belief_rows.session_row(session)))
        key: int = connection.value(belief_queries.SESSION_KEY, (scope, session.id))
        unique = {event.id: event for event in reversed(events)}
        known = connection.rows(belief_queries.KNOWN_EVENTS, (scope, rows.array(unique)))
        moving = {
            id_: holder for id_, holder, is_replay in known if holder != key and is_replay and not unique[id_].is_replay
        }
        staying = {id_ for id_, _, _ in known} - moving.keys()
        new = [event for event in reversed(unique.values()) if event.id not in staying]
        if not new:
            return []
        connection.run(belief_queries.DELETE_EVENTS, (scope, rows.array(moving)))
        seats = _Seats(connection.rows(belief_queries.TAKEN_SEQS, (key, min(event.seq for event in new))))
        connection.run_many(
            belief_queries.INSERT_EVENT,
            [(scope, key, *belief_rows.event_row(event, seats.take(event.seq))) for event in new],
        )
        connection.run(belief_queries.MARK_UNDERIVED, (str([key, *moving.values()]),))
        return [event.id for event in new]

    def get(self, session_ids: Sequence[str], /) -> Sequence[Session]:
        """See the port."""
        found = self._connection.rows(belief_queries.SESSIONS, (self._scope_key, rows.array(session_ids)))
        return [belief_rows.session(row) for row in found]

    def find(self, *, after: str = "", limit: int, is_underived: bool = False) -> Sequence[Session]:
        """See the port."""
        sql = belief_queries.FIND_UNDERIVED_SESSIONS if is_underived else belief_queries.FIND_SESSIONS
        found = self._connection.rows(sql, (self._scope_key, after, max(limit, 0)))
        return [belief_rows.session(row) for row in found]

    def events(self, session_id: str, /, *, after_seq: int = -1, limit: int | None = None) -> Sequence[Event]:
        """See the port."""
        unlimited = -1
        count = unlimited if limit is None else max(limit, 0)
        found = self._connection.rows(belief_queries.EVENTS, (self._scope_key, session_id, after_seq, count))
        return [belief_rows.event(session_id, row) for row in found]

    def remove(self, session_ids: Sequence[str], /) -> frozenset[str]:
        """See the port."""
        connection, removed = self._connection, (self._scope_key, rows.array(session_ids))
        slots = connection.rows(belief_queries.SLOTS_OF_OWNERS, removed)
        connection.run(belief_queries.DELETE_ACTS_OF_SESSIONS, removed)
        connection.run(belief_queries.DELETE_ASSERTIONS_OF_OWNERS, removed)
        connection.run(belief_queries.DELETE_REJECTIONS_OF_SESSIONS, removed)
        connection.run_many(belief_queries.DELETE_ATTACHED_PROOFS, map(self._locators, session_ids))
        self._evidence.remove(session_ids)
        self._traces.remove(session_ids)
        connection.run(belief_queries.DELETE_SESSIONS, removed)
        return frozenset(slot for (slot,) in slots)

    def _locators(self, session_id: str) -> tuple[int, str, str]:
        """Return the range that the locators of a session's events lie in."""
        locator = str(EventLocator(session_id=session_id, seq=0, start=0, end=0))
        prefix = locator.rpartition("#")[0]
        return self._scope_key, f"{prefix}#", f"{prefix}$"  # the character after #


class _Seats:
    """The free places of a session; finding one behind a long taken run does not walk along it twice."""

    def __init__(self, taken: Iterable[tuple[int, ...]]) -> None:
        self._behind = {seq: seq + 1 for (seq,) in taken}

    def take(self, seq: int) -> int:
        """Take *seq*, or else the next free place, and return it."""
        free = seq
        while free in self._behind:
            free = self._behind[free]
        self._behind[free] = free + 1
        while seq != free:
            self._behind[seq], seq = free + 1, self._behind[seq]
        return free
