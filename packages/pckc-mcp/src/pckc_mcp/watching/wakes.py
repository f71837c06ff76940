"""What wakes a watcher: events of the file system, or the clock where there are none."""

import importlib.util
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from pckc_mcp.sync_mark import git_folder

QUIET_MS = 200
"""A burst is over when nothing happened for so long …"""

BURST_MS = 2_000
"""… or after so long."""

IDLE_MS = 1_000
"""How often to look whether something waits that no event tells of."""

GIT_FILES = frozenset({"HEAD", "index", "index.lock", "exclude"})
OWN_FOLDERS = frozenset(
    {"node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache",
     ".hypothesis", ".gradle"}
)  # fmt: skip
"""Folders of tools, which change all the time and are no sources."""

FAR_AWAY = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "fuse.rclone", "afs", "ceph", "glusterfs", "vboxsf", "drvfs")
"""How the names of file systems begin on which others may write without an event here."""


def has_events(root: Path) -> str:
    """Return ``""`` when changes at *root* can be told by events, else why they cannot."""
    if importlib.util.find_spec("watchfiles") is None:
        return "watchfiles is not installed (the extra pckc-mcp[watch])"
    kind = _file_system(root)
    return f"the file system is {kind}" if kind.startswith(FAR_AWAY) else ""


def wakes_by_events(root: Path, store: Path | None, stopping: threading.Event) -> Iterator[bool]:
    """
    Yield ``True`` after each burst of changes, ``False`` when nothing happens for a second, until *stopping*.

    Raises:
        Exception: Events cannot be had, or no longer: the system can watch no more folders, a name is no text … The
            library has an error of its own for each, of many kinds.
    """
    from watchfiles import watch

    logging.getLogger("watchfiles").setLevel(logging.ERROR)
    folder = Path(git_folder(root))
    places = [root] if folder.is_relative_to(root) or not folder.is_dir() else [root, folder]
    for changes in watch(
        *places,
        watch_filter=_filter(root, folder, store),
        debounce=BURST_MS,
        step=QUIET_MS,
        rust_timeout=IDLE_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        stop_event=stopping,
        ignore_permission_denied=True,
        recursive=True,
    ):
        yield bool(changes)


def wakes_by_clock(seconds: float, stopping: threading.Event) -> Iterator[bool]:
    """Yield ``True`` every so many *seconds* until *stopping*."""
    while not stopping.wait(seconds):
        yield True


def _filter(root: Path, git: Path, store: Path | None) -> Callable[[object, str], bool]:
    """Return whether a path may be a source or tell of a branch; what is not is not even looked at."""
    own = f"{store}" if store else "\0"
    inside_git = f"{git}/"

    def is_wanted(_: object, path: str) -> bool:
        if path.startswith(inside_git):
            return path.rpartition("/")[2] in GIT_FILES
        return not path.startswith(own) and OWN_FOLDERS.isdisjoint(path[len(str(root)) :].split("/"))

    return is_wanted


def _file_system(root: Path) -> str:
    """Return the kind of file system that *root* is on, as Linux names it; ``""`` when nobody says."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    mounts = [line.split()[1:3] for line in lines]
    below = [(len(place), kind) for place, kind in mounts if root.is_relative_to(place.replace("\\040", " "))]
    return max(below, default=(0, ""))[1]
