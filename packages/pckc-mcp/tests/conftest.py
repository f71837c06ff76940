"""A project with a home of its own, and its memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pckc_mcp import config
from pckc_mcp.server.memory import Memory

from .talk import NOTES, RUNNER, TOML, index


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project with a home of its own, not indexed."""
    for name in config.ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "runner.py").write_text(RUNNER, encoding="utf-8")
    (root / "docs" / "deployment.md").write_text(NOTES, encoding="utf-8")
    (root / "pckc.toml").write_text(TOML, encoding="utf-8")
    return root


@pytest.fixture
def memory(project: Path) -> Iterator[Memory]:
    opened = Memory(project)
    yield opened
    opened.close()


@pytest.fixture
def indexed(project: Path, memory: Memory) -> Memory:
    """The memory of the indexed project."""
    index(project)
    return memory
