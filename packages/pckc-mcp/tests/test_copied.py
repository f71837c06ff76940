"""What came of another project with an archive is told as such: this folder does not show it."""

import json
from pathlib import Path
from typing import Any

import pytest
from pckc_mcp.cli.main import run

from .talk import TOML, index


@pytest.fixture
def other(project: Path, tmp_path: Path) -> Path:
    """A second project."""
    index(project)
    root = tmp_path / "other"
    root.mkdir()
    (root / "pckc.toml").write_text(TOML, encoding="utf-8")
    return root


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Return what a command prints."""
    capsys.readouterr()
    assert run([str(one) for one in arguments]) == 0
    return capsys.readouterr().out


def in_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    form: dict[str, Any] = json.loads(told(capsys, *arguments, "--json"))
    return form


@pytest.mark.parametrize("command", ["restore", "import-archive"])
def test_another_project_is_not_shown_here(
    project: Path, other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    archive = tmp_path / "one.jsonl"
    (name,) = in_json(capsys, "export", archive, "--project", project)["projects"]
    form = in_json(capsys, command, archive, "--project", other)
    assert [(one["project"], one["shown_here"]) for one in form["projects"]] == [(name, False)]
    assert form["project"] != name
    assert any("--project FOLDER" in one for one in form["notes"])
    said = told(capsys, command, archive, "--project", other)
    assert f"{name} of local (not shown here)" in said
    assert form["project"] in said
    assert "--project FOLDER" in said


def test_its_own_project_is(project: Path, other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive, store = tmp_path / "one.jsonl", tmp_path / "new.db"
    told(capsys, "export", archive, "--project", project)
    form = in_json(capsys, "restore", archive, "--project", project, "--store", store)
    assert [one["shown_here"] for one in form["projects"]] == [True]
    assert form["notes"] == []
    assert "(shown here)" in told(capsys, "restore", archive, "--project", project, "--store", store)


def test_another_tenant_is_named(
    project: Path, other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, store = tmp_path / "one.jsonl", tmp_path / "new.db"
    told(capsys, "export", archive, "--project", project)
    monkeypatch.setenv("PCKC_TENANT", "team")
    form = in_json(capsys, "restore", archive, "--project", project, "--store", store)
    assert [one["shown_here"] for one in form["projects"]] == [False]
    assert any("PCKC_TENANT=local" in one for one in form["notes"])
