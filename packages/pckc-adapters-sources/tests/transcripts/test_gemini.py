"""Gemini CLI files as they really are."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pckc_domain.testing.transcript_samples import (
    gemini_call,
    gemini_head,
    gemini_message,
    gemini_messages,
    gemini_story,
)

Read = Callable[..., Any]  # the fixture of conftest.py


def document(messages: list[dict[str, Any]], **more: Any) -> bytes:
    return json.dumps({**gemini_head(), **more, "messages": messages}, indent=2).encode()


def test_the_old_document_and_the_new_lines_tell_the_same(read: Read) -> None:
    old, new = read(document(gemini_messages())), read(gemini_story())
    assert old.format == new.format == "gemini"
    assert [event.id for event in old.events] == [event.id for event in new.events]
    assert old.said == new.said


def test_a_document_with_a_long_message_first_is_known(read: Read) -> None:
    head = {"messages": [gemini_message("u1", "user", "word " * 100)], **gemini_head()}
    assert read(json.dumps(head, indent=1).encode()).format == "gemini"


def test_a_rewritten_message_keeps_its_place_and_its_last_text(read: Read) -> None:
    found = read(
        [
            gemini_head(),
            gemini_message("g1", "gemini", "draft"),
            gemini_message("u1", "user", "next"),
            gemini_message("g1", "gemini", "final"),
        ]
    )
    assert found.said == [("agent_message", "final"), ("prompt", "next")]


def test_a_rewind_takes_back_a_message_and_all_after_it(read: Read) -> None:
    found = read(
        [
            gemini_head(),
            gemini_message("u1", "user", "keep"),
            gemini_message("u2", "user", "wrong"),
            gemini_message("g2", "gemini", "wrong too"),
            {"$rewindTo": "u2"},
            {"$rewindTo": "unknown"},
            gemini_message("u3", "user", "right"),
        ]
    )
    assert [text for _, text in found.said] == ["keep", "right"]
    assert found.skipped == {"message taken back": 2, "rewind to an unknown message": 1}


def test_what_the_model_was_shown_again_says_nothing_new(read: Read) -> None:
    shown = [gemini_message("x1", "user", "<state_snapshot>all</state_snapshot>")]
    found = read(
        [gemini_head(), gemini_message("u1", "user", "a"), {"$set": {"messages": shown, "summary": "A title"}}]
    )
    assert found.said == [("prompt", "a")]
    assert found.session.title == "A title"


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        ("plain", {}, [("prompt", "plain")]),
        ({"text": "one part"}, {}, [("prompt", "one part")]),
        (["a", {"text": "b"}, {"inlineData": {"data": "AAAA"}}], {}, [("prompt", "a\nb")]),
        ([{"text": "see @a.py"}, {"text": "BODY"}], {"displayContent": "see @a.py"}, [("prompt", "see @a.py")]),
        ("/compress", {}, [("turn_context", "/compress")]),
        ("/usr/bin/env fails", {}, [("prompt", "/usr/bin/env fails")]),
        ("<session_context>\nToday", {}, [("turn_context", "<session_context>\nToday")]),
        (
            [{"text": "mine"}, {"text": "<hook_context>theirs</hook_context>"}],
            {},
            [("turn_context", "<hook_context>theirs</hook_context>"), ("prompt", "mine")],
        ),
        ([{"functionResponse": {"id": "c", "response": {"output": "x"}}}], {}, []),
    ],
)
def test_what_a_user_typed(read: Read, content: object, more: dict[str, Any], said: list[tuple[str, str]]) -> None:
    assert read([gemini_head(), gemini_message("u1", "user", content, **more)]).said == said


@pytest.mark.parametrize(
    ("output", "status", "code"),
    [
        ("Output: x\nExit Code: 3", "success", 3),
        ("Output: x", "success", 0),
        ("spawn failed", "error", 1),
        ("cancelled", "cancelled", None),
    ],
)
def test_exit_codes(read: Read, output: str, status: str, code: int | None) -> None:
    call = gemini_call("c", "run_shell_command", {"command": "make"}, output, status)
    found = read([gemini_head(), gemini_message("g", "gemini", "", toolCalls=[call])])
    assert [(event.kind.value, event.exit_code) for event in found.events] == [("command", None), ("tool_result", code)]


def test_notes_errors_and_unknown_messages(read: Read) -> None:
    found = read(
        [
            gemini_head(),
            gemini_message("i", "info", "Update available"),
            gemini_message("e", "error", [{"text": "Quota exceeded"}]),
            gemini_message("x", "telepathy", "?"),
            gemini_message("g", "gemini", [{"text": "secret", "thought": True}, {"text": "said"}]),
            {"something": "else"},
        ]
    )
    assert found.said == [("turn_context", "Update available"), ("error", "Quota exceeded"), ("agent_message", "said")]
    assert found.skipped == {"unknown record": 1, "unknown record type: telepathy": 1}


def test_a_sub_agent_is_no_user(read: Read) -> None:
    found = read(document([gemini_message("u1", "user", "Search.")], kind="subagent", directories=["/home/ann/shop"]))
    assert [event.is_sidechain for event in found.events] == [True]
    assert found.session.cwd == "/home/ann/shop"


def test_a_long_session_comes_in_bounded_batches(read: Read) -> None:
    messages = [gemini_message(f"u{number}", "user", f"Point {number}.") for number in range(1_200)]
    assert [text for _, text in read([gemini_head(), *messages]).said] == [f"Point {n}." for n in range(1_200)]
