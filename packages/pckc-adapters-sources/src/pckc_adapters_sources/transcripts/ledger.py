"""The books of one reading: sessions, their events, what was skipped, and how far it went."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import attrs
from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import Branch, Scope
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.ports.transcripts import TranscriptBatch, TranscriptPosition

from pckc_adapters_sources.transcripts.moment import moment

MAX_BATCH_EVENTS = 500
MAX_BATCH_CHARACTERS = 4 << 20
MAX_SESSIONS = 1_000
"""Sessions remembered from one batch to the next: those that spoke last."""
_MAX_REASONS = 50
_MAX_REASON_CHARACTERS = 80


@attrs.define
class OpenSession:
    """A session while its file is read."""

    id: str
    source_id: str
    project: str
    host: str
    cwd: str = ""
    branch: str = ""
    parent_id: str = ""
    title: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    events: list[Event] = attrs.field(factory=list)

    def describe(self, **known: object) -> None:
        """Fill what is still empty of ``cwd``, ``branch``, ``parent_id`` and ``title``; the first word counts."""
        for name, value in known.items():
            if value and isinstance(value, str) and not getattr(self, name):
                setattr(self, name, _storable(value))

    def closed(self) -> Session:
        """Return the session as known so far."""
        return Session(
            id=self.id,
            source_id=self.source_id,
            host=self.host,
            started_at=self.started_at,
            ended_at=self.ended_at,
            cwd=self.cwd,
            branch=Branch(name=self.branch or None),
            parent_id=self.parent_id,
            title=self.title,
        )


class Ledger:
    """
    Collects what a format's reader finds and hands it out in bounded batches.

    Attributes:
        memory: What the format's reader must know to go on later; anything that JSON can hold.
    """

    def __init__(self, scope: Scope, host: str, state: str) -> None:
        saved: dict[str, Any] = json.loads(state) if state else {}
        self.memory: dict[str, Any] = saved.get("memory", {})
        self._scope = scope
        self._host = host
        self._seq: int = saved.get("seq", 0)
        self._sessions: dict[tuple[str, str], OpenSession] = {}
        self._skipped: Counter[str] = Counter()
        self._events = 0
        self._characters = 0
        for row in saved.get("sessions", ()):
            self._restore(*row)

    def session(self, source_id: str, *, project: str = "") -> OpenSession:
        """Return the session with the host's id *source_id*, new or known."""
        source_id, project = _storable(source_id), _storable(project)
        key = (project, source_id)
        known = self._sessions.get(key)
        if known is None:
            session_id = self.session_id(source_id, project=project)
            known = self._sessions[key] = OpenSession(session_id, source_id, project, self._host)
        return known

    def session_id(self, source_id: str, *, project: str = "") -> str:
        """Return the id of the session that the host calls *source_id*; ``""`` for no session."""
        if not source_id:
            return ""
        source_id = _storable(source_id)
        return content_id("session", self._scope.tenant, project or self._scope.project, self._host, source_id)

    def add(
        self,
        session: OpenSession,
        kind: EventKind,
        text: str,
        *,
        key: tuple[str, ...],
        time: datetime | None,
        seq: int | None = None,
        source_id: str = "",
        speaker: str = "",
        tool: str = "",
        exit_code: int | None = None,
        path: str = "",
        branch: str = "",
        is_sidechain: bool = False,
        is_replay: bool = False,
    ) -> None:
        """Add an event; *key* identifies its record and part to this host, whichever file it stands in."""
        if not text or text.isspace():
            self.skip(f"empty {kind.value}")
            return
        if seq is None:
            seq = self._seq
            self._seq += 1
        if not f"{source_id}{speaker}{tool}{path}{branch}".isascii():
            source_id, speaker, tool = _storable(source_id), _storable(speaker), _storable(tool)
            path, branch = _storable(path), _storable(branch)
        session.events.append(
            Event(
                id=content_id("event", self._host, *key),
                session_id=session.id,
                seq=seq,
                kind=kind,
                time=time,
                text=_storable(text),
                speaker=speaker,
                tool=tool,
                exit_code=exit_code,
                path=path,
                branch=branch,
                source_id=source_id,
                is_sidechain=is_sidechain,
                is_replay=is_replay,
            )
        )
        if time is not None:
            session.started_at = min(time, session.started_at or time)
            session.ended_at = max(time, session.ended_at or time)
        self._events += 1
        self._characters += len(text)

    def skip(self, reason: str) -> None:
        """Count something that gives no event."""
        reason = _storable(reason)[:_MAX_REASON_CHARACTERS]
        if reason not in self._skipped and len(self._skipped) >= _MAX_REASONS:
            reason = "other"
        self._skipped[reason] += 1

    @property
    def is_full(self) -> bool:
        """Whether it is time for the next batches."""
        return self._events >= MAX_BATCH_EVENTS or self._characters >= MAX_BATCH_CHARACTERS

    def batches(self, before: TranscriptPosition, after: TranscriptPosition) -> Iterator[TranscriptBatch]:
        """
        Yield what was collected, one batch a session. Only the last one moves the position from *before* to *after*:
        whoever stops in between reads the others again.
        """
        busy = [session for session in self._sessions.values() if session.events]
        self._forget_all_but(busy)
        after = attrs.evolve(after, state=self._state())
        for session in busy[:-1]:
            yield self._batch(session, {}, before)
        yield self._batch(busy[-1] if busy else None, dict(self._skipped), after)
        self._skipped.clear()
        self._events = self._characters = 0

    def _forget_all_but(self, busy: list[OpenSession]) -> None:
        """Put *busy* sessions last, and forget the first ones beyond the limit."""
        for session in busy:
            key = (session.project, session.source_id)
            self._sessions[key] = self._sessions.pop(key)
        while len(self._sessions) > MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]

    def _batch(
        self, session: OpenSession | None, skipped: dict[str, int], position: TranscriptPosition
    ) -> TranscriptBatch:
        if session is None:
            return TranscriptBatch(session=None, events=(), skipped=skipped, position=position)
        events, session.events = tuple(session.events), []
        return TranscriptBatch(
            session=session.closed(), project=session.project, events=events, skipped=skipped, position=position
        )

    def _state(self) -> str:
        rows = [
            [
                open_.source_id,
                open_.project,
                open_.cwd,
                open_.branch,
                open_.parent_id,
                open_.started_at.isoformat() if open_.started_at else "",
                open_.ended_at.isoformat() if open_.ended_at else "",
            ]
            for open_ in self._sessions.values()
        ]
        return json.dumps({"seq": self._seq, "sessions": rows, "memory": self.memory}, separators=(",", ":"))

    def _restore(
        self, source_id: str, project: str, cwd: str, branch: str, parent_id: str, start: str, end: str
    ) -> None:
        session = self.session(source_id, project=project)
        session.describe(cwd=cwd, branch=branch, parent_id=parent_id)
        session.started_at, session.ended_at = moment(start), moment(end)


def _storable(text: str) -> str:
    """Replace half characters, which writers that cut texts leave behind and no store accepts."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text
