"""Transcript files as streams of plain bytes, compressed or not."""

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pckc_domain.errors import BackendUnavailableError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
PREFIX_BYTES = 4096
_BUFFER_BYTES = 1 << 20
# Small steps, because a compressed kilobyte may stand for megabytes.
_COMPRESSED_STEP_BYTES = 1 << 14


class ZstdFrames(io.RawIOBase):
    """
    Concatenated zstd frames as one stream. An unfinished last frame gives what it holds so far; damage ends the
    stream, after everything before it, and sets ``is_damaged``.
    """

    def __init__(self, source: io.BufferedReader) -> None:
        # Imported late: most hosts write no compressed transcripts.
        import zstandard

        self.is_damaged = False
        self._source = source
        self._library = zstandard
        self._frame: Any = None
        self._left_over = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Say that this is a stream to read from."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fill *buffer* as far as the next piece reaches; 0 at the end."""
        while not self._ready:
            piece = self._left_over or self._source.read(_COMPRESSED_STEP_BYTES)
            if not piece:
                return 0
            self._ready = memoryview(self._decompress(piece))
            if self.is_damaged:
                return 0
        view = memoryview(buffer).cast("B")
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompress(self, piece: bytes) -> bytes:
        if self._frame is None:
            self._frame = self._library.ZstdDecompressor().decompressobj()
        try:
            data: bytes = self._frame.decompress(piece)
        except self._library.ZstdError:
            self.is_damaged = True
            return b""
        self._left_over = b""
        if self._frame.eof:
            self._left_over = self._frame.unused_data
            self._frame = None
        return data


@contextmanager
def opened(path: str, *, buffer_bytes: int = _BUFFER_BYTES) -> Iterator[tuple[io.BufferedReader, ZstdFrames | None]]:
    """
    Open *path* as a stream of plain bytes; the second value watches for damage in a compressed one.

    Raises:
        BackendUnavailableError: The file is gone or may not be read.
    """
    try:
        file: io.BufferedReader = io.BufferedReader(io.FileIO(path), buffer_bytes)
    except OSError as error:
        raise BackendUnavailableError(f"{path} cannot be read: {error.strerror}") from error
    with file:
        if file.peek(len(ZSTD_MAGIC))[: len(ZSTD_MAGIC)] != ZSTD_MAGIC:
            yield file, None
            return
        frames = ZstdFrames(file)
        yield io.BufferedReader(frames, buffer_bytes), frames


def prefix_hash(head: bytes) -> str:
    """Return what identifies a stream that starts with *head*."""
    return hashlib.sha256(head[:PREFIX_BYTES]).hexdigest()


def moved_to(stream: io.BufferedReader, offset: int, expected: str) -> bool:
    """Move to *offset*; ``False`` when the stream is shorter or does not start as *expected*: it was rewritten."""
    head = stream.read(min(offset, PREFIX_BYTES))
    if prefix_hash(head) != expected:
        return False
    if stream.seekable():
        return stream.seek(0, io.SEEK_END) >= offset and stream.seek(offset) == offset
    left = offset - len(head)
    while left and (piece := stream.read(min(left, _BUFFER_BYTES))):
        left -= len(piece)
    return not left
