"""Claude Code sessions: one JSON object a line, one content block or so per object."""

from datetime import datetime
from typing import Any

import attrs
from pckc_domain.model.session import EventKind

from pckc_adapters_sources.transcripts.calls import Call, OpenCalls, call_of, deeds, exit_code, result_of
from pckc_adapters_sources.transcripts.ledger import Ledger, OpenSession
from pckc_adapters_sources.transcripts.moment import moment
from pckc_adapters_sources.transcripts.spoken import utterances

HOST = "claude"

_NOT_KEPT = frozenset(
    "progress file-history-snapshot queue-operation last-prompt pr-link mode permission-mode agent-name agent-color"
    " agent-setting tag started worktree-state content-replacement attribution-snapshot marble-origami-commit"
    " speculation-accept task-summary bridge-session saved_hook_context file-history-delta".split()
)
_SYNTHETIC = "<synthetic>"
_DENIED = ("The user doesn't want to proceed", "The user doesn't want to take this action", "[Request interrupted")
_BACKGROUND = "Command running in background"


@attrs.frozen
class _Line:
    """What all parts of one record have in common."""

    session: OpenSession
    uuid: str
    time: datetime | None
    branch: str
    is_sidechain: bool
    is_replay: bool


class ClaudeReader:
    """
    Reads the records of one file into a ledger.

    An event is known by the ``uuid`` of its record and its place in it: the same record in a fork or a resumed
    session is the same event. A sub-agent's file is a session of its own, child of the one that started it.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._calls = OpenCalls(ledger.memory.setdefault("calls", {}))

    def take(self, record: dict[str, Any]) -> None:
        """Enter *record* into the ledger."""
        kind = str(record.get("type"))
        if kind == "user":
            self._user(record)
        elif kind == "assistant":
            self._assistant(record)
        elif kind == "system":
            self._system(record)
        elif kind == "attachment":
            self._attachment(record)
        elif kind == "summary":
            # It names a message, not a session, and often stands in another session's file.
            self._ledger.skip("summary record")
        elif kind in ("custom-title", "ai-title"):
            self._title(record)
        elif kind in _NOT_KEPT:
            self._ledger.skip(f"{kind} record")
        else:
            self._ledger.skip(f"unknown record type: {kind}")

    def _line(self, record: dict[str, Any]) -> _Line | None:
        session_id = record.get("sessionId")
        if not isinstance(session_id, str) or not session_id:
            self._ledger.skip("record without sessionId")
            return None
        is_sidechain = record.get("isSidechain") is True
        agent = record.get("agentId")
        if is_sidechain and isinstance(agent, str) and agent:
            session = self._ledger.session(f"{session_id}/{agent}")
            session.describe(parent_id=self._ledger.session_id(session_id))
        else:
            session = self._ledger.session(session_id)
        branch = record.get("gitBranch")
        branch = branch if isinstance(branch, str) and branch != "HEAD" else ""
        if not (session.cwd and session.branch):
            session.describe(cwd=record.get("cwd"), branch=branch)
        origin = record.get("forkedFrom")
        uuid = record.get("uuid")
        if isinstance(origin, dict):
            uuid = origin.get("messageUuid", uuid)
            session.describe(parent_id=self._ledger.session_id(str(origin.get("sessionId") or "")))
        return _Line(
            session=session,
            uuid=uuid if isinstance(uuid, str) else "",
            time=moment(record.get("timestamp")),
            branch=branch,
            is_sidechain=is_sidechain,
            is_replay=isinstance(origin, dict),
        )

    def _add(self, line: _Line, kind: EventKind, text: str, part: str, **details: Any) -> None:
        # A record without an id is known by what it says and when.
        key = (line.uuid, part) if line.uuid else ("", kind.value, str(line.time), text)
        self._ledger.add(
            line.session,
            kind,
            text,
            key=key,
            time=line.time,
            source_id=line.uuid,
            branch=line.branch,
            is_sidechain=line.is_sidechain,
            is_replay=line.is_replay,
            **details,
        )

    def _user(self, record: dict[str, Any]) -> None:
        line = self._line(record)
        if line is None:
            return
        for index, block in enumerate(_blocks(record.get("message"))):
            kind = block.get("type")
            if kind == "text":
                self._user_text(line, record, str(block.get("text") or ""), index)
            elif kind == "tool_result":
                self._tool_result(line, record, block, index)
            else:
                self._ledger.skip(f"{kind} block")

    def _user_text(self, line: _Line, record: dict[str, Any], text: str, index: int) -> None:
        if record.get("isCompactSummary") is True:
            self._add(line, EventKind.SUMMARY, text, str(index))
        elif record.get("isMeta") is True or _is_foreign(record):
            self._add(line, EventKind.TURN_CONTEXT, text, str(index))
        else:
            for number, piece in enumerate(utterances(text)):
                self._add(line, piece.kind, piece.text, f"{index}.{number}" if number else str(index))

    def _tool_result(self, line: _Line, record: dict[str, Any], block: dict[str, Any], index: int) -> None:
        call = self._calls.close(str(block.get("tool_use_id") or ""))
        text = self._result_text(block.get("content"))
        is_error = block.get("is_error") is True
        if text.startswith(_DENIED):
            self._add(line, EventKind.TOOL_RESULT, text, str(index), tool=call.tool if call else "")
            return
        outcome = record.get("toolUseResult")
        is_partial = text.startswith(_BACKGROUND) or (isinstance(outcome, dict) and outcome.get("interrupted") is True)
        code = None if is_partial else _exit_code(call, text, is_error=is_error)
        kind, code = result_of(call, code)
        self._add(
            line,
            kind,
            text or ("(no output)" if call and call.is_command else ""),
            str(index),
            tool=call.tool if call else "",
            exit_code=code,
            path=call.path if call else "",
        )

    def _result_text(self, content: object) -> str:
        if isinstance(content, str):
            return content
        texts = []
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == "text":
                texts.append(str(block.get("text") or ""))
            elif isinstance(block, dict):
                self._ledger.skip(f"{block.get('type')} block")
        return "\n".join(texts)

    def _assistant(self, record: dict[str, Any]) -> None:
        line = self._line(record)
        if line is None:
            return
        message = record.get("message")
        is_failure = record.get("isApiErrorMessage") is True
        if not is_failure and isinstance(message, dict) and message.get("model") == _SYNTHETIC:
            self._ledger.skip("synthetic assistant message")
            return
        for index, block in enumerate(_blocks(message)):
            kind = block.get("type")
            if kind == "text":
                said = EventKind.ERROR if is_failure else EventKind.AGENT_MESSAGE
                self._add(line, said, str(block.get("text") or ""), str(index))
            elif kind == "thinking":
                self._add(line, EventKind.REASONING, str(block.get("thinking") or ""), str(index))
            elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
                self._tool_use(line, block, index)
            else:
                self._ledger.skip(f"{kind} block")

    def _tool_use(self, line: _Line, block: dict[str, Any], index: int) -> None:
        tool, arguments = str(block.get("name") or ""), block.get("input")
        self._calls.open(str(block.get("id") or ""), call_of(tool, arguments))
        for number, deed in enumerate(deeds(tool, arguments)):
            part = f"{index}.{number}" if number else str(index)
            self._add(line, deed.kind, deed.text, part, tool=tool, path=deed.path)

    def _system(self, record: dict[str, Any]) -> None:
        subtype = record.get("subtype")
        text = record.get("content")
        if subtype == "api_error":
            text = text or _error_text(record.get("error"))
        if not isinstance(text, str) or not text:
            self._ledger.skip(f"system record: {subtype}")
            return
        line = self._line(record)
        if line is not None:
            kind = EventKind.ERROR if subtype == "api_error" else EventKind.TURN_CONTEXT
            self._add(line, kind, text, "0")

    def _attachment(self, record: dict[str, Any]) -> None:
        attachment = record.get("attachment")
        attachment = attachment if isinstance(attachment, dict) else {}
        kind = attachment.get("type")
        # What a user types while the agent works waits in a queue and arrives as an attachment.
        is_queued = kind == "queued_command"
        text = _text(attachment.get("prompt" if is_queued else "content"))
        if not text:
            self._ledger.skip(f"attachment: {kind}")
            return
        line = self._line(record)
        if line is None:
            return
        if is_queued and attachment.get("commandMode", "prompt") == "prompt":
            self._user_text(line, record, text, 0)
        else:
            self._add(line, EventKind.TURN_CONTEXT, text, "0")

    def _title(self, record: dict[str, Any]) -> None:
        session_id = record.get("sessionId")
        if isinstance(session_id, str) and session_id:
            title = record.get("customTitle") or record.get("aiTitle")
            self._ledger.session(session_id).describe(title=title)


def _blocks(message: object) -> list[dict[str, Any]]:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list) and content and all(isinstance(part, str) for part in content):
        return "\n".join(content)
    return "\n".join(str(block["text"]) for block in _blocks({"content": content}) if block.get("text"))


def _is_foreign(record: dict[str, Any]) -> bool:
    """Say whether a user record was written by something other than a person."""
    origin = record.get("origin")
    return isinstance(origin, dict) and origin.get("kind") not in (None, "human", "user")


def _exit_code(call: Call | None, text: str, *, is_error: bool) -> int | None:
    stated = exit_code(text) if is_error else None
    if stated is not None:
        return stated
    if is_error:
        return 1
    # A command that fails is marked as an error, so one that is not marked has succeeded.
    return 0 if call is not None and call.is_command else None


def _error_text(error: object) -> str:
    if isinstance(error, dict):
        inner = error.get("error")
        message = error.get("message") or (_error_text(inner) if isinstance(inner, dict) else "")
        return str(message or error.get("status") or "")
    return error if isinstance(error, str) else ""
