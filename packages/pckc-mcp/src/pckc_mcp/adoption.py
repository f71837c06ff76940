"""
A project's identity may change: by its first commit, by a new remote. Its memory stays with it.

Each work tree remembers the project it was last opened as. When it turns out to be another one, of which nothing is
kept yet, the new identity becomes another name of the old one.
"""

import os
from pathlib import Path

from pckc_mcp.locations import checkout_id, data_directory, make_folder, project_store

NAME_FILE = "kept-as"


def kept_as(project: str, root: Path) -> str:
    """Return the identity under which the memory of *project*, opened at *root*, is kept."""
    if name := _read(_alias(project)):
        return name
    before = _read(_note(root))
    is_new = before and before != project and not project_store(project).exists()
    if is_new and project_store(before).exists():
        _write(_alias(project), before)
        return before
    return project


def last_opened_as(root: Path) -> str:
    """Return the project that *root* was last opened as; ``""`` when it never was."""
    return _read(_note(root))


def note_opened(root: Path, project: str) -> None:
    """Remember that *root* was opened as *project*; failing to is harmless."""
    if last_opened_as(root) != project:
        _write(_note(root), project)


def _alias(project: str) -> Path:
    return project_store(project).parent / NAME_FILE


def _note(root: Path) -> Path:
    return data_directory() / "checkouts" / f"{checkout_id(root)}.project"


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _write(file: Path, text: str) -> None:
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        make_folder(file.parent)
        draft.write_text(text, encoding="utf-8")
        draft.replace(file)
    except OSError:
        return
