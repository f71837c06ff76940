# ruff: noqa: PTH113, PTH118, PTH119, PTH123 - on the fast path of `pckc sync`
"""
What a complete index run leaves behind, so that the next ``pckc sync`` can tell that nothing changed.

A mark names the store, and the state of whatever outside the tree's own files could change the answer: settings, the
installed packages, among which may be another code parser, and git's configuration, whose remote decides which project
this is.
"""

import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

from pckc_mcp.locations import CONFIG_NAME, checkout_id, config_directory, data_directory, make_folder

OVERRIDES = ("PCKC_TENANT", "PCKC_CANONICAL", "PCKC_CODE_PARSER", "PCKC_CODE_READER")
"""Variables on which the answer depends: whose project it is, and with which backends."""


class SyncMark(NamedTuple):
    """
    What the last complete run worked with.

    Attributes:
        store: Path of the embedded store; empty when a server keeps the truth.
        is_chosen: The caller named the store.
        project: The project's identity.
        stamp: The `settings_stamp` before the run.
        has_graph: The graph is kept up to date too.
    """

    store: str
    is_chosen: bool
    project: str
    stamp: str
    has_graph: bool


def settings_stamp(root: Path) -> str:
    """Return the state of what decides how the tree at *root* is read, and into which store."""
    files = [
        root / ".pckcignore",
        Path(_common_git_folder(root), "config"),
        *(Path(folder) for folder in sys.path if folder.endswith("-packages")),
    ]
    return " ".join([config_stamp(root), *map(_state, files)])


def config_stamp(root: Path) -> str:
    """Return the state of the configuration that holds for *root*."""
    files = [config_directory() / CONFIG_NAME, root / CONFIG_NAME, root / "pyproject.toml"]
    overrides = [repr(os.environ.get(name, "")) for name in OVERRIDES]
    return " ".join([*map(_state, files), *overrides])


def write_mark(root: Path, mark: SyncMark) -> None:
    """Note *mark* for the work tree at *root*; failing to is harmless."""
    if read_mark(root) == mark:
        return
    file = _file(root)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        make_folder(file.parent)
        draft.write_text(json.dumps(mark._asdict()), encoding="utf-8")
        draft.replace(file)
    except OSError:
        return


def read_mark(root: Path) -> SyncMark | None:
    """Return what `write_mark` noted of *root* last."""
    try:
        return SyncMark(**json.loads(_file(root).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def git_folder(root: Path) -> str:
    """Return where the work tree at *root* keeps its HEAD; a linked one names another folder in its ``.git`` file."""
    mark = os.path.join(root, ".git")
    return os.path.join(root, _line(mark).removeprefix("gitdir: ")) if os.path.isfile(mark) else mark


def branch_at(root: Path) -> str | None:
    """Return the branch that is checked out, read from the file that git writes; ``None`` when detached."""
    try:
        with open(os.path.join(git_folder(root), "HEAD"), encoding="utf-8") as file:
            head = file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None


def main_tree(root: Path) -> Path:
    """Return the work tree that the one at *root* is linked to, by which a project is known; else *root* itself."""
    if not os.path.isfile(os.path.join(root, ".git")):
        return root
    common = os.path.normpath(_common_git_folder(root))
    return Path(common).parent.resolve() if os.path.basename(common) == ".git" else root


def _common_git_folder(root: Path) -> str:
    folder = git_folder(root)
    return os.path.join(folder, _line(os.path.join(folder, "commondir")))


def _line(file: str) -> str:
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _state(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return "-"
    return f"{status.st_size}:{status.st_mtime_ns}"


def _file(root: Path) -> Path:
    return data_directory() / "checkouts" / checkout_id(root)
