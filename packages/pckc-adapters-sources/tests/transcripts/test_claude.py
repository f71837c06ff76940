"""Claude Code files as they really are."""

from collections.abc import Callable
from typing import Any

import pytest
from pckc_domain.testing.transcript_samples import COMMAND, CWD, PASSED, ClaudeSession, claude_story, lines

OTHER = "77777777-6f0e-4b57-9a55-0d6f3c1b7a77"
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K" * 50_000}}

Read = Callable[..., Any]  # the fixture of conftest.py


@pytest.fixture
def claude() -> ClaudeSession:
    return ClaudeSession()


def test_the_lines_of_one_message_are_its_parts_in_order(read: Read) -> None:
    story = claude_story()
    message_ids = [line["message"]["id"] for line in story if line["type"] == "assistant"]
    assert len(set(message_ids)) < len(message_ids)
    kinds = [event.kind.value for event in read(story).events]
    assert kinds[:4] == ["prompt", "reasoning", "agent_message", "command"]


def test_the_first_folder_and_branch_describe_the_session(read: Read, claude: ClaudeSession) -> None:
    moved = claude.user("b", cwd="/elsewhere", gitBranch="fix/timeout")
    found = read([claude.user("a"), moved])
    assert (found.session.cwd, found.session.branch.name) == (CWD, "main")
    assert [event.branch for event in found.events] == ["main", "fix/timeout"]


def test_a_detached_head_is_no_branch(read: Read) -> None:
    assert read([ClaudeSession(gitBranch="HEAD").user("a")]).session.branch.name is None


def test_times_are_kept_as_they_are_and_order_is_that_of_the_file(read: Read, claude: ClaudeSession) -> None:
    first, second, third = claude.user("a"), claude.user("b"), claude.user("c")
    first["timestamp"], second["timestamp"], third["timestamp"] = (
        "2026-05-04T12:09:00Z",
        "2026-05-04T14:00:00+02:00",
        "soon",
    )
    found = read([first, second, third])
    assert [event.text for event in found.events] == ["a", "b", "c"]
    assert [event.seq for event in found.events] == [0, 1, 2]
    assert [event.time and event.time.isoformat() for event in found.events] == [
        "2026-05-04T12:09:00+00:00",
        "2026-05-04T12:00:00+00:00",
        None,
    ]
    assert found.session.started_at < found.session.ended_at


def test_a_record_that_stands_in_several_files_is_one_event(read: Read, claude: ClaudeSession) -> None:
    shared = claude.user("Use port 8420.")
    resumed = {**shared, "sessionId": OTHER}
    first, second = read([shared]), read([claude.user("x"), resumed])
    assert first.events[0].id == second.events[1].id
    assert first.session.id not in (second.events[1].session_id,)
    assert first.events[0].source_id == shared["uuid"]


def test_a_fork_repeats_its_original(read: Read, claude: ClaudeSession) -> None:
    original = claude.user("Use port 8420.")
    fork = ClaudeSession(OTHER)
    copy = fork.user("Use port 8420.", forkedFrom={"sessionId": claude.session, "messageUuid": original["uuid"]})
    said, forked = read([original]), read([copy, fork.user("And log it.")])
    assert said.events[0].id == forked.events[0].id
    assert [event.is_replay for event in forked.events] == [True, False]
    assert forked.session.parent_id == said.session.id


def test_two_sessions_in_one_file_are_two_sessions(read: Read, claude: ClaudeSession) -> None:
    found = read([claude.user("a"), ClaudeSession(OTHER).user("b"), claude.user("c")])
    assert sorted(session.source_id for session in found.sessions.values()) == sorted([claude.session, OTHER])


def test_a_sub_agent_is_a_session_of_its_own_and_no_user(read: Read, claude: ClaudeSession) -> None:
    agent = ClaudeSession(isSidechain=True, agentId="a1b2c3")
    found = read([agent.user("Search for the timeout."), agent.assistant({"type": "text", "text": "Found it."})])
    assert [(event.kind.value, event.is_sidechain) for event in found.events] == [
        ("prompt", True),
        ("agent_message", True),
    ]
    parent = read([claude.user("a")]).session
    assert found.session.parent_id == parent.id
    assert found.session.id != parent.id


def test_an_old_side_chain_stays_in_its_session(read: Read, claude: ClaudeSession) -> None:
    found = read([claude.user("a"), {**claude.user("Search."), "isSidechain": True}])
    assert found.session.source_id == claude.session
    assert [event.is_sidechain for event in found.events] == [False, True]


