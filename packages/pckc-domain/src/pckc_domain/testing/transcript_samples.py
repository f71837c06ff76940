"""
Synthetic sessions in every transcript format, as their hosts write them.

All five tell the same story: a user asks for a longer timeout, the agent runs the tests, edits a file, runs them again.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pckc_domain.model.session import EventKind

Line = dict[str, Any]

ASK = "Raise the timeout in client.py: it must be 30 seconds, never more."
THOUGHT = "The constant is set in client.py; the tests will tell what depends on it."
PLAN = "I will run the tests first."
COMMAND = "pytest -q tests/test_client.py"
FAILED = "E   assert 10 == 30\n1 failed, 3 passed in 0.41s"
PATH = "/home/ann/shop/src/client.py"
EDIT = "TIMEOUT_SECONDS = 30"
EDITED = f"The file {PATH} has been updated."
PASSED = "4 passed in 0.38s"
DONE = "The timeout is 30 seconds now. Готово ✓"
CWD = "/home/ann/shop"

STORY = (
    (EventKind.PROMPT, ASK, None),
    (EventKind.REASONING, THOUGHT, None),
    (EventKind.AGENT_MESSAGE, PLAN, None),
    (EventKind.COMMAND, COMMAND, None),
    (EventKind.TEST_RESULT, FAILED, 1),
    (EventKind.FILE_CHANGE, EDIT, None),
    (EventKind.TOOL_RESULT, EDITED, None),
    (EventKind.COMMAND, COMMAND, None),
    (EventKind.TEST_RESULT, PASSED, 0),
    (EventKind.AGENT_MESSAGE, DONE, None),
)
"""Kind, a part of the text, and exit code of every event of the story."""


def lines(records: Iterable[Line]) -> bytes:
    """Return *records* as JSON lines."""
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def plain_story(session: str = "s-1") -> list[Line]:
    """Return the story as plain lines."""
    said: Sequence[tuple[str, str, Line]] = (
        ("user", ASK, {}),
        ("thinking", THOUGHT, {}),
        ("assistant", PLAN, {}),
        ("command", COMMAND, {"tool": "bash"}),
        ("test_result", FAILED, {"exit_code": 1}),
        ("file_change", EDIT, {"path": PATH}),
        ("tool_result", EDITED, {"path": PATH}),
        ("command", COMMAND, {"tool": "bash"}),
        ("test_result", PASSED, {"exit_code": 0}),
        ("assistant", DONE, {}),
    )
    return [
        {
            "session": session,
            "seq": seq,
            "role": role,
            "time": _iso(seq),
            "text": text,
            "id": f"{session}:{seq}",
            **more,
        }
        for seq, (role, text, more) in enumerate(said)
    ]


class ClaudeSession:
    """Builds Claude Code records; every method returns one."""

    def __init__(self, session: str = "5f0c3a52-6f0e-4b57-9a55-0d6f3c1b7a01", **common: Any) -> None:
        self.session = session
        self.common = {
            "isSidechain": False,
            "userType": "external",
            "cwd": CWD,
            "version": "2.1.4",
            "gitBranch": "main",
        }
        self.common.update(common)
        self.count = 0

    def record(self, kind: str, **content: Any) -> Line:
        """Return a record of any type."""
        self.count += 1
        uuid = f"{self.count:08d}-aaaa-4bbb-8ccc-{self.session[-12:]}"
        parent = f"{self.count - 1:08d}-aaaa-4bbb-8ccc-{self.session[-12:]}" if self.count > 1 else None
        return {
            "parentUuid": parent,
            **self.common,
            "sessionId": self.session,
            "type": kind,
            "uuid": uuid,
            "timestamp": _iso(self.count),
            **content,
        }

    def user(self, content: object, **more: Any) -> Line:
        """Return what a user, or a host in a user's name, said."""
        return self.record("user", message={"role": "user", "content": content}, **more)

    def assistant(self, block: Line, *, message_id: str = "msg_01", **more: Any) -> Line:
        """Return one content block of an agent's message."""
        message: Line = {"id": message_id, "type": "message", "role": "assistant", "model": "claude-opus-4-5"}
        message.update(content=[block], stop_reason=None, usage={"input_tokens": 4, "output_tokens": 31}, **more)
        return self.record("assistant", message=message, requestId="req_011")

    def tool_use(self, call_id: str, name: str, arguments: Line) -> Line:
        """Return a tool call."""
        return self.assistant({"type": "tool_use", "id": call_id, "name": name, "input": arguments})

    def tool_result(self, call_id: str, content: object, *, is_error: bool = False, outcome: object = None) -> Line:
        """Return the result of a tool call."""
        block = {"tool_use_id": call_id, "type": "tool_result", "content": content, "is_error": is_error}
        return self.user([block], toolUseResult=outcome)


