"""Codex rollout files as they really are."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pckc_domain.testing.transcript_samples import (
    ASK,
    COMMAND,
    CWD,
    DONE,
    PASSED,
    PATH,
    PLAN,
    CodexSession,
    codex_story,
)

CHILD = "019a2d7a-ffff-78b1-b7cc-a45d62a89cd5"

Read = Callable[..., Any]  # the fixture of conftest.py


@pytest.fixture
def codex() -> CodexSession:
    return CodexSession()


def later(records: list[dict[str, Any]], start: str) -> list[dict[str, Any]]:
    """Return copies of *records* as a fork writes them: all at one time."""
    return [{**record, "timestamp": f"{start}.{at:03d}Z"} for at, record in enumerate(records)]


def test_what_is_said_twice_is_one_event(read: Read) -> None:
    found = read(codex_story())
    assert [text for kind, text in found.said if kind == "prompt"] == [ASK]
    assert [text for kind, text in found.said if kind == "agent_message"] == [PLAN, DONE]
    assert found.skipped["second copy of prompt"] == 1
    assert found.skipped["second copy of agent_message"] == 2
    assert found.skipped["second copy of reasoning"] == 1


def test_the_order_of_the_two_copies_does_not_matter(read: Read, codex: CodexSession) -> None:
    meta, both = codex.meta(), codex.agent("Done.")
    forward, backward = read([meta, *both]), read([meta, *reversed(both)])
    assert forward.said == backward.said == [("agent_message", "Done.")]
    assert forward.events[0].id == backward.events[0].id


def test_the_same_words_said_again_are_another_event(read: Read, codex: CodexSession) -> None:
    found = read([codex.meta(), *codex.user("go on"), *codex.agent("ok"), *codex.user("go on"), *codex.agent("ok")])
    assert [text for _, text in found.said] == ["go on", "ok", "go on", "ok"]
    assert len({event.id for event in found.events}) == 4


def test_a_copy_is_the_twin_of_one_only(read: Read, codex: CodexSession) -> None:
    for copy in (0, 1):
        found = read([codex.meta(), *codex.agent("ok"), codex.agent("ok")[copy], codex.agent("ok")[copy]])
        assert [text for _, text in found.said] == ["ok", "ok", "ok"]


def test_one_copy_is_enough(read: Read, codex: CodexSession) -> None:
    found = read([codex.meta(), codex.user("a")[0], codex.user("b")[1], codex.agent("c")[0], codex.agent("d")[1]])
    assert [text for _, text in found.said] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>",
        "<user_instructions>\nBe brief.\n</user_instructions>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
        "<skill>\n<name>pdf</name>\nbody</skill>",
    ],
)
def test_injected_user_messages_are_context(read: Read, codex: CodexSession, text: str) -> None:
    message = codex.item("message", role="user", content=[{"type": "input_text", "text": text}])
    assert read([codex.meta(), message]).said == [("turn_context", text)]


def test_developer_messages_are_context(read: Read, codex: CodexSession) -> None:
    message = codex.item("message", role="developer", content=[{"type": "input_text", "text": "Sandbox is on."}])
    assert read([codex.meta(), message]).said == [("turn_context", "Sandbox is on.")]


def test_a_compaction_is_a_summary(read: Read, codex: CodexSession) -> None:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "old"}]}]
    compacted = codex.record("compacted", {"message": "So far: …", "replacement_history": history})
    assert read([codex.meta(), compacted]).said == [("summary", "So far: …")]


def test_the_session_is_described_by_its_first_record(read: Read, codex: CodexSession) -> None:
    moved = codex.record("turn_context", {"cwd": "/elsewhere", "model": "gpt-5.5"})
    session = read([codex.meta(), moved, *codex.user("a")]).session
    assert (session.source_id, session.cwd, session.branch.name) == (codex.session, CWD, "main")


def test_a_fork_replays_the_past_of_its_parent(read: Read) -> None:
    parent = CodexSession()
    past = [parent.meta(), *parent.user(ASK), *parent.command("call_1", COMMAND, PASSED, 0), *parent.agent(DONE)]
    original = read(past)
    child = CodexSession(CHILD, start=3_600)
    own = child.user("And now in minutes.")
    head = {**child.meta(forked_from_id=parent.session), "timestamp": "2026-05-04T13:00:00.000Z"}
    fork = read([head, *later(past, "2026-05-04T13:00:00"), *own])
    copies = [event for event in fork.events if event.is_replay]
    assert [event.id for event in copies] == [event.id for event in original.events]
    assert {event.time for event in copies} == {None}
    assert [(event.text, event.is_replay) for event in fork.events][-1:] == [("And now in minutes.", False)]
    assert fork.session.source_id == CHILD
    assert fork.session.parent_id == original.session.id
    assert fork.session.started_at == fork.events[-1].time


def test_copies_that_kept_their_times_keep_them(read: Read) -> None:
    parent = CodexSession()
    past = [parent.meta(), *parent.user(ASK)]
    child = CodexSession(CHILD, start=3_600)
    fork = read([child.meta(forked_from_id=parent.session), *past, *child.user("Next.")])
    assert [(event.is_replay, event.time is None) for event in fork.events] == [(True, False), (False, False)]


def test_a_sub_agent_is_no_user(read: Read) -> None:
    parent, child = CodexSession(), CodexSession(CHILD)
    source = {"subagent": {"thread_spawn": {"parent_thread_id": parent.session, "depth": 1}}}
    found = read([child.meta(source=source), *child.user("Search the code."), *child.agent("Found.")])
    assert [(event.is_sidechain, event.is_replay) for event in found.events] == [(True, False)] * 2
    assert found.session.parent_id == read([parent.meta(), *parent.user("a")]).session.id


def test_the_first_metadata_counts(read: Read, codex: CodexSession) -> None:
    found = read([codex.meta(), *codex.user("a"), codex.meta(cwd="/elsewhere")])
    assert (found.session.cwd, found.skipped["repeated session_meta"]) == (CWD, 1)


@pytest.mark.parametrize(
    ("output", "text", "code"),
    [
        ("Wall time: 1 seconds\nProcess exited with code 2\nOutput:\nboom", "boom", 2),
        ("Exit code: 1\nWall time: 0.3 seconds\nOutput:\nboom", "boom", 1),
        (json.dumps({"output": "fine", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}), "fine", 0),
        ([{"type": "input_text", "text": "fine"}], "fine", None),
        ({"content": "denied", "success": False}, "denied", 1),
    ],
)
def test_results_in_all_their_forms(
    read: Read, codex: CodexSession, output: object, text: str, code: int | None
) -> None:
    call = codex.item("function_call", name="shell", arguments='{"command":["bash","-lc","make"]}', call_id="c")
    found = read([codex.meta(), call, codex.item("function_call_output", call_id="c", output=output)])
    assert found.said[0] == ("command", "make")
    assert found.events[1].text.endswith(text)
    assert found.events[1].exit_code == code


def test_the_end_event_of_a_command_repeats_its_result(read: Read, codex: CodexSession) -> None:
    call, output = codex.command("c", COMMAND, PASSED, 0)
    end = codex.event("exec_command_end", call_id="c", exit_code=0, aggregated_output=PASSED, stdout="", stderr="")
    for order in ([end, output], [output, end]):
        found = read([codex.meta(), call, *order])
        assert [(event.kind.value, event.exit_code) for event in found.events] == [
            ("command", None),
            ("test_result", 0),
        ]
        assert found.skipped["second copy of tool_result"] == 1


def test_a_test_run_that_goes_on_is_judged_by_its_end(read: Read, codex: CodexSession) -> None:
    call = codex.item("function_call", name="exec_command", arguments=json.dumps({"cmd": "pytest"}), call_id="c1")
    begun = codex.item("function_call_output", call_id="c1", output="Process running with session ID 7\nOutput:\n..")
    poll = codex.item("function_call", name="write_stdin", arguments='{"session_id":7,"chars":""}', call_id="c2")
    ended = codex.item("function_call_output", call_id="c2", output="Process exited with code 0\nOutput:\n4 passed")
    found = read([codex.meta(), call, begun, poll, ended])
    assert [(event.kind.value, event.exit_code) for event in found.events] == [
        ("command", None),
        ("test_result", None),
        ("tool_call", None),
        ("test_result", 0),
    ]


def test_a_patch_is_a_change_of_each_file_and_its_end_event_a_copy(read: Read, codex: CodexSession) -> None:
    patch = f"*** Begin Patch\n*** Update File: {PATH}\n@@\n-a\n+b\n*** Add File: new.py\n+c\n*** End Patch"
    found = read([codex.meta(), *codex.patch("c", patch, "Success.")])
    assert [(event.kind.value, event.path) for event in found.events] == [
        ("file_change", PATH),
        ("file_change", "new.py"),
        ("tool_result", PATH),
    ]
    assert len({event.id for event in found.events}) == 3


def test_a_patch_known_only_by_its_end_event_is_a_change(read: Read, codex: CodexSession) -> None:
    changes = {"a.py": {"type": "update", "unified_diff": "-a\n+b"}, "b.py": {"add": {"content": "c"}}}
    found = read([codex.meta(), codex.event("patch_apply_end", call_id="c", success=True, changes=changes)])
    assert [(event.path, event.text) for event in found.events] == [("a.py", "-a\n+b"), ("b.py", "c")]


def test_other_calls(read: Read, codex: CodexSession) -> None:
    action = {"type": "exec", "command": ["git", "status"]}
    found = read(
        [
            codex.meta(),
            codex.item("local_shell_call", call_id="c1", status="completed", action=action),
            codex.item("web_search_call", status="completed", action={"type": "search", "query": "zstd"}),
            codex.item("function_call", name="update_plan", arguments="not json", call_id="c2"),
            codex.event("error", message="stream disconnected"),
            codex.event("item_completed", item={"type": "Plan", "text": "1. Look"}),
            codex.event("exited_review_mode", review_output={"overall_explanation": "Looks right."}),
        ]
    )
    assert found.said == [
        ("command", "git status"),
        ("tool_call", 'web_search_call {"type":"search","query":"zstd"}'),
        ("tool_call", "update_plan not json"),
        ("error", "stream disconnected"),
        ("agent_message", "1. Look"),
        ("agent_message", "Looks right."),
    ]


def test_encrypted_reasoning_and_unknown_kinds_are_counted(read: Read, codex: CodexSession) -> None:
    found = read(
        [
            codex.meta(),
            codex.item("reasoning", summary=[], content=None, encrypted_content="gAAAA"),
            codex.item("telepathy"),
            codex.event("hologram"),
            codex.record("omen", {}),
            codex.event("token_count"),
        ]
    )
    assert found.events == []
    assert found.skipped == {
        "encrypted reasoning": 1,
        "unknown item type: telepathy": 1,
        "unknown event type: hologram": 1,
        "unknown record type: omen": 1,
        "event type: token_count": 1,
    }


def test_the_oldest_files_have_bare_items(read: Read) -> None:
    found = read(
        [
            {"id": "old-1", "timestamp": "2025-06-01T10:00:00Z", "instructions": None, "git": {"branch": "dev"}},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello."}]},
            {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c"},
        ]
    )
    assert found.format == "codex"
    assert found.said == [("prompt", "Hello."), ("command", "ls")]
    assert found.session.branch.name == "dev"