@pytest.mark.parametrize(
    ("content", "more", "kind"),
    [
        ("Fix it.", {}, "prompt"),
        ([{"type": "text", "text": "Fix it."}], {}, "prompt"),
        ("Fix it.", {"origin": {"kind": "human"}}, "prompt"),
        ("Agent 7 is done.", {"origin": {"kind": "task-notification"}}, "turn_context"),
        ("Base directory for this skill: /x", {"isMeta": True}, "turn_context"),
        ("Primary request: fix it.", {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}, "summary"),
        ("This session is being continued from a previous conversation that …", {}, "summary"),
        ("<command-name>/model</command-name>", {}, "turn_context"),
        ("<local-command-stdout>Set model</local-command-stdout>", {}, "turn_context"),
        ("<bash-input>ls</bash-input>", {}, "turn_context"),
        ("[Request interrupted by user]", {}, "turn_context"),
    ],
)
def test_only_what_a_user_typed_is_a_prompt(
    read: Read, claude: ClaudeSession, content: object, more: dict[str, Any], kind: str
) -> None:
    assert [event.kind.value for event in read([claude.user(content, **more)]).events] == [kind]


def test_a_prompt_with_a_reminder_is_two_events_with_ids_of_their_own(read: Read, claude: ClaudeSession) -> None:
    text = "Use port 8420.<system-reminder>CLAUDE.md says 8000</system-reminder>"
    found = read([claude.user([{"type": "text", "text": text}])])
    assert found.said == [
        ("turn_context", "<system-reminder>CLAUDE.md says 8000</system-reminder>"),
        ("prompt", "Use port 8420."),
    ]
    assert len({event.id for event in found.events}) == 2


def test_pictures_are_counted_and_not_kept(read: Read, claude: ClaudeSession) -> None:
    result = claude.tool_result("t1", [{"type": "text", "text": "a shot"}, PICTURE])
    found = read([claude.user([PICTURE, {"type": "text", "text": "See?"}]), result])
    assert [event.text for event in found.events] == ["See?", "a shot"]
    assert found.skipped == {"image block": 2}


@pytest.mark.parametrize(
    ("text", "is_error", "outcome", "code"),
    [
        ("Exit code 2\nboom", True, "Error: Exit code 2\nboom", 2),
        ("ok", False, {"stdout": "ok", "interrupted": False}, 0),
        ("ok", False, {"stdout": "ok", "interrupted": True}, None),
        ("Command timed out after 2m", True, None, 1),
        ("Command running in background with ID: b1", False, {"backgroundTaskId": "b1"}, None),
        ("The user doesn't want to proceed with this tool use.", True, "User rejected tool use", None),
    ],
)
def test_exit_codes_of_commands(
    read: Read, claude: ClaudeSession, text: str, is_error: bool, outcome: object, code: int | None
) -> None:
    use = claude.tool_use("t1", "Bash", {"command": "make build"})
    found = read([use, claude.tool_result("t1", text, is_error=is_error, outcome=outcome)])
    assert [(event.kind.value, event.exit_code) for event in found.events] == [("command", None), ("tool_result", code)]


def test_a_test_run_that_was_refused_is_no_test_result(read: Read, claude: ClaudeSession) -> None:
    use = claude.tool_use("t1", "Bash", {"command": COMMAND})
    refusal = "The user doesn't want to proceed with this tool use."
    assert read([use, claude.tool_result("t1", refusal, is_error=True)]).events[1].kind.value == "tool_result"


def test_results_of_other_tools_have_a_code_only_when_they_fail(read: Read, claude: ClaudeSession) -> None:
    found = read(
        [
            claude.tool_use("t1", "Read", {"file_path": "/a"}),
            claude.tool_result("t1", [{"type": "text", "text": "1\tExit code 9"}]),
            claude.tool_use("t2", "Read", {"file_path": "/b"}),
            claude.tool_result("t2", "File does not exist.", is_error=True),
            claude.tool_result("t9", "an orphan"),
        ]
    )
    results = [event for event in found.events if event.kind.value == "tool_result"]
    assert [(event.exit_code, event.tool, event.path) for event in results] == [
        (None, "Read", "/a"),
        (1, "Read", "/b"),
        (None, "", ""),
    ]


def test_calls_made_together_get_their_own_results(read: Read, claude: ClaudeSession) -> None:
    both = claude.user(
        [
            {"type": "tool_result", "tool_use_id": "t2", "content": "clean"},
            {"type": "tool_result", "tool_use_id": "t1", "content": PASSED},
        ]
    )
    uses = [
        claude.tool_use("t1", "Bash", {"command": COMMAND}),
        claude.tool_use("t2", "Bash", {"command": "git status"}),
    ]
    assert read([*uses, both]).said[2:] == [("tool_result", "clean"), ("test_result", PASSED)]


