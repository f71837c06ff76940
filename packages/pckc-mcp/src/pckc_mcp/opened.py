"""
Where the memory of a work tree is kept: what its last opening found, for those who cannot wait until it is open.

Standard library only and nothing heavy: this is on the path of every hook.
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

from pckc_mcp.locations import checkout_id, data_directory, make_folder
from pckc_mcp.sync_mark import config_stamp


class Opened(NamedTuple):
    """
    What an opening found.

    Attributes:
        store: Path of the embedded store; empty when a server keeps the truth.
        project: The project's identity.
        stamp: The `config_stamp` before the opening.
    """

    store: str
    project: str
    stamp: str


def note_store(root: Path, opened: Opened) -> None:
    """Note what was found at *root*; failing to is harmless."""
    file = _file(root)
    if _read(file) == opened:
        return
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        make_folder(file.parent)
        draft.write_text(json.dumps(opened), encoding="utf-8")
        draft.replace(file)
    except OSError:
        return


def opened_at(root: Path) -> Opened | None:
    """Return what was noted of *root*; ``None`` when nothing was, and for good as long as nobody opens it."""
    return _read(_file(root))


def is_valid(root: Path, opened: Opened) -> bool:
    """Return whether the configuration is still the one that *opened* was found with."""
    return opened.stamp == config_stamp(root)


def _read(file: Path) -> Opened | None:
    try:
        store, project, stamp = json.loads(file.read_text(encoding="utf-8"))
        return Opened(str(store), str(project), str(stamp))
    except (OSError, ValueError, TypeError):
        return None


def _file(root: Path) -> Path:
    return data_directory() / "checkouts" / f"{checkout_id(root)}.store"
