"""Plain lines: every field, every mistake."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_sources.transcripts.ledger import MAX_SESSIONS, Ledger
from pckc_adapters_sources.transcripts.plain import PlainReader
from pckc_domain.model.scope import Scope

Read = Callable[..., Any]  # the fixture of conftest.py


def line(**fields: Any) -> dict[str, Any]:
    return {"session": "s", "seq": 0, "role": "user", "time": "2026-05-04T12:00:00Z", "text": "Hi.", **fields}


def without(name: str) -> dict[str, Any]:
    record = line()
    del record[name]
    return record


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("user", "prompt"),
        ("Human", "prompt"),
        ("assistant", "agent_message"),
        ("agent", "agent_message"),
        ("AI", "agent_message"),
        ("model", "agent_message"),
        ("reasoning", "reasoning"),
        ("thinking", "reasoning"),
        ("system", "turn_context"),
        ("developer", "turn_context"),
        ("context", "turn_context"),
        ("tool", "tool_result"),
        ("tool_result", "tool_result"),
        ("tool_call", "tool_call"),
        ("command", "command"),
        ("file_change", "file_change"),
        ("test", "test_result"),
        ("test_result", "test_result"),
        ("error", "error"),
        ("annotation", "annotation"),
        ("note", "annotation"),
        ("summary", "summary"),
    ],
)
def test_roles(read: Read, role: str, kind: str) -> None:
    (event,) = read([line(role=role)]).events
    assert (event.kind.value, event.speaker) == (kind, "")


def test_another_role_is_a_person(read: Read) -> None:
    found = read([line(role="Анна"), line(seq=1, role=" Ben ")])
    assert [(event.kind.value, event.speaker) for event in found.events] == [("prompt", "Анна"), ("prompt", "Ben")]


def test_all_fields_come_through(read: Read) -> None:
    record = line(role="test", id="D1:3", tool="pytest", exit_code=1, path="a.py", project="shop-2", branch="fix")
    found = read([record])
    (event,) = found.events
    assert (event.source_id, event.tool, event.exit_code, event.path, event.branch) == (
        "D1:3",
        "pytest",
        1,
        "a.py",
        "fix",
    )
    assert found.projects == {"shop-2"}
    assert (found.session.source_id, found.session.branch.name) == ("s", "fix")


@pytest.mark.parametrize("name", ["id", "tool", "exit_code", "path", "project", "branch", "time"])
def test_optional_fields_may_be_null(read: Read, name: str) -> None:
    assert len(read([line(**{name: None})]).events) == 1


@pytest.mark.parametrize(
    ("time", "iso"),
    [
        ("2026-05-04T12:00:00Z", "2026-05-04T12:00:00+00:00"),
        ("2026-05-04T14:00:00.5+02:00", "2026-05-04T12:00:00.500000+00:00"),
        ("2026-05-04", "2026-05-04T00:00:00+00:00"),
        ("2026-05-04 12:00", "2026-05-04T12:00:00+00:00"),
        (1_777_896_000, "2026-05-04T12:00:00+00:00"),
        (1_777_896_000.5, "2026-05-04T12:00:00.500000+00:00"),
        (1_777_896_000_000, "2026-05-04T12:00:00+00:00"),
        ("", None),
        (None, None),
    ],
)
def test_times(read: Read, time: object, iso: str | None) -> None:
    (event,) = read([line(time=time)]).events
    assert (event.time.isoformat() if event.time else None) == iso


def test_a_missing_time_is_none(read: Read) -> None:
    found = read([without("time")])
    assert found.events[0].time is None
    assert found.skipped == {}
    assert (found.session.started_at, found.session.ended_at) == (None, None)


@pytest.mark.parametrize(
    "time", ["8 May, 2023", "soon", 1e300, "9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00+23:00"]
)
def test_an_unreadable_time_is_left_out_and_counted(read: Read, time: object) -> None:
    found = read([line(time=time)])
    assert [event.time for event in found.events] == [None]
    assert found.skipped == {"time not readable, event kept without a time": 1}


def test_naive_times_are_counted(read: Read) -> None:
    assert read([line(time="2026-05-04T12:00:00")]).skipped == {"naive time, read as UTC": 1}


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (without("session"), "session is missing"),
        (without("seq"), "seq is missing"),
        (without("role"), "role is missing"),
        (without("text"), "text is missing"),
        (line(text=None), "text is missing"),
        (line(session=3), "session is not a text"),
        (line(session=" "), "session is empty"),
        (line(seq="1"), "seq is not a number from 0"),
        (line(seq=-1), "seq is not a number from 0"),
        (line(seq=1.5), "seq is not a number from 0"),
        (line(seq=True), "seq is not a number from 0"),
        (line(seq=10**30), "seq is not a number from 0"),
        (line(role=["user"]), "role is not a text"),
        (line(role=""), "role is empty"),
        (line(text={"parts": []}), "text is not a text"),
        (line(text=" \n"), "empty prompt"),
        (line(id=7), "id is not a text"),
        (line(exit_code="1"), "exit_code is not a number"),
        (line(exit_code=False), "exit_code is not a number"),
        (line(time=[2026]), "time is not a text or a number"),
        (line(time=True), "time is not a text or a number"),
        (line(path=3), "path is not a text"),
        ({"note": "stray"}, "session is missing"),
    ],
)
def test_a_line_that_breaks_the_rules_is_counted(read: Read, record: dict[str, Any], reason: str) -> None:
    found = read([line(seq=7, text="before"), record, line(seq=8, text="after")])
    assert [event.text for event in found.events] == ["before", "after"]
    assert found.skipped == {reason: 1}


def test_sessions_may_be_interleaved_and_out_of_order(read: Read) -> None:
    found = read([line(session=name, seq=seq) for seq in (2, 0, 1) for name in ("a", "b")])
    seqs = {
        found.sessions[key].source_id: [event.seq for event in found.events if event.session_id == key]
        for key in found.sessions
    }
    assert seqs == {"a": [2, 0, 1], "b": [2, 0, 1]}


def test_the_same_number_twice_in_a_session_is_counted(read: Read) -> None:
    found = read([line(text="first"), line(text="again"), line(session="t", text="other"), line(project="p")])
    assert [event.text for event in found.events] == ["first", "other", "Hi."]
    assert found.skipped == {"duplicate seq": 1}


def test_events_are_known_by_their_id_or_their_content(read: Read) -> None:
    first = read([line(id="m1"), line(seq=1), line(seq=2, session="t", id="m1")])
    again = read([line(seq=9, id="m1"), line(seq=1), line(seq=1, session="u")])
    assert first.events[0].id == again.events[0].id
    assert first.events[1].id == again.events[1].id
    assert len({event.id for event in first.events + again.events}) == 4


def test_one_session_name_in_two_projects_is_two_sessions(read: Read) -> None:
    found = read([line(project="a"), line(project="b"), line()])
    assert len(found.sessions) == 3
    assert found.projects == {"a", "b", ""}


def test_thousands_of_sessions_lose_nothing(read: Read) -> None:
    found = read([line(session=f"s{number}", seq=seq) for number in range(3 * MAX_SESSIONS) for seq in (0, 1)])
    assert len(found.events) == 6 * MAX_SESSIONS
    assert len(found.sessions) == 3 * MAX_SESSIONS


@given(st.lists(st.integers(0, 30)))
def test_numbers_seen_are_remembered_as_runs(seqs: list[int]) -> None:
    ledger = Ledger(Scope(project="shop"), "plain", "")
    reader = PlainReader(ledger)
    for seq in seqs:
        reader.take(line(seq=seq))
    runs: list[int] = ledger.memory["seen"].get("\ns", [])
    assert sorted(runs) == runs
    starts, ends = runs[::2], runs[1::2]
    assert [n for start, end in zip(starts, ends, strict=True) for n in range(start, end)] == sorted(set(seqs))
    assert not set(starts) & set(ends)
