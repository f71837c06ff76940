"""Scanning and reading real folders: what appears, what is skipped and why."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar

import attrs
import pytest
from pckc_adapters_sources.backend import REPOSITORY, RepositorySettings
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import ManifestEntry
from pckc_domain.ports.sources import SkippedFile, SourceFile, TreeChanges

DEFAULT = RepositorySettings()

Git = Callable[..., str]
Put = Callable[..., Path]


def scan(root: Path, settings: RepositorySettings = DEFAULT) -> dict[str, str]:
    """Return the reason of each path; ``""`` for those that would be read."""
    with REPOSITORY.open(attrs.evolve(settings, root=str(root))) as source:
        return {file.path: file.skipped for file in source.scan({})}


def read(root: Path, path: str, settings: RepositorySettings = DEFAULT) -> SourceFile | SkippedFile:
    with REPOSITORY.open(attrs.evolve(settings, root=str(root))) as source:
        return source.read(path)


def reason(root: Path, path: str, settings: RepositorySettings = DEFAULT) -> str:
    file = read(root, path, settings)
    return file.reason if isinstance(file, SkippedFile) else ""


def is_unchanged(root: Path, entry: ManifestEntry, settings: RepositorySettings = DEFAULT) -> bool:
    with REPOSITORY.open(attrs.evolve(settings, root=str(root))) as source:
        return {file.path: file.is_unchanged for file in source.scan({entry.path: entry})}[entry.path]


def entry(root: Path, path: str, settings: RepositorySettings = DEFAULT) -> ManifestEntry:
    file = read(root, path, settings)
    return ManifestEntry(
        path=path,
        size_bytes=file.size_bytes,
        mtime_ns=file.mtime_ns,
        content_hash=file.content_hash,
        skipped=file.reason if isinstance(file, SkippedFile) else "",
    )


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """Return an empty folder outside git."""
    root = tmp_path / "plain"
    root.mkdir()
    return root


class TestListing:
    def test_tracked_and_new_files_appear_and_ignored_ones_do_not(self, repository: Path, put: Put, git: Git) -> None:
        put(repository / ".gitignore", "*.log\nbuild/\n")
        put(repository / "new.py")
        put(repository / "a.log")
        put(repository / "build/out.py")
        put(repository / "kept.log")
        git(repository, "add", "--force", "kept.log")
        assert scan(repository) == {".gitignore": "", "a.py": "", "kept.log": "", "new.py": ""}

    def test_deleted_files_do_not_appear(self, repository: Path) -> None:
        (repository / "a.py").unlink()
        assert scan(repository) == {}

    def test_a_conflicted_file_appears_once(self, repository: Path, put: Put, git: Git) -> None:
        git(repository, "switch", "--create", "topic")
        put(repository / "a.py", "x = 22\n")
        git(repository, "commit", "--all", "--message", "topic")
        git(repository, "switch", "main")
        put(repository / "a.py", "x = 333\n")
        git(repository, "commit", "--all", "--message", "main")
        with pytest.raises(Exception, match="returned non-zero"):
            git(repository, "merge", "topic")
        with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
            assert [file.path for file in source.scan({})] == ["a.py"]

    def test_a_folder_outside_git_leaves_out_the_usual(self, plain: Path, put: Put) -> None:
        for path in (
            "a.py",
            "node_modules/x/i.js",
            ".venv/lib/a.py",
            "src/__pycache__/a.pyc",
            "dist/a.py",
            "build/a.py",
        ):
            put(plain / path)
        assert scan(plain) == {"a.py": ""}

    def test_case_tells_files_apart(self, repository: Path, put: Put) -> None:
        put(repository / "A.py")
        assert scan(repository) == {"A.py": "", "a.py": ""}

    def test_names_that_are_not_utf8_are_named_and_skipped(self, repository: Path, plain: Path) -> None:
        for root in (repository, plain):
            with open(os.fsencode(root) + b"/caf\xe9.py", "wb"):  # noqa: PTH123 - the name is bytes
                pass
            assert scan(root)["caf\\udce9.py"] == "undecodable name"
            "".join(scan(root)).encode()
        assert reason(plain, os.fsdecode(b"caf\xe9.py")) == "undecodable name"


GITIGNORE = "*.log\n!keep.log\nout/\n/top.txt\n**/deep/*.md\n\\#x\na?c\n[0-9].py\n trailing \n"


class TestIgnoring:
    RULES: ClassVar = {
        ".pckcignore": "*.csv\n!keep.csv\n/docs/old/\ndata/**/raw\n",
        "sub/.pckcignore": "!b.csv\nc.txt\n",
    }
    FILES = ("a.csv", "keep.csv", "docs/old/a.md", "other/docs/old/a.md", "data/1/raw/x", "data/1/fine/x",
             "sub/a.csv", "sub/b.csv", "sub/c.txt", "sub/deep/c.txt", "c.txt")  # fmt: skip
    KEPT: ClassVar = {"keep.csv", "other/docs/old/a.md", "data/1/fine/x", "sub/b.csv", "c.txt"}

    def test_pckcignore_files_work_as_gitignore_files(self, repository: Path, plain: Path, put: Put) -> None:
        for root in (repository, plain):
            for path, text in self.RULES.items():
                put(root / path, text)
            for path in self.FILES:
                put(root / path)
            assert scan(root).keys() - {"a.py"} == self.KEPT | self.RULES.keys()

    def test_they_apply_to_tracked_files(self, repository: Path, put: Put) -> None:
        put(repository / ".pckcignore", "a.py\n")
        assert scan(repository) == {".pckcignore": ""}

    def test_gitignore_files_outside_git_mean_what_git_says(self, plain: Path, put: Put, git: Git) -> None:
        put(plain / ".gitignore", GITIGNORE)
        put(plain / "sub/.gitignore", "*\n!.gitignore\n!*.py\n")
        put(plain / "out/.gitignore", "!*\n")
        for path in ("a.log", "keep.log", "out/a", "sub/out/a", "top.txt", "sub/top.txt", "x/deep/a.md", "deep/b.md",
                     "abc", "ac", "7.py", "sub/8.py", "sub/9.txt", "sub/ok.py", "sub/dir/ok.py", "x/out", "a/b/c/d.py",
                     "#x", " trailing"):  # fmt: skip
            put(plain / path)
        outside = scan(plain)
        git(plain, "init")
        assert outside == scan(plain)
        assert "keep.log" in outside
        assert "a.log" not in outside

    def test_settings_ignore_more(self, repository: Path, put: Put) -> None:
        put(repository / "b.txt")
        assert scan(repository, RepositorySettings(ignore=("*.txt",))) == {"a.py": ""}

    def test_a_nearer_file_overrules_the_settings(self, repository: Path, put: Put) -> None:
        put(repository / ".pckcignore", "!b.txt\n")
        put(repository / "b.txt")
        assert "b.txt" in scan(repository, RepositorySettings(ignore=("*.txt",)))

    def test_broken_patterns_are_passed_over(self, repository: Path, put: Put) -> None:
        put(repository / ".pckcignore", "!\n///\n*.txt\n")
        put(repository / "b.txt")
        assert scan(repository).keys() == {".pckcignore", "a.py"}

    def test_asking_for_a_file_overrules_its_name(self, repository: Path, put: Put) -> None:
        put(repository / ".pckcignore", "!src/vendor/\n!uv.lock\n")
        for path in ("src/vendor/a.py", "vendor/b.py", "uv.lock", "Cargo.lock"):
            put(repository / path)
        assert scan(repository) == {
            ".pckcignore": "", "Cargo.lock": "lock file", "a.py": "", "src/vendor/a.py": "", "uv.lock": "",
            "vendor/b.py": "vendored",
        }  # fmt: skip

    def test_an_ignore_file_that_git_ignores_counts(self, repository: Path, put: Put) -> None:
        put(repository / ".gitignore", ".pckcignore\n")
        put(repository / ".pckcignore", "a.py\n")
        assert scan(repository) == {".gitignore": ""}


class TestReasons:
    def test_names(self, repository: Path, put: Put) -> None:
        put(repository / "node_modules/x/index.js")
        put(repository / "poetry.lock")
        put(repository / "app.min.js")
        assert scan(repository) == {
            "a.py": "", "app.min.js": "minified", "node_modules/x/index.js": "vendored", "poetry.lock": "lock file",
        }  # fmt: skip

    def test_a_project_inside_site_packages_is_read(self, tmp_path: Path, put: Put) -> None:
        put(tmp_path / "site-packages/tool/core.py")
        assert scan(tmp_path / "site-packages/tool") == {"core.py": ""}

    def test_size(self, repository: Path, put: Put) -> None:
        put(repository / "b.txt", b"x" * 101)
        assert scan(repository, RepositorySettings(max_file_bytes=100)) == {"a.py": "", "b.txt": "too large"}
        assert read(repository, "b.txt", RepositorySettings(max_file_bytes=101)).size_bytes == 101
        skipped = read(repository, "b.txt", RepositorySettings(max_file_bytes=100))
        assert (isinstance(skipped, SkippedFile), skipped.size_bytes, skipped.content_hash) == (True, 101, "")

    def test_content(self, repository: Path, put: Put) -> None:
        put(repository / "nul.txt", b"a\0b")
        put(repository / "made.go", "// Code generated by tool. DO NOT EDIT.\npackage made\n")
        put(repository / "app.js", "!function(e,t){return e+t}(a,b);" * 100)
        assert reason(repository, "nul.txt") == "binary"
        assert reason(repository, "made.go") == "generated"
        assert reason(repository, "app.js") == "minified"

    def test_reasons_stay_until_something_changes(self, repository: Path, put: Put) -> None:
        put(repository / "nul.txt", b"a\0b")
        first = entry(repository, "nul.txt")
        assert is_unchanged(repository, first)
        put(repository / "nul.txt", b"abc", age_seconds=1800)
        assert not is_unchanged(repository, first)

    def test_another_limit_asks_again(self, repository: Path, put: Put) -> None:
        put(repository / "b.txt", b"x" * 101)
        large = entry(repository, "b.txt", RepositorySettings(max_file_bytes=100))
        assert is_unchanged(repository, large, RepositorySettings(max_file_bytes=100))
        assert not is_unchanged(repository, large, RepositorySettings(max_file_bytes=1000))
        small = entry(repository, "b.txt", RepositorySettings(max_file_bytes=1000))
        assert not is_unchanged(repository, small, RepositorySettings(max_file_bytes=100))


class TestTimes:
    @pytest.mark.parametrize("age_seconds", [0, 0.05, -3600], ids=["now", "just now", "in the future"])
    def test_a_recent_time_is_not_trusted(self, repository: Path, put: Put, age_seconds: float) -> None:
        put(repository / "b.py", age_seconds=age_seconds)
        fresh = entry(repository, "b.py")
        assert fresh.mtime_ns == 0
        assert not is_unchanged(repository, fresh)

    def test_whole_seconds_are_trusted_later(self, repository: Path, put: Put) -> None:
        path = put(repository / "b.py")
        second = (time.time_ns() // 1_000_000_000 - 1) * 1_000_000_000
        os.utime(path, ns=(second, second))
        assert read(repository, "b.py").mtime_ns == 0
        os.utime(path, ns=(second - 5_000_000_000, second - 5_000_000_000))
        assert read(repository, "b.py").mtime_ns == second - 5_000_000_000

    def test_an_edit_within_one_tick_is_seen(self, repository: Path, put: Put) -> None:
        path = put(repository / "b.py", "x = 1\n", age_seconds=0)
        status = path.stat()
        first = entry(repository, "b.py")
        path.write_text("x = 2\n")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert not is_unchanged(repository, first)

    def test_a_file_that_never_keeps_still_is_not_trusted(self, plain: Path, put: Put) -> None:
        path = put(plain / "log.txt", b"x\n" * 500_000)
        script = "import itertools, os, sys\nfor n in itertools.count(): os.utime(sys.argv[1], ns=(n, 10**18 + n))"
        writer = subprocess.Popen([sys.executable, "-S", "-c", script, path])
        deadline = time.monotonic() + 20
        try:
            while read(plain, "log.txt").mtime_ns != 0 and time.monotonic() < deadline:
                pass
            assert time.monotonic() < deadline, "a change while reading was never noticed"
        finally:
            writer.kill()
            writer.wait()


class TestThingsThatAreNoFiles:
    def test_links(self, repository: Path, tmp_path: Path, put: Put) -> None:
        put(tmp_path / "secret.txt", "s3cret")
        put(repository / "src/b.py")
        links: dict[str, str | Path] = {
            "inside.py": "a.py", "folder": "src", "broken": "nowhere", "loop": "loop", "up": ".",
            "outside": tmp_path / "secret.txt", "outside-folder": "..",
        }  # fmt: skip
        for name, target in links.items():
            (repository / name).symlink_to(target)
        assert scan(repository) == {
            "a.py": "", "broken": "symlink", "folder": "symlink", "inside.py": "symlink", "loop": "symlink",
            "outside": "link out of tree", "outside-folder": "link out of tree", "src/b.py": "", "up": "symlink",
        }  # fmt: skip
        assert reason(repository, "outside") == "link out of tree"
        assert reason(repository, "inside.py") == "symlink"
        assert reason(repository, "loop") == "symlink"

    @pytest.mark.skipif(not hasattr(os, "waitid") or not Path("/proc/self/cwd").exists(), reason="no such links here")
    def test_a_link_that_cannot_be_followed_is_skipped(self, repository: Path) -> None:
        """Such as one into what the system keeps of a process: this one has ended, and its folder is no more."""
        with subprocess.Popen([sys.executable, "-S", "-c", ""]) as ended:
            os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
            (repository / "link").symlink_to(f"/proc/{ended.pid}/cwd")
            assert scan(repository) == {"a.py": "", "link": "unreadable"}
            assert reason(repository, "link") == "unreadable"

    def test_what_is_left_out_is_no_change(self, repository: Path, put: Put) -> None:
        """Whether it is older than the manifest, and not looked at, or younger."""
        put(repository / ".pckcignore", "*.log\n")
        put(repository / "noise.log", "a")
        put(repository / "picture.png", "\0")
        with REPOSITORY.open(attrs.evolve(DEFAULT, root=str(repository))) as source:
            manifest = {
                file.path: ManifestEntry(
                    path=file.path, size_bytes=file.size_bytes, mtime_ns=file.mtime_ns, skipped=file.skipped
                )
                for file in source.scan({})
                if file.path != "picture.png"
            }
            made_at = datetime.now(UTC) + timedelta(hours=1)
            assert source.compare(manifest) == source.compare(manifest, made_at=made_at) == TreeChanges()
            put(repository / "new.md", "new")
            assert source.compare(manifest, made_at=made_at - timedelta(hours=2)) == TreeChanges(added=1)
            assert source.compare(manifest) == TreeChanges(added=1)

    def test_links_to_folders_lead_nowhere(self, repository: Path, tmp_path: Path, put: Put) -> None:
        put(tmp_path / "elsewhere/secret.txt", "s3cret")
        put(repository / "src/b.py")
        (repository / "out").symlink_to(tmp_path / "elsewhere")
        (repository / "in").symlink_to("src")
        with pytest.raises(InvalidInputError):
            read(repository, "out/secret.txt")
        assert reason(repository, "in/b.py") == "symlink"

    def test_a_tracked_folder_that_became_a_link(self, repository: Path, tmp_path: Path, put: Put, git: Git) -> None:
        put(repository / "src/b.py")
        git(repository, "add", "--all")
        (repository / "src").rename(tmp_path / "moved")
        (repository / "src").symlink_to(tmp_path / "moved")
        assert scan(repository) == {"a.py": "", "src": "link out of tree"}

    def test_a_tracked_file_that_became_a_folder(self, repository: Path, put: Put) -> None:
        (repository / "a.py").unlink()
        put(repository / "a.py/b.py")
        assert scan(repository) == {"a.py/b.py": ""}

    def test_pipes_and_sockets_are_never_opened(self, plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        os.mkfifo(plain / "pipe")
        monkeypatch.chdir(plain)  # the name of a socket is short
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
            assert scan(plain) == {"pipe": "special file", "socket": "special file"}
        assert reason(plain, "pipe") == reason(plain, "socket") == "special file"

    def test_a_tracked_file_that_became_a_pipe(self, repository: Path) -> None:
        (repository / "a.py").unlink()
        os.mkfifo(repository / "a.py")
        assert scan(repository) == {"a.py": "special file"}

    def test_submodules_are_named(self, repository: Path, tmp_path: Path, git: Git) -> None:
        git(tmp_path, "clone", "--bare", str(repository), "library.git")
        git(repository, "submodule", "add", str(tmp_path / "library.git"), "library")
        assert scan(repository) == {".gitmodules": "", "a.py": "", "library": "submodule"}
        git(repository, "submodule", "deinit", "--force", "library")
        assert scan(repository)["library"] == "submodule"

    def test_repositories_inside_are_named(self, repository: Path, plain: Path, git: Git, put: Put) -> None:
        for root in (repository, plain):
            git(root, "init", "nested")
            put(root / "nested/b.py")
            put(root / "nested-not.py")
            paths = scan(root)
            assert paths.pop("a.py", "") == ""
            assert list(paths.items()) == [("nested", "nested repository"), ("nested-not.py", "")]

    def test_linked_work_trees_inside_are_named(self, repository: Path, git: Git) -> None:
        git(repository, "worktree", "add", "-b", "topic", "trees/topic")
        assert scan(repository) == {"a.py": "", "trees/topic": "nested repository"}

    def test_gits_own_files_are_not_sources(self, repository: Path) -> None:
        for path in (".git/config", ".GIT/config", "sub/.git/config"):
            with pytest.raises(InvalidInputError):
                read(repository, path)

    def test_a_folder_is_no_file(self, repository: Path, put: Put) -> None:
        put(repository / "src/b.py")
        assert reason(repository, "src") == "folder"
        assert reason(repository, "a.py/b") == "gone"


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything: be someone else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


class TestPermissions:
    @pytest.fixture
    def shared(self, put: Put) -> Iterator[Path]:
        """Return a folder that everyone may enter, unlike the test's own, with a file and a folder that no one may."""
        with tempfile.TemporaryDirectory() as name:
            root = Path(name).resolve()
            root.chmod(0o755)
            put(root / "open.py").chmod(0o644)
            put(root / "closed.py").chmod(0)
            put(root / "closed/b.py")
            (root / "closed").chmod(0)
            yield root
            (root / "closed").chmod(0o755)

    def test_unreadable_files_are_reported(self, shared: Path) -> None:
        with as_nobody():
            assert reason(shared, "open.py") == ""
            assert reason(shared, "closed.py") == "unreadable"
            assert reason(shared, "closed/b.py") == "unreadable"

    def test_unreadable_folders_are_reported(self, shared: Path) -> None:
        with as_nobody():
            assert scan(shared) == {"closed": "unreadable", "closed.py": "", "open.py": ""}

    def test_they_are_tried_again(self, shared: Path) -> None:
        with as_nobody():
            closed = entry(shared, "closed.py")
            assert not is_unchanged(shared, closed)


def test_a_file_deleted_after_the_scan_is_gone(repository: Path) -> None:
    with REPOSITORY.open(REPOSITORY.settings(root=str(repository))) as source:
        (file,) = source.scan({})
        (repository / "a.py").unlink()
        assert source.read(file.path) == SkippedFile(path="a.py", reason="gone")


def test_blob_ids_are_gits(repository: Path, put: Put, git: Git) -> None:
    put(repository / "b.txt", "Größe\n")
    file = read(repository, "b.txt")
    assert isinstance(file, SourceFile)
    assert file.blob_hash == git(repository, "hash-object", "b.txt")
