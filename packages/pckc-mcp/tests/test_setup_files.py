"""Files of others: nothing in them is ever lost."""

import os
import stat
from pathlib import Path

import pytest
from pckc_domain.errors import BackendError, InvalidInputError
from pckc_mcp.setup import files
from pckc_mcp.setup.files import Found, backups, change, find


def new(_: Found) -> bytes:
    return b"new"


def nothing(_: Found) -> None:
    return None


def shout(found: Found) -> bytes:
    return found.encoded(found.text.upper())


def test_a_file_is_replaced_and_kept(tmp_path: Path) -> None:
    """With its mode; the backup is readable by its owner alone."""
    file = tmp_path / "a.json"
    file.write_text("text")
    file.chmod(0o640)
    backup = change(file, shout)
    assert file.read_text() == "TEXT"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert backup is not None
    assert backup.read_text() == "text"
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert backups(file) == [backup]
    assert change(file, shout) is None
    assert sorted(tmp_path.iterdir()) == sorted([file, backup])


def test_the_first_backup_and_the_last_are_kept(tmp_path: Path) -> None:
    """What the user had before all, and what stood there before the last change."""
    file = tmp_path / "settings.json"
    file.write_text("original")
    (tmp_path / "settings.json.orig").write_text("not ours")
    for number in range(5):
        backup = change(file, lambda _, number=number: b"%d" % number)  # type: ignore[misc]
        assert backups(file)[0] == backup
    assert [backup.read_text() for backup in backups(file)] == ["3", "original"]
    assert sorted(tmp_path.iterdir()) == sorted([file, tmp_path / "settings.json.orig", *backups(file)])


def test_a_file_is_made_with_its_folders(tmp_path: Path) -> None:
    """And there is nothing to keep."""
    file = tmp_path / "a" / "b" / "c.json"
    assert change(file, new) is None
    assert file.read_bytes() == b"new"
    assert change(file, nothing, keeps_backup=False) is None
    assert not file.exists()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it leads to is changed."""
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "real.json"
    target.write_text("text")
    link = tmp_path / "link.json"
    link.symlink_to(target)
    change(link, shout)
    assert link.is_symlink()
    assert target.read_text() == "TEXT"
    dangling = tmp_path / "dangling.json"
    dangling.symlink_to(tmp_path / "dotfiles" / "none.json")
    change(dangling, new)
    assert (tmp_path / "dotfiles" / "none.json").read_bytes() == b"new"


def test_ends_of_lines_and_marks_stay(tmp_path: Path) -> None:
    """As an editor of another system wrote them."""
    file = tmp_path / "a.json"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert find(file).text == "one\ntwo\n"
    change(file, shout)
    assert file.read_bytes() == b"\xef\xbb\xbfONE\r\nTWO\r\n"


def test_what_another_program_writes_meanwhile_is_taken_in(tmp_path: Path) -> None:
    """It is changed anew."""
    file = tmp_path / "a.json"
    file.write_text("one")
    writes = iter(["two", "three"])

    def meanwhile(found: Found) -> bytes:
        for text in (next(writes, None),):
            if text:
                file.write_text(text)
        return shout(found)

    change(file, meanwhile)
    assert file.read_text() == "THREE"
    assert [backup.read_text() for backup in backups(file)] == ["three"]


def test_a_file_that_never_rests_is_left_to_the_other(tmp_path: Path) -> None:
    """With what it wrote last, and no backup."""
    file = tmp_path / "a.json"
    file.write_text("start")
    count = iter(range(1_000))

    def meanwhile(found: Found) -> bytes:
        file.write_text(f"theirs {next(count)}")
        return shout(found)

    with pytest.raises(BackendError, match="another program"):
        change(file, meanwhile)
    assert file.read_text() == f"theirs {files.TRIES - 1}"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_read_only_is_left(tmp_path: Path, kind: str) -> None:
    """Though the folder would let it be replaced."""
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "a.json"
    file.write_text("text")
    if kind == "folder" and os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    (file if kind == "file" else folder).chmod(0o500)
    with pytest.raises(BackendError) as raised:
        change(file, shout)
    folder.chmod(0o700)
    assert raised.value.remedy
    assert file.read_text() == "text"
    assert list(folder.iterdir()) == [file]


@pytest.mark.parametrize("kind", ["folder", "loop", "binary", "pipe"])
def test_what_is_no_text_is_refused(tmp_path: Path, kind: str) -> None:
    """And nothing hangs."""
    file = tmp_path / "a.json"
    if kind == "folder":
        file.mkdir()
    elif kind == "loop":
        file.symlink_to(file)
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInputError) as raised:
        find(file)
    assert raised.value.remedy
