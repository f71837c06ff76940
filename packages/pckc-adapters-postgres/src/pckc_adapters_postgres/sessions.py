"""Sessions and their events."""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs
from pckc_domain.model.proof import EventLocator
from pckc_domain.model.session import Event, Session
from pckc_domain.ports.belief import SessionRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.curated import PostgresTraces
from pckc_adapters_postgres.evidence import PostgresEvidence
from pckc_adapters_postgres.values import as_json, dump, load

_PUT = """
    INSERT INTO session (scope_key, id, host, data) VALUES (%s, %s, %s, %s)
    ON CONFLICT (scope_key, id) DO UPDATE SET host = excluded.host, data = excluded.data RETURNING key
"""
_GET = "SELECT data FROM session WHERE scope_key = %s AND id = ANY(%s) ORDER BY id"
_FIND = "SELECT data FROM session WHERE scope_key = %s AND id > %s ORDER BY id LIMIT %s"
_FIND_UNDERIVED = "SELECT data FROM session WHERE scope_key = %s AND is_underived AND id > %s ORDER BY id LIMIT %s"
_MARK_UNDERIVED = "UPDATE session SET is_underived = true WHERE key = ANY(%s) AND NOT is_underived"
_DELETE = "DELETE FROM session WHERE scope_key = %s AND id = ANY(%s)"
# Each is looked up by itself: a planner without statistics would read all of the project's events.
_KNOWN = """
    SELECT known.* FROM unnest(%s::text[]) AS asked (id) CROSS JOIN LATERAL (
        SELECT id, session_key, is_replay FROM event WHERE scope_key = %s AND id = asked.id OFFSET 0
    ) known
"""
_TAKEN = """
    SELECT seq FROM event WHERE session_key = (SELECT key FROM session WHERE scope_key = %s AND id = %s) AND seq >= %s
"""
_EVENT_COLUMNS = ("scope_key", "session_key", "seq", "id", "kind", "is_replay", "data")
_DELETE_EVENTS = "DELETE FROM event WHERE scope_key = %s AND id = ANY(%s)"
_EVENTS = """
    SELECT e.seq, e.data FROM event e JOIN session s ON s.key = e.session_key
    WHERE s.scope_key = %s AND s.id = %s AND e.seq > %s ORDER BY e.seq LIMIT %s
"""
_SLOTS_OF_OWNERS = "SELECT DISTINCT slot FROM assertion WHERE scope_key = %s AND owner_id = ANY(%s)"
_DELETE_ACTS = """
    DELETE FROM governance_act
    WHERE scope_key = %(scope)s
      AND (
        session_id = ANY(%(ids)s)
        OR claim_id IN (SELECT id FROM assertion WHERE scope_key = %(scope)s AND owner_id = ANY(%(ids)s))
      )
"""
_DELETE_ASSERTIONS = "DELETE FROM assertion WHERE scope_key = %s AND owner_id = ANY(%s)"
_DELETE_REJECTIONS = "DELETE FROM rejection WHERE scope_key = %s AND session_id = ANY(%s)"
_DELETE_ATTACHED = """
    DELETE FROM proof p USING claim c
    WHERE c.key = p.claim_key AND c.scope_key = %s AND p.is_attached AND p.session_id = ANY(%s)
"""


class PostgresSessions(SessionRepository):
    """Sessions of one scope."""

    def __init__(
        self, connection: Connection, scope_key: int, evidence: PostgresEvidence, traces: PostgresTraces
    ) -> None:
        self._connection = connection
        self._scope_key = scope_key
        self._evidence = evidence
        self._traces = traces

    def put(self, session: Session, events: Sequence[Event], /) -> Sequence[str]:
        """See the port."""
        connection, scope = self._connection, self._scope_key
        unique = {event.id: event for event in reversed(events)}
        first = min((event.seq for event in unique.values()), default=0)
        ((key,),), known, taken = connection.together(
            (_PUT, (scope, session.id, session.host, as_json(session))),
            (_KNOWN, (list(unique), scope)),
            (_TAKEN, (scope, session.id, first)),
        )
        moving = {
            id_: holder for id_, holder, is_replay in known if holder != key and is_replay and not unique[id_].is_replay
        }
        staying = {id_ for id_, _, _ in known} - moving.keys()
        new = [event for event in reversed(unique.values()) if event.id not in staying]
        if not new:
            return []
        if moving:
            connection.run(_DELETE_EVENTS, (scope, list(moving)))
        seats = _Seats(taken)
        seated = ((event, seats.take(event.seq)) for event in new)
        connection.insert("event", _EVENT_COLUMNS, (self._row(session.id, key, *each) for each in seated))
        connection.run(_MARK_UNDERIVED, ([key, *moving.values()],))
        return [event.id for event in new]

    def _row(self, session_id: str, session_key: int, event: Event, seq: int) -> Row:
        if (event.seq, event.session_id) != (seq, session_id):
            event = attrs.evolve(event, seq=seq, session_id=session_id)
        return self._scope_key, session_key, seq, event.id, event.kind, event.is_replay, dump(event)

    def get(self, session_ids: Sequence[str], /) -> Sequence[Session]:
        """See the port."""
        return _sessions(self._connection.rows(_GET, (self._scope_key, list(session_ids))))

    def find(self, *, after: str = "", limit: int, is_underived: bool = False) -> Sequence[Session]:
        """See the port."""
        sql = _FIND_UNDERIVED if is_underived else _FIND
        return _sessions(self._connection.rows(sql, (self._scope_key, after, max(limit, 0))))

    def events(self, session_id: str, /, *, after_seq: int = -1, limit: int | None = None) -> Sequence[Event]:
        """See the port."""
        count = None if limit is None else max(limit, 0)
        found = self._connection.rows(_EVENTS, (self._scope_key, session_id, after_seq, count))
        return [load(data, Event) for _, data in found]

    def remove(self, session_ids: Sequence[str], /) -> frozenset[str]:
        """See the port."""
        connection, ids = self._connection, list(session_ids)
        removed = (self._scope_key, ids)
        slots = connection.rows(_SLOTS_OF_OWNERS, removed)
        connection.run(_DELETE_ACTS, {"scope": self._scope_key, "ids": ids})
        connection.run(_DELETE_ASSERTIONS, removed)
        connection.run(_DELETE_REJECTIONS, removed)
        connection.run(_DELETE_ATTACHED, (self._scope_key, [located_in(id_) for id_ in ids]))
        self._evidence.remove(ids)
        self._traces.remove(ids)
        connection.run(_DELETE, removed)
        return frozenset(slot for (slot,) in slots)


def located_in(session_id: str) -> str:
    """Return a session's id as a locator quotes it."""
    return str(EventLocator(session_id=session_id, seq=0, start=0, end=0)).rpartition("#")[0]


def _sessions(found: Sequence[tuple[Any, ...]]) -> list[Session]:
    return [load(data, Session) for (data,) in found]


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
