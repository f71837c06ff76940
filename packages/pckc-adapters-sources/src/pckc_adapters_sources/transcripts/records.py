"""Complete JSON records, one after the other, out of a growing stream."""

import json
from collections.abc import Iterator
from io import BufferedReader, BytesIO
from typing import Any

import attrs

MAX_RECORD_BYTES = 64 << 20
NOT_JSON = "not a JSON object"
TOO_LONG = f"record longer than {MAX_RECORD_BYTES >> 20} MB"

# Control characters inside strings are wrong but harmless, and some writers leave them in.
_DECODER = json.JSONDecoder(strict=False)
# Between records: white space, a byte order mark read as Latin-1, and the zeros that a power cut leaves behind.
_BETWEEN = " \t\r\n\0ï»¿"


@attrs.frozen
class Record:
    """
    One record of a transcript.

    Attributes:
        value: The JSON object; ``None`` when it cannot be used.
        end: Offset of the first byte after it.
        problem: Why it cannot be used.
    """

    value: dict[str, Any] | None
    end: int
    problem: str = ""


def records(stream: BufferedReader, *, start: int = 0, max_bytes: int = MAX_RECORD_BYTES) -> Iterator[Record]:
    """
    Yield the records of *stream*, which stands at offset *start*.

    Records are JSON objects, usually one a line; several on one line are several records. Invalid UTF-8 is replaced.
    A last line without its line end counts as far as it holds complete objects; the rest is left for the next time.
    """
    offset = start
    while line := stream.readline(max_bytes):
        begin, offset = offset, offset + len(line)
        is_whole = line.endswith(b"\n")
        if not is_whole and len(line) == max_bytes:
            rest = _rest_of_line(stream)
            if rest is None:
                return
            offset += rest
            yield Record(None, offset, TOO_LONG)
            continue
        try:
            value = _DECODER.decode(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            yield from _split(line, begin, is_whole=is_whole)
            continue
        if isinstance(value, dict):
            yield Record(value, begin + len(line.rstrip(b" \t\r\n")))
        elif is_whole:
            yield Record(None, offset, NOT_JSON)


def document(data: bytes) -> Iterator[Record]:
    """Yield the one record of a JSON document over many lines, or the records of lines."""
    try:
        value = _DECODER.decode(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        yield from records(BufferedReader(BytesIO(data)))
        return
    yield Record(value, len(data)) if isinstance(value, dict) else Record(None, len(data), NOT_JSON)


def _rest_of_line(stream: BufferedReader) -> int | None:
    """Skip the rest of a line and return its length; ``None`` when its end is not written yet."""
    length = 0
    while piece := stream.readline(1 << 20):
        length += len(piece)
        if piece.endswith(b"\n"):
            return length
    return None


def _split(line: bytes, begin: int, *, is_whole: bool) -> Iterator[Record]:
    """Yield the objects glued together on *line*."""
    # In Latin-1 every character is one byte, so positions are offsets; JSON's own signs are the same in both.
    text = line.decode("latin-1")
    at = 0
    while at < len(text):
        if text[at] in _BETWEEN:
            at += 1
            continue
        end = _object_end(text, at)
        if end is None:
            if is_whole:
                yield Record(None, begin + len(line), NOT_JSON)
            return
        yield Record(_DECODER.decode(line[at:end].decode("utf-8", "replace")), begin + end)
        at = end


def _object_end(text: str, at: int) -> int | None:
    if text[at] != "{":
        return None
    try:
        return _DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return None
