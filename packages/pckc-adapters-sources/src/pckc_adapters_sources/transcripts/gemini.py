"""Gemini CLI sessions: one JSON document, or lines that write and rewrite messages by id."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import attrs
from pckc_domain.model.session import GEMINI_HASH, EventKind

from pckc_adapters_sources.transcripts.calls import call_of, deeds, exit_code, result_of
from pckc_adapters_sources.transcripts.ledger import Ledger, OpenSession
from pckc_adapters_sources.transcripts.moment import moment
from pckc_adapters_sources.transcripts.spoken import utterances

HOST = "gemini"


@attrs.frozen
class _Line:
    """What all parts of one message have in common."""

    session: OpenSession
    message_id: str
    time: datetime | None
    is_sidechain: bool


class GeminiReader:
    """
    Folds the records of one file, then enters the messages that remain into a ledger.

    A later message takes the place of an earlier one with the same id; ``$rewindTo`` takes back a message and all
    after it; ``$set.messages`` is what the model was shown and says nothing new. So a file is always read whole:
    this host is retired, and its files are small.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._head: dict[str, Any] = {}
        self._messages: dict[str, dict[str, Any]] = {}

    def take(self, record: dict[str, Any]) -> None:
        """Fold *record* in."""
        if isinstance(target := record.get("$rewindTo"), str):
            self._rewind(target)
        elif isinstance(news := record.get("$set"), dict):
            self._head.update({name: value for name, value in news.items() if name != "messages"})
        elif isinstance(record.get("sessionId"), str):
            messages = record.get("messages")
            self._head.update({name: value for name, value in record.items() if name != "messages"})
            for message in messages if isinstance(messages, list) else ():
                self._write(message)
        else:
            self._write(record)

    def _write(self, message: object) -> None:
        if isinstance(message, dict) and isinstance(message.get("id"), str):
            self._messages[message["id"]] = message
        else:
            self._ledger.skip("unknown record")

    def _rewind(self, target: str) -> None:
        if target not in self._messages:
            self._ledger.skip("rewind to an unknown message")
            return
        ids = list(self._messages)
        for message_id in ids[ids.index(target) :]:
            del self._messages[message_id]
            self._ledger.skip("message taken back")

    def finish(self) -> Iterator[None]:
        """Enter the session into the ledger, and pause after each message."""
        session_id = self._head.get("sessionId")
        if not isinstance(session_id, str):
            if self._messages:
                self._ledger.skip("file without sessionId")
            return
        session = self._ledger.session(session_id)
        session.describe(
            cwd=self._folder(),
            title=self._head.get("summary"),
        )
        is_sidechain = self._head.get("kind") == "subagent"
        for message in self._messages.values():
            self._enter(_Line(session, message["id"], moment(message.get("timestamp")), is_sidechain), message)
            yield

    def _folder(self) -> str:
        directories, digest = self._head.get("directories"), self._head.get("projectHash")
        if isinstance(directories, list) and directories and isinstance(directories[0], str):
            return directories[0]
        return f"{GEMINI_HASH}{digest}" if isinstance(digest, str) and digest else ""

    def _add(self, line: _Line, kind: EventKind, text: str, part: str, **details: Any) -> None:
        time = details.pop("time", None) or line.time
        self._ledger.add(
            line.session,
            kind,
            text,
            key=(line.message_id, part),
            time=time,
            source_id=line.message_id,
            is_sidechain=line.is_sidechain,
            **details,
        )

    def _enter(self, line: _Line, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "user":
            self._user(line, message)
        elif kind == "gemini":
            self._agent(line, message)
        elif kind in ("info", "warning", "error"):
            said = EventKind.ERROR if kind == "error" else EventKind.TURN_CONTEXT
            self._add(line, said, _text(message.get("content")), "0")
        else:
            self._ledger.skip(f"unknown record type: {kind}")

    def _user(self, line: _Line, message: dict[str, Any]) -> None:
        # What was typed stands beside what was sent, when files were pulled into it.
        text = _text(message.get("displayContent")) or _text(message.get("content"))
        if not text:
            self._ledger.skip("user message without text")
        elif text.startswith("/") and "\n" not in text and "/" not in text.split()[0][1:]:
            self._add(line, EventKind.TURN_CONTEXT, text, "0")
        else:
            for number, piece in enumerate(utterances(text)):
                self._add(line, piece.kind, piece.text, str(number))

    def _agent(self, line: _Line, message: dict[str, Any]) -> None:
        for number, thought in enumerate(_dicts(message.get("thoughts"))):
            text = "\n".join(str(thought[name]) for name in ("subject", "description") if thought.get(name))
            time = moment(thought.get("timestamp"))
            self._add(line, EventKind.REASONING, text, f"thought {number}", time=time)
        if text := _text(message.get("content")):
            self._add(line, EventKind.AGENT_MESSAGE, text, "0")
        for call in _dicts(message.get("toolCalls")):
            self._call(line, call)

    def _call(self, line: _Line, call: dict[str, Any]) -> None:
        tool, arguments = str(call.get("name") or ""), call.get("args")
        call_id, time = str(call.get("id") or ""), moment(call.get("timestamp"))
        for number, deed in enumerate(deeds(tool, arguments)):
            part = f"{call_id} call {number}"
            self._add(line, deed.kind, deed.text, part, time=time, tool=tool, path=deed.path)
        text = _result_text(call)
        if not text:
            self._ledger.skip("call without result")
            return
        made = call_of(tool, arguments)
        code = exit_code(text) if made.is_command else None
        if code is None and call.get("status") == "error":
            code = 1
        elif code is None and made.is_command and call.get("status") == "success":
            code = 0
        kind, code = result_of(made, code)
        self._add(line, kind, text, f"{call_id} result", time=time, tool=tool, path=made.path, exit_code=code)


def _dicts(values: object) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _text(content: object) -> str:
    """Return the text of Gemini's content: a text, a part, or a list of them; thoughts and images left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return "" if content.get("thought") else str(content.get("text") or "")
    parts = [_text(part) for part in content] if isinstance(content, list) else []
    return "\n".join(part for part in parts if part)


def _result_text(call: dict[str, Any]) -> str:
    texts = []
    for part in _dicts(call.get("result")):
        answer = part.get("functionResponse")
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict):
            texts.append(_text(response.get("output") or response.get("error")))
        elif part.get("text"):
            texts.append(str(part["text"]))
    display = call.get("resultDisplay")
    return "\n".join(text for text in texts if text) or (display if isinstance(display, str) else "")
