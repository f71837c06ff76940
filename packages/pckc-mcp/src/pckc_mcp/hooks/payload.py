"""What a host writes to a hook: read in bounds, checked, and cut to what memory can use."""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

MAX_INPUT_BYTES = 32 << 20
"""Longer input is read to its end, so that the host is not stopped, and left out."""

MAX_TEXT = 16_000
"""Of a longer text of a tool its first and last half of this are kept."""

MAX_SAID = 100_000
"""Of a longer prompt or answer its start is kept."""

MAX_ITEMS = 200
MAX_DEPTH = 8
MAX_RECORD = 400_000
MAX_NAME = 500

SESSION_START, PROMPT, TOOL, TOOL_FAILED = "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"
STOP, AGENT_START, AGENT_STOP, SESSION_END = "Stop", "SubagentStart", "SubagentStop", "SessionEnd"

SPELLINGS = {"prompt": PROMPT, "tool": TOOL, "end": SESSION_END, "start": SESSION_START}
"""Short names of events."""

RECORDED = (PROMPT, TOOL, TOOL_FAILED, STOP, AGENT_STOP, SESSION_END)
IGNORED = ("PreToolUse", "Notification", "PreCompact", "PostCompact", "PermissionRequest")
"""Events that tell nothing which another one does not: a call is told by its result."""

EVENTS = {name.casefold(): name for name in (SESSION_START, AGENT_START, *RECORDED, *IGNORED)} | SPELLINGS

SAID = {PROMPT: ("prompt",), STOP: ("last_assistant_message",), AGENT_STOP: ("last_assistant_message",)}
TOLD = {
    TOOL: ("tool_name", "tool_input", "tool_response", "tool_use_id"),
    TOOL_FAILED: ("tool_name", "tool_input", "error", "tool_use_id"),
    SESSION_START: ("source",),
    SESSION_END: ("reason",),
}


class PayloadError(Exception):
    """What a host wrote cannot be used; the text says why."""


class Payload(NamedTuple):
    """
    What a host tells.

    Attributes:
        event: One of `EVENTS`.
        session: The host's id of the session; empty when it names none.
        folder: Where the session runs.
        agent: The sub-agent that speaks; empty for the session's own.
        id: The host's id of the event, the same however many hooks are told of it; empty when it has none.
        data: What belongs to the event.
    """

    event: str
    session: str
    folder: str
    agent: str
    id: str
    data: dict[str, Any]


def event_name(word: str) -> str:
    """Return the event that *word* means, in any spelling such as ``user-prompt-submit``; ``""`` for an unknown one."""
    return EVENTS.get(word.replace("-", "").replace("_", "").casefold(), "")


def read_input(descriptor: int) -> bytes:
    """
    Return all that a descriptor gives.

    Raises:
        PayloadError: It is more than `MAX_INPUT_BYTES`.
        OSError: It cannot be read.
    """
    pieces, size = [], 0
    while piece := os.read(descriptor, 1 << 20):
        size += len(piece)
        if size <= MAX_INPUT_BYTES:
            pieces.append(piece)
    if size > MAX_INPUT_BYTES:
        raise PayloadError(f"{size:,} bytes were written, more than {MAX_INPUT_BYTES:,}: left out")
    return b"".join(pieces)


def parse(written: bytes, event: str, environ: Mapping[str, str]) -> Payload:
    """
    Return what was *written* for *event*, which the host may also name itself.

    Raises:
        PayloadError: It is no JSON object, or of an unknown event.
    """
    try:
        told = _encodable(json.loads(written.decode("utf-8", "replace")))
    except (ValueError, RecursionError) as error:
        raise PayloadError("what the host wrote is not JSON") from error
    if not isinstance(told, dict):
        raise PayloadError("what the host wrote is no JSON object")
    named = _text(told, "hook_event_name")
    name = event or event_name(named)
    if not name:
        raise PayloadError(f"unknown event {named[:60]!r}" if named else "no event is named")
    folder = environ.get("CLAUDE_PROJECT_DIR") or _text(told, "cwd")  # the first stays where it is when an agent moves
    return Payload(
        event=name,
        session=_text(told, "session_id")[:MAX_NAME],
        folder=folder if "\0" not in folder and os.path.isdir(folder) else "",  # noqa: PTH112 - nothing heavy here
        agent=_text(told, "agent_id")[:MAX_NAME],
        id=_text(told, "prompt_id" if name == PROMPT else "tool_use_id")[:MAX_NAME],
        data=_data(name, told),
    )


def _encodable(told: Any) -> Any:
    """Return *told* with lone surrogates, which no store takes, replaced."""
    text = json.dumps(told, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return told


def _data(event: str, told: Mapping[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {name: _text(told, name)[:MAX_SAID] for name in SAID.get(event, ())}
    for name in TOLD.get(event, ()):
        data[name] = cut(told.get(name))
        if len(json.dumps(data[name])) > MAX_RECORD:
            data[name] = _shortened(json.dumps(data[name], ensure_ascii=False))
    return data


def cut(value: Any, depth: int = 0) -> Any:
    """Return *value* with long texts and lists shortened, and what is nested too deep left out."""
    if isinstance(value, str):
        return _shortened(value)
    if depth >= MAX_DEPTH:
        return None
    if isinstance(value, list):
        return [cut(item, depth + 1) for item in value[:MAX_ITEMS]]
    if isinstance(value, dict):
        return {key[:MAX_NAME]: cut(item, depth + 1) for key, item in list(value.items())[:MAX_ITEMS]}
    return value


def _shortened(text: str) -> str:
    half = MAX_TEXT // 2
    return text if len(text) <= MAX_TEXT else f"{text[:half]}\n…\n{text[-half:]}"


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name)
    return value if isinstance(value, str) else ""
