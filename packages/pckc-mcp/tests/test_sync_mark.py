"""What makes `pckc sync` look again although no file of the tree changed."""

import sys
from pathlib import Path

import pytest
from pckc_mcp.sync_mark import settings_stamp


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    return folder


def test_a_package_was_installed(tmp_path: Path, packages: Path) -> None:
    before = settings_stamp(tmp_path)
    assert settings_stamp(tmp_path) == before
    (packages / "parser.dist-info").mkdir()
    assert settings_stamp(tmp_path) != before


def test_another_backend_was_chosen_for_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PCKC_CODE_PARSER", raising=False)
    before = settings_stamp(tmp_path)
    monkeypatch.setenv("PCKC_CODE_PARSER", "none")
    assert settings_stamp(tmp_path) != before
