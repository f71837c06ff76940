"""What tool calls do: commands, tests, file changes, and the results they get."""

import json
import re
import shlex
from enum import StrEnum
from typing import Any

import attrs
from pckc_domain.model.session import EventKind

from pckc_adapters_sources.transcripts.runners import has_own_status, is_test

MAX_OPEN_CALLS = 256

_SHELL_TOOLS = frozenset(
    "bash shell sh exec exec_command shell_command local_shell container.exec unified_exec powershell"
    " run_shell_command run_command run_terminal_cmd".split()
)
_EDIT_TOOLS = frozenset(
    "edit write multiedit notebookedit write_file replace edit_file create_file str_replace_editor"
    " str_replace_based_edit_tool apply_patch".split()
)
_PATH_ARGUMENTS = ("file_path", "path", "notebook_path", "absolute_path", "filePath", "filename")
_NEW_TEXT_ARGUMENTS = ("content", "new_string", "new_source", "new_str", "file_text", "insert_text", "newString")
_OLD_TEXT_ARGUMENTS = ("old_string", "old_str", "oldString")

_PATCH_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_PATCH = re.compile(r"\*\*\* Begin Patch\n.*?(?:^\*\*\* End Patch|\Z)", re.DOTALL | re.MULTILINE)
_EXIT_CODE = re.compile(
    r"^(?:Error: )?(?:Exit code|Process exited with code|exit_code|\[?exit(?:ed)?(?: with)? (?:code|status)):? (-?\d+)",
    re.IGNORECASE | re.MULTILINE,
)
_EXIT_CODE_WINDOW = 600
_RECALL_TOOL = re.compile(r"(?:^|_)pckc(?:_|$)", re.IGNORECASE)
_RECALL_COMMAND = re.compile(r"(?:^|[;&|(]\s*|\b(?:uvx|run|-m)\s+)pckc(?:_mcp\S*)?\s")


@attrs.frozen
class Deed:
    """
    What one tool call does.

    Attributes:
        kind: COMMAND, FILE_CHANGE or TOOL_CALL.
        text: The command line, the new text or patch, or the tool's name with its arguments.
        path: The file it is about; ``""`` when none.
    """

    kind: EventKind
    text: str
    path: str = ""


class Errand(StrEnum):
    """What a call is for, as far as its result depends on it."""

    OTHER = ""
    COMMAND = "command"
    TESTS = "tests"
    TESTS_AMONG_OTHERS = "tests among others"
    RECALL = "recall"


@attrs.frozen
class Call:
    """
    A tool call that waits for its result.

    It knows what its command is for, not how it reads: positions are stored as they are, and a command may hold a
    password.
    """

    tool: str
    path: str = ""
    errand: Errand = Errand.OTHER

    @property
    def is_command(self) -> bool:
        """Whether it has an exit code."""
        return self.errand not in (Errand.OTHER, Errand.RECALL)


class OpenCalls:
    """Calls by id, from the call to its result; the oldest are forgotten."""

    def __init__(self, memory: dict[str, list[str]]) -> None:
        self.memory = memory

    def open(self, call_id: str, call: Call) -> None:
        """Remember *call*."""
        self.memory[call_id] = [call.tool, call.path, call.errand]
        if len(self.memory) > MAX_OPEN_CALLS:
            del self.memory[next(iter(self.memory))]

    def close(self, call_id: str) -> Call | None:
        """Return the call and forget it."""
        known = self.memory.pop(call_id, None)
        return None if known is None else Call(known[0], known[1], Errand(known[2]))


def call_of(tool: str, arguments: object) -> Call:
    """Return the call of *tool* with *arguments*."""
    return Call(tool, path_of(arguments), errand_of(tool, command_of(tool, arguments)))


def errand_of(tool: str, command: str) -> Errand:
    """Return what *tool* is called for; asking PCKC itself is recall, whose answer is memory and no evidence."""
    if _RECALL_TOOL.search(tool) or _RECALL_COMMAND.search(command):
        return Errand.RECALL
    if is_test(command):
        return Errand.TESTS if has_own_status(command) else Errand.TESTS_AMONG_OTHERS
    return Errand.COMMAND if command else Errand.OTHER


