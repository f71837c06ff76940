"""What hooks tell, as events."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_sources.transcripts.hooks import hook_events, hook_record
from pckc_domain.model.session import EventKind
from pckc_domain.usecases.record import NewEvent

LINE = {
    "id": "1-2", "host": "claude", "session": "s", "agent": "", "at": 1_780_000_000.5, "root": "/tree",
    "branch": "main", "event": "UserPromptSubmit", "data": {"prompt": "Use DuckDB."},
}  # fmt: skip


def told(event: str, host: str = "claude", **data: Any) -> list[NewEvent]:
    record = hook_record({**LINE, "event": event, "host": host, "data": data})
    assert record is not None
    return hook_events(record)


def brief(events: list[NewEvent]) -> list[tuple[EventKind, str, int | None]]:
    return [(event.kind, event.text, event.exit_code) for event in events]


def test_a_prompt_is_what_a_user_said() -> None:
    """With its time, branch and an id of its own."""
    (event,) = told("UserPromptSubmit", prompt="Use DuckDB.")
    assert (event.kind, event.text, event.branch, event.source_id) == (
        EventKind.PROMPT, "Use DuckDB.", "main", "hook:1-2#0",
    )  # fmt: skip
    assert event.time is not None
    assert event.time.timestamp() == LINE["at"]


def test_what_was_put_into_a_prompt_is_told_apart() -> None:
    """As in a transcript."""
    events = told("UserPromptSubmit", prompt="<pckc-context>\n> old\n</pckc-context>\nUse DuckDB.")
    assert [(event.kind, event.text) for event in events][1:] == [(EventKind.PROMPT, "Use DuckDB.")]
    assert events[0].kind is EventKind.TURN_CONTEXT


def test_the_last_message_is_the_agent_s() -> None:
    """A stop without one tells nothing."""
    assert brief(told("Stop", last_assistant_message="Done.")) == [(EventKind.AGENT_MESSAGE, "Done.", None)]
    assert told("Stop", last_assistant_message="") == []
    assert told("SessionEnd", reason="other") == []


@pytest.mark.parametrize(
    ("host", "event", "response", "code"),
    [
        ("claude", "PostToolUse", {"stdout": "3 passed", "stderr": ""}, 0),
        ("claude", "PostToolUse", {"stdout": "3 passed", "stderr": "", "interrupted": True}, None),
        ("codex", "PostToolUse", "Process exited with code 2\n3 passed", 2),
        ("codex", "PostToolUse", "3 passed", None),
        ("dsh", "PostToolUse", "3 passed", None),
        ("claude", "PostToolUseFailure", "Exit code 4\n3 passed", 4),
        ("claude", "PostToolUseFailure", "3 passed", 1),
    ],
)
def test_a_test_run_has_the_exit_code_that_its_host_tells(
    host: str, event: str, response: object, code: int | None
) -> None:
    """Claude Code tells a failure through another hook; others write the code into the text, or do not tell it."""
    name = "error" if event == "PostToolUseFailure" else "tool_response"
    events = told(event, host, tool_name="Bash", tool_input={"command": "pytest -q"}, **{name: response})
    assert [each.kind for each in events] == [EventKind.COMMAND, EventKind.TEST_RESULT]
    assert "3 passed" in events[1].text
    assert events[1].exit_code == code


@pytest.mark.parametrize(
    "call",
    [
        {"tool_name": "mcp__pckc__memory_search", "tool_input": {"query": "x"}},
        {"tool_name": "Bash", "tool_input": {"command": "pckc search x"}},
        {"tool_name": "Bash", "tool_input": {"command": "cd a && uvx pckc context x"}},
    ],
)
def test_asking_memory_is_no_event(call: dict[str, Any]) -> None:
    """Nor is what it answered."""
    assert told("PostToolUse", tool_response="> The port is 9.", **call) == []


@pytest.mark.parametrize(
    "response",
    [
        "text", [{"type": "text", "text": "text"}], {"content": [{"type": "text", "text": "text"}]},
        {"file": {"filePath": "/a", "content": "text"}}, {"output": "text"},
    ],
)  # fmt: skip
def test_responses_come_in_many_shapes(response: object) -> None:
    """Their text is kept."""
    events = told("PostToolUse", tool_name="Read", tool_input={"file_path": "/a"}, tool_response=response)
    assert brief(events)[-1] == (EventKind.TOOL_RESULT, "text", None)


def test_an_edit_is_a_change_of_a_file() -> None:
    """The host's own account of it says nothing more."""
    events = told(
        "PostToolUse",
        tool_name="Write",
        tool_input={"file_path": "/tree/a.py", "content": "PORT = 1"},
        tool_response={"type": "create", "filePath": "/tree/a.py"},
    )
    assert [(event.kind, event.text, event.path) for event in events] == [
        (EventKind.FILE_CHANGE, "PORT = 1", "/tree/a.py")
    ]


def test_a_sub_agent_has_a_session_of_its_own() -> None:
    """As its transcript has; what it says is nobody's word."""
    record = hook_record({**LINE, "agent": "a1"})
    assert record is not None
    assert record.session == "s/a1"
    assert all(event.is_sidechain for event in hook_events(record))


@pytest.mark.parametrize(
    "change",
    [{"at": "soon"}, {"at": 1e300}, {"at": None}, {"session": 3}, {"data": []}, {"host": None}, {"branch": 1}],
)
def test_a_line_that_is_no_record_is_left_out(change: dict[str, Any]) -> None:
    """It was cut off, or somebody else wrote it."""
    assert hook_record({**LINE, **change}) is None
    assert hook_record({}) is None


@pytest.mark.parametrize("value", [None, 1, [1], {"a": [None]}, "x", True])
def test_any_value_gives_events_or_none(value: object) -> None:
    """A host may change what it writes."""
    for event in ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "Unheard"):
        told(
            event, prompt=value, tool_name=value, tool_input=value, tool_response=value, error=value,
            last_assistant_message=value,
        )  # fmt: skip


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["command", "stdout", "content", "file", "edits", "file_path", "new_string", "type", "text"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON, _JSON, st.sampled_from(["Bash", "Edit", "apply_patch", "Read", "x", "\ud800", "a__b__shell"]))
def test_whatever_a_tool_takes_and_gives(arguments: object, response: object, tool: str) -> None:
    """One record must not keep the others from being taken in."""
    for event in ("PostToolUse", "PostToolUseFailure"):
        for each in told(event, tool_name=tool, tool_input=arguments, tool_response=response, error=response):
            assert each.text.strip()
            assert each.source_id.startswith("hook:")
