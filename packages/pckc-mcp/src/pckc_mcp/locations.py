"""
Where things are: project roots, the data directory, stores.

Standard library only and nothing heavy: this is on the path of every command.
"""

import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from pckc_domain.errors import ConfigurationError
from pckc_domain.model.identity import content_id

CONFIG_NAME = "pckc.toml"


def find_root(start: Path) -> Path:
    """
    Return the nearest folder at or above *start* that holds ``.git`` or ``pckc.toml``, else *start*, resolved.

    Raises:
        ConfigurationError: *start* is relative, and the current folder was removed.
    """
    try:
        start = start.resolve()
    except FileNotFoundError as error:
        raise ConfigurationError(
            "the current folder is not there any more", remedy="go to a folder that is, or name one with --project"
        ) from error
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


def make_folder(folder: Path) -> None:
    """Make a folder of PCKC's, and those above it that are missing, for its owner alone."""
    if not folder.parent.exists():
        make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    close_folders(folder)


def close_folders(folder: Path) -> None:
    """Close to others a *folder* and those above it, as far as they are PCKC's: earlier versions left them open."""
    own = data_directory()
    for each in (folder, *folder.parents):
        if not each.is_relative_to(own):
            return
        close_to_others(each)


def close_to_others(path: Path) -> None:
    """Leave a file or folder of this user's to its owner alone when everybody may do something with it; never fail."""
    try:
        found = path.stat()
        is_own = (S_ISREG(found.st_mode) or S_ISDIR(found.st_mode)) and found.st_uid == os.geteuid()
        if is_own and found.st_mode & 0o007:
            path.chmod(found.st_mode & 0o700)
    except OSError:
        return


def project_store(project: str) -> Path:
    """Return the default store of a *project* identity: one file, outside the repository."""
    return data_directory() / "projects" / content_id("prj", project) / "store.db"