def deeds(tool: str, arguments: object) -> list[Deed]:
    """Return what a call of *tool* does: one deed, or one per changed file."""
    command = command_of(tool, arguments)
    if command:
        patch = _PATCH.search(command) if "*** Begin Patch" in command else None
        return patch_deeds(patch.group()) if patch else [Deed(EventKind.COMMAND, command)]
    name = _plain_name(tool)
    if name == "apply_patch":
        return patch_deeds(arguments if isinstance(arguments, str) else _first_text(arguments, ("input", "patch")))
    if name in _EDIT_TOOLS and isinstance(arguments, dict):
        text = _new_text(arguments)
        if text is not None:
            return [Deed(EventKind.FILE_CHANGE, text, path_of(arguments))]
    return [Deed(EventKind.TOOL_CALL, f"{tool} {compact(arguments)}", path_of(arguments))]


def patch_deeds(patch: str) -> list[Deed]:
    """Return one deed per file of an ``apply_patch`` patch."""
    marks = list(_PATCH_FILE.finditer(patch))
    if not marks:
        return [Deed(EventKind.FILE_CHANGE, patch)]
    ends = [mark.start() for mark in marks[1:]] + [len(patch)]
    return [
        Deed(
            EventKind.FILE_CHANGE,
            patch[mark.start() : end].removesuffix("*** End Patch").rstrip("\n"),
            mark.group(1).strip(),
        )
        for mark, end in zip(marks, ends, strict=True)
    ]


def command_of(tool: str, arguments: object) -> str:
    """Return the command line that a shell tool runs; ``""`` for other tools."""
    if _plain_name(tool) not in _SHELL_TOOLS:
        return ""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, dict):
        return ""
    command = arguments.get("command", arguments.get("cmd", arguments.get("script", "")))
    if isinstance(command, list):
        words = [str(word) for word in command]
        # ["bash", "-lc", "make test"] is the command line "make test".
        return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else shlex.join(words)
    return command if isinstance(command, str) else ""


def path_of(arguments: object) -> str:
    """Return the file that a call's arguments name; ``""`` when none."""
    return _first_text(arguments, _PATH_ARGUMENTS)


def compact(arguments: object) -> str:
    """Return *arguments* on one line."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=str)


def decoded(arguments: object) -> Any:
    """Return arguments that came as JSON text as what they say; other text as it is."""
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
    return arguments


def exit_code(text: str) -> int | None:
    """Return the exit code that a result states near its start or end; ``None`` when it states none."""
    match = _EXIT_CODE.search(text, 0, _EXIT_CODE_WINDOW)
    if match is None and len(text) > _EXIT_CODE_WINDOW:
        match = _EXIT_CODE.search(text, len(text) - _EXIT_CODE_WINDOW)
    return int(match.group(1)) if match else None


def result_of(call: Call | None, code: int | None) -> tuple[EventKind, int | None]:
    """Return the kind of a call's result and the exit code it may claim."""
    errand = call.errand if call else Errand.OTHER
    if errand is Errand.RECALL:
        return EventKind.TURN_CONTEXT, code
    if errand is Errand.TESTS:
        return EventKind.TEST_RESULT, code
    if errand is Errand.TESTS_AMONG_OTHERS:
        return EventKind.TEST_RESULT, None
    return EventKind.TOOL_RESULT, code


def _plain_name(tool: str) -> str:
    return tool.rsplit("__", 1)[-1].casefold()


def _first_text(arguments: object, names: tuple[str, ...]) -> str:
    if isinstance(arguments, dict):
        for name in names:
            if isinstance(value := arguments.get(name), str) and value:
                return value
    return ""


def _new_text(arguments: dict[str, Any]) -> str | None:
    """Return the text that an edit writes, the old text when it only removes; ``None`` when it is no edit."""
    edits = arguments.get("edits")
    parts = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else [arguments]
    texts = [_first_text(part, _NEW_TEXT_ARGUMENTS) or _removed(part) for part in parts]
    written = "\n".join(text for text in texts if text)
    return written or None


def _removed(edit: dict[str, Any]) -> str:
    old = _first_text(edit, _OLD_TEXT_ARGUMENTS)
    return "\n".join(f"-{line}" for line in old.splitlines())