def claude_story() -> list[Line]:
    """Return the story as Claude Code writes it: one block a line, four lines of one message id."""
    claude = ClaudeSession()
    return [
        {
            "type": "file-history-snapshot",
            "messageId": "m",
            "snapshot": {"trackedFileBackups": {}},
            "isSnapshotUpdate": False,
        },
        claude.user(ASK),
        claude.assistant({"type": "thinking", "thinking": THOUGHT, "signature": "EqQBCkYIBxgC"}),
        claude.assistant({"type": "text", "text": PLAN}),
        claude.tool_use("toolu_1", "Bash", {"command": COMMAND, "description": "Run the tests"}),
        claude.record("progress", data={"type": "bash_progress", "output": ""}, toolUseID="toolu_1"),
        claude.tool_result("toolu_1", f"Exit code 1\n{FAILED}", is_error=True, outcome=f"Error: Exit code 1\n{FAILED}"),
        claude.tool_use(
            "toolu_2", "Edit", {"file_path": PATH, "old_string": "TIMEOUT_SECONDS = 10", "new_string": EDIT}
        ),
        claude.tool_result("toolu_2", EDITED, outcome={"filePath": PATH, "oldString": "TIMEOUT_SECONDS = 10"}),
        claude.tool_use("toolu_3", "Bash", {"command": COMMAND}),
        claude.tool_result("toolu_3", PASSED, outcome={"stdout": PASSED, "stderr": "", "interrupted": False}),
        claude.assistant({"type": "text", "text": DONE}, message_id="msg_02"),
        claude.record("system", subtype="turn_duration", durationMs=81_000),
    ]


class CodexSession:
    """Builds Codex rollout records; every method returns one."""

    def __init__(self, session: str = "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5", *, start: int = 0) -> None:
        self.session = session
        self.count = start

    def record(self, kind: str, payload: Line) -> Line:
        """Return a record of any type."""
        self.count += 1
        return {"timestamp": _iso(self.count), "type": kind, "payload": payload}

    def meta(self, **more: Any) -> Line:
        """Return the first record, as long as it is with its instructions."""
        payload = {
            "id": self.session,
            "timestamp": _iso(0),
            "cwd": CWD,
            "originator": "codex_cli_rs",
            "cli_version": "0.98.0",
            "source": "cli",
            "base_instructions": {"text": "You are a coding agent. " * 900},
            "git": {"branch": "main", "commit_hash": "1f2e3d4c5b6a79880716253443526170"},
        }
        return self.record("session_meta", {**payload, **more})

    def item(self, kind: str, **content: Any) -> Line:
        """Return a response item."""
        return self.record("response_item", {"type": kind, **content})

    def event(self, kind: str, **content: Any) -> Line:
        """Return an event message."""
        return self.record("event_msg", {"type": kind, **content})

    def user(self, text: str) -> list[Line]:
        """Return a prompt, which is written twice."""
        return [
            self.item("message", role="user", content=[{"type": "input_text", "text": text}]),
            self.event("user_message", message=text, images=[], local_images=[]),
        ]

    def agent(self, text: str) -> list[Line]:
        """Return an agent's message, which is written twice, the short form first."""
        return [
            self.event("agent_message", message=text),
            self.item("message", role="assistant", content=[{"type": "output_text", "text": text}], phase="final"),
        ]

    def command(self, call_id: str, command: str, output: str, code: int) -> list[Line]:
        """Return a shell command and its result."""
        text = f"Chunk ID: 7c1d\nWall time: 0.9 seconds\nProcess exited with code {code}\nOutput:\n{output}"
        return [
            self.item(
                "function_call",
                name="exec_command",
                arguments=json.dumps({"cmd": command, "workdir": CWD}),
                call_id=call_id,
            ),
            self.item("function_call_output", call_id=call_id, output=text),
        ]

    def patch(self, call_id: str, patch: str, output: str) -> list[Line]:
        """Return a patch and its result, with the event that repeats both."""
        return [
            self.item("custom_tool_call", name="apply_patch", status="completed", input=patch, call_id=call_id),
            self.event("patch_apply_end", call_id=call_id, success=True, stdout=output, stderr="", changes={PATH: {}}),
            self.item(
                "custom_tool_call_output", call_id=call_id, output=json.dumps({"output": output, "metadata": {}})
            ),
        ]


