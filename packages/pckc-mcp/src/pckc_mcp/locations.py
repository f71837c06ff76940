"""
Where things are: project roots, the data directory, stores.

Standard library only and nothing heavy: this is on the path of every command.
"""

import os
from pathlib import Path

from pckc_domain.model.identity import content_id

CONFIG_NAME = "pckc.toml"


def find_root(start: Path) -> Path:
    """Return the nearest folder at or above *start* that holds ``.git`` or ``pckc.toml``, else *start*, resolved."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / ".git").exists() or (folder / CONFIG_NAME).is_file():
            return folder
    return start


def checkout_id(root: Path) -> str:
    """Return the id of the work tree at *root*, a resolved path."""
    return content_id("co", os.fspath(root))


def data_directory() -> Path:
    """Return PCKC's folder under the XDG data directory."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "pckc"


def config_directory() -> Path:
    """Return PCKC's folder under the XDG configuration directory."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "pckc"


def project_store(project: str) -> Path:
    """Return the default store of a *project* identity: one file, outside the repository."""
    return data_directory() / "projects" / content_id("prj", project) / "store.db"


def remembered_store(root: Path) -> Path | None:
    """Return the store that *root* used last, without asking git; ``None`` when it never used one."""
    try:
        text = _pointer(root).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return Path(text) if text else None


def remember_store(root: Path, store: Path) -> None:
    """Note the store of *root* for `remembered_store`; failing to is harmless."""
    if remembered_store(root) == store:
        return
    pointer = _pointer(root)
    draft = pointer.with_name(f"{pointer.name}.{os.getpid()}")
    try:
        pointer.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(os.fspath(store), encoding="utf-8")
        draft.replace(pointer)
    except OSError:
        return


def _pointer(root: Path) -> Path:
    return data_directory() / "checkouts" / checkout_id(root)
