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


def python_facts(path: str, text: str) -> CodeFacts:
    """
    Return what the Python file at *path* says.

    A line that does not parse is left out with its block and named among the problems; a file with more than
    `MAX_REPAIRS` of them, or one nested too deep, yields its module alone.
    """
    tree, problems = _parse(text)
    recorder, reader = _reader(tree, text)
    name = path.rsplit("/", 1)[-1].removesuffix(".py")
    lines = text.count("\n") + 1
    try:
        reader.module(tree, name, lines)
    except RecursionError:
        recorder, reader = _reader(ast.Module([], []), "")
        reader.module(ast.Module([], []), name, lines)
        problems.append("nested too deep")
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


def _described(scopes: Sequence[Scope], text: str) -> tuple[ScopeFacts, ...]:
    """Return the facts of *scopes* with their heads and the first lines of their docstrings, without secrets."""
    lines = text.split("\n")
    texts = [part for scope in scopes for part in (_head(scope, lines), _doc(scope))]
    safe = redact("\n".join(texts)).text.split("\n")
    return tuple(
        attrs.evolve(scope.facts(), signature=safe[2 * index], doc=safe[2 * index + 1])
        for index, scope in enumerate(scopes)
    )


def _head(scope: Scope, lines: Sequence[str]) -> str:
    """Return a definition as written, up to the colon before its body, on one line."""
    node = scope.node
    if node is None or isinstance(node, ast.Module):
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
    doc = ast.get_docstring(scope.node) if scope.node is not None else None
    return doc.split("\n")[0].strip()[:LONGEST_HEAD] if doc else ""


def _reader(tree: ast.Module, text: str) -> tuple[Recorder, Statements]:
    shared: dict[type[ast.stmt], set[str]] = {ast.Global: set(), ast.Nonlocal: set()}
    if "global " in text or "nonlocal " in text:
        for node in ast.walk(tree):
            if isinstance(node, ast.Global | ast.Nonlocal):
                shared[type(node)].update(node.names)
    recorder = Recorder(shared[ast.Global], shared[ast.Nonlocal])
    return recorder, Statements(recorder, with_walrus=":=" in text)


def _parse(text: str) -> tuple[ast.Module, list[str]]:
    problems: list[str] = []
    lines: list[str] = []
    for _ in range(MAX_REPAIRS + 1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse("\n".join(lines) if lines else text), problems
        except SyntaxError as error:
            lines = lines or text.split("\n")
            at = min(max(error.lineno or 1, 1), len(lines)) - 1
            problems.append(f"line {at + 1}: {error.msg}")
            if not _leave_out(lines, at):
                break
        except (ValueError, RecursionError, MemoryError) as error:
            problems.append(str(error) or type(error).__name__)
            break
    return ast.Module([], []), problems


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
