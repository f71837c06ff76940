"""Whose transcript a file is, told by its content alone."""

import re
from io import BufferedReader
from typing import Any

from pckc_domain.errors import InvalidInputError

from pckc_adapters_sources.transcripts import claude, codex, dsh, gemini, plain
from pckc_adapters_sources.transcripts.records import records
from pckc_adapters_sources.transcripts.stream import opened

FORMATS = (plain.HOST, claude.HOST, codex.HOST, gemini.HOST, dsh.HOST)

_MAX_RECORDS = 50
_MAX_BYTES = 16 << 20
_DOCUMENT_HEAD_BYTES = 1 << 16
_DOCUMENT = tuple(re.compile(rb'"%s"\s*:' % name) for name in (b"sessionId", b"projectHash", b"messages"))
_BOM = b"\xef\xbb\xbf"
_EXEC_TYPES = re.compile(r"(?:thread|turn|item)\.\w+$")
_REMEDY = "Give a session of Claude Code, Codex, Gemini CLI or dsh, or plain lines {session, seq, role, time, text}."


def detect(path: str) -> str:
    """
    Return the format of the transcript at *path*; ``""`` when it holds no complete record yet.

    Raises:
        InvalidInputError: It is no transcript, or one of a kind that cannot be imported.
        BackendUnavailableError: It is gone or may not be read.
    """
    with opened(path) as (stream, _):
        head = stream.read(_DOCUMENT_HEAD_BYTES)
    start = head.removeprefix(_BOM).lstrip(b" \t\r\n\0")
    if start and not start.startswith(b"{"):
        raise InvalidInputError(f"{path} is not a transcript: it does not start with a JSON object", remedy=_REMEDY)
    with opened(path) as (stream, _):
        found = _by_records(path, stream)
    if found is None and all(mark.search(head) for mark in _DOCUMENT):
        return gemini.HOST
    if found is None:
        raise InvalidInputError(f"{path} holds JSON of no known transcript format", remedy=_REMEDY)
    return found


def _by_records(path: str, stream: BufferedReader) -> str | None:
    """Return the format of the first record that has one, ``""`` without any record, ``None`` for unknown ones."""
    found: str | None = ""
    start = read = 0
    for number, record in enumerate(records(stream, max_bytes=_MAX_BYTES)):
        if record.value is not None:
            name = format_of(record.value)
            if name:
                return name
            if _is_exec_stream(record.value):
                raise InvalidInputError(
                    f"{path} is the output of `codex exec --json`, which cannot be imported",
                    remedy="Import the session file that Codex wrote for the same run under ~/.codex/sessions.",
                )
        found = None
        if record.value is not None:  # one that is too large is passed over, as it is when the file is read
            read += record.end - start
        start = record.end
        if number >= _MAX_RECORDS or read > _MAX_BYTES:
            break
    return found


def format_of(record: dict[str, Any]) -> str:
    """Return the format that *record* belongs to; ``""`` when it shows none."""
    kind = str(record.get("type"))
    if "session" in record and "role" in record and ("text" in record or "seq" in record):
        return plain.HOST
    if kind in codex.ENVELOPES and isinstance(record.get("payload"), dict):
        return codex.HOST
    if "type" not in record and "id" in record and "timestamp" in record and "instructions" in record:
        return codex.HOST
    if kind == "session" and "version" in record and "id" in record:
        return dsh.HOST
    if "$set" in record or "$rewindTo" in record or ("sessionId" in record and "projectHash" in record):
        return gemini.HOST
    if "type" in record and (_is_claude_line(record) or _is_claude_note(kind, record)):
        return claude.HOST
    return ""


def _is_claude_line(record: dict[str, Any]) -> bool:
    return isinstance(record.get("sessionId"), str) and (
        "uuid" in record or "timestamp" in record or "message" in record
    )


def _is_claude_note(kind: str, record: dict[str, Any]) -> bool:
    """Recognise the lines that may stand before the first message."""
    marks = {
        "summary": ("leafUuid",),
        "file-history-snapshot": ("messageId", "snapshot"),
        "queue-operation": ("operation",),
        "custom-title": ("customTitle",),
        "ai-title": ("aiTitle",),
        "last-prompt": ("sessionId",),
        "permission-mode": ("sessionId",),
        "mode": ("sessionId",),
        "agent-name": ("sessionId",),
    }
    return kind in marks and all(name in record for name in marks[kind])


def _is_exec_stream(record: dict[str, Any]) -> bool:
    kind, message = record.get("type"), record.get("msg")
    if isinstance(kind, str) and _EXEC_TYPES.match(kind):
        return True
    return isinstance(message, dict) and "type" in message and "id" in record
