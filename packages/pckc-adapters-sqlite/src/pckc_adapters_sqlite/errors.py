"""SQLite's errors as PCKC's, in one place."""

import sqlite3

from pckc_domain.errors import (
    BackendError,
    BackendUnavailableError,
    ConfigurationError,
    ConflictError,
    PckcError,
)

FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite fails with; Python cannot decode what it says of damaged names."""

NO_TEXT = "Could not decode to UTF-8"
"""How Python says of a column's bytes that they are no text, without a code."""


def translate(error: sqlite3.Error | UnicodeDecodeError, path: str) -> PckcError:
    """Return what *error*, met while working on the store at *path*, means to a caller."""
    if isinstance(error, UnicodeDecodeError) or str(error).startswith(NO_TEXT):
        return _damaged(path, "it holds bytes that are no text")
    # Extended codes keep the primary one in their low byte.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return BackendUnavailableError(
                f"the store stayed locked by another process: {path}",
                remedy="Try again, or raise busy_timeout_seconds; `fuser` on the file names the process.",
            )
        case sqlite3.SQLITE_READONLY:
            return BackendUnavailableError(
                f"the store cannot be written: {path}",
                remedy="Make the file and its folder writable, or choose another store with --store.",
            )
        case sqlite3.SQLITE_FULL:
            return BackendUnavailableError(
                f"no space left for the store: {path}", remedy="Free some disk space; what was committed is kept."
            )
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return BackendUnavailableError(
                f"cannot open the store: {path} ({error})",
                remedy="Make its folder readable and writable, or choose another store with --store.",
            )
        case sqlite3.SQLITE_IOERR:
            return BackendUnavailableError(
                f"reading or writing the store failed: {path} ({error})",
                remedy="Check the disk; SQLite needs a local file system.",
            )
        case sqlite3.SQLITE_NOTADB:
            return ConfigurationError(
                f"not an SQLite database: {path}", remedy="Choose another path for the store, or move that file away."
            )
        case sqlite3.SQLITE_CORRUPT:
            return _damaged(path, str(error))
        case sqlite3.SQLITE_CONSTRAINT:
            return ConflictError(f"the write contradicts what is stored: {error}")
        case _:
            return BackendError(f"the store failed: {path} ({error})")


def _damaged(path: str, how: str) -> BackendError:
    return BackendError(
        f"the store is damaged: {path} ({how})",
        remedy="Put a backup of the file in its place, or delete it, index again and import again.",
    )
