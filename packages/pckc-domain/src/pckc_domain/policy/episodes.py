"""Cut a session's events into episodes: runs of one class of work."""

import re
from collections.abc import Sequence
from datetime import timedelta

from pckc_domain.model.identity import content_id
from pckc_domain.model.session import Episode, EpisodeKind, Event, EventKind

MAX_EVENTS = 8
MAX_GAP = timedelta(minutes=15)

_FAILURE_HEAD = 2_000
"""Failure words are looked for in this many characters: a long text about errors is no failure."""

_FAILURE = re.compile(
    r"\b(?:error|exception|traceback|fail(?:s|ed|ure|ing)?|crash(?:es|ed)?|panic|bug|broken)\b"
    r"|\b(?:ошибк\w*|исключени\w+|пада(?:ет|ют)|упал[аио]?|баг\w*|слома\w+)\b"
)
_FAILURE_PARTS = tuple(
    "error exception traceback fail crash panic bug broken ошибк исключени пада упал баг слома".split()
)
_WORK = frozenset({EventKind.TOOL_CALL, EventKind.TOOL_RESULT, EventKind.FILE_CHANGE, EventKind.COMMAND})


def episode_kind(event: Event) -> EpisodeKind:
    """Return the class of one event: debugging before implementation before conversation."""
    if event.kind is EventKind.ERROR or event.exit_code:
        return EpisodeKind.DEBUGGING
    if event.kind in {EventKind.REASONING, EventKind.TURN_CONTEXT}:
        return EpisodeKind.CONVERSATION
    if event.kind is not EventKind.FILE_CHANGE and _speaks_of_failure(event.text[:_FAILURE_HEAD].casefold()):
        return EpisodeKind.DEBUGGING
    if event.kind in _WORK or event.kind is EventKind.TEST_RESULT:
        return EpisodeKind.IMPLEMENTATION
    return EpisodeKind.CONVERSATION


def _speaks_of_failure(text: str) -> bool:
    return any(part in text for part in _FAILURE_PARTS) and bool(_FAILURE.search(text))


def segment_episodes(events: Sequence[Event]) -> tuple[Episode, ...]:
    """
    Return the episodes of one session's *events*, given by seq; together they hold every event once.

    A new one begins on a change of class, after 8 events, and after a gap of more than 15 minutes.
    """
    runs: list[tuple[EpisodeKind, list[Event]]] = []
    for event in events:
        kind = episode_kind(event)
        if not runs or runs[-1][0] is not kind or len(runs[-1][1]) == MAX_EVENTS or _is_gap(runs[-1][1][-1], event):
            runs.append((kind, []))
        runs[-1][1].append(event)
    return tuple(_episode(kind, run) for kind, run in runs)


def _is_gap(before: Event, after: Event) -> bool:
    return before.time is not None and after.time is not None and after.time - before.time > MAX_GAP


def _episode(kind: EpisodeKind, run: list[Event]) -> Episode:
    times = [event.time for event in run if event.time is not None]
    first = run[0]
    return Episode(
        id=content_id("episode", first.session_id, str(first.seq), first.id),
        session_id=first.session_id,
        kind=kind,
        first_seq=first.seq,
        last_seq=run[-1].seq,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
    )
