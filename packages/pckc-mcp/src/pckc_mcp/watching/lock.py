"""One watcher a work tree: a lock that ends with its process, however that ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import IO

from pckc_domain.errors import BackendUnavailableError, ConflictError

from pckc_mcp.locations import checkout_id, data_directory, make_folder
from pckc_mcp.system_errors import remedy_of

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows, where a file that is open cannot be taken away
    flock = None  # type: ignore[assignment]  # there it is no function


LOOK_SECONDS = 0.2
"""Whoever only looks, as `watcher_of` does, is gone after so long."""


@contextmanager
def only_watcher(root: Path) -> Iterator[None]:
    """
    Be the only watcher of the work tree at *root*.

    Raises:
        ConflictError: Another process that lives watches it.
        BackendUnavailableError: The data directory cannot be written.
    """
    path = _place(root)
    try:
        make_folder(path.parent)
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise BackendUnavailableError(f"{path} cannot be written: {error.strerror}", remedy=remedy_of(error)) from error
    with file:
        is_taken = _is_taken(file)
        if not is_taken:
            sleep(LOOK_SECONDS)
            is_taken = _is_taken(file)
        if not is_taken:
            raise ConflictError(
                f"process {_owner(file) or 'unknown'} watches {root} already",
                remedy="one watcher keeps it fresh for all; end that process to start another",
            )
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield  # the file stays: whoever took it away could let two watchers hold a lock each
        file.truncate(0)


def watcher_of(root: Path) -> str:
    """Return the process that watches the work tree at *root*; ``""`` when none does."""
    try:
        with _place(root).open(encoding="utf-8") as file:
            return "" if _is_taken(file) else _owner(file)  # closing frees the lock
    except OSError:
        return ""


def _place(root: Path) -> Path:
    return data_directory() / "watch" / f"{checkout_id(root)}.lock"


def _is_taken(file: IO[str]) -> bool:
    """Take the lock, which the system frees when the process ends, and return whether it was free."""
    if flock is None:
        return not _is_alive(_owner(file))
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True


def _owner(file: IO[str]) -> str:
    file.seek(0)
    return file.read().strip()


def _is_alive(process: str) -> bool:
    if not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except OSError:
        return False
    return True
