"""The transcript source: finds sessions on disk and reads them in bounded memory."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import attrs
from pckc_domain.errors import BackendUnavailableError, InvalidInputError
from pckc_domain.model.scope import Scope
from pckc_domain.ports.transcripts import TranscriptBatch, TranscriptFile, TranscriptPosition, TranscriptSource

from pckc_adapters_sources.transcripts.claude import ClaudeReader
from pckc_adapters_sources.transcripts.codex import CodexReader
from pckc_adapters_sources.transcripts.detect import FORMATS, detect
from pckc_adapters_sources.transcripts.dsh import DshReader
from pckc_adapters_sources.transcripts.gemini import GeminiReader
from pckc_adapters_sources.transcripts.ledger import Ledger
from pckc_adapters_sources.transcripts.places import default_places, files_under
from pckc_adapters_sources.transcripts.plain import PlainReader
from pckc_adapters_sources.transcripts.records import Record, document, records
from pckc_adapters_sources.transcripts.stream import PREFIX_BYTES, moved_to, opened, prefix_hash

AUTO = "auto"
MAX_DOCUMENT_BYTES = 256 << 20
UNFORESEEN = "record of an unforeseen shape"
_DAMAGED = "damaged zstd frame"


class _Reader(Protocol):
    def take(self, record: dict[str, Any], /) -> None: ...


_READERS: dict[str, Callable[[Ledger], _Reader]] = {
    "plain": PlainReader,
    "claude": ClaudeReader,
    "codex": CodexReader,
    "dsh": DshReader,
}
_GEMINI = "gemini"


class FileTranscripts(TranscriptSource):
    """Transcripts in files; *places* are looked through when no root is named, the hosts' own when empty."""

    def __init__(self, places: Sequence[str] = ()) -> None:
        self._places = tuple(places) or default_places(os.environ, Path.home())

    def find(self, roots: Sequence[str], /, *, format: str = AUTO) -> Iterator[TranscriptFile]:
        """Yield the transcripts under *roots*, by path; other files in folders are passed over."""
        if format not in (AUTO, *FORMATS):
            raise InvalidInputError(
                f"{format!r} is no transcript format", remedy=f"Choose one of {', '.join((AUTO, *FORMATS))}."
            )
        # Checked at once rather than when the first file is asked for.
        named = files_under(roots or [place for place in self._places if Path(place).is_dir()])
        return self._found(named, format)

    def _found(self, paths: Iterator[tuple[str, bool]], wanted: str) -> Iterator[TranscriptFile]:
        for path, is_named in paths:
            try:
                name = detect(path)
            except (InvalidInputError, BackendUnavailableError):
                if is_named:
                    raise
                continue
            if wanted not in (AUTO, name or wanted):
                if is_named:
                    raise InvalidInputError(f"{path} is a {name} transcript, not {wanted}", remedy="Use format auto.")
                continue
            if not name and not is_named:
                continue  # nothing tells yet that it is a transcript: another program may be about to write it
            if not name:
                name = FORMATS[0] if wanted == AUTO else wanted
            try:
                stat = Path(path).stat()
            except FileNotFoundError:
                continue
            yield TranscriptFile(path=path, format=name, size_bytes=stat.st_size, mtime_ns=stat.st_mtime_ns)

    def read(self, scope: Scope, file: TranscriptFile, /, *, after: TranscriptPosition) -> Iterator[TranscriptBatch]:
        """Yield what stands in *file* after a position."""
        if file.format not in FORMATS:
            raise InvalidInputError(f"{file.format!r} is no transcript format", remedy="Find the file again.")
        if file.format == _GEMINI:
            return _read_whole(scope, file, after)
        return _read_lines(scope, file, after)


def _read_lines(scope: Scope, file: TranscriptFile, after: TranscriptPosition) -> Iterator[TranscriptBatch]:
    with ExitStack() as stack:
        stream, frames = stack.enter_context(opened(file.path))
        if after.offset and not moved_to(stream, after.offset, after.prefix_hash):
            stack.close()
            stream, frames = stack.enter_context(opened(file.path))
            after = TranscriptPosition()
        ledger = Ledger(scope, file.format, after.state)
        reader = _READERS[file.format](ledger)
        saved = reached = after
        for record in records(stream, start=after.offset):
            _take(reader, record, ledger)
            reached = TranscriptPosition(offset=record.end, records=reached.records + 1)
            if ledger.is_full:
                reached = _sealed(reached, file.path)
                yield from ledger.batches(saved, reached)
                saved = reached
        if frames is not None and frames.is_damaged:
            # Said once: a later reading of the same file finds nothing new before the damage.
            if reached is after and after.offset:
                return
            ledger.skip(_DAMAGED)
        elif reached is saved:
            return
        yield from ledger.batches(saved, _sealed(reached, file.path))


def _read_whole(scope: Scope, file: TranscriptFile, after: TranscriptPosition) -> Iterator[TranscriptBatch]:
    """Read a file whose later parts change what earlier ones say: all of it, or nothing when it has not changed."""
    with opened(file.path) as (stream, _):
        data = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InvalidInputError(
            f"{file.path} is too large for a {file.format} session",
            remedy=f"Split it; at most {MAX_DOCUMENT_BYTES >> 20} MB can be read.",
        )
    if len(data) == after.offset and prefix_hash(data) == after.prefix_hash:
        return
    ledger = Ledger(scope, file.format, "")
    reader = GeminiReader(ledger)
    count = 0
    for record in document(data):
        count += 1
        _take(reader, record, ledger)
    start = TranscriptPosition()
    for _ in reader.finish():
        if ledger.is_full:
            yield from ledger.batches(start, start)
    end = TranscriptPosition(offset=len(data), records=count, prefix_hash=prefix_hash(data))
    if data:
        yield from ledger.batches(start, end)


def _take(reader: _Reader, record: Record, ledger: Ledger) -> None:
    if record.value is None:
        ledger.skip(record.problem)
        return
    try:
        reader.take(record.value)
    except (AttributeError, KeyError, TypeError, ValueError):
        # Hosts change their formats without notice: one record that nobody foresaw must not end an import.
        ledger.skip(UNFORESEEN)


def _sealed(position: TranscriptPosition, path: str) -> TranscriptPosition:
    """Add what tells later whether the file is still the same up to there."""
    with opened(path, buffer_bytes=PREFIX_BYTES) as (stream, _):
        return attrs.evolve(position, prefix_hash=prefix_hash(stream.read(min(position.offset, PREFIX_BYTES))))
