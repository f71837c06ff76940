"""The transcript port: agent sessions as their hosts wrote them."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import attrs

from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event, Session


@attrs.frozen(kw_only=True)
class TranscriptFile:
    """
    A transcript found on disk.

    Attributes:
        path: Resolved absolute path.
        format: plain, claude, codex, gemini or dsh, decided by content.
        size_bytes: Length.
        mtime_ns: Modification time.
    """

    path: str
    format: str
    size_bytes: int
    mtime_ns: int


@attrs.frozen(kw_only=True)
class TranscriptPosition:
    """
    How far a file has been read.

    Attributes:
        offset: Bytes (of the decompressed stream) up to the end of the last complete record.
        records: Records up to there.
        prefix_hash: SHA-256 of the first ``min(offset, 4096)`` bytes: a rewritten file starts over.
        state: What the reader must remember to go on, as JSON; ``""`` when nothing.
    """

    offset: int = 0
    records: int = 0
    prefix_hash: str = ""
    state: str = ""


@attrs.frozen(kw_only=True)
class TranscriptBatch:
    """
    Some records of one session, in file order.

    Attributes:
        session: The session they belong to, as known so far.
        events: What happened; never redacted yet.
        skipped: Reason to number of records skipped since the batch before.
        position: How far the file has been read after this batch.
    """

    session: Session
    events: tuple[Event, ...]
    skipped: Mapping[str, int]
    position: TranscriptPosition


class TranscriptSource(Protocol):
    """Finds and reads transcripts in bounded memory."""

    @abstractmethod
    def find(self, roots: Sequence[str], /, *, format: str = "auto") -> Iterator[TranscriptFile]:
        """
        Yield the transcripts under *roots* (files or folders), by path; no roots means the hosts' own places.

        Raises:
            InvalidInputError: A named file is of no known format, or *format* is unknown.
        """

    @abstractmethod
    def read(self, scope: Scope, file: TranscriptFile, /, *, after: TranscriptPosition) -> Iterator[TranscriptBatch]:
        """Yield what stands in *file* after a position; a truncated last record is left for the next time."""
