"""Episodes: every event once, cut at a change of class, after eight events and after a gap."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.session import EpisodeKind, Event, EventKind
from pckc_domain.policy.episodes import MAX_EVENTS, MAX_GAP, episode_kind, segment_episodes

START = datetime(2026, 1, 1, tzinfo=UTC)


def event(seq: int, kind: EventKind = EventKind.PROMPT, text: str = "hi", minutes: float = 0, **more: Any) -> Event:
    return Event(
        id=f"e{seq}", session_id="s", seq=seq, kind=kind, time=START + timedelta(minutes=minutes), text=text, **more
    )


@pytest.mark.parametrize(
    ("kind", "text", "exit_code", "expected"),
    [
        (EventKind.PROMPT, "hello", None, EpisodeKind.CONVERSATION),
        (EventKind.PROMPT, "the build fails", None, EpisodeKind.DEBUGGING),
        (EventKind.PROMPT, "Сборка падает", None, EpisodeKind.DEBUGGING),
        (EventKind.COMMAND, "ls", 0, EpisodeKind.IMPLEMENTATION),
        (EventKind.COMMAND, "ls", 2, EpisodeKind.DEBUGGING),
        (EventKind.TOOL_CALL, "read a", None, EpisodeKind.IMPLEMENTATION),
        (EventKind.FILE_CHANGE, "raise ValueError('error')", None, EpisodeKind.IMPLEMENTATION),
        (EventKind.ERROR, "x", None, EpisodeKind.DEBUGGING),
        (EventKind.TEST_RESULT, "3 passed", 0, EpisodeKind.IMPLEMENTATION),
        (EventKind.TEST_RESULT, "1 failed", None, EpisodeKind.DEBUGGING),
        (EventKind.REASONING, "an error", None, EpisodeKind.CONVERSATION),
    ],
)
def test_class_of_an_event(kind: EventKind, text: str, exit_code: int | None, expected: EpisodeKind) -> None:
    assert episode_kind(event(0, kind, text, exit_code=exit_code)) is expected


def test_a_new_episode_begins_on_change_after_eight_events_and_after_a_gap() -> None:
    events = [event(i) for i in range(9)]
    events += [event(9, EventKind.COMMAND, "ls"), event(10, EventKind.COMMAND, "ls", minutes=15)]
    events += [event(11, EventKind.COMMAND, "ls", minutes=30.1)]
    spans = [(episode.first_seq, episode.last_seq) for episode in segment_episodes(events)]
    assert spans == [(0, 7), (8, 8), (9, 10), (11, 11)]


def test_times_span_the_episode_whatever_their_order() -> None:
    episode = segment_episodes([event(0, minutes=5), event(1, minutes=2)])[0]
    assert (episode.started_at, episode.ended_at) == (START + timedelta(minutes=2), START + timedelta(minutes=5))


@given(
    st.lists(st.tuples(st.sampled_from(EventKind), st.sampled_from(["ok", "error"]), st.integers(0, 60)), max_size=60)
)
def test_episodes_hold_every_event_once_and_are_as_long_as_they_may(steps: list[tuple[EventKind, str, int]]) -> None:
    minutes, events = 0, []
    for seq, (kind, text, step) in enumerate(steps):
        minutes += step
        events.append(event(seq, kind, text, minutes=minutes))
    episodes = segment_episodes(events)
    assert [seq for one in episodes for seq in range(one.first_seq, one.last_seq + 1)] == list(range(len(events)))
    assert episodes == segment_episodes(list(events))
    assert len({one.id for one in episodes}) == len(episodes)
    for one in episodes:
        run = events[one.first_seq : one.last_seq + 1]
        assert {episode_kind(member) for member in run} == {one.kind}
        assert len(run) <= MAX_EVENTS
    for one, following in pairwise(episodes):
        last, first = events[one.last_seq], events[following.first_seq]
        assert last.time is not None
        assert first.time is not None
        is_full = one.last_seq - one.first_seq + 1 == MAX_EVENTS
        assert is_full or one.kind is not following.kind or first.time - last.time > MAX_GAP
