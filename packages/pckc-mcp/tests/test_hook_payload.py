"""What hosts write to hooks, and what else may come."""

import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_mcp.hooks import payload
from pckc_mcp.hooks.payload import PayloadError, cut, event_name, parse, read_input

FOLDER = os.sep


def parsed(told: object, event: str = "UserPromptSubmit", environ: dict[str, str] | None = None) -> payload.Payload:
    return parse(json.dumps(told).encode(), event, environ or {})


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("UserPromptSubmit", "UserPromptSubmit"), ("user-prompt-submit", "UserPromptSubmit"),
        ("user_prompt_submit", "UserPromptSubmit"), ("prompt", "UserPromptSubmit"), ("SESSION-START", "SessionStart"),
        ("PreToolUse", "PreToolUse"), ("stop", "Stop"), ("elsewhere", ""), ("", ""),
    ],
)  # fmt: skip
def test_events_are_known_in_any_spelling(word: str, name: str) -> None:
    """People type them into configuration files."""
    assert event_name(word) == name


def test_the_host_may_name_the_event_itself() -> None:
    """What the command line says comes first."""
    assert parsed({"hook_event_name": "Stop"}, event="").event == "Stop"
    assert parsed({"hook_event_name": "Stop"}, event="SessionEnd").event == "SessionEnd"


@pytest.mark.parametrize(
    "written",
    [
        b"", b"{", b'{"prompt": "ha', b"[]", b"3", b"\x00\xff\xfe\x80" * 100, b"[" * 100_000,
        b'{"hook_event_name": "Elsewhere"}', b"{}", b'{"hook_event_name": 7}',
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_said(written: bytes) -> None:
    """In one error, whatever it is."""
    with pytest.raises(PayloadError):
        parse(written, "", {})


def test_a_session_stays_where_it_started() -> None:
    """An agent's own folder moves with it, the host's does not."""
    assert parsed({"cwd": FOLDER}).folder == FOLDER
    assert parsed({"cwd": "/elsewhere"}, environ={"CLAUDE_PROJECT_DIR": FOLDER}).folder == FOLDER


@pytest.mark.parametrize("cwd", ["/no/such/folder", "a\0b", 7, None, ["/"], "x" * 100_000])
def test_a_folder_that_is_none_is_left_out(cwd: object) -> None:
    """It may have been deleted."""
    assert parsed({"cwd": cwd}).folder == ""


def test_long_texts_are_cut() -> None:
    """A tool's output in the middle, a prompt at its end."""
    output = "a" * 50_000 + "b" * 50_000
    told = parsed({"tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": output}}, event="PostToolUse")
    stdout = told.data["tool_response"]["stdout"]
    assert len(stdout) < 20_000
    assert (stdout[0], stdout[-1]) == ("a", "b")
    assert len(parsed({"prompt": "x" * 300_000}).data["prompt"]) == payload.MAX_SAID


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(_JSON, st.sampled_from(sorted(set(payload.EVENTS.values()))))
def test_any_object_gives_a_payload(value: Any, event: str) -> None:
    """With texts where texts are wanted."""
    names = ("session_id", "cwd", "prompt", "tool_name", "tool_input", "tool_response", "last_assistant_message")
    told = parsed(dict.fromkeys(names, value), event=event)
    assert isinstance(told.session, str)
    json.dumps(told.data)


def test_what_is_nested_too_deep_is_left_out() -> None:
    """And long lists are cut."""
    deep: Any = "end"
    for _ in range(500):
        deep = [deep]
    assert "end" not in json.dumps(cut(deep))
    assert len(cut([1] * 10_000)) == payload.MAX_ITEMS
    wide = {"a": {str(number): "x" * 15_000 for number in range(200)}}
    told = parsed({"tool_name": "x", "tool_input": wide, "tool_response": ""}, event="PostToolUse")
    assert len(json.dumps(told.data)) < 2 * payload.MAX_RECORD


def test_too_much_is_read_to_its_end_and_left_out() -> None:
    """A host that cannot write might stop."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            piece = b" " * (1 << 20)
            for _ in range((payload.MAX_INPUT_BYTES >> 20) + 2):
                os.write(writing, piece)
        finally:
            os._exit(0)
    os.close(writing)
    with pytest.raises(PayloadError, match="left out"):
        read_input(reading)
    os.close(reading)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_half_a_character_is_replaced_wherever_it_stands() -> None:
    """A host that cuts texts by UTF-16 units writes such; a store refuses them."""
    lone = "\udc80"
    told = {"session_id": f"s{lone}", "prompt": f"which port {lone}? \U0001f600"}
    read = parsed(told)
    assert read.data["prompt"] == "which port ?? \U0001f600"
    used = parsed({"session_id": "s", "tool_name": "Bash", "tool_input": {f"k{lone}": [lone]}}, event="PostToolUse")
    for one in (read, used):
        json.dumps([one.session, one.data], ensure_ascii=False).encode("utf-8")
