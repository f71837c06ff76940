"""Real repositories, away from this machine's git configuration."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]
Put = Callable[..., Path]

HOUR = 3600


@pytest.fixture(autouse=True)
def _own_git_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def git() -> Git:
    """Return a function that runs git in a folder and returns its answer."""

    def run(folder: Path, *arguments: str) -> str:
        settings = ("user.name=A", "user.email=a@example.org", "init.defaultBranch=main", "protocol.file.allow=always")
        options = [option for setting in settings for option in ("-c", setting)]
        command = ["git", *options, *arguments]
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

    return run


@pytest.fixture
def put() -> Put:
    """Return a function that writes a file with a time one hour ago."""

    def write(path: Path, data: bytes | str = "x = 1\n", *, age_seconds: float = HOUR) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        age(path, age_seconds)
        return path

    return write


def age(path: Path, age_seconds: float) -> None:
    then = time.time_ns() - int(age_seconds * 1e9)
    os.utime(path, ns=(then, then))


@pytest.fixture
def repository(tmp_path: Path, git: Git, put: Put) -> Path:
    """Return a repository with one commit of ``a.py``."""
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "--quiet")
    put(root / "a.py")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "first")
    return root
