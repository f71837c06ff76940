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
        offset: Bytes (of the decompressed stream) up to the end of the last complete record; 0 is the start.
        records: Records up to there.
        prefix_hash: SHA-256 of the first ``min(offset, 4096)`` bytes: a rewritten file starts over.
        state: What the reader must remember to go on, as JSON; ``""`` when nothing. Ids, names, times and digests,
            never what was said or done, because it is stored unredacted.
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
        session: The session they belong to, as known so far; ``None`` when there are no events. Merge it with what is
            stored: a title or an earlier start may have been told before.
        project: The project that the records themselves name; ``""`` when they do not. Session ids are then made
            with it in place of the scope's project.
        events: What happened; never redacted yet.
        skipped: Reason to number of records, parts of records, or remarks about them, since the batch before.
        position: From where to read on once this batch is stored. It moves only after all sessions that were read
            together: whoever stops before reads the same events again, with the same ids and numbers.
    """

    session: Session | None
    project: str = ""
    events: tuple[Event, ...]
    skipped: Mapping[str, int]
    position: TranscriptPosition


class TranscriptSource(Protocol):
    """Finds and reads transcripts in bounded memory."""

    @abstractmethod
    def find(self, roots: Sequence[str], /, *, format: str = "auto") -> Iterator[TranscriptFile]:
        """
        Yield the transcripts under *roots* (files or folders), by path; no roots means the hosts' own places.

        Links that lead out of the roots are not followed. Other files in folders are passed over, and so are
        those without a complete record; a named one is a transcript without events.

        Raises:
            InvalidInputError: A root does not exist, a named file is no transcript of *format*, or *format* is unknown.
            BackendUnavailableError: A named file may not be read.
        """

    @abstractmethod
    def read(self, scope: Scope, file: TranscriptFile, /, *, after: TranscriptPosition) -> Iterator[TranscriptBatch]:
        """
        Yield what stands in *file* after a position, nothing when there is nothing new.

        A truncated last record is left for the next time. A file that does not start any more as it did is read from
        its start. A file of whole-document format (gemini) is read from its start whenever it has changed.

        Raises:
            BackendUnavailableError: The file is gone or may not be read.
            InvalidInputError: The file is of a whole-document format and too large to be held in memory.
        """
