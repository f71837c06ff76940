"""
Events on their way into memory: a file a project, to which each hook appends a line.

Appending waits for nobody. A line that was cut off by a crash harms only itself, since each starts on a new one. Who
takes events in renames the file first, so hooks go on with a new one; what was taken stays on disk until it is stored.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pckc_mcp.locations import checkout_id, close_to_others, data_directory, make_folder

MAX_SPOOL_BYTES = 64 << 20
"""A spool that nobody takes in grows no further."""

PRIVATE = 0o600
"""Without secrets, what was said is still its speakers' alone."""

_OPEN = ".jsonl"
_TAKEN = ".taken"


class SpoolFullError(OSError):
    """Nobody takes the events in."""


def append(root: Path, record: dict[str, Any]) -> None:
    """
    Append *record* to the spool of the project at *root*.

    Raises:
        OSError: The spool cannot be written, or is full.
    """
    line = f"\n{json.dumps(record)}\n".encode()
    with _open_spool(root) as descriptor:
        if os.fstat(descriptor).st_size + len(line) > MAX_SPOOL_BYTES:
            raise SpoolFullError("the spool is full; `pckc hook drain` takes it in")
        if os.write(descriptor, line) != len(line):
            raise OSError("no room is left")


def is_waiting(root: Path) -> bool:
    """Return whether events of the project at *root* wait to be taken in."""
    return bool(_spool(root).exists() or next(_taken(root), None))


def waiting_bytes(root: Path) -> int:
    """Return how much waits to be taken in for the project at *root*."""
    return sum(file.stat().st_size for file in (_spool(root), *_taken(root)) if file.exists())


def set_aside(root: Path) -> int:
    """Begin a new spool for the project at *root*, and return the bytes of what was spooled so far and still waits."""
    _rename(_spool(root))
    return sum(file.stat().st_size for file in _taken(root) if file.exists())


@contextmanager
def taken(root: Path, *, is_new_left: bool = False) -> Iterator[list[Path]]:
    """
    Yield the files of spooled events of the project at *root*, oldest first; they are deleted when the block ends well.

    What another process works at is left to it, and with *is_new_left* what came since `set_aside`.
    """
    if not is_new_left:
        _rename(_spool(root))
    held = [(file, descriptor) for file in sorted(_taken(root)) if (descriptor := _hold(file)) is not None]
    try:
        yield [file for file, _ in held]
        for file, _ in held:
            file.unlink(missing_ok=True)
    finally:
        for _, descriptor in held:
            os.close(descriptor)


def records(file: Path) -> Iterator[dict[str, Any] | None]:
    """Yield the records of a spool file in order; ``None`` for a line that is none."""
    with file.open("rb") as lines:
        for line in lines:
            if line.strip(b"\0 \r\n"):
                yield _record(line)


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


@contextmanager
def _open_spool(root: Path) -> Iterator[int]:
    """Open the spool for appending; held shared, so that it is not renamed meanwhile."""
    file = _spool(root)
    make_folder(file.parent)
    while True:
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            if _is(file, descriptor):
                close_to_others(file)
                yield descriptor
                return
        finally:
            os.close(descriptor)


def _is(file: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _rename(file: Path) -> None:
    """Rename a spool once nobody appends to it."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # a hook holds it for the length of one write
        if _is(file, descriptor):
            file.rename(file.with_name(f"{file.stem}.{time.time_ns():020}{_TAKEN}"))
    finally:
        os.close(descriptor)


def _hold(file: Path) -> int | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is(file, descriptor):
            return descriptor
    except OSError:
        pass  # another process takes it in
    os.close(descriptor)
    return None


def _spool(root: Path) -> Path:
    return data_directory() / "spool" / f"{checkout_id(root)}{_OPEN}"


def _taken(root: Path) -> Iterator[Path]:
    spool = _spool(root)
    return spool.parent.glob(f"{spool.stem}.*{_TAKEN}")
