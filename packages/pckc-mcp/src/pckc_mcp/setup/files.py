"""Configuration files of others: read as they are, replaced as a whole, never behind somebody's back."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import attrs
from pckc_domain.errors import BackendError, InvalidInputError

from pckc_mcp.system_errors import remedy_of

TRIES = 5
"""A file that another program writes meanwhile is read and changed anew so often."""

BACKUP = ".pckc-backup"


@attrs.frozen(kw_only=True)
class Found:
    """
    A file as it was found.

    Attributes:
        path: As it was named.
        target: Where its links lead.
        raw: What stands in it; ``None`` when there is no file.
        text: The same without a byte order mark and with ``\\n`` at the ends of lines; ``""`` when there is no file.
    """

    path: Path
    target: Path
    raw: bytes | None
    text: str

    def encoded(self, text: str) -> bytes:
        """Return *text* as this file spells it: with its byte order mark and its ends of lines."""
        raw = self.raw or b""
        if b"\r\n" in raw:
            text = text.replace("\n", "\r\n")
        mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
        return mark + text.encode("utf-8")


def find(path: Path) -> Found:
    """
    Read the file at *path*, through links.

    Raises:
        InvalidInputError: It is no regular file, cannot be read, or is no text in UTF-8.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            raise InvalidInputError(f"{path} is no regular file", remedy="move it away, then run this again")
        raw = target.read_bytes()
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        return Found(path=path, target=target, raw=None, text="")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{path} is not in UTF-8: nothing was changed", remedy="save it as UTF-8") from error
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror}", remedy=remedy_of(error)) from error
    return Found(path=path, target=target, raw=raw, text=text)


def change(path: Path, edit: Callable[[Found], bytes | None], *, keeps_backup: bool = True) -> Path | None:
    """
    Replace what stands in the file at *path* by what *edit* makes of it; ``None`` deletes the file.

    Return the backup that was written beside it; ``None`` when there was nothing to keep. Of earlier ones the first
    stays: it is what the user had.

    Raises:
        InvalidInputError: The file cannot be understood.
        BackendError: It cannot be written, or somebody else writes it all the time.
    """
    for _ in range(TRIES):
        found = find(path)
        wanted = edit(found)
        if wanted == found.raw:
            return None
        _check_writable(found)
        try:
            backup = _back_up(found) if keeps_backup and found.raw is not None else None
            if _replace(found, wanted):
                _drop_backups_between(path)
                return backup
            if backup:
                backup.unlink()
        except OSError as error:
            raise BackendError(
                f"{path} cannot be written: {error.strerror or error}; it is as it was", remedy=remedy_of(error)
            ) from error
    raise BackendError(
        f"{path} is being changed by another program; it is as that program wants it", remedy="close it and try again"
    )


def backups(path: Path) -> list[Path]:
    """Return the backups of the file at *path*, the newest first."""
    return sorted(path.parent.glob(f"{path.name}{BACKUP}-*"), reverse=True)


def _drop_backups_between(path: Path) -> None:
    for backup in backups(path)[1:-1]:
        backup.unlink(missing_ok=True)  # somebody else may do the same


def _check_writable(found: Found) -> None:
    """A file that may not be written is not replaced either, though its folder would let it be."""
    if found.raw is not None and not (found.target.stat().st_mode & stat.S_IWUSR and os.access(found.target, os.W_OK)):
        raise BackendError(f"{found.path} is read-only: nothing was changed", remedy="make it writable and try again")


def _replace(found: Found, wanted: bytes | None) -> bool:
    """Put *wanted* into the place of what was found; ``False`` when it is not there any more."""
    if wanted is None:
        if find(found.path).raw != found.raw:
            return False
        found.target.unlink(missing_ok=True)
        with suppress(OSError):  # it holds something else
            found.target.parent.rmdir()
        return True
    found.target.parent.mkdir(parents=True, exist_ok=True)
    draft = found.target.with_name(f".{found.target.name}.{os.getpid()}.tmp")
    try:
        made = 0o666 if found.raw is None else 0o600  # less what the umask takes away
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, made), "wb") as file:
            if found.raw is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(found.target.stat().st_mode))
            file.write(wanted)
            file.flush()
            os.fsync(file.fileno())
        if find(found.path).raw != found.raw:
            return False
        draft.replace(found.target)
    finally:
        draft.unlink(missing_ok=True)
    return True


def _back_up(found: Found) -> Path:
    """Keep what was found beside the file, readable by nobody else."""
    at = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    backup = found.path.with_name(f"{found.path.name}{BACKUP}-{at}")
    with os.fdopen(os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(found.raw or b"")
    return backup
