"""A transcript source that keeps its files in memory."""

from collections.abc import Iterator, Mapping, Sequence

import attrs

from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event, Session
from pckc_domain.ports.transcripts import TranscriptBatch, TranscriptFile, TranscriptPosition, TranscriptSource


@attrs.frozen(kw_only=True)
class _Told:
    session: Session
    event: Event


class MemoryTranscripts(TranscriptSource):
    """
    Transcripts in memory; a record holds one event, and its offset is its number.

    Args:
        batch_events: Events in one batch at most, >= 1.
    """

    def __init__(self, *, batch_events: int = 4) -> None:
        self._batch_events = batch_events
        self._files: dict[str, list[_Told]] = {}
        self._skipped: dict[str, Mapping[str, int]] = {}

    def write(
        self, path: str, session: Session, events: Sequence[Event], *, skipped: Mapping[str, int] | None = None
    ) -> TranscriptFile:
        """Add what was said to a file, and what its reader will pass over; return the file as it is found now."""
        self._files.setdefault(path, []).extend(_Told(session=session, event=event) for event in events)
        self._skipped[path] = skipped or {}
        return self._file(path)

    def find(
        self,
        roots: Sequence[str],
        /,
        *,
        format: str = "auto",  # noqa: ARG002  # every file is plain
    ) -> Iterator[TranscriptFile]:
        """Yield every file under *roots*, by path."""
        for path in sorted(self._files):
            if not roots or any(path == root or path.startswith(f"{root}/") for root in roots):
                yield self._file(path)

    def read(
        self,
        scope: Scope,  # noqa: ARG002  # sessions have their ids already
        file: TranscriptFile,
        /,
        *,
        after: TranscriptPosition,
    ) -> Iterator[TranscriptBatch]:
        """Yield what stands after a position, in batches of one session each; what is skipped comes with the first."""
        skipped = self._skipped[file.path]
        for batch, offset in self._batches(self._files[file.path], after.offset):
            yield TranscriptBatch(
                session=batch[0].session,
                events=tuple(told.event for told in batch),
                skipped=skipped,
                position=TranscriptPosition(offset=offset, records=offset),
            )
            skipped = {}

    def _batches(self, told: Sequence[_Told], start: int) -> Iterator[tuple[Sequence[_Told], int]]:
        while start < len(told):
            end = start + 1
            while (
                end < len(told) and end - start < self._batch_events and told[end].session.id == told[start].session.id
            ):
                end += 1
            yield told[start:end], end
            start = end

    def _file(self, path: str) -> TranscriptFile:
        told = self._files[path]
        size = sum(len(one.event.text) for one in told)
        return TranscriptFile(path=path, format="plain", size_bytes=size, mtime_ns=len(told))
