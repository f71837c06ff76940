"""Loggers of a server, its own and those of libraries, that say what they have to say as PCKC does; see `logs`."""

import logging
import os
import sys
import traceback

from pckc_domain.errors import PckcError

from pckc_mcp.logs import LEVEL, LEVELS, is_json, json_line, without_secrets


def configure_logging(*, is_quiet: bool = False) -> None:
    """Let loggers, also those of libraries, write to stderr as PCKC does; by default warnings and worse."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter() if is_json() else _PlainFormatter())
    level = logging.ERROR if is_quiet else LEVELS.get(os.environ.get(LEVEL, ""), logging.WARNING)
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.raiseExceptions = False  # a line that cannot be written would be quoted, with the errors at hand


class _PlainFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        failed = _failure(record)
        return without_secrets(f"pckc: {record.levelname}: {record.getMessage()}" + (f"\n{failed}" if failed else ""))


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        level = record.levelname.lower()
        return json_line(level, record.getMessage(), logger=record.name, error=_failure(record)).rstrip("\n")


def _failure(record: logging.LogRecord) -> str:
    """Return what failed and where; what an exception says of itself may quote what it was working on."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return ""
    said = error.message if isinstance(error, PckcError) else (isinstance(error, OSError) and error.strerror) or ""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return "\n".join([*places, f"{type(error).__name__}{': ' if said else ''}{said}"])
