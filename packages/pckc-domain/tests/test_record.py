"""Recording a session while it goes on."""

from datetime import timedelta
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import InvalidInputError, NotFoundError
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.policy.discretion import LAST_NOT_KEPT, NOT_KEPT
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.usecases.record import NewEvent, Recorded, Recorder

SCOPE = Scope(project="harvester")


class _Desk:
    """A recorder with one started session."""

    def __init__(self) -> None:
        self.canonical = MemoryCanonical()
        self.clock = FixedClock()
        self.recorder = Recorder(self.canonical, self.clock)
        self.session = self.recorder.start(SCOPE, host="claude", source_id="s1", cwd="/tree", branch="main", title="T")

    def say(self, text: str, kind: EventKind = EventKind.PROMPT, **changes: Any) -> Recorded:
        new = attrs.evolve(NewEvent(kind=kind, text=text), **changes)
        return self.recorder.append(SCOPE, self.session.id, new)

    def events(self) -> list[Event]:
        with self.canonical.reading(SCOPE) as work:
            return list(work.sessions.events(self.session.id))

    def stored(self) -> Session:
        with self.canonical.reading(SCOPE) as work:
            return work.sessions.get([self.session.id])[0]


@pytest.fixture
def desk() -> _Desk:
    return _Desk()


class TestStart:
    def test_goes_on_with_a_known_session(self, desk: _Desk) -> None:
        desk.clock.advance(timedelta(hours=1))
        again = desk.recorder.start(SCOPE, host="claude", source_id="s1", cwd="/elsewhere")
        assert again.id == desk.session.id
        assert (again.cwd, again.title, again.started_at) == ("/tree", "T", desk.session.started_at)
        assert again.ended_at == desk.clock.now()

    def test_is_another_session_in_another_project(self, desk: _Desk) -> None:
        other = desk.recorder.start(Scope(project="other"), host="claude", source_id="s1")
        assert other.id != desk.session.id

    @pytest.mark.parametrize(("host", "source_id"), [("", "s"), ("claude", " ")])
    def test_needs_a_host_and_an_id(self, desk: _Desk, host: str, source_id: str) -> None:
        with pytest.raises(InvalidInputError):
            desk.recorder.start(SCOPE, host=host, source_id=source_id)


class TestAppend:
    def test_stands_behind_what_is_stored(self, desk: _Desk) -> None:
        texts = [f"Step number {number}." for number in range(40)]
        assert all(desk.say(text).is_new for text in texts)
        assert [(event.seq, event.text) for event in desk.events()] == list(enumerate(texts))

    def test_what_its_speaker_asks_not_to_keep_is_not_stored(self, desk: _Desk) -> None:
        told = desk.say("Use tabs. My email is ivan@example.com, please do not store it.")
        assert told.redacted == {"asked-not-to-keep": 1}
        desk.say("Off the record: Bob leaves.")
        desk.say(LAST_NOT_KEPT)
        desk.say("Tokens are secret, don't store this.", EventKind.AGENT_MESSAGE)
        assert [(event.kind, event.text) for event in desk.events()] == [
            (EventKind.PROMPT, f"Use tabs. {NOT_KEPT}"),
            (EventKind.PROMPT, NOT_KEPT),
            (EventKind.PROMPT, LAST_NOT_KEPT),
            (EventKind.AGENT_MESSAGE, "Tokens are secret, don't store this."),
        ]

    @given(gaps=st.lists(st.integers(1, 50), max_size=12))
    @settings(max_examples=40)
    def test_stands_last_whatever_gaps_an_import_left(self, gaps: list[int]) -> None:
        desk = _Desk()
        seqs = [sum(gaps[: number + 1]) for number in range(len(gaps))]
        imported = [
            Event(
                id=f"e{seq}", session_id=desk.session.id, seq=seq, kind=EventKind.PROMPT, time=None, text=f"said {seq}"
            )
            for seq in seqs
        ]
        with desk.canonical.writing(SCOPE) as work:
            work.sessions.put(desk.session, imported)
        desk.say("The last word.")
        assert desk.events()[-1].text == "The last word."
        assert desk.events()[-1].seq == max(seqs, default=-1) + 1

    def test_the_same_id_is_one_event(self, desk: _Desk) -> None:
        first = desk.say("Use tabs.", source_id="u1")
        again = desk.say("Use tabs.", source_id="u1")
        assert first.is_new
        assert not again.is_new
        assert first.event_id == again.event_id
        assert len(desk.events()) == 1

    def test_the_same_words_without_an_id_are_two_events(self, desk: _Desk) -> None:
        assert desk.say("yes").event_id != desk.say("yes").event_id
        assert len(desk.events()) == 2

    def test_keeps_its_time_and_moves_the_ends_of_the_session(self, desk: _Desk) -> None:
        earlier = desk.clock.now() - timedelta(days=2)
        desk.say("Long ago.", time=earlier)
        desk.clock.advance(timedelta(minutes=5))
        desk.say("Now.")
        assert [event.time for event in desk.events()] == [earlier, desk.clock.now()]
        assert (desk.stored().started_at, desk.stored().ended_at) == (earlier, desk.clock.now())

    def test_stores_nothing_secret(self, desk: _Desk) -> None:
        token = "ghp_" + "k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI"
        answer = desk.say(f"Use the token {token} for now.")
        assert sum(answer.redacted.values()) == 1
        assert token not in desk.events()[0].text

    @pytest.mark.parametrize(
        ("kind", "text", "changes", "reason"),
        [
            (EventKind.TOOL_CALL, '{"query": "port"}', {"tool": "mcp__pckc__memory_search"}, "memory tool"),
            (EventKind.TOOL_RESULT, "claim: the port is 1", {"tool": "mem_search"}, "memory tool"),
            (EventKind.PROMPT, "<pckc-context>\n> The port is 1.\n</pckc-context>", {}, "injected"),
            (EventKind.PROMPT, "<system-reminder>Be brief.</system-reminder>", {}, "injected"),
            (EventKind.SUMMARY, "All was done.", {}, "summary"),
            (EventKind.PROMPT, "  \n", {}, "empty"),
        ],
    )
    def test_leaves_out_what_is_no_evidence(
        self, desk: _Desk, kind: EventKind, text: str, changes: dict[str, Any], reason: str
    ) -> None:
        answer = desk.say(text, kind, **changes)
        assert not answer.is_new
        assert reason in answer.left_out
        assert desk.events() == []

    def test_leaves_out_what_was_put_into_a_prompt(self, desk: _Desk) -> None:
        desk.say("Fix it.<system-reminder>CANARY</system-reminder> Thanks.")
        assert desk.events()[0].text == "Fix it. Thanks."

    def test_thoughts_leave_a_mark_without_words(self, desk: _Desk) -> None:
        desk.say("CANARY", EventKind.REASONING)
        assert [(event.kind, event.text) for event in desk.events()] == [(EventKind.REASONING, "")]

    def test_any_text_can_be_stored(self, desk: _Desk) -> None:
        desk.say("half \ud83d of a pair", source_id="\udc00")
        desk.events()[0].text.encode()

    def test_refuses_an_unknown_session(self, desk: _Desk) -> None:
        with pytest.raises(NotFoundError):
            desk.recorder.append(SCOPE, "session_nowhere", NewEvent(kind=EventKind.PROMPT, text="x"))

    def test_derives_nothing(self, desk: _Desk) -> None:
        desk.say("We decided to use SQLite as the database.")
        with desk.canonical.reading(SCOPE) as work:
            assert work.census.evidence() == 0
            assert [session.id for session in work.sessions.find(limit=9, is_underived=True)] == [desk.session.id]


