"""dsh sessions: a header, then ``{type, seq, time, data}`` a line, usually in zstd frames."""

from datetime import datetime
from typing import Any

import attrs
from pckc_domain.model.session import EventKind

from pckc_adapters_sources.transcripts.calls import OpenCalls, call_of, decoded, deeds, exit_code, result_of
from pckc_adapters_sources.transcripts.ledger import Ledger
from pckc_adapters_sources.transcripts.moment import moment
from pckc_adapters_sources.transcripts.spoken import utterances

HOST = "dsh"

_NOT_KEPT = frozenset(
    "text-chunks reasoning-chunks tool-call-chunks assistant/chunk turn/start turn/end step/start step/end"
    " request/header request/options usage/update subagent/descriptor session/end session/resume".split()
)
_PACKED = "chunkrow/"


@attrs.frozen
class _Line:
    """What all parts of one record have in common."""

    seq: str
    time: datetime | None


class DshReader:
    """
    Reads the records of one file into a ledger. An event is known by its session, ``seq`` and place in the record.

    The assembled ``assistant/message`` counts, the chunks it was streamed in do not; calls are taken from
    ``tool/call``, which repeats the message's own ``tool-call`` blocks.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._memory = ledger.memory
        self._calls = OpenCalls(ledger.memory.setdefault("calls", {}))

    def take(self, record: dict[str, Any]) -> None:
        """Enter *record* into the ledger."""
        kind = str(record.get("type"))
        if kind == "session":
            self._header(record)
            return
        if "session" not in self._memory:
            self._ledger.skip("record before the session header")
            return
        data = record.get("data")
        data = data if isinstance(data, dict) else {}
        line = _Line(str(record.get("seq")), moment(record.get("time")))
        if kind == "user/message":
            self._user(line, data)
        elif kind == "assistant/message":
            self._assistant(line, data)
        elif kind == "tool/call":
            self._call(line, data)
        elif kind == "tool/result":
            self._result(line, data)
        elif kind == "session/title":
            self._ledger.session(self._memory["session"]).describe(title=data.get("title"))
        elif kind in ("error", "turn/error", "assistant/error"):
            self._add(line, EventKind.ERROR, _error_text(data.get("error", data)))
        elif kind.startswith(("compaction/", "summary/")) and (text := _text(data) or _text(data.get("summary"))):
            self._add(line, EventKind.SUMMARY, text)
        else:
            known = kind in _NOT_KEPT or kind.startswith((_PACKED, "compaction/", "summary/"))
            self._ledger.skip(f"{'' if known else 'unknown '}record type: {kind}")

    def _header(self, header: dict[str, Any]) -> None:
        if "session" in self._memory:
            self._ledger.skip("repeated session header")
            return
        own_id = str(header.get("id") or "")
        depth = header.get("delegationDepth")
        self._memory.update(
            session=own_id,
            is_sidechain=header.get("origin") == "subagent" or (isinstance(depth, int) and depth > 0),
        )
        self._ledger.session(own_id).describe(
            cwd=header.get("cwd"), parent_id=self._ledger.session_id(str(header.get("parentSession") or ""))
        )

    def _add(self, line: _Line, kind: EventKind, text: str, part: str = "0", **details: Any) -> None:
        self._ledger.add(
            self._ledger.session(self._memory["session"]),
            kind,
            text,
            key=(self._memory["session"], line.seq, part),
            time=line.time,
            is_sidechain=self._memory["is_sidechain"],
            **details,
        )

    def _user(self, line: _Line, data: dict[str, Any]) -> None:
        source = data.get("source")
        text, source_id = _text(data), str(data.get("id") or "")
        if isinstance(source, dict) and source.get("kind") not in (None, "user"):
            self._add(line, EventKind.TURN_CONTEXT, text, source_id=source_id)
            return
        for number, piece in enumerate(utterances(text)):
            self._add(line, piece.kind, piece.text, str(number), source_id=source_id)

    def _assistant(self, line: _Line, data: dict[str, Any]) -> None:
        message = data.get("message")
        message = message if isinstance(message, dict) else {}
        source_id = str(message.get("id") or "")
        for number, block in enumerate(_blocks(message)):
            kind = block.get("type")
            if kind == "text":
                said = EventKind.AGENT_MESSAGE
            elif kind == "reasoning":
                said = EventKind.REASONING
            else:
                if kind != "tool-call":
                    self._ledger.skip(f"{kind} block")
                continue
            self._add(line, said, str(block.get("text") or ""), str(number), source_id=source_id)

    def _call(self, line: _Line, data: dict[str, Any]) -> None:
        tool, arguments = str(data.get("name") or ""), decoded(data.get("arguments"))
        call_id = str(data.get("callId") or "")
        self._calls.open(call_id, call_of(tool, arguments))
        for number, deed in enumerate(deeds(tool, arguments)):
            self._add(line, deed.kind, deed.text, str(number), source_id=call_id, tool=tool, path=deed.path)

    def _result(self, line: _Line, data: dict[str, Any]) -> None:
        message = data.get("message")
        message = message if isinstance(message, dict) else data
        wrapper: dict[str, Any] = next((b for b in _blocks(message) if b.get("type") == "tool-result"), {})
        source = message.get("source")
        call_id = str(
            (source.get("callId") if isinstance(source, dict) else None)
            or wrapper.get("toolCallId")
            or data.get("callId")
            or ""
        )
        call = self._calls.close(call_id)
        text = _text(wrapper or message) or _error_text(data.get("error"))
        code = exit_code(text) if call and call.is_command else None
        if code is None and (wrapper.get("isError") is True or data.get("error")):
            code = 1
        kind, code = result_of(call, code)
        self._add(
            line,
            kind,
            text or "(no output)",
            source_id=call_id,
            tool=call.tool if call else "",
            path=call.path if call else "",
            exit_code=code,
        )


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(message: object) -> str:
    if isinstance(message, str):
        return message
    if not isinstance(message, dict):
        return ""
    texts = [str(block["text"]) for block in _blocks(message) if block.get("text")]
    return "\n".join(texts) or (message["text"] if isinstance(message.get("text"), str) else "")


def _error_text(error: object) -> str:
    if isinstance(error, dict):
        return str(error.get("message") or error.get("kind") or "")
    return error if isinstance(error, str) else ""
