"""Codex sessions (rollout files): ``{timestamp, type, payload}`` a line, many things said twice."""

import hashlib
import re
from datetime import datetime, timedelta
from typing import Any

import attrs
from pckc_domain.model.session import EventKind

from pckc_adapters_sources.transcripts.calls import (
    Call,
    Errand,
    OpenCalls,
    call_of,
    compact,
    decoded,
    deeds,
    exit_code,
    result_of,
)
from pckc_adapters_sources.transcripts.ledger import Ledger, OpenSession
from pckc_adapters_sources.transcripts.moment import moment
from pckc_adapters_sources.transcripts.spoken import utterances

HOST = "codex"

ENVELOPES = frozenset("session_meta turn_context response_item event_msg compacted inter_agent_communication".split())
_ITEMS_NOT_KEPT = frozenset(
    "ghost_snapshot compaction context_compaction compaction_trigger compaction_summary additional_tools"
    " tool_search_call tool_search_output image_generation_call web_search_call_output other".split()
)
_EVENTS_NOT_KEPT = frozenset(
    "token_count task_started task_complete turn_started turn_complete turn_aborted context_compacted"
    " thread_rolled_back thread_goal_updated thread_settings_applied entered_review_mode web_search_begin"
    " web_search_end image_generation_end sub_agent_activity exec_command_begin exec_command_output_delta"
    " patch_apply_begin mcp_tool_call_begin mcp_tool_call_end view_image_tool_call turn_diff plan_update"
    " session_configured background_event agent_reasoning_section_break item_started shutdown_complete"
    " collab_agent_spawn_end collab_agent_interaction_end collab_waiting_end collab_close_end".split()
)
_TWINS = 64
"""Texts remembered until their second copy comes by."""
_ANSWERED = 256
_PROCESSES = 32
_RUNNING = re.compile(r"^Process running with session ID (\d+)", re.MULTILINE)
_RUNNING_WINDOW = 600
# A fork's copy of the past is written in one go; the first pause ends it.
_COPY_PAUSE = timedelta(seconds=1)


