"""No record, however odd, stops an import; cutting a file anywhere changes nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pckc_adapters_sources.transcripts.detect import detect
from pckc_adapters_sources.transcripts.source import UNFORESEEN, FileTranscripts
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event
from pckc_domain.ports.transcripts import TranscriptFile, TranscriptPosition
from pckc_domain.testing.transcript_samples import STORIES, lines

SCOPE = Scope(project="shop")
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 3, -1.5, "", "text", "\ud800", [], ["x", 3], {}, {"type": "text"}, {"id": []}, [[]]]
)

formats = pytest.mark.parametrize("format", sorted(STORIES))


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything inside *value*."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [spot for key, inner in items for spot in ((*path, key), *spots(inner, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy of *value* with something else at *path*."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


def read(path: Path, format: str, after: TranscriptPosition) -> tuple[list[Event], TranscriptPosition]:
    events: list[Event] = []
    file = TranscriptFile(path=str(path), format=format, size_bytes=0, mtime_ns=0)
    for batch in FileTranscripts().read(SCOPE, file, after=after):
        assert UNFORESEEN not in batch.skipped
        events += batch.events
        after = batch.position
    return events, after


@formats
@given(data=st.data())
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_values_of_any_type_stop_nothing(tmp_path: Path, format: str, data: st.DataObject) -> None:
    records = STORIES[format]()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(records) - 1))
        spot = data.draw(st.sampled_from(spots(records[at]) or [()]))
        records[at] = changed(records[at], spot, data.draw(ODD)) or {}
    path = tmp_path / "odd"
    path.write_text("\n".join(json.dumps(record) for record in records))
    events, position = read(path, format, TranscriptPosition())
    for event in events:
        assert event.text.strip()
        "".join(getattr(event, name) for name in ("text", "tool", "path", "branch", "source_id", "speaker")).encode()
    json.loads(position.state)


@formats
@given(data=st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_read_in_any_pieces_gives_the_events_of_one_go(tmp_path: Path, format: str, data: st.DataObject) -> None:
    whole = lines(STORIES[format]())
    path = tmp_path / "growing"
    path.write_bytes(whole)
    expected, _ = read(path, format, TranscriptPosition())
    position = TranscriptPosition()
    events: list[Event] = []
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    for cut in [*cuts, len(whole)]:
        path.write_bytes(whole[:cut])
        found, position = read(path, format, position)
        events += found
    if format == "gemini":
        # Read from its start whenever it has grown: the last time it grew counts.
        events = events[len(events) - len(expected) :]
    assert events == expected


def test_a_huge_first_record_hides_no_others(tmp_path: Path) -> None:
    """Whose transcript it is shows behind it."""
    file = tmp_path / "s.jsonl"
    said = {"session": "s", "seq": 1, "role": "user", "text": "We deploy to Fly.io."}
    file.write_bytes(b'{"pad": "' + b"x" * (17 << 20) + b'"}\n' + json.dumps(said).encode() + b"\n")
    assert detect(str(file)) == "plain"
