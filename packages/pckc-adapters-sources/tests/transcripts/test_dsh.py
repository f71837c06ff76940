"""dsh files as they really are."""

from collections.abc import Callable
from typing import Any

import pytest
from pckc_domain.testing.transcript_samples import CWD, DshSession, dsh_story

Read = Callable[..., Any]  # the fixture of conftest.py


@pytest.fixture
def dsh() -> DshSession:
    return DshSession()


def test_chunks_are_skipped_and_the_assembled_message_counts(read: Read) -> None:
    found = read(dsh_story())
    assert [kind for kind, _ in found.said].count("agent_message") == 2
    assert found.skipped["record type: text-chunks"] == 1
    assert (found.session.cwd, found.session.source_id) == (CWD, "session-7d1e")


def test_calls_are_not_taken_twice(read: Read) -> None:
    assert [kind for kind, _ in read(dsh_story()).said].count("command") == 2


@pytest.mark.parametrize(
    ("source", "kind"), [("user", "prompt"), ("skill-catalog", "turn_context"), ("plugin", "turn_context")]
)
def test_only_a_user_prompts(read: Read, dsh: DshSession, source: str, kind: str) -> None:
    assert read([dsh.header, dsh.user("Do it.", source)]).said == [(kind, "Do it.")]


def test_an_event_is_known_by_session_and_number(read: Read, dsh: DshSession) -> None:
    same, other = read([dsh.header, dsh.user("a")]), read([DshSession("session-8").header, DshSession().user("a")])
    again = read([DshSession().header, DshSession().record("noise", {}), DshSession().user("a")])
    assert same.events[0].id == again.events[0].id != other.events[0].id


def test_a_child_session_is_no_user(read: Read, dsh: DshSession) -> None:
    child = DshSession("child", parentSession="session-7d1e", origin="subagent", delegationDepth=1)
    found = read([child.header, child.user("Search.")])
    assert [event.is_sidechain for event in found.events] == [True]
    assert found.session.parent_id == read([dsh.header, dsh.user("a")]).session.id


def test_a_failed_call_has_a_code(read: Read, dsh: DshSession) -> None:
    found = read(
        [
            dsh.header,
            *dsh.call("c1", "read", {"path": "/a"}, "no such file", is_error=True),
            *dsh.call("c2", "bash", {"command": "make"}, "boom\nexit code: 2", is_error=True),
            *dsh.call("c3", "read", {"path": "/b"}, "exit code: 9"),
        ]
    )
    assert [event.exit_code for event in found.events if event.kind.value == "tool_result"] == [1, 2, None]


def test_results_without_a_wrapper_are_read(read: Read, dsh: DshSession) -> None:
    call, _ = dsh.call("c1", "bash", {"command": "ls"}, "")
    bare = dsh.record("tool/result", {"callId": "c1", "content": [{"type": "text", "text": "a.py"}]})
    failed = dsh.record("tool/result", {"callId": "c2", "error": {"message": "timed out"}})
    assert read([dsh.header, call, bare, failed]).said[1:] == [("tool_result", "a.py"), ("tool_result", "timed out")]


def test_titles_errors_and_unknown_records(read: Read, dsh: DshSession) -> None:
    found = read(
        [
            dsh.header,
            dsh.record("session/title", {"title": "Longer timeout"}),
            dsh.record("turn/error", {"error": {"message": "overloaded"}}),
            dsh.record("compaction/summary", {"summary": "So far: …"}),
            dsh.record("telepathy", {}),
            dsh.record("chunkrow/text-chunks", {"texts": ["a"]}),
            dsh.header,
        ]
    )
    assert found.session.title == "Longer timeout"
    assert found.said == [("error", "overloaded"), ("summary", "So far: …")]
    assert found.skipped == {
        "unknown record type: telepathy": 1,
        "record type: chunkrow/text-chunks": 1,
        "repeated session header": 1,
    }
