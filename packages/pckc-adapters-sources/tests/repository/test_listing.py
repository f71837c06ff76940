"""The fast path: light to import, and the same paths as the scan."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pckc_adapters_sources.repository.listing import find_root, start_listing, stat_paths

Git = Callable[..., str]
Put = Callable[..., Path]


def test_it_imports_nothing_heavy() -> None:
    script = "import sys, pckc_adapters_sources.repository.listing; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, env={
        **os.environ, "PYTHONPATH": os.pathsep.join(sys.path),
    }, check=True)  # fmt: skip
    loaded = {name.partition(".")[0] for name in answer.stdout.split()}
    assert "subprocess" in loaded
    assert not loaded & {"attr", "attrs", "pckc_domain", "pathspec", "pathlib", "typing", "json", "hashlib", "sqlite3"}


def test_paths_are_sorted_and_unique(repository: Path, put: Put) -> None:
    for path in ("b/c.py", "b.py", "b-c.py"):
        put(repository / path)
    assert start_listing(str(repository)).paths() == ["a.py", "b-c.py", "b.py", "b/c.py"]


def test_a_listing_runs_meanwhile(repository: Path, put: Put) -> None:
    listing = start_listing(str(repository))
    assert listing.is_git
    assert listing.paths() == ["a.py"]


def test_more_paths_than_a_pipe_holds(repository: Path, put: Put) -> None:
    names = [f"{number:04}-{'x' * 100}.txt" for number in range(1_500)]
    for name in names:
        (repository / name).touch()
    assert start_listing(str(repository)).paths() == [*names, "a.py"]


def test_stat_says_what_is_there(repository: Path) -> None:
    first, second = stat_paths(str(repository), ["a.py", "gone"])
    assert first is not None
    assert first.st_size == 6
    assert second is None


def test_the_root_is_the_nearest_repository(repository: Path, put: Put, git: Git) -> None:
    put(repository / "src/deep/b.py")
    git(repository, "init", "inner")
    assert find_root(str(repository / "src/deep")) == str(repository)
    assert find_root(str(repository / "inner")) == str(repository / "inner")
