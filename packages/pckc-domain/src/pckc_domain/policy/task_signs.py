"""The signs in a task or a bug report that point at code: stack frames, paths, error texts, identifiers."""

import re
from collections.abc import Iterator, Sequence

import attrs

from pckc_domain.policy.document_kinds import LANGUAGES
from pckc_domain.policy.naming import names_in

MAX_CHARACTERS = 50_000
"""What stands behind is not read; a log that long ends with what went wrong, so its tail is read too."""

MAX_SIGNS = 60
"""Signs of one kind that are kept: the first ones."""


@attrs.frozen(kw_only=True)
class Place:
    """
    A place that a text points at.

    Attributes:
        path: As written, with ``/`` between its parts; the front of an absolute one means nothing here.
        line: From 1; 0 when the text says none.
        function: The function said to be there, or ``""``.
    """

    path: str
    line: int = 0
    function: str = ""


@attrs.frozen(kw_only=True)
class TaskSigns:
    """
    What a text points at.

    Attributes:
        frames: Places of stack traces, the innermost first.
        places: Other paths, in order.
        errors: Error types and messages, in order.
        names: Identifiers, in order.
    """

    frames: tuple[Place, ...]
    places: tuple[Place, ...]
    errors: tuple[str, ...]
    names: tuple[str, ...]


_PATH = r"(?:[A-Za-z]:)?[\w.@+/\\~-]*\.[A-Za-z]\w{0,5}"
_FRAMES = (
    re.compile(rf"\bat (?P<function>[\w.`<>]+)\([^)]*\) in (?P<path>{_PATH}):line (?P<line>\d+)"),  # C#
    re.compile(
        rf"^\s*at (?:async )?(?:new )?(?P<function>[\w.$<>]+)(?: \[as \w+\])? ?\((?:file://)?(?P<path>{_PATH}):(?P<line>\d+)"
    ),  # JavaScript, Java
    re.compile(rf"^\s*at (?:async )?(?:file://)?(?P<path>{_PATH}):(?P<line>\d+)"),  # Rust, JavaScript's lambdas
    re.compile(rf"(?P<path>{_PATH}):(?P<line>\d+):in [`'](?P<function>[^'`]+)'"),  # Ruby
    re.compile(rf"#\d+ +(?P<path>{_PATH})\((?P<line>\d+)\): (?P<function>[\w\\:>-]+)"),  # PHP
    re.compile(rf"^\s+(?P<path>{_PATH}):(?P<line>\d+) \+0x[0-9a-f]+$"),  # Go
)
_PYTHON_FRAME = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>[\w.<>]+))?')
_PLACE = re.compile(rf"(?:file://)?(?P<path>{_PATH})(?::(?P<line>\d+))?(?::\d+)?[:.?!]?")
_FOLDER = re.compile(r"(?:[\w.-]+/)+[\w.-]*")
_WORD = re.compile(r"[^\s\"'`()\[\]{}<>,;=|*]{3,300}")
_ERROR = re.compile(
    r"^\s*(?:Caused by: |Uncaught )?(?P<type>(?:\w+(?:\.|::|\\))*\w*(?:Error|Exception|Warning|Failure|Fault|Panic))"
    r"(?: \([\w:]+\))?(?::\s*(?P<message>.{1,300}))?$"
)
_PANIC = re.compile(r"^(?:panic:|thread '.*' panicked at)\s*(?P<message>.{1,300})")
_LINE_CHARACTERS = 500
"""What stands behind in a line is not looked at, so that no line costs more than this."""


def read_signs(task: str) -> TaskSigns:
    """Return the signs in *task*, each once."""
    text = task if len(task) <= MAX_CHARACTERS else f"{task[: MAX_CHARACTERS // 2]}\n{task[-MAX_CHARACTERS // 2 :]}"
    lines = [line[:_LINE_CHARACTERS].rstrip() for line in text.splitlines()]
    frames = tuple(dict.fromkeys(_frames(lines)))[:MAX_SIGNS]
    seen = {frame.path.rpartition("/")[2] for frame in frames}
    places = [place for place in dict.fromkeys(_places(lines)) if place.path.rpartition("/")[2] not in seen]
    files = {place.path for place in places}
    names = dict.fromkeys(frame.function for frame in frames if frame.function and frame.function[0] not in "<")
    names |= dict.fromkeys(name for name in names_in("\n".join(lines)) if name not in files)
    return TaskSigns(
        frames=frames,
        places=tuple(places)[:MAX_SIGNS],
        errors=tuple(dict.fromkeys(_errors(lines)))[:MAX_SIGNS],
        names=tuple(names)[:MAX_SIGNS],
    )


def _frames(lines: Sequence[str]) -> Iterator[Place]:
    """Python prints the innermost frame last, the others print it first."""
    python = [match for line in lines for match in _PYTHON_FRAME.finditer(line)]
    yield from (_place(match) for match in reversed(python))
    for line in lines:
        found = next((match for pattern in _FRAMES if (match := pattern.search(line))), None)
        if found:
            yield _place(found)


def _places(lines: Sequence[str]) -> Iterator[Place]:
    for line in lines:
        for word in _WORD.findall(line):
            if match := _PLACE.fullmatch(word):
                place = _place(match)
                if "/" in place.path or place.path.rpartition(".")[2].lower() in LANGUAGES:
                    yield place
            elif _FOLDER.fullmatch(word):
                yield Place(path=word.rstrip("./"))


def _place(match: re.Match[str]) -> Place:
    groups = match.groupdict()
    path = groups["path"].replace("\\", "/").removeprefix("./")
    return Place(path=path, line=int(groups.get("line") or 0), function=groups.get("function") or "")


def _errors(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if match := _ERROR.match(line):
            yield re.split(r"\.|::|\\", match["type"])[-1]
            if match["message"]:
                yield match["message"].strip()
        elif (match := _PANIC.match(line)) and not _PLACE.fullmatch(match["message"].strip()):
            yield match["message"].strip()