def test_memory_does_not_record_itself(read: Read, claude: ClaudeSession) -> None:
    found = read(
        [
            claude.tool_use("t1", "mcp__pckc__search", {"query": "port"}),
            claude.tool_result("t1", [{"type": "text", "text": "The port is 8420."}]),
        ]
    )
    assert [event.kind.value for event in found.events] == ["tool_call", "turn_context"]


def test_a_silent_command_has_a_result(read: Read, claude: ClaudeSession) -> None:
    found = read([claude.tool_use("t1", "Bash", {"command": "true"}), claude.tool_result("t1", "")])
    assert found.said[1] == ("tool_result", "(no output)")


def test_failures_of_the_service_are_errors(read: Read, claude: ClaudeSession) -> None:
    shown = claude.assistant({"type": "text", "text": "API Error: 529 Overloaded"}, model="<synthetic>")
    retried = claude.record("system", subtype="api_error", error={"status": 529, "error": {"message": "Overloaded"}})
    silent = claude.assistant({"type": "text", "text": "No response requested."}, model="<synthetic>")
    found = read([{**shown, "isApiErrorMessage": True}, retried, silent])
    assert found.said == [("error", "API Error: 529 Overloaded"), ("error", "Overloaded")]
    assert found.skipped == {"synthetic assistant message": 1}


def test_system_notes_and_attachments_are_context_but_a_queued_prompt_is_a_prompt(
    read: Read, claude: ClaudeSession
) -> None:
    found = read(
        [
            claude.record("system", subtype="compact_boundary", content="Conversation compacted"),
            claude.record("system", subtype="local_command", content="<command-name>/cost</command-name>"),
            claude.record("attachment", attachment={"type": "hook_additional_context", "content": ["recalled"]}),
            claude.record("attachment", attachment={"type": "nested_memory", "content": "Use tabs."}),
            claude.record("attachment", attachment={"type": "queued_command", "prompt": "Also fix the docs."}),
            claude.record("attachment", attachment={"type": "todo_reminder", "itemCount": 0}),
        ]
    )
    assert [kind for kind, _ in found.said] == ["turn_context"] * 4 + ["prompt"]
    assert found.skipped == {"attachment: todo_reminder": 1}


def test_empty_and_encrypted_thoughts_are_counted(read: Read, claude: ClaudeSession) -> None:
    found = read(
        [
            claude.assistant({"type": "thinking", "thinking": "", "signature": "Eq"}),
            claude.assistant({"type": "redacted_thinking", "data": "Eq"}),
        ]
    )
    assert found.events == []
    assert found.skipped == {"empty reasoning": 1, "redacted_thinking block": 1}


def test_titles_name_their_session(read: Read, claude: ClaudeSession) -> None:
    title = {"type": "custom-title", "customTitle": "Longer timeout", "sessionId": claude.session}
    assert read([claude.user("a"), title]).session.title == "Longer timeout"


def test_lines_that_may_come_first_do_not_hide_the_format(read: Read, claude: ClaudeSession) -> None:
    summary = {"type": "summary", "summary": "Another session", "leafUuid": "x"}
    queued = {"type": "queue-operation", "operation": "enqueue", "sessionId": claude.session, "content": "a"}
    found = read(
        [summary, queued, {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}, claude.user("a")]
    )
    assert found.format == "claude"
    assert [text for _, text in found.said] == ["a"]


def test_unknown_types_and_broken_records_are_counted(read: Read, claude: ClaudeSession) -> None:
    found = read(
        [
            claude.user("a"),
            claude.record("telepathy"),
            {"type": "user", "message": {"content": "whose?"}},
            {**claude.user("b"), "message": None},
            {**claude.user("c"), "message": {"content": [None, 3, {"type": "hologram"}]}},
            {**claude.record("assistant"), "message": "text"},
            {"sessionId": 3, "type": ["user"]},
        ]
    )
    assert [text for _, text in found.said] == ["a"]
    assert found.skipped["unknown record type: telepathy"] == 1
    assert found.skipped["record without sessionId"] == 1
    assert found.skipped["hologram block"] == 1


def test_a_long_line_among_short_ones_is_read(read: Read, claude: ClaudeSession) -> None:
    found = read(lines([claude.user("a"), claude.user("word " * 400_000), claude.user("b")]))
    assert [len(text) for _, text in found.said] == [1, 2_000_000, 1]
