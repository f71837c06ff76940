"""What the hooks of agent hosts tell, one record for each event of a session."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import attrs
from pckc_domain.model.session import HOOKED, EventKind
from pckc_domain.usecases.record import NewEvent

from pckc_adapters_sources.transcripts import claude
from pckc_adapters_sources.transcripts.calls import Call, Errand, call_of, compact, decoded, deeds, exit_code, result_of
from pckc_adapters_sources.transcripts.spoken import utterances

_CONTENT = ("content", "text", "output", "stdout")


@attrs.frozen(kw_only=True)
class HookRecord:
    """
    An event of a session, as its host told a hook.

    Attributes:
        id: Unique.
        host: claude, codex or dsh.
        session: The host's id of the session, and of the sub-agent behind a slash.
        at: When the hook was told, aware UTC.
        event: The hook's name.
        root: The project.
        branch: What was checked out; ``""`` when unknown.
        is_sidechain: Told of a sub-agent.
        data: What belongs to the event.
    """

    id: str
    host: str
    session: str
    at: datetime
    event: str
    root: str
    branch: str
    is_sidechain: bool
    data: Mapping[str, Any]


def hook_record(line: Mapping[str, Any]) -> HookRecord | None:
    """Return a spooled *line* as a record; ``None`` when it is none."""
    try:
        at = datetime.fromtimestamp(float(line["at"]), UTC)
        texts = {name: line[name] for name in ("id", "host", "session", "event", "root", "branch", "agent")}
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None
    data = line.get("data")
    if not all(isinstance(text, str) for text in texts.values()) or not isinstance(data, dict):
        return None
    agent = texts.pop("agent")
    if agent:
        texts["session"] += f"/{agent}"
    return HookRecord(at=at, is_sidechain=bool(agent), data=data, **texts)


def hook_events(record: HookRecord) -> list[NewEvent]:
    """Return what *record* tells, as a transcript of its host would; nothing for an event that only marks a time."""
    told = [event for event in _events(record) if event.text and not event.text.isspace()]
    return [
        attrs.evolve(
            event,
            source_id=f"{HOOKED}{record.id}#{number}",
            time=record.at,
            branch=record.branch,
            is_sidechain=record.is_sidechain,
        )
        for number, event in enumerate(told)
    ]


def _events(record: HookRecord) -> Iterator[NewEvent]:
    data = record.data
    if record.event == "UserPromptSubmit":
        for piece in utterances(_text(data.get("prompt"))):
            yield NewEvent(kind=piece.kind, text=piece.text)
    elif record.event in ("Stop", "SubagentStop"):
        yield NewEvent(kind=EventKind.AGENT_MESSAGE, text=_text(data.get("last_assistant_message")))
    elif record.event in ("PostToolUse", "PostToolUseFailure"):
        yield from _tool(record)


def _tool(record: HookRecord) -> Iterator[NewEvent]:
    tool, arguments = _text(record.data.get("tool_name")), decoded(record.data.get("tool_input"))
    call = call_of(tool, arguments)
    if call.errand is Errand.RECALL:
        return
    for deed in deeds(tool, arguments):
        yield NewEvent(kind=deed.kind, text=deed.text, tool=tool, path=deed.path)
    is_failure = record.event == "PostToolUseFailure"
    response = record.data.get("error" if is_failure else "tool_response")
    text = _response_text(response)
    kind, code = result_of(call, _exit_code(record.host, call, response, text, is_failure=is_failure))
    yield NewEvent(
        kind=kind,
        text=text or ("(no output)" if call.is_command else ""),
        tool=tool,
        exit_code=code,
        path=call.path,
    )


def _exit_code(host: str, call: Call, response: object, text: str, *, is_failure: bool) -> int | None:
    if is_failure:
        stated = exit_code(text)
        return 1 if stated is None else stated
    if isinstance(response, dict) and response.get("interrupted") is True:
        return None
    if host == claude.HOST:  # which tells failures through another hook
        return 0 if call.is_command else None
    return exit_code(text) if call.is_command else None


def _response_text(response: object) -> str:
    """Return the text of a tool's response: hosts give it as text, as blocks, or as an object of the tool's own."""
    if isinstance(response, str):
        return response
    if isinstance(response, list):
        return "\n".join(filter(None, map(_response_text, response)))
    if not isinstance(response, dict):
        return ""
    if "stdout" in response or "stderr" in response:
        return "\n".join(filter(None, (_text(response.get("stdout")), _text(response.get("stderr")))))
    if isinstance(response.get("file"), dict):
        return _response_text(response["file"])
    for name in _CONTENT:
        if text := _response_text(response.get(name)):
            return text
    return "" if "filePath" in response or "type" in response else compact(response)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
