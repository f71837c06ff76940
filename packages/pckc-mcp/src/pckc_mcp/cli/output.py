"""What the command line prints: answers on stdout, everything else on stderr."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pckc_domain.errors import PckcError
from pckc_domain.policy.rendering import quote, visible

from pckc_mcp.logs import is_json, is_wanted, json_line


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
def progress_bar(*, quiet: bool) -> "Iterator[Any]":
    """Yield a progress listener that draws a bar on stderr when it is a terminal."""
    from pckc_domain.model.progress import ignore_progress

    if quiet or not sys.stderr.isatty():
        yield ignore_progress
        return
    from pckc_mcp.cli.progress import Bars

    with Bars() as bars:
        yield bars.show