def codex_story() -> list[Line]:
    """Return the story as Codex writes it, with everything said twice."""
    codex = CodexSession()
    patch = f"*** Begin Patch\n*** Update File: {PATH}\n@@\n-TIMEOUT_SECONDS = 10\n+{EDIT}\n*** End Patch"
    context = "<environment_context>\n  <cwd>/home/ann/shop</cwd>\n</environment_context>"
    return [
        codex.meta(),
        codex.item("message", role="user", content=[{"type": "input_text", "text": context}]),
        codex.event("task_started", turn_id="t1", model_context_window=272_000),
        *codex.user(ASK),
        codex.record("turn_context", {"turn_id": "t1", "cwd": CWD, "model": "gpt-5.5", "approval_policy": "never"}),
        codex.event("agent_reasoning", text=THOUGHT),
        codex.item(
            "reasoning", summary=[{"type": "summary_text", "text": THOUGHT}], content=None, encrypted_content="gAAAA"
        ),
        codex.event("token_count", info=None),
        *codex.agent(PLAN),
        *codex.command("call_1", COMMAND, FAILED, 1),
        *codex.patch("call_2", patch, EDITED),
        *codex.command("call_3", COMMAND, PASSED, 0),
        *codex.agent(DONE),
        codex.event("task_complete", turn_id="t1", last_agent_message=DONE),
    ]


def gemini_head() -> Line:
    """Return the first line of a Gemini session."""
    return {
        "sessionId": "7c1f0a3e-5b2d-4e8f-9a61-2d4c8b0e6f13",
        "projectHash": "f" * 64,
        "startTime": _iso(0),
        "lastUpdated": _iso(9),
        "kind": "main",
    }


def gemini_message(message_id: str, kind: str, content: object, at: int = 0, **more: Any) -> Line:
    """Return a message of a Gemini session."""
    return {"id": message_id, "timestamp": _iso(at), "type": kind, "content": content, **more}


def gemini_call(call_id: str, name: str, arguments: Line, output: str, status: str = "success") -> Line:
    """Return a tool call with its result."""
    response = {"functionResponse": {"id": call_id, "name": name, "response": {"output": output}}}
    return {
        "id": call_id,
        "name": name,
        "args": arguments,
        "status": status,
        "timestamp": _iso(5),
        "result": [response],
    }


def gemini_messages() -> list[Line]:
    """Return the messages of the story, without rewrites."""
    failed = f"Command: {COMMAND}\nOutput: {FAILED}\nExit Code: 1"
    edit = {"file_path": PATH, "old_string": "TIMEOUT_SECONDS = 10", "new_string": EDIT}
    return [
        gemini_message("u1", "user", [{"text": ASK}], 1),
        gemini_message(
            "g1",
            "gemini",
            PLAN,
            2,
            thoughts=[{"subject": "Look", "description": THOUGHT, "timestamp": _iso(2)}],
            toolCalls=[gemini_call("c1", "run_shell_command", {"command": COMMAND}, failed)],
        ),
        gemini_message("g2", "gemini", "", 3, toolCalls=[gemini_call("c2", "replace", edit, EDITED)]),
        gemini_message(
            "g3", "gemini", "", 4, toolCalls=[gemini_call("c3", "run_shell_command", {"command": COMMAND}, PASSED)]
        ),
        gemini_message("g4", "gemini", DONE, 6),
    ]


