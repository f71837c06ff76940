"""The facts of a Python file, also of one that does not parse as a whole."""

import ast
import re
import warnings
from collections.abc import Sequence

import attrs

from pckc_domain.model.code_facts import CodeFacts, Rationale, ScopeFacts
from pckc_domain.policy.graph.python.scopes import Recorder, Scope
from pckc_domain.policy.graph.python.statements import Statements
from pckc_domain.policy.redaction import redact

MAX_REPAIRS = 12
"""Lines that may be left out of a file so that the rest parses."""

LONGEST_HEAD = 240
"""Characters of a signature or a line of documentation."""

_MARKS = re.compile(r"^([^\n#]*)#[ \t]*(WHY|NOTE|IMPORTANT|TODO|FIXME|HACK)\b[:(]?[ \t]*([^\n]*)", re.MULTILINE)

_LINE_END = re.compile(r"\r\n|\r|\n")
_MARK = "\ufeff"
"""Stands at the beginning of some files, and says nothing."""


def python_facts(path: str, text: str) -> CodeFacts:
    """
    Return what the Python file at *path* says.

    A line that does not parse is left out with its block and named among the problems; a file with more than
    `MAX_REPAIRS` of them, or one nested too deep, yields its module alone.
    """
    if text.startswith(_MARK):
        return _moved(python_facts(path, text.removeprefix(_MARK)), len(_MARK.encode()))
    problems: list[str] = []
    if "\0" in text:
        problems.append("NUL bytes are read as blanks")
        text = text.replace("\0", " ")
    tree, recorder, reader = _read(path, text, problems)
    return CodeFacts(
        path=path,
        language="python",
        scopes=_described(recorder.scopes, text),
        variables=recorder.variables,
        steps=tuple(recorder.steps),
        sites=tuple(recorder.sites),
        stars=tuple(recorder.stars),
        exports=None if reader.exports is None else tuple(reader.exports),
        rationale=tuple(_rationale(text, tree, recorder.scopes)),
        problems=tuple(problems),
    )


def _moved(facts: CodeFacts, by: int) -> CodeFacts:
    """Return the facts of a file with some bytes before what was read."""
    return attrs.evolve(
        facts,
        scopes=tuple(
            attrs.evolve(
                scope, start_byte=scope.start_byte + by if scope.parent >= 0 else 0, end_byte=scope.end_byte + by
            )
            for scope in facts.scopes
        ),
    )


def _described(scopes: Sequence[Scope], text: str) -> tuple[ScopeFacts, ...]:
    """Return the facts of *scopes* with their heads and the first lines of their docstrings, without secrets."""
    lines = _LINE_END.split(text)
    texts = [part for scope in scopes for part in (_head(scope, lines), _doc(scope))]
    safe = redact("\n".join(texts)).text.split("\n")
    starts = _line_starts(text)
    return tuple(
        attrs.evolve(
            scope.facts(),
            signature=safe[2 * index],
            doc=safe[2 * index + 1],
            visibility=_visibility(scope.name),
            start_byte=_start_byte(scope, lines, starts),
            end_byte=_end_byte(scope, starts),
        )
        for index, scope in enumerate(scopes)
    )


def _visibility(name: str) -> str:
    is_special = name.startswith("__") and name.endswith("__")
    return "private" if name.startswith("_") and not is_special else "public"