class TestEnd:
    def test_says_what_was_admitted_and_what_was_not(self, desk: _Desk) -> None:
        desk.say("We decided to use SQLite as the database.")
        desk.say("The database is MySQL.", EventKind.AGENT_MESSAGE)
        desk.say("Maybe we should use Redis as the cache.")
        desk.say("SQLite, I think", EventKind.REASONING)
        report = desk.recorder.end(SCOPE, desk.session.id)
        assert report.events == {"agent_message": 1, "prompt": 2, "reasoning": 1}
        assert report.evidence == 3
        assert any("SQLite" in stored.claim.text for stored in report.admitted)
        assert all("MySQL" not in stored.claim.text for stored in report.admitted)
        rules = {rejection.rule for rejection in report.rejections}
        assert "gate.kind" in rules
        assert not any("SQLite, I think" in rejection.excerpt for rejection in report.rejections)

    def test_may_go_on_and_end_again(self, desk: _Desk) -> None:
        desk.say("We decided to use SQLite as the database.")
        first = desk.recorder.end(SCOPE, desk.session.id)
        assert desk.recorder.end(SCOPE, desk.session.id) == first
        desk.clock.advance(timedelta(hours=1))
        desk.say("We decided to use PostgreSQL as the database.")
        second = desk.recorder.end(SCOPE, desk.session.id)
        current = [stored.claim.text for stored in second.admitted if stored.claim.valid_to is None]
        assert any("PostgreSQL" in text for text in current)
        assert not any("SQLite" in text for text in current)

    def test_refuses_an_unknown_session(self, desk: _Desk) -> None:
        with pytest.raises(NotFoundError):
            desk.recorder.end(SCOPE, "session_nowhere")


def test_many_events_in_one_commit_are_those_of_one_after_the_other() -> None:
    """Redacted, in order, each once; what is no evidence leaves a mark or nothing."""
    one, all_ = _Desk(), _Desk()
    news = [
        NewEvent(kind=EventKind.PROMPT, text="Use DuckDB, my password is hunter2hunter2.", source_id="a"),
        NewEvent(kind=EventKind.PROMPT, text="<pckc-context>\n> recalled\n</pckc-context>", source_id="b"),
        NewEvent(kind=EventKind.COMMAND, text="make test", source_id="c"),
        NewEvent(kind=EventKind.COMMAND, text="make test", source_id="c"),
    ]
    for new in news:
        one.recorder.append(SCOPE, one.session.id, new)
    assert all_.recorder.append_all(SCOPE, all_.session.id, news) == 2
    assert all_.recorder.append_all(SCOPE, all_.session.id, news) == 0
    assert [(each.id, each.text) for each in all_.events()] == [(each.id, each.text) for each in one.events()]
    assert all_.recorder.append_all(SCOPE, all_.session.id, []) == 0


def test_a_session_may_have_started_before_it_is_recorded() -> None:
    """Its times are those of its events."""
    desk = _Desk()
    before = desk.clock.now() - timedelta(hours=2)
    session = desk.recorder.start(SCOPE, host="claude", source_id="s2", at=before)
    assert (session.started_at, session.ended_at) == (before, before)
    desk.recorder.append_all(
        SCOPE, session.id, [NewEvent(kind=EventKind.PROMPT, text="Hello there.", time=before + timedelta(hours=1))]
    )
    with desk.canonical.reading(SCOPE) as work:
        stored = work.sessions.get([session.id])[0]
    assert (stored.started_at, stored.ended_at) == (before, before + timedelta(hours=1))
