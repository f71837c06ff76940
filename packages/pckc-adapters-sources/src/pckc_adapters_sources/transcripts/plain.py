"""Plain sessions: PCKC's own documented lines."""

from bisect import bisect_right
from typing import Any

from pckc_domain.model.session import EventKind

from pckc_adapters_sources.transcripts.ledger import MAX_SESSIONS, Ledger
from pckc_adapters_sources.transcripts.moment import is_naive, moment

HOST = "plain"

_KINDS = {
    "user": EventKind.PROMPT,
    "human": EventKind.PROMPT,
    "assistant": EventKind.AGENT_MESSAGE,
    "agent": EventKind.AGENT_MESSAGE,
    "ai": EventKind.AGENT_MESSAGE,
    "model": EventKind.AGENT_MESSAGE,
    "reasoning": EventKind.REASONING,
    "thinking": EventKind.REASONING,
    "system": EventKind.TURN_CONTEXT,
    "developer": EventKind.TURN_CONTEXT,
    "context": EventKind.TURN_CONTEXT,
    "tool": EventKind.TOOL_RESULT,
    "tool_result": EventKind.TOOL_RESULT,
    "tool_call": EventKind.TOOL_CALL,
    "command": EventKind.COMMAND,
    "file_change": EventKind.FILE_CHANGE,
    "test": EventKind.TEST_RESULT,
    "test_result": EventKind.TEST_RESULT,
    "error": EventKind.ERROR,
    "annotation": EventKind.ANNOTATION,
    "note": EventKind.ANNOTATION,
    "summary": EventKind.SUMMARY,
}
_OPTIONAL_TEXTS = ("id", "tool", "path", "project", "branch")


class PlainReader:
    """
    Reads lines ``{"session", "seq", "role", "time", "text"}`` with optional ``id``, ``tool``, ``exit_code``, ``path``,
    ``project`` and ``branch`` into a ledger. A role that is none of the known ones is a person's name.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        # Session to the numbers seen in it, as a flat sorted list of first, one past last, first, one past last …;
        # the session that spoke last stands last.
        self._seen: dict[str, list[int]] = ledger.memory.setdefault("seen", {})

    def take(self, record: dict[str, Any]) -> None:
        """Enter *record* into the ledger, or count why it cannot be."""
        problem = _problem(record)
        if problem:
            self._ledger.skip(problem)
            return
        project, name, seq = record.get("project") or "", record["session"], record["seq"]
        if not self._is_first(f"{project}\n{name}", seq):
            self._ledger.skip("duplicate seq")
            return
        session = self._ledger.session(name, project=project)
        branch = record.get("branch") or ""
        session.describe(branch=branch)
        time = record.get("time")
        when = moment(time)
        if isinstance(time, str) and when is not None and is_naive(time):
            self._ledger.skip("naive time, read as UTC")
        elif when is None and time not in (None, ""):
            self._ledger.skip("time not readable, event kept without a time")
        role, source_id, text = record["role"].strip(), record.get("id") or "", record["text"]
        kind = _KINDS.get(role.casefold())
        self._ledger.add(
            session,
            EventKind.PROMPT if kind is None else kind,
            text,
            key=(project, name, source_id) if source_id else (project, name, "", str(seq), role, text),
            seq=seq,
            time=when,
            source_id=source_id,
            speaker=role if kind is None else "",
            tool=record.get("tool") or "",
            exit_code=record.get("exit_code"),
            path=record.get("path") or "",
            branch=branch,
        )

    def _is_first(self, session: str, seq: int) -> bool:
        """Say whether *seq* is new in *session*, and remember it."""
        runs = self._seen[session] = self._seen.pop(session, [])
        if len(self._seen) > MAX_SESSIONS:
            del self._seen[next(iter(self._seen))]
        at = bisect_right(runs, seq)
        if at % 2:
            return False
        joins_left, joins_right = at > 0 and runs[at - 1] == seq, at < len(runs) and runs[at] == seq + 1
        runs[at - joins_left : at + joins_right] = [seq] * (not joins_left) + [seq + 1] * (not joins_right)
        return True


def _problem(record: dict[str, Any]) -> str:
    """Return why *record* is no plain line; ``""`` when it is one."""
    for name in ("session", "seq", "role", "text"):
        if record.get(name) is None:
            return f"{name} is missing"
    if not _is_count(record["seq"]) or record["seq"] < 0:
        return "seq is not a number from 0"
    for name in ("session", "role", "text"):
        if not isinstance(record[name], str):
            return f"{name} is not a text"
    for name in ("session", "role"):
        if not record[name].strip():
            return f"{name} is empty"
    return _optional_problem(record)


def _optional_problem(record: dict[str, Any]) -> str:
    for name in _OPTIONAL_TEXTS:
        value = record.get(name)
        if value is not None and not isinstance(value, str):
            return f"{name} is not a text"
    code, time = record.get("exit_code"), record.get("time")
    if code is not None and not _is_count(code):
        return "exit_code is not a number"
    if isinstance(time, bool) or not isinstance(time, (str, int, float, type(None))):
        return "time is not a text or a number"
    return ""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
