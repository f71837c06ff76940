"""Reading of records that a test makes up."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
from pckc_adapters_sources.transcripts.source import FileTranscripts
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event, Session
from pckc_domain.ports.transcripts import TranscriptFile, TranscriptPosition
from pckc_domain.testing.transcript_samples import lines


@attrs.frozen
class Reading:
    """What one file gave."""

    format: str
    events: list[Event]
    sessions: dict[str, Session]
    skipped: dict[str, int]
    projects: set[str]

    @property
    def said(self) -> list[tuple[str, str]]:
        """Kind and text of every event."""
        return [(event.kind.value, event.text) for event in self.events]

    @property
    def session(self) -> Session:
        """The only session."""
        (session,) = self.sessions.values()
        return session


Read = Callable[[Sequence[dict[str, Any]] | bytes], Reading]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return what writes records into a file of its own and reads them in one go."""
    count = iter(range(1_000))

    def reading(content: Sequence[dict[str, Any]] | bytes) -> Reading:
        path = tmp_path / f"transcript-{next(count)}"
        path.write_bytes(content if isinstance(content, bytes) else lines(content))
        source = FileTranscripts()
        (file,) = source.find([str(path)])
        return _collected(source, file)

    return reading


def _collected(source: FileTranscripts, file: TranscriptFile) -> Reading:
    result = Reading(file.format, [], {}, {}, set())
    for batch in source.read(Scope(project="shop"), file, after=TranscriptPosition()):
        result.events.extend(batch.events)
        for reason, number in batch.skipped.items():
            result.skipped[reason] = result.skipped.get(reason, 0) + number
        if batch.session is not None:
            result.sessions[batch.session.id] = batch.session
            result.projects.add(batch.project)
    return result
