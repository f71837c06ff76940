"""What every transcript source must do."""

from abc import abstractmethod
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

import pytest

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Event, EventKind
from pckc_domain.ports.transcripts import TranscriptBatch, TranscriptFile, TranscriptPosition, TranscriptSource
from pckc_domain.testing.transcript_samples import EXEC_STREAM, STORIES, STORY, ClaudeSession, lines

SCOPE = Scope(project="shop")
START = TranscriptPosition()
WHOLE_FORMATS = frozenset({"gemini"})
"""Formats whose later lines change what earlier ones said: a file that has grown is read from its start."""
MAX_BATCH_EVENTS = 1_000

formats = pytest.mark.parametrize("format", sorted(STORIES))


class Shelf(Protocol):
    """A folder that a test can put files into, and the source that reads them."""

    source: TranscriptSource

    @abstractmethod
    def write(self, name: str, data: bytes) -> str:
        """Make or replace a file; return its path."""

    @property
    @abstractmethod
    def root(self) -> str:
        """The folder."""


class TranscriptContract:
    """Inherit it and provide the fixture *shelf*: an empty folder."""

    @pytest.fixture
    def shelf(self) -> Shelf:
        """Return an empty shelf."""
        raise NotImplementedError

    @formats
    def test_the_content_tells_the_format(self, shelf: Shelf, format: str) -> None:
        others = sorted(STORIES)
        misleading = others[(others.index(format) + 1) % len(others)]
        path = shelf.write(f"{misleading}-session.txt", lines(STORIES[format]()))
        (file,) = shelf.source.find([path])
        assert (file.path, file.format) == (path, format)

    @formats
    def test_the_story_is_read(self, shelf: Shelf, format: str) -> None:
        events = [event for event in told(shelf, format) if event.kind is not EventKind.TURN_CONTEXT]
        assert [(event.kind, event.exit_code) for event in events] == [(kind, code) for kind, _, code in STORY]
        for event, (_, text, _) in zip(events, STORY, strict=True):
            assert text in event.text

    @formats
    def test_file_changes_name_their_file(self, shelf: Shelf, format: str) -> None:
        (change,) = (event for event in told(shelf, format) if event.kind is EventKind.FILE_CHANGE)
        assert change.path == "/home/ann/shop/src/client.py"

    @formats
    def test_events_are_in_order_with_ids_of_their_own(self, shelf: Shelf, format: str) -> None:
        events = told(shelf, format)
        assert [event.seq for event in events] == list(range(len(events)))
        assert len({event.id for event in events}) == len(events)
        assert len({event.session_id for event in events}) == 1

    @formats
    def test_times_are_aware_utc_and_span_the_session(self, shelf: Shelf, format: str) -> None:
        batches = read(shelf, put(shelf, format))
        times = [event.time for batch in batches for event in batch.events if event.time is not None]
        assert len(times) == sum(len(batch.events) for batch in batches)
        assert all(time.utcoffset() == timedelta(0) for time in times)
        session = batches[-1].session
        assert session is not None
        assert (session.started_at, session.ended_at) == (min(times), max(times))
        assert session.host == format

    @formats
    def test_a_session_belongs_to_its_scope_and_its_events_to_the_host(self, shelf: Shelf, format: str) -> None:
        file = put(shelf, format)
        here, there = read(shelf, file), read(shelf, file, scope=Scope(project="other"))
        assert here[0].session is not None
        assert there[0].session is not None
        assert here[0].session.id != there[0].session.id
        assert [event.id for event in here[0].events] == [event.id for event in there[0].events]

    @formats
    def test_reading_again_gives_the_same(self, shelf: Shelf, format: str) -> None:
        file = put(shelf, format)
        assert read(shelf, file) == read(shelf, file)

    @formats
    def test_reading_on_at_the_end_gives_nothing(self, shelf: Shelf, format: str) -> None:
        file = put(shelf, format)
        end = read(shelf, file)[-1].position
        assert read(shelf, file, after=end) == []

    @formats
    def test_a_growing_file_is_read_on_where_it_was_left(self, shelf: Shelf, format: str) -> None:
        data = lines(STORIES[format]())
        whole = told(shelf, format)
        for cut in range(1, len(data), max(1, len(data) // 23)):
            first = read(shelf, find(shelf, "growing", data[:cut]))
            position = first[-1].position if first else START
            second = read(shelf, find(shelf, "growing", data, format=format), after=position)
            both = events_of(second) if format in WHOLE_FORMATS else events_of(first) + events_of(second)
            assert both == whole, f"cut at byte {cut}"

    @formats
    def test_a_rewritten_file_starts_over(self, shelf: Shelf, format: str) -> None:
        whole = told(shelf, format)
        position = read(shelf, put(shelf, format))[-1].position
        data = lines(STORIES[format]())
        marked = b" " + data
        assert events_of(read(shelf, find(shelf, "rewritten", marked), after=position)) == whole
        short = data[: data.rindex(b"\n", 0, -1) + 1]
        again = events_of(read(shelf, find(shelf, "rewritten", short, format=format), after=position))
        assert again[:1] == whole[:1]

    @formats
    def test_batches_follow_each_other(self, shelf: Shelf, format: str) -> None:
        file = put(shelf, format)
        for batch in read(shelf, file):
            rest = read(shelf, file, after=batch.position)
            assert events_of(rest) == told(shelf, format)[len(batch.events) :]

    @formats
    def test_windows_line_ends_and_a_byte_order_mark_change_nothing(self, shelf: Shelf, format: str) -> None:
        data = b"\xef\xbb\xbf" + lines(STORIES[format]()).replace(b"\n", b"\r\n") + b"\r\n\r\n"
        assert events_of(read(shelf, find(shelf, "windows", data))) == told(shelf, format)

    @formats
    def test_records_glued_on_one_line_are_records(self, shelf: Shelf, format: str) -> None:
        data = lines(STORIES[format]())
        middle = data.index(b"\n", len(data) // 3)
        glued = data[:middle] + data[middle + 1 :]
        assert events_of(read(shelf, find(shelf, "glued", glued))) == told(shelf, format)

    @formats
    def test_damage_is_counted_and_passed_over(self, shelf: Shelf, format: str) -> None:
        data = lines(STORIES[format]())
        middle = data.index(b"\n", len(data) // 3) + 1
        hurt = data[:middle] + b'{"type": "user", "cut\n[1, 2]\nnull\n' + data[middle:]
        batches = read(shelf, find(shelf, "hurt", hurt))
        assert events_of(batches) == told(shelf, format)
        assert sum(batch.skipped.get("not a JSON object", 0) for batch in batches) == 3

    @formats
    def test_invalid_utf8_is_replaced(self, shelf: Shelf, format: str) -> None:
        data = lines(STORIES[format]()).replace("✓".encode(), b"\xff\xc3")
        assert (
            events_of(read(shelf, find(shelf, "latin", data)))[-1]
            .text.rstrip("\N{REPLACEMENT CHARACTER}")
            .endswith("Готово ")
        )

    @formats
    def test_lone_surrogates_are_replaced(self, shelf: Shelf, format: str) -> None:
        data = lines(STORIES[format]()).replace("✓".encode(), b"\\ud83d")
        events_of(read(shelf, find(shelf, "cut", data)))[-1].text.encode()

    @formats
    def test_an_unknown_record_is_counted(self, shelf: Shelf, format: str) -> None:
        data = lines([*STORIES[format](), {"type": "hologram", "payload": {"type": "hologram"}, "data": {}}])
        batches = read(shelf, find(shelf, "newer", data))
        assert events_of(batches) == told(shelf, format)
        assert batches[-1].skipped

    @formats
    def test_a_position_holds_nothing_that_was_said(self, shelf: Shelf, format: str) -> None:
        data = lines(STORIES[format]())
        cuts = [at for at in range(len(data)) if data[at : at + 1] == b"\n"]
        for cut in cuts:
            for batch in read(shelf, find(shelf, "growing", data[: cut + 1], format=format)):
                for secret in ("30 seconds", "TIMEOUT_SECONDS", "tests/test_client.py", "passed in"):
                    assert secret not in batch.position.state

    def test_batches_are_bounded(self, shelf: Shelf) -> None:
        claude = ClaudeSession()
        data = lines(claude.user(f"Remember number {number}.") for number in range(2_500))
        batches = read(shelf, find(shelf, "long", data))
        assert max(len(batch.events) for batch in batches) <= MAX_BATCH_EVENTS
        assert [event.text for event in events_of(batches)] == [f"Remember number {n}." for n in range(2_500)]
        resumed = read(shelf, find(shelf, "long", data), after=batches[0].position)
        assert events_of(resumed) == events_of(batches[1:])

    @pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b'{"session": "s", "seq"'])
    def test_a_file_without_a_record_has_no_events(self, shelf: Shelf, data: bytes) -> None:
        assert events_of(read(shelf, find(shelf, "empty", data))) == []

    @pytest.mark.parametrize(
        "data",
        [
            b'{"level": "info", "msg": "started"}\n',
            b'{"foo": 1}\n{"foo": 2}\n',
            b"2026-05-04 12:00:00 INFO started\n",
            b"[1, 2, 3]",
            b"\x7fELF\x02\x01\x01\0\0",
            b"\x89PNG\r\n\x1a\n",
            "{}".encode("utf-16"),
        ],
    )
    def test_what_is_no_transcript_is_refused_when_named(self, shelf: Shelf, data: bytes) -> None:
        path = shelf.write("session.jsonl", data)
        with pytest.raises(InvalidInputError) as refusal:
            list(shelf.source.find([path]))
        assert path in refusal.value.message
        assert refusal.value.remedy

    def test_the_stream_of_codex_exec_is_refused_by_its_name(self, shelf: Shelf) -> None:
        path = shelf.write("rollout-1.jsonl", lines(EXEC_STREAM))
        with pytest.raises(InvalidInputError, match="codex exec --json"):
            list(shelf.source.find([path]))

    def test_a_folder_is_searched_for_transcripts_by_path(self, shelf: Shelf) -> None:
        for number, (format, story) in enumerate(sorted(STORIES.items(), reverse=True)):
            shelf.write(f"deep/{number}/{format}", lines(story()))
        shelf.write("deep/notes.md", b"# Notes\n")
        shelf.write("deep/settings.json", b'{"theme": "dark"}')
        found = list(shelf.source.find([shelf.root]))
        assert [file.format for file in found] == sorted(STORIES, reverse=True)
        assert [file.path for file in found] == sorted(file.path for file in found)

    def test_overlapping_roots_give_each_file_once(self, shelf: Shelf) -> None:
        path = shelf.write("a/session", lines(STORIES["claude"]()))
        assert [file.path for file in shelf.source.find([shelf.root, path, shelf.root])] == [path]

    def test_a_wanted_format_passes_others_over_in_a_folder_and_refuses_them_by_name(self, shelf: Shelf) -> None:
        codex = shelf.write("codex", lines(STORIES["codex"]()))
        claude = shelf.write("claude", lines(STORIES["claude"]()))
        assert [file.path for file in shelf.source.find([shelf.root], format="claude")] == [claude]
        with pytest.raises(InvalidInputError, match="codex transcript"):
            list(shelf.source.find([codex], format="claude"))

    def test_an_unknown_format_is_refused(self, shelf: Shelf) -> None:
        with pytest.raises(InvalidInputError, match="cursor"):
            list(shelf.source.find([shelf.root], format="cursor"))

    def test_a_missing_root_is_refused(self, shelf: Shelf) -> None:
        with pytest.raises(InvalidInputError, match="does not exist"):
            list(shelf.source.find([f"{shelf.root}/nowhere"]))


def find(shelf: Shelf, name: str, data: bytes, *, format: str = "auto") -> TranscriptFile:
    """Write *data* and find it as a transcript."""
    (file,) = shelf.source.find([shelf.write(name, data)], format=format)
    return file


def put(shelf: Shelf, format: str) -> TranscriptFile:
    """Write the story in *format*."""
    return find(shelf, f"{format}-story", lines(STORIES[format]()))


def read(
    shelf: Shelf, file: TranscriptFile, *, scope: Scope = SCOPE, after: TranscriptPosition = START
) -> list[TranscriptBatch]:
    """Return what is read after a position."""
    return list(shelf.source.read(scope, file, after=after))


def events_of(batches: Sequence[TranscriptBatch]) -> list[Event]:
    """Return the events of *batches*."""
    return [event for batch in batches for event in batch.events]


def told(shelf: Shelf, format: str) -> list[Event]:
    """Return the events of the story as *format* gives them."""
    return events_of(read(shelf, put(shelf, format)))