def gemini_story() -> list[Line]:
    """Return the story as Gemini writes it: an answer is rewritten when its call ends, a turn is taken back."""
    messages = gemini_messages()
    unfinished = {**messages[1], "toolCalls": [{**messages[1]["toolCalls"][0], "status": "executing", "result": None}]}
    return [
        gemini_head(),
        messages[0],
        unfinished,
        {
            "$set": {
                "lastUpdated": _iso(9),
                "messages": [gemini_message("x", "user", "<session_context>Today</session_context>")],
            }
        },
        gemini_message("g9", "gemini", "Wrong turn."),
        {"$rewindTo": "g9"},
        *messages[1:],
    ]


class DshSession:
    """Builds dsh records; every method returns one."""

    def __init__(self, session: str = "session-7d1e", **header: Any) -> None:
        self.header = {
            "type": "session",
            "version": 0,
            "id": session,
            "cwd": CWD,
            "createdAt": 1_700_000_000_000,
            **header,
        }
        self.count = 0

    def record(self, kind: str, data: Line) -> Line:
        """Return a record of any type."""
        self.count += 1
        return {"type": kind, "seq": self.count, "time": 1_700_000_000_000 + self.count * 1000, "data": data}

    def user(self, text: str, source: str = "user") -> Line:
        """Return what a user, or a plug-in in a user's name, said."""
        content = [{"type": "text", "text": text}]
        return self.record(
            "user/message", {"id": f"u{self.count}", "role": "user", "source": {"kind": source}, "content": content}
        )

    def assistant(self, *blocks: Line) -> Line:
        """Return an assembled agent message."""
        message = {"id": f"a{self.count}", "role": "assistant", "source": {"kind": "model"}, "content": list(blocks)}
        return self.record("assistant/message", {"turn": 1, "step": 1, "message": message})

    def call(self, call_id: str, name: str, arguments: Line, output: str, *, is_error: bool = False) -> list[Line]:
        """Return a tool call and its result."""
        block = {"type": "tool-result", "toolCallId": call_id, "isError": is_error}
        block["content"] = [{"type": "text", "text": output}]
        message = {"role": "user", "source": {"kind": "tool", "callId": call_id}, "content": [block]}
        return [
            self.record("tool/call", {"callId": call_id, "name": name, "arguments": json.dumps(arguments)}),
            self.record("tool/result", {"turn": 1, "step": 1, "message": message}),
        ]


def dsh_story() -> list[Line]:
    """Return the story as dsh writes it: streamed chunks first, then the assembled message."""
    dsh = DshSession()
    edit = {"path": PATH, "old_string": "TIMEOUT_SECONDS = 10", "new_string": EDIT}
    return [
        dsh.header,
        dsh.record("turn/start", {"turn": 1}),
        dsh.user(ASK),
        {
            "type": "text-chunks",
            "seq0": 3,
            "time0": 1_700_000_002_000,
            "data": {"chunks": [["I will ", 0], ["run", 3]]},
        },
        {"type": "reasoning-chunks", "seq0": 9, "time0": 1_700_000_002_000, "data": {"chunks": []}},
        dsh.assistant(
            {"type": "reasoning", "text": THOUGHT},
            {"type": "text", "text": PLAN},
            {"type": "tool-call", "id": "c1", "name": "bash", "arguments": "{}"},
        ),
        *dsh.call("c1", "bash", {"command": COMMAND}, f"{FAILED}\nexit code: 1", is_error=True),
        *dsh.call("c2", "edit", edit, EDITED),
        *dsh.call("c3", "bash", {"command": COMMAND}, f"{PASSED}\nexit code: 0"),
        dsh.assistant({"type": "text", "text": DONE}),
        dsh.record("turn/end", {"turn": 1, "reason": {"kind": "done"}}),
    ]


STORIES: dict[str, Callable[[], list[Line]]] = {
    "plain": plain_story,
    "claude": claude_story,
    "codex": codex_story,
    "gemini": gemini_story,
    "dsh": dsh_story,
}

EXEC_STREAM: Sequence[Line] = (
    {"type": "thread.started", "thread_id": "019a2d7a-41c4"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "4"}},
)
"""What ``codex exec --json`` prints: another grammar, not a session."""


def _iso(at: int) -> str:
    """Return the time *at* seconds after noon."""
    return (
        f"2026-05-04T{12 + at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}.250Z"
        if at < 36_000
        else "2026-05-05T00:00:00Z"
    )
