"""Which lines a unified diff changes."""

import re
from collections.abc import Iterator, Sequence

import attrs

from pckc_domain.errors import InvalidInputError

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_DEFINED = re.compile(
    r"^\s*(?:(?:export|default|pub(?:\([\w:]+\))?|public|private|protected|internal|static|async|abstract|final|open)\s+)*"
    r"(?:def|class|function\*?|func|fn|fun|sub|interface|struct|enum|trait|module|defp?|defmodule)\s+"
    r"(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_$][\w$]*)"
)
"""The head of a definition in most languages: enough to name what a diff takes away."""

_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-3][0-7]{2})')
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@attrs.frozen(kw_only=True)
class Hunk:
    """
    One place that a diff changes.

    Attributes:
        old_start: First line before, from 1.
        new_start: First line after, from 1.
        lines: As in the diff: each begins with a blank, ``-`` or ``+``.
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]

    def changed(self, *, is_applied: bool) -> Iterator[int]:
        """Yield the changed lines after the diff or before it; for lines that are not there, the one above, or 0."""
        ours, theirs = ("+", "-") if is_applied else ("-", "+")
        at = self.new_start if is_applied else self.old_start
        at += not self.side(is_applied=is_applied)  # a side without lines is named by the line above
        for line in self.lines:
            if line[:1] == ours:
                yield at
            elif line[:1] == theirs:
                yield at - 1
            if line[:1] in (ours, " ", ""):
                at += 1

    def side(self, *, is_applied: bool) -> list[str]:
        """Return the lines of the text after or before."""
        mark = "+" if is_applied else "-"
        return [line[1:] for line in self.lines if line[:1] in (mark, " ", "")]


@attrs.frozen(kw_only=True)
class FileDiff:
    """
    What a diff does to a file.

    Attributes:
        old_path: ``""`` when it is new.
        new_path: ``""`` when it goes.
    """

    old_path: str
    new_path: str
    hunks: tuple[Hunk, ...]

    def removed_names(self) -> tuple[str, ...]:
        """Return the names whose definitions the diff takes away and does not give back, in order."""
        before = [line[1:] for hunk in self.hunks for line in hunk.lines if line[:1] == "-"]
        after = {name for hunk in self.hunks for line in hunk.lines if line[:1] == "+" for name in _defined(line[1:])}
        return tuple(dict.fromkeys(name for line in before for name in _defined(line) if name not in after))

    def is_applied_to(self, text: str) -> bool:
        """Return whether *text* reads as after the diff."""
        lines = text.splitlines()
        return all(
            lines[hunk.new_start - 1 :][: len(after)] == after
            for hunk in self.hunks
            if (after := hunk.side(is_applied=True))
        )


def _defined(line: str) -> list[str]:
    found = _DEFINED.match(line[:500])
    return [found[1]] if found else []


def parse_diff(text: str) -> tuple[FileDiff, ...]:
    """
    Return what a unified diff, such as git's, does to each file, in its order.

    Raises:
        InvalidInputError: *text* is no unified diff.
    """
    files = [_file(section) for section in _sections(text.split("\n"))]
    if text.strip() and not files:
        raise InvalidInputError("this is no unified diff", remedy="give the output of `git diff` or `diff -u`")
    return tuple(files)


def _sections(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of each file: from git's own line on, or from ``---`` where there is none."""
    section: list[str] = []
    left = (0, 0)
    for number, line in enumerate(lines):
        if left > (0, 0):
            section.append(line)
            left = _left(left, line)
            continue
        is_plain = line.startswith("--- ") and any(one.startswith("+++ ") for one in lines[number + 1 : number + 2])
        starts = line.startswith("diff --git ") or (is_plain and not _is_headed(section))
        if starts:
            if _tells(section):
                yield section
            section = []
        section.append(line)
        if found := _HUNK.match(line):
            left = (int(found[2] or 1), int(found[4] or 1))
    if _tells(section):
        yield section


def _left(left: tuple[int, int], line: str) -> tuple[int, int]:
    """Return how many old and new lines of a hunk follow *line*."""
    old, new = left
    if line.startswith("\\"):
        return left
    return max(old - (line[:1] != "+"), 0), max(new - (line[:1] != "-"), 0)


def _is_headed(section: Sequence[str]) -> bool:
    """Return whether git's line began *section* and its paths are still to come."""
    return bool(section) and section[0].startswith("diff --git ") and not any(one.startswith("--- ") for one in section)


def _tells(section: Sequence[str]) -> bool:
    return any(line.startswith(("--- ", "rename from ", "deleted file", "new file")) for line in section)


def _file(section: Sequence[str]) -> FileDiff:
    old = new = ""
    hunks: list[Hunk] = []
    body: list[str] = []
    start: tuple[int, int] | None = None
    left = (0, 0)
    for line in section:
        if left > (0, 0):
            if not line.startswith("\\"):
                body.append(line)
            left = _left(left, line)
        elif found := _HUNK.match(line):
            if start is not None:
                hunks.append(Hunk(old_start=start[0], new_start=start[1], lines=tuple(body)))
            start, body = (int(found[1]), int(found[3])), []
            left = (int(found[2] or 1), int(found[4] or 1))
        elif line.startswith("--- "):
            old = _path(line[4:])
        elif line.startswith("+++ "):
            new = _path(line[4:])
        elif line.startswith("rename from "):
            old = _unquoted(line[12:])
        elif line.startswith("rename to "):
            new = _unquoted(line[10:])
    if start is not None:
        hunks.append(Hunk(old_start=start[0], new_start=start[1], lines=tuple(body)))
    return FileDiff(old_path=old, new_path=new, hunks=tuple(hunks))


def _path(text: str) -> str:
    """Return the path of a ``---`` or ``+++`` line, without what stands before its first folder and behind its tab."""
    path = _unquoted(text.split("\t")[0].rstrip("\r"))
    if path == "/dev/null":
        return ""
    return path[2:] if re.match(r"[abciow]/", path) else path


def _unquoted(text: str) -> str:
    """Return a path that git may have quoted."""
    text = text.strip("\r")
    if not (len(text) > 1 and text[0] == text[-1] == '"'):
        return text
    raw = _ESCAPE.sub(
        lambda found: _ESCAPED.get(found[1]) or (bytes((int(found[1], 8),)) if found[1].isdigit() else found[1]),
        text[1:-1].encode(),
    )
    return raw.decode("utf-8", "replace")
