"""What was forgotten stays away when transcripts are read again from their start."""

from collections.abc import Sequence

from pckc_domain.model.session import Event
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.ports.transcripts import TranscriptPosition

MARK = "forgotten session\n"
"""Begins the name that a forgotten session is remembered by, where no file is: an id and a number, no word of it."""


def note_forgotten(work: UnitOfWork, session_id: str) -> None:
    """Note how many events of a session are known, before they are erased."""
    events = work.sessions.events(session_id)
    last = max((event.seq for event in events), default=-1)
    work.imports.remember(f"{MARK}{session_id}", TranscriptPosition(records=last + 1))


def without_forgotten(work: UnitOfWork, session_id: str, events: Sequence[Event]) -> list[Event]:
    """Return those of *events* that came after the session was forgotten; all of one that never was."""
    noted = work.imports.position(f"{MARK}{session_id}")
    return [event for event in events if noted is None or event.seq >= noted.records]