def _line_starts(text: str) -> list[int]:
    """Return where each line begins in the bytes of the text, and where the last one ends."""
    if text.isascii():
        return [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    starts = [0]
    begin = 0
    for match in _LINE_END.finditer(text):
        starts.append(starts[-1] + len(text[begin : match.end()].encode("utf-8", "surrogatepass")))
        begin = match.end()
    return [*starts, starts[-1] + len(text[begin:].encode("utf-8", "surrogatepass"))]


def _start_byte(scope: Scope, lines: Sequence[str], starts: Sequence[int]) -> int:
    """Return where a definition begins, its decorators included."""
    if not scope.index or scope.lines[0] > len(lines):
        return 0
    node = scope.node
    if isinstance(node, ast.Lambda):
        return starts[node.lineno - 1] + int(node.col_offset)
    line = lines[scope.lines[0] - 1]
    return starts[scope.lines[0] - 1] + len(line) - len(line.lstrip())


def _end_byte(scope: Scope, starts: Sequence[int]) -> int:
    node = scope.node
    end: int | None = getattr(node, "end_lineno", None)
    if not scope.index or end is None or end >= len(starts):
        return starts[-1]
    column: int = getattr(node, "end_col_offset", 0) or 0
    return starts[end - 1] + column


def _head(scope: Scope, lines: Sequence[str]) -> str:
    """Return a definition as written, up to the colon before its body, on one line."""
    node = scope.node
    if node is None or isinstance(node, ast.Module | ast.Lambda):
        return ""
    first = node.body[0]
    decorators = getattr(first, "decorator_list", ())
    end = min([first.lineno, *(decorator.lineno for decorator in decorators)])
    written = [line.split(" #")[0] for line in lines[node.lineno - 1 : end - 1]]
    if end == node.lineno:
        written = [lines[end - 1].encode()[: first.col_offset].decode("utf-8", "replace")]
    head = " ".join(" ".join(written).split())
    return head[: head.rfind(":") if ":" in head else None][:LONGEST_HEAD].rstrip()


def _doc(scope: Scope) -> str:
    node = scope.node
    doc = None if node is None or isinstance(node, ast.Lambda) else ast.get_docstring(node)
    return doc.split("\n")[0].strip()[:LONGEST_HEAD] if doc else ""


def _reader(tree: ast.Module, text: str) -> tuple[Recorder, Statements]:
    shared: dict[type[ast.stmt], set[str]] = {ast.Global: set(), ast.Nonlocal: set()}
    if "global " in text or "nonlocal " in text:
        for node in ast.walk(tree):
            if isinstance(node, ast.Global | ast.Nonlocal):
                shared[type(node)].update(node.names)
    recorder = Recorder(shared[ast.Global], shared[ast.Nonlocal])
    walrus_lines = (
        [at for at, line in enumerate(_LINE_END.split(text), start=1) if ":=" in line] if ":=" in text else ()
    )
    return recorder, Statements(recorder, walrus_lines)


def _read(path: str, text: str, problems: list[str]) -> tuple[ast.Module, Recorder, Statements]:
    """Read a text, without the lines that do not parse or are nested too deep; they are added to *problems*."""
    name = path.rsplit("/", 1)[-1].removesuffix(".py")
    count = text.count("\n") + 1
    lines: list[str] = []
    for _ in range(MAX_REPAIRS + 1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse("\n".join(lines) if lines else text)
            recorder, reader = _reader(tree, text)
            reader.module(tree, name, count)
        except SyntaxError as error:
            lines = lines or _LINE_END.split(text)
            at = min(max(error.lineno or 1, 1), len(lines)) - 1
            problems.append(f"line {at + 1}: {error.msg}")
        except (RecursionError, MemoryError):
            lines = lines or _LINE_END.split(text)
            at = max(range(len(lines)), key=lambda one: len(lines[one]))
            problems.append(f"line {at + 1}: nested too deep")
        except ValueError as error:  # lone surrogates
            problems.append(str(error))
            break
        else:
            return tree, recorder, reader
        if not _leave_out(lines, at):
            break
    tree = ast.Module([], [])
    recorder, reader = _reader(tree, "")
    reader.module(tree, name, count)
    return tree, recorder, reader


def _leave_out(lines: list[str], at: int) -> bool:
    """
    Replace a line, or the nearest one before it that says something, by one that says nothing, and empty the deeper
    lines that follow: they are its block, or the rest of its brackets.
    """
    while at > 0 and lines[at].strip() in ("", "pass"):
        at -= 1
    line = lines[at]
    if line.strip() in ("", "pass"):
        return False
    depth = len(line) - len(line.lstrip())
    lines[at] = f"{line[:depth]}pass"
    for below in range(at + 1, len(lines)):
        following = lines[below]
        if following.strip() and len(following) - len(following.lstrip()) <= depth:
            break
        lines[below] = ""
    return True


def _rationale(text: str, tree: ast.Module, scopes: Sequence[Scope]) -> list[Rationale]:
    found = []
    spans: list[tuple[int, int]] | None = None
    for match in _MARKS.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        if spans is None:
            spans = _text_spans(tree)
        before = match[1]
        if any(start <= line <= end for start, end in spans) or before.count('"') % 2 or before.count("'") % 2:
            continue
        around = max(
            (scope for scope in scopes if scope.lines[0] <= line <= scope.lines[1]), key=lambda scope: scope.lines[0]
        )
        following = next((one for one in scopes if one.lines[0] == line + 1 and one.index), None)
        found.append(Rationale(match[2], match[3].strip(), line, (following or around).index))
    return found


def _text_spans(tree: ast.Module) -> list[tuple[int, int]]:
    """Return the lines of strings that go over several."""
    return [
        (node.lineno, node.end_lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.end_lineno and node.end_lineno > node.lineno
    ]
