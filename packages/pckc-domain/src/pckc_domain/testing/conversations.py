"""Small conversations, for tests of use cases."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.usecases.remember import Deriver, prepare_event

SCOPE = Scope(project="example.org/project")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)

Line = str | tuple[EventKind, str]
"""What was said, and by whom; plain text is a prompt."""


def conversation(
    name: str, lines: Sequence[Line], *, start: datetime = START, cwd: str = ""
) -> tuple[Session, tuple[Event, ...]]:
    """Return a session in which *lines* were said a minute apart, as a transcript tells it: nothing is redacted."""
    session = Session(
        id=content_id("session", SCOPE.project, "plain", name),
        source_id=name,
        host="plain",
        started_at=start,
        ended_at=start + timedelta(minutes=max(0, len(lines) - 1)),
        cwd=cwd,
    )
    spoken = [(EventKind.PROMPT, line) if isinstance(line, str) else line for line in lines]
    events = (
        Event(
            id=content_id("event", name, str(seq), text),
            session_id=session.id,
            seq=seq,
            kind=kind,
            time=start + timedelta(minutes=seq),
            text=text,
            source_id=f"{name}:{seq}",
        )
        for seq, (kind, text) in enumerate(spoken)
    )
    return session, tuple(events)


def tell(
    canonical: Canonical,
    session: str,
    lines: Sequence[str],
    *,
    kind: EventKind = EventKind.PROMPT,
    start: datetime = START,
) -> None:
    """Store a session in which *lines* were said a minute apart, and derive it."""
    told, events = conversation(session, [(kind, line) for line in lines], start=start)
    with canonical.writing(SCOPE) as work:
        work.sessions.put(told, [prepare_event(event) for event in events])
    Deriver(canonical, FixedClock()).run(SCOPE)