class CodexReader:
    """
    Reads the records of one file into a ledger.

    Messages, reasoning and results stand in such files twice, as ``response_item`` and as ``event_msg``: whichever
    comes first counts. A fork or sub-agent starts with a copy of its parent's past under new times: those events
    have no time, and the ids that the parent's own have. An event is known by its item's or call's id, and without
    one by session, turn, kind and text.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._memory = ledger.memory
        self._calls = OpenCalls(ledger.memory.setdefault("calls", {}))
        self._twins: dict[str, list[str]] = ledger.memory.setdefault("twins", {"response_item": [], "event_msg": []})
        self._answered: list[str] = ledger.memory.setdefault("answered", [])
        self._running: dict[str, str] = ledger.memory.setdefault("running", {})
        # How often the turn has said the same thing, by digest.
        self._repeats: dict[str, int] = ledger.memory.setdefault("repeats", {})

    def take(self, record: dict[str, Any]) -> None:
        """Enter *record* into the ledger."""
        envelope, payload = str(record.get("type")), record.get("payload")
        if not isinstance(payload, dict):
            # The oldest files have bare items after a first line of metadata.
            envelope, payload = _bare(record)
        self._time = moment(record.get("timestamp"))
        if envelope == "session_meta":
            self._meta(payload)
            return
        if "session" not in self._memory:
            self._ledger.skip("record before session_meta")
            return
        self._follow_copy()
        if envelope == "turn_context":
            known = {name: payload[name] for name in ("cwd", "model", "approval_policy") if payload.get(name)}
            self._add(EventKind.TURN_CONTEXT, compact(known) if known else "")
        elif envelope == "compacted":
            self._add(EventKind.SUMMARY, str(payload.get("message") or ""))
        elif envelope == "response_item":
            self._item(payload)
        elif envelope == "event_msg":
            self._event(payload)
        else:
            self._ledger.skip(f"{'' if envelope in ENVELOPES else 'unknown '}record type: {envelope}")

    def _meta(self, payload: dict[str, Any]) -> None:
        own_id = str(payload.get("id") or "")
        if "session" in self._memory:
            # The first one is canonical; another one belongs to the parent, and its past follows.
            if own_id != self._memory["session"]:
                self._memory.update(origin=own_id, copying=True)
                self._session.describe(parent_id=self._ledger.session_id(own_id))
            self._ledger.skip("repeated session_meta")
            return
        source = payload.get("source")
        spawn = source.get("subagent") if isinstance(source, dict) else None
        thread = spawn.get("thread_spawn") if isinstance(spawn, dict) else None
        fork = payload.get("forked_from_id")
        parent = payload.get("parent_thread_id") or (thread or {}).get("parent_thread_id") or fork
        self._memory.update(
            session=own_id,
            origin=str(fork or own_id),
            copying=bool(fork),
            is_sidechain=spawn is not None or payload.get("thread_source") == "subagent",
            started=str(self._time.isoformat()) if self._time else "",
            turn=0,
        )
        git = payload.get("git")
        self._session.describe(
            cwd=payload.get("cwd"),
            branch=git.get("branch") if isinstance(git, dict) else "",
            parent_id=self._ledger.session_id(str(parent or "")),
        )

    @property
    def _session(self) -> OpenSession:
        return self._ledger.session(self._memory["session"])

    def _follow_copy(self) -> None:
        """Notice the end of a copied past: the first record that is not written together with the one before."""
        if not self._memory["copying"] or self._time is None:
            return
        before = moment(self._memory.get("copied_at") or self._memory["started"])
        if before is not None and self._time - before > _COPY_PAUSE:
            self._memory.update(copying=False, origin=self._memory["session"])
        self._memory["copied_at"] = self._time.isoformat()

    def _add(self, kind: EventKind, text: str, *, item_id: str = "", part: str = "", **details: Any) -> None:
        is_copy = self._memory["copying"]
        self._ledger.add(
            self._session,
            kind,
            text,
            key=(item_id, part) if item_id else self._key(kind, text),
            time=self._original_time() if is_copy else self._time,
            source_id=item_id,
            branch=self._session.branch,
            is_sidechain=self._memory["is_sidechain"],
            is_replay=is_copy,
            **details,
        )

    def _original_time(self) -> datetime | None:
        """Return a copy's time if it is older than the file, and so the original's."""
        started = moment(self._memory["started"])
        return self._time if self._time and started and self._time < started else None

    def _key(self, kind: EventKind, text: str) -> tuple[str, ...]:
        if kind is EventKind.PROMPT:
            self._memory["turn"] += 1
            self._repeats.clear()
        said = _digest(f"{kind.value}\n{text}")
        self._repeats[said] = self._repeats.get(said, 0) + 1
        return (self._memory["origin"], str(self._memory["turn"]), said, str(self._repeats[said]))

    def _is_twin(self, envelope: str, kind: EventKind, text: str) -> bool:
        """Say whether the other envelope has said this already; if not, remember it for the other one."""
        said = _digest(f"{kind.value}\n{' '.join(text.split())}")
        others = self._twins["event_msg" if envelope == "response_item" else "response_item"]
        if said in others:
            others.remove(said)
            self._ledger.skip(f"second copy of {kind.value}")
            return True
        mine = self._twins[envelope]
        mine.append(said)
        del mine[:-_TWINS]
        return False

    def _say(self, envelope: str, kind: EventKind, text: str) -> None:
        if text.strip() and not self._is_twin(envelope, kind, text):
            # The other copy has no id, and which one comes first is chance: so neither id counts.
            self._add(kind, text)

    def _prompt(self, envelope: str, text: str) -> None:
        for piece in utterances(text):
            if piece.kind is EventKind.PROMPT:
                self._say(envelope, EventKind.PROMPT, piece.text)
            elif envelope == "response_item":
                self._add(piece.kind, piece.text)

    def _item(self, item: dict[str, Any]) -> None:
        kind = str(item.get("type"))
        if kind == "message":
            self._message(item)
        elif kind == "reasoning":
            self._reasoning(item)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call"):
            self._call(item)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            text, code = _output(item.get("output"))
            self._result(item, text, code)
        elif kind == "agent_message":
            self._add(EventKind.AGENT_MESSAGE, _text(item.get("content")), speaker=str(item.get("author") or ""))
        else:
            self._ledger.skip(f"{'' if kind in _ITEMS_NOT_KEPT else 'unknown '}item type: {kind}")

    def _message(self, item: dict[str, Any]) -> None:
        role, text = item.get("role"), _text(item.get("content"))
        if role == "user":
            self._prompt("response_item", text)
        elif role == "assistant":
            self._say("response_item", EventKind.AGENT_MESSAGE, text)
        else:
            self._add(EventKind.TURN_CONTEXT, text)

    def _reasoning(self, item: dict[str, Any]) -> None:
        texts = [_text([part]) for name in ("summary", "content") for part in _list(item.get(name))]
        if not any(texts):
            self._ledger.skip("encrypted reasoning")
        for text in texts:
            self._say("response_item", EventKind.REASONING, text)

    def _call(self, item: dict[str, Any]) -> None:
        tool = str(item.get("name") or item.get("type"))
        arguments: Any = decoded(item.get("arguments", item.get("input", item.get("action"))))
        if item.get("type") == "local_shell_call":
            tool = "local_shell"
        call_id = str(item.get("call_id") or item.get("id") or "")
        found = deeds(tool, arguments)
        for number, deed in enumerate(found):
            self._add(deed.kind, deed.text, item_id=call_id, part=f"call {number}", tool=tool, path=deed.path)
        call = attrs.evolve(call_of(tool, arguments), path=found[0].path)
        going_on = self._running.get(str(arguments.get("session_id"))) if isinstance(arguments, dict) else None
        self._calls.open(call_id, attrs.evolve(call, errand=Errand(going_on)) if going_on else call)

    def _result(self, item: dict[str, Any], text: str, code: int | None) -> None:
        call_id = str(item.get("call_id") or "")
        if call_id in self._answered:
            self._ledger.skip("second copy of tool_result")
            return
        self._answered.append(call_id)
        del self._answered[:-_ANSWERED]
        call = self._calls.close(call_id)
        if call is not None and call.is_command:
            code = exit_code(text) if code is None else code
            self._follow_process(call, text)
        kind, code = result_of(call, code)
        self._add(
            kind,
            text or "(no output)",
            item_id=call_id,
            part="result",
            tool=call.tool if call else "",
            path=call.path if call else "",
            exit_code=code,
        )

    def _follow_process(self, call: Call, text: str) -> None:
        """Remember what a process that goes on is for: later calls only name its number."""
        running = _RUNNING.search(text, 0, _RUNNING_WINDOW)
        if running:
            self._running[running.group(1)] = call.errand
            if len(self._running) > _PROCESSES:
                del self._running[next(iter(self._running))]

    def _event(self, event: dict[str, Any]) -> None:
        kind = str(event.get("type"))
        if kind == "user_message":
            self._prompt("event_msg", str(event.get("message") or ""))
        elif kind == "agent_message":
            self._say("event_msg", EventKind.AGENT_MESSAGE, str(event.get("message") or ""))
        elif kind in ("agent_reasoning", "agent_reasoning_raw_content"):
            self._say("event_msg", EventKind.REASONING, str(event.get("text") or ""))
        elif kind == "exec_command_end":
            output = event.get("aggregated_output") or f"{event.get('stdout') or ''}{event.get('stderr') or ''}"
            self._result(event, str(output), _int(event.get("exit_code")))
        elif kind == "patch_apply_end":
            self._patch_end(event)
        elif kind in ("error", "stream_error"):
            self._add(EventKind.ERROR, str(event.get("message") or ""))
        elif kind == "item_completed":
            self._completed(event.get("item"))
        elif kind == "exited_review_mode":
            self._add(EventKind.AGENT_MESSAGE, _review(event.get("review_output")))
        else:
            self._ledger.skip(f"{'' if kind in _EVENTS_NOT_KEPT else 'unknown '}event type: {kind}")

    def _patch_end(self, event: dict[str, Any]) -> None:
        call_id, changes = str(event.get("call_id") or ""), event.get("changes")
        if call_id in self._calls.memory or call_id in self._answered or not isinstance(changes, dict):
            self._ledger.skip("second copy of file_change")
            return
        for number, (path, change) in enumerate(changes.items()):
            text, part = _change_text(change), f"call {number}"
            self._add(EventKind.FILE_CHANGE, text, item_id=call_id, part=part, tool="apply_patch", path=path)

    def _completed(self, item: object) -> None:
        if isinstance(item, dict) and str(item.get("type")).casefold() == "plan":
            self._add(EventKind.AGENT_MESSAGE, str(item.get("text") or ""))
        else:
            self._ledger.skip("event type: item_completed")


def _bare(record: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if "type" in record:
        return "response_item", record
    if "id" in record and "timestamp" in record:
        return "session_meta", record
    return str(record.get("record_type")), record


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in _list(content) if isinstance(part, dict) and part.get("text"))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _output(output: object) -> tuple[str, int | None]:
    """Return a result's text, and its exit code when it stands beside the text."""
    if isinstance(output, str) and output.startswith('{"output"'):
        output = decoded(output)
    if isinstance(output, dict):
        metadata = output.get("metadata")
        code = _int(metadata.get("exit_code")) if isinstance(metadata, dict) else None
        inner = output.get("output", output.get("content"))
        if code is None and output.get("success") is False:
            code = 1
        return _text(inner), code
    return _text(output), None


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _change_text(change: object) -> str:
    """Return the text of one entry of ``changes``: ``{type, content}``, ``{type, unified_diff}`` or nested by type."""
    if not isinstance(change, dict):
        return ""
    for name in ("unified_diff", "content"):
        if isinstance(text := change.get(name), str):
            return text
    return next((_change_text(inner) for inner in change.values() if isinstance(inner, dict)), "")


def _review(output: object) -> str:
    return str(output.get("overall_explanation") or "") if isinstance(output, dict) else ""
