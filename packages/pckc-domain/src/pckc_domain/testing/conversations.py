"""Small conversations in a memory store, for tests of use cases."""

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


def tell(
    canonical: Canonical,
    session: str,
    lines: Sequence[str],
    *,
    kind: EventKind = EventKind.PROMPT,
    start: datetime = START,
) -> None:
    """Store a session in which *lines* were said a minute apart, and derive it."""
    identity = content_id("session", SCOPE.project, "plain", session)
    events = [
        Event(
            id=content_id("event", session, str(seq), line),
            session_id=identity,
            seq=seq,
            kind=kind,
            time=start + timedelta(minutes=seq),
            text=line,
            source_id=f"{session}:{seq}",
        )
        for seq, line in enumerate(lines)
    ]
    with canonical.writing(SCOPE) as work:
        work.sessions.put(
            Session(id=identity, source_id=session, host="plain", started_at=start),
            [prepare_event(event) for event in events],
        )
    Deriver(canonical, FixedClock()).run(SCOPE)
