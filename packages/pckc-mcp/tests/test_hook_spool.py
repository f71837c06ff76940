"""Events on their way into memory."""

import json
import os
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from pckc_mcp.hooks import spool
from pckc_mcp.locations import close_to_others

WRITER = """
import sys
from pathlib import Path
from pckc_mcp.hooks.spool import append
for number in range(int(sys.argv[3])):
    append(Path(sys.argv[1]), {"from": sys.argv[2], "number": number, "text": "x" * 5000})
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "project"


def take(root: Path) -> list[dict[str, object] | None]:
    with spool.taken(root) as files:
        return [record for file in files for record in spool.records(file)]


def files(tmp_path: Path) -> list[Path]:
    return sorted(path for path in (tmp_path / "data").rglob("*") if path.is_file())


def test_what_earlier_versions_left_open_is_closed(root: Path, tmp_path: Path) -> None:
    """The file and PCKC's folders, not the one that these lie in."""
    spool.append(root, {"n": 1})
    own = [tmp_path / "data" / "pckc", *(tmp_path / "data" / "pckc").rglob("*")]
    for each in own:
        each.chmod(0o755 if each.is_dir() else 0o644)
    (tmp_path / "data").chmod(0o755)
    spool.append(root, {"n": 2})
    assert [stat.S_IMODE(each.stat().st_mode) for each in own] == [0o700 if each.is_dir() else 0o600 for each in own]
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o755
    assert take(root) == [{"n": 1}, {"n": 2}]


def test_what_is_neither_a_file_nor_a_folder_stays_open(tmp_path: Path) -> None:
    """A device or a pipe is for everybody."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    pipe.chmod(0o666)
    close_to_others(pipe)
    assert stat.S_IMODE(pipe.stat().st_mode) == 0o666


def test_what_was_appended_is_taken_once(root: Path, tmp_path: Path) -> None:
    """In order; nothing is left."""
    assert not spool.is_waiting(root)
    for number in range(3):
        spool.append(root, {"number": number})
    assert spool.is_waiting(root)
    assert spool.waiting_bytes(root) > 0
    taken = take(root)
    assert [record and record["number"] for record in taken] == [0, 1, 2]
    assert not spool.is_waiting(root)
    assert take(root) == []
    assert files(tmp_path) == []


def test_it_is_nobody_else_s(root: Path, tmp_path: Path) -> None:
    """What was said is not redacted yet."""
    spool.append(root, {})
    (file,) = files(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_was_taken_and_not_stored_is_taken_again(root: Path) -> None:
    """A killed process loses nothing."""
    spool.append(root, {"number": 0})

    class KilledError(Exception):
        pass

    with pytest.raises(KilledError), spool.taken(root):
        raise KilledError
    spool.append(root, {"number": 1})
    assert [record and record["number"] for record in take(root)] == [0, 1]


def test_a_line_that_was_cut_off_harms_only_itself(root: Path, tmp_path: Path) -> None:
    """Neither the one before nor the one after."""
    spool.append(root, {"number": 0})
    (file,) = files(tmp_path)
    with file.open("ab") as stream:
        stream.write(b'\n{"id": "x", "numb')
    spool.append(root, {"number": 1})
    with file.open("ab") as stream:
        stream.write(b"\n\x00\x00\x00\n[1]\n\xff\xfe\n")
    assert [record and record["number"] for record in take(root)] == [0, None, 1, None, None]


def test_two_take_nothing_twice(root: Path) -> None:
    """What one works at is left to it."""
    spool.append(root, {"number": 0})
    with spool.taken(root) as mine:
        assert len(mine) == 1
        with spool.taken(root) as others:
            assert others == []
        spool.append(root, {"number": 1})
    assert [record and record["number"] for record in take(root)] == [1]


def test_a_spool_that_nobody_takes_in_stops_growing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk is not filled by somebody who never looks."""
    monkeypatch.setattr(spool, "MAX_SPOOL_BYTES", 1_000)
    spool.append(root, {"text": "x" * 800})
    with pytest.raises(spool.SpoolFullError, match="drain"):
        spool.append(root, {"text": "x" * 800})
    assert len(take(root)) == 1


def test_processes_append_while_others_take(root: Path) -> None:
    """Every record comes exactly once, whole."""
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(root), str(name), "150"], env={**os.environ})
        for name in range(4)
    ]
    seen: Counter[tuple[object, object]] = Counter()
    while any(writer.poll() is None for writer in writers) or spool.is_waiting(root):
        for record in take(root):
            assert record is not None
            seen[record["from"], record["number"]] += 1
    assert all(writer.wait() == 0 for writer in writers)
    assert seen == {(str(name), number): 1 for name in range(4) for number in range(150)}


def test_a_record_is_a_line(root: Path, tmp_path: Path) -> None:
    """Whatever it holds."""
    spool.append(root, {"text": "a\nb\u2028c\ud800"})
    (file,) = files(tmp_path)
    (line,) = [line for line in file.read_bytes().splitlines() if line]
    assert json.loads(line)["text"] == "a\nb\u2028c\ud800"
