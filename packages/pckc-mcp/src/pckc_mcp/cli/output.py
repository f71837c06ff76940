"""What the command line prints: answers on stdout, everything else on stderr."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pckc_domain.errors import PckcError
from pckc_domain.policy.rendering import quote, visible

from pckc_mcp.logs import is_json, is_wanted, json_line

if TYPE_CHECKING:
    from pckc_domain.model.progress import Progress, ProgressListener

LINE_SECONDS = 20.0
"""How often a command that is not at a terminal says how far it is."""


def print_json(form: dict[str, Any]) -> None:
    """Print one object on one line; lone surrogates are escaped, so that any text can be printed."""
    sys.stdout.write(json.dumps(form, ensure_ascii=True) + "\n")


def print_text(text: str) -> None:
    """Print text; what the terminal cannot show is replaced, and what it would act on is escaped."""
    sys.stdout.write(_shown(text, sys.stdout.encoding) + "\n")


def quoted(text: str, *, most: int | None = None, lines: int | None = None, indent: str = "  ") -> str:
    """Return the words of others, up to *most* characters and *lines*, with every line marked as quoted."""
    shown = quote(text.strip("\n")[:most]).split("\n")[:lines]
    return "\n".join(f"{indent}{line}" for line in shown)


def counted(number: int, noun: str) -> str:
    """Return such as "1 file" and "2 files"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def note(text: str) -> None:
    """Say something on stderr, to a person or to a machine that reads along."""
    if not is_wanted("info"):
        return
    if is_json():
        sys.stderr.write(json_line("info", text.removeprefix("pckc: ")))
    else:
        sys.stderr.write(_shown(text, sys.stderr.encoding) + "\n")


def _shown(text: str, encoding: str | None) -> str:
    encoding = encoding or "utf-8"
    return visible(text, kept="\n").encode(encoding, "replace").decode(encoding)


def report_error(error: PckcError, *, as_json: bool) -> None:
    """Print an error on stderr, with its remedy."""
    if as_json:
        form = {"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}
        sys.stderr.write(json.dumps(form) + "\n")
    elif is_json():
        sys.stderr.write(json_line("error", error.message, code=error.code, remedy=error.remedy))
    else:
        remedy = f"\n      {error.remedy}" if error.remedy else ""
        sys.stderr.write(_shown(f"pckc: {error.message}{remedy}", sys.stderr.encoding) + "\n")


@contextmanager
def progress_bar(*, quiet: bool) -> "Iterator[ProgressListener]":
    """Yield a progress listener: bars on stderr where that is a terminal, and else a line now and then."""
    from pckc_domain.model.progress import ignore_progress

    if quiet:
        yield ignore_progress
        return
    if not sys.stderr.isatty():
        yield ProgressLines().show
        return
    from pckc_mcp.cli.progress import Bars

    with Bars() as bars:
        yield bars.show


class ProgressLines:
    """Says how far it is every `LINE_SECONDS`: a log, or whoever reads along, sees that a long command goes on."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic, say: Callable[[str], None] = note) -> None:
        self._now = now
        self._say = say
        self._next = now() + LINE_SECONDS

    def show(self, progress: "Progress") -> None:
        """Say it, unless that was done a moment ago."""
        if self._now() < self._next:
            return
        self._next = self._now() + LINE_SECONDS
        total = f" of {progress.total}" if progress.total else ""
        self._say(f"pckc: {progress.stage}: {progress.done}{total}")
