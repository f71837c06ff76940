"""Files on disk: places, links, damage, size."""

import json
import os
import tracemalloc
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import zstandard
from pckc_adapters_sources.backend import TRANSCRIPTS
from pckc_adapters_sources.transcripts.places import default_places
from pckc_adapters_sources.transcripts.source import FileTranscripts
from pckc_domain.errors import BackendUnavailableError, InvalidInputError
from pckc_domain.model.scope import Scope
from pckc_domain.plugin import GROUPS
from pckc_domain.ports.transcripts import TranscriptBatch, TranscriptFile, TranscriptPosition
from pckc_domain.testing.transcript_samples import (
    ClaudeSession,
    CodexSession,
    DshSession,
    claude_story,
    dsh_story,
    lines,
    plain_story,
)

SCOPE = Scope(project="shop")
START = TranscriptPosition()


def found(path: Path) -> TranscriptFile:
    (file,) = FileTranscripts().find([str(path)])
    return file


def read(path: Path, after: TranscriptPosition = START) -> list[TranscriptBatch]:
    return list(FileTranscripts().read(SCOPE, found(path), after=after))


def texts(batches: list[TranscriptBatch]) -> list[str]:
    return [event.text for batch in batches for event in batch.events]


class TestPlaces:
    def test_without_settings_they_are_under_home(self) -> None:
        assert default_places({}, Path("/home/ann")) == (
            "/home/ann/.claude/projects",
            "/home/ann/.codex/sessions",
            "/home/ann/.gemini/tmp",
            "/home/ann/.dsh/sessions",
        )

    def test_the_hosts_own_variables_move_them(self) -> None:
        environment = {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "DSH_HOME": "/d", "HOME": "/nowhere"}
        assert default_places(environment, Path("/home/ann")) == (
            "/c/projects",
            "/x/sessions",
            "/home/ann/.gemini/tmp",
            "/d/sessions",
        )

    def test_no_roots_mean_the_places_that_exist(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        session = tmp_path / "claude" / "projects" / "-home-ann-shop" / "5f0c.jsonl"
        session.parent.mkdir(parents=True)
        session.write_bytes(lines(claude_story()))
        for variable in ("CODEX_HOME", "DSH_HOME", "HOME"):
            monkeypatch.setenv(variable, str(tmp_path / "nowhere"))
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
        assert [file.path for file in FileTranscripts().find([])] == [str(session.resolve())]


class TestLinks:
    @pytest.fixture
    def outside(self, tmp_path: Path) -> Path:
        path = tmp_path / "outside" / "secret.jsonl"
        path.parent.mkdir()
        path.write_bytes(lines(claude_story()))
        return path

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        path = tmp_path / "root"
        path.mkdir()
        return path

    def test_links_out_of_the_root_are_not_followed(self, root: Path, outside: Path) -> None:
        (root / "file.jsonl").symlink_to(outside)
        (root / "folder").symlink_to(outside.parent)
        assert list(FileTranscripts().find([str(root)])) == []

    def test_links_inside_the_root_give_a_file_once(self, root: Path) -> None:
        (root / "a.jsonl").write_bytes(lines(claude_story()))
        (root / "b.jsonl").symlink_to(root / "a.jsonl")
        (root / "loop").symlink_to(root)
        assert [Path(file.path).name for file in FileTranscripts().find([str(root)])] == ["a.jsonl"]

    def test_dangling_links_are_passed_over(self, root: Path) -> None:
        (root / "gone.jsonl").symlink_to(root / "nowhere")
        assert list(FileTranscripts().find([str(root)])) == []

    def test_a_root_may_itself_be_a_link(self, root: Path, outside: Path) -> None:
        (root / "sessions").symlink_to(outside.parent)
        assert [file.path for file in FileTranscripts().find([str(root / "sessions")])] == [str(outside.resolve())]


def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert list(FileTranscripts().find([str(tmp_path)])) == []
    with pytest.raises(InvalidInputError, match="no regular file"):
        list(FileTranscripts().find([str(tmp_path / "pipe")]))


class TestDamage:
    def test_frames_before_the_damage_are_read(self, tmp_path: Path) -> None:
        compressor = zstandard.ZstdCompressor()
        path = tmp_path / "session.jsonl.zstd"
        whole = compressor.compress(lines(dsh_story()))
        path.write_bytes(whole + b"no frame at all")
        batches = read(path)
        assert len(texts(batches)) == 10
        assert batches[-1].skipped["damaged zstd frame"] == 1
        assert read(path, batches[-1].position) == []

    def test_an_unfinished_frame_gives_what_it_holds(self, tmp_path: Path) -> None:
        compressor = zstandard.ZstdCompressor(level=1)
        dsh = DshSession()
        path = tmp_path / "session.jsonl.zstd"
        first = compressor.compress(lines([dsh.header, dsh.user("a")]))
        second = compressor.compress(lines([dsh.user("b")]))
        path.write_bytes(first + second[:-6])
        begun = read(path)
        assert texts(begun) == ["a"]
        path.write_bytes(first + second)
        assert texts(read(path, begun[-1].position)) == ["b"]

    def test_a_position_in_a_compressed_file_counts_plain_bytes(self, tmp_path: Path) -> None:
        plain, packed = tmp_path / "plain", tmp_path / "packed"
        plain.write_bytes(lines(dsh_story()))
        packed.write_bytes(zstandard.ZstdCompressor().compress(lines(dsh_story())))
        assert read(plain)[-1].position == read(packed)[-1].position
        assert read(plain, read(packed)[-1].position) == []

    def test_a_file_that_vanished_is_unavailable(self, tmp_path: Path) -> None:
        path = tmp_path / "session.jsonl"
        path.write_bytes(lines(claude_story()))
        file = found(path)
        path.unlink()
        with pytest.raises(BackendUnavailableError, match=r"session\.jsonl"):
            list(FileTranscripts().read(SCOPE, file, after=START))

    def test_a_file_of_an_unknown_format_is_refused(self) -> None:
        file = TranscriptFile(path="/x", format="cursor", size_bytes=0, mtime_ns=0)
        with pytest.raises(InvalidInputError):
            FileTranscripts().read(SCOPE, file, after=START)


class TestBatches:
    def test_interleaved_sessions_come_in_batches_of_their_own(self, tmp_path: Path) -> None:
        path = tmp_path / "two"
        pairs = zip(plain_story("a"), plain_story("b"), strict=True)
        path.write_bytes(lines(line for pair in pairs for line in pair))
        batches = read(path)
        assert [batch.session.source_id if batch.session else "" for batch in batches] == ["a", "b"]
        assert [batch.position.offset for batch in batches] == [0, path.stat().st_size - 1]

    def test_stopping_between_two_sessions_loses_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "two"
        path.write_bytes(lines(plain_story("a") + plain_story("b")))
        batches = read(path)
        assert texts(read(path, batches[0].position)) == texts(batches)

    def test_long_texts_end_a_batch_early(self, tmp_path: Path) -> None:
        claude = ClaudeSession()
        path = tmp_path / "long"
        path.write_bytes(lines(claude.user("word " * 200_000) for _ in range(12)))
        assert [len(batch.events) for batch in read(path)] == [5, 5, 2]

    def test_a_file_of_nothing_but_skipped_records_moves_on(self, tmp_path: Path) -> None:
        path = tmp_path / "skipped"
        path.write_bytes(lines(ClaudeSession().record("progress") for _ in range(3)))
        (batch,) = read(path)
        assert (batch.session, batch.events, batch.skipped) == (None, (), {"progress record": 3})
        assert read(path, batch.position) == []

    def test_what_a_position_remembers_is_small(self, tmp_path: Path) -> None:
        claude = ClaudeSession()
        path = tmp_path / "many-calls"
        path.write_bytes(lines(claude.tool_use(f"t{n}", "Bash", {"command": "x" * 5_000}) for n in range(1_000)))
        for batch in read(path):
            assert len(batch.position.state) < 1 << 20
            json.loads(batch.position.state)


def test_a_long_codex_session_does_not_pile_up_in_positions(tmp_path: Path) -> None:
    codex = CodexSession()
    turns = [line for n in range(1_500) for line in (*codex.user(f"ask {n}"), *codex.command(f"c{n}", "ls", f"{n}", 0))]
    path = tmp_path / "turns"
    path.write_bytes(lines([codex.meta(), *turns]))
    assert max(len(batch.position.state) for batch in read(path)) < 20_000


def test_sessions_without_end_do_not_pile_up_in_positions(tmp_path: Path) -> None:
    path = tmp_path / "sessions"
    path.write_bytes(lines(line for number in range(600) for line in plain_story(f"session-{number}")))
    sizes = [len(batch.position.state) for batch in read(path) if batch.position.state]
    path.write_bytes(lines(line for number in range(2_400) for line in plain_story(f"session-{number}")[:1]))
    assert max(len(batch.position.state) for batch in read(path)) < 2 * max(sizes)


def test_pictures_do_not_pile_up_in_memory(tmp_path: Path) -> None:
    claude = ClaudeSession()
    picture = {"type": "image", "source": {"type": "base64", "data": "iVBORw0K" * 50_000}}
    path = tmp_path / "pictures"
    with path.open("wb") as file:
        for number in range(150):
            file.write(lines([claude.user([picture, {"type": "text", "text": f"Shot {number}"}])]))
    assert path.stat().st_size > 60_000_000
    tracemalloc.start()
    try:
        assert len(texts(read(path))) == 150
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
    finally:
        tracemalloc.stop()


def test_the_entry_point_opens_a_source(tmp_path: Path) -> None:
    (tmp_path / "session").write_bytes(lines(claude_story()))
    with TRANSCRIPTS.open(TRANSCRIPTS.settings(places=(str(tmp_path),))) as source:
        assert [file.format for file in source.find([])] == ["claude"]


def test_the_entry_point_is_declared() -> None:
    assert GROUPS["transcripts"] == "pckc.transcripts"
    declared = {point.name: point.value for point in entry_points(group="pckc.transcripts")}
    assert declared["transcripts"] == "pckc_adapters_sources.backend:TRANSCRIPTS"
