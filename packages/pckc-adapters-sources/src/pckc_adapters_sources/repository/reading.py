# ruff: noqa: PTH118, PTH120 - pathlib would take longer than reading does
"""Opens regular files inside one folder, and nothing else."""

import os
import stat
import time

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.ports.sources import SkippedFile

from pckc_adapters_sources.repository.filters import TOO_LARGE

GONE = "gone"
LINK = "symlink"
LINK_OUT = "link out of tree"
FOLDER = "folder"
SPECIAL = "special file"
UNREADABLE = "unreadable"

RACY_NS = 100_000_000
"""A file may change twice within one tick of the file system's clock, a few ms, and look the same both times."""

COARSE_RACY_NS = 2_000_000_000
"""The same for file systems that store whole seconds, and FAT's two."""

_SECOND_NS = 1_000_000_000
# A named pipe would wait for its other end; a link would lead elsewhere. Windows has neither flag.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@attrs.frozen(kw_only=True)
class Content:
    """
    What a file held.

    Attributes:
        data: All of it.
        mtime_ns: Its time before reading; 0 when it changed meanwhile or is too recent to be trusted.
    """

    data: bytes
    mtime_ns: int


def trusted_mtime(mtime_ns: int, now_ns: int) -> int:
    """
    Return *mtime_ns*, or 0 when a later change could leave it as it is (git calls such a file racily clean).

    That is a time within `RACY_NS` before *now_ns*, `COARSE_RACY_NS` for whole seconds, or in the future.
    """
    window = RACY_NS if mtime_ns % _SECOND_NS else COARSE_RACY_NS
    return mtime_ns if now_ns - mtime_ns > window else 0


def check_path(path: str) -> None:
    """Raise InvalidInputError unless *path* is relative, canonical, spelled with ``/``, and avoids ``.git``."""
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in parts) or (os.sep != "/" and os.sep in path):
        raise InvalidInputError(f"Not a path inside the work tree: {path!r}", remedy="Name it as a scan does")
    if any(part.lower() == ".git" for part in parts):
        raise InvalidInputError(f"Git's own files are not sources: {path!r}")


def is_inside(root: str, resolved: str) -> bool:
    """Tell whether the *resolved* path is *root* or below it."""
    return resolved == root or resolved.startswith(os.path.join(root, ""))


def link_reason(root: str, location: str) -> str:
    """Return why the symbolic link at *location* is not read: its target is read itself, is none of ours or unknown."""
    try:
        return LINK if is_inside(root, os.path.realpath(location)) else LINK_OUT
    except OSError:
        return UNREADABLE


def read_content(root: str, path: str, max_bytes: int) -> Content | SkippedFile:
    """
    Read the regular file at *path* below *root*, which must be resolved.

    A file that changes while it is read is read once more.

    Raises:
        InvalidInputError: *path* leads out of *root*.
    """
    check_path(path)
    location = os.path.join(root, path)
    parent = os.path.dirname(location)
    try:
        resolved = os.path.realpath(parent)
        if resolved != parent:
            if not is_inside(root, resolved):
                raise InvalidInputError(f"{path!r} leads out of the work tree")
            return SkippedFile(path=path, reason=LINK)
        return _read(root, path, location, max_bytes)
    except (FileNotFoundError, NotADirectoryError):
        return SkippedFile(path=path, reason=GONE)
    except OSError:
        return SkippedFile(path=path, reason=UNREADABLE)


def _read(root: str, path: str, location: str, max_bytes: int) -> Content | SkippedFile:
    reason = mode_reason(root, location, os.lstat(location).st_mode)
    if reason:
        return SkippedFile(path=path, reason=reason)
    content, is_stable = _attempt(path, location, max_bytes)
    if not is_stable:
        content, is_stable = _attempt(path, location, max_bytes)
    return content if is_stable else attrs.evolve(content, mtime_ns=0)


def mode_reason(root: str, location: str, mode: int) -> str:
    """Return why a thing of this *mode* is not read; ``""`` for a regular file."""
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISLNK(mode):
        return link_reason(root, location)
    return FOLDER if stat.S_ISDIR(mode) else SPECIAL


def _attempt(path: str, location: str, max_bytes: int) -> tuple[Content | SkippedFile, bool]:
    """Return what the file holds, and whether it kept still."""
    descriptor = os.open(location, _FLAGS)
    try:
        before = os.fstat(descriptor)
        size, mtime_ns = before.st_size, trusted_mtime(before.st_mtime_ns, time.time_ns())
        if not stat.S_ISREG(before.st_mode):
            return SkippedFile(path=path, reason=SPECIAL), True
        data = _read_up_to(descriptor, max_bytes + 1) if size <= max_bytes else b""
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    is_stable = (size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    if max(size, len(data)) > max_bytes:
        return SkippedFile(path=path, reason=TOO_LARGE, size_bytes=size, mtime_ns=mtime_ns), is_stable
    return Content(data=data, mtime_ns=mtime_ns), is_stable and len(data) == size


def _read_up_to(descriptor: int, limit: int) -> bytes:
    parts = []
    while limit > 0 and (part := os.read(descriptor, min(limit, 1 << 20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)
