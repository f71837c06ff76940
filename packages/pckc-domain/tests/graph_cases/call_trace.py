"""
Record which Python functions of a folder call each other while a script runs.

``python call_trace.py FOLDER SCRIPT`` runs SCRIPT, or with ``-m pytest ARGUMENT…`` in its place tests, and prints one
``caller -> callee`` a line, sorted, for calls whose both ends stand in FOLDER, and then one ``path:line`` for every
line of FOLDER that ran. Names are dotted from FOLDER: ``pkg.module.Class.method``, nested functions as ``outer.inner``,
lambdas as ``<lambdaN>`` in their scope. A comprehension counts as the function around it, and what `contextlib`,
`functools`, `typing` and generated code call as called by their caller. A generator begins to run where it is iterated:
from Python 3.12 on it counts as called by who made it too.
"""

import ast
import contextlib
import functools
import runpy
import sys
import threading
import typing
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

_COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"))
_TRANSPARENT = frozenset((contextlib.__file__, functools.__file__, typing.__file__))
_GENERATED = ("<string>", "<attrs generated")
_OPTIMIZED = 1  # code of a function; neither a module's nor a class body's
_SUSPENDED = 0x20 | 0x80 | 0x200  # of a generator, a coroutine, or an asynchronous generator


class CallTrace:
    """Collects calls between functions below *folder* once installed by `sys.setprofile`."""

    def __init__(self, folder: Path) -> None:
        self.calls: set[tuple[str, str]] = set()
        self.lines: set[tuple[str, int]] = set()
        self._folder = f"{folder.resolve()}/"
        self._pairs: set[tuple[CodeType, CodeType]] = set()
        self._names: dict[CodeType, str | None] = {}
        self._lambdas: dict[str, dict[tuple[int, int], str]] = {}

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        """Note the call that *frame* begins with."""
        if event != "call":
            return
        caller = frame.f_back
        code = frame.f_code
        if code.co_name in _COMPREHENSIONS or caller is None:
            return
        pair = (_user_of(caller), code)
        if pair in self._pairs:
            return
        self._pairs.add(pair)
        if code.co_flags & _OPTIMIZED and (callee := self._name(code)) and (name := self._name(pair[0])):
            self.calls.add((name, callee))

    def watch_created(self) -> None:
        """Note who makes generators and coroutines; before Python 3.12 nobody can tell."""
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is not None:
            tool = monitoring.PROFILER_ID + 1
            monitoring.use_tool_id(tool, "call trace")
            monitoring.register_callback(tool, monitoring.events.CALL, self._create)
            monitoring.set_events(tool, monitoring.events.CALL)

    def _create(self, code: CodeType, _: int, callee: Any, __: object) -> Any:
        if not code.co_filename.startswith(self._folder) and code.co_filename not in _TRANSPARENT:
            return sys.monitoring.DISABLE  # type: ignore[attr-defined]  # Python 3.12
        if not isinstance(callee, FunctionType | MethodType | type):
            callee = getattr(type(callee), "__call__", None)  # noqa: B004 - the function itself is wanted
        callee = getattr(callee, "__func__", callee)
        if isinstance(callee, FunctionType) and callee.__code__.co_flags & _SUSPENDED:
            user, made = self._name(_user_of(sys._getframe(1))), self._name(callee.__code__)
            if user and made:
                self.calls.add((user, made))
        return None

    def trace(self, frame: FrameType, _: str, __: Any) -> Any:
        """Watch the lines of functions below the folder."""
        return self._line if frame.f_code.co_filename.startswith(self._folder) else None

    def _line(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self.lines.add((frame.f_code.co_filename.removeprefix(self._folder), frame.f_lineno))
        return self._line

    def _name(self, code: CodeType) -> str | None:
        if code not in self._names:
            self._names[code] = self._named(code)
        return self._names[code]

    def _named(self, code: CodeType) -> str | None:
        if not code.co_filename.startswith(self._folder) or code.co_name in _COMPREHENSIONS:
            return None
        module = code.co_filename.removeprefix(self._folder).removesuffix(".py").replace("/", ".")
        module = module.removesuffix(".__init__") if module != "__init__" else ""
        if code.co_name == "<module>":
            return module
        qualified = code.co_qualname.replace(".<locals>", "")
        if "<lambda>" in qualified:
            position = next((at for at in code.co_positions() if at[0] is not None and at[2] is not None), None)
            own = self._lambda(code, position) if code.co_name == "<lambda>" else None
            if own is None:
                return None
            qualified = own
        return f"{module}.{qualified}" if module else qualified

    def _lambda(self, code: CodeType, _: object) -> str | None:
        names = self._lambdas.setdefault(code.co_filename, {})
        if not names:
            _number(ast.parse(Path(code.co_filename).read_text(encoding="utf-8")), (), names)
        columns = [(at[0], at[2]) for at in code.co_positions() if at[0] and at[2] is not None and at[2] > 0]
        inside = min(columns, default=None)
        if inside is None:
            return None
        line, column = inside
        before = [place for place in names if place <= (line, column or 0)]
        return names[max(before)] if before else None


def _user_of(frame: FrameType) -> CodeType:
    """Return the code that makes a call: of *frame*, or around it where that only passes calls on."""
    while frame.f_back is not None and (
        frame.f_code.co_name in _COMPREHENSIONS
        or frame.f_code.co_filename in _TRANSPARENT
        or frame.f_code.co_filename.startswith(_GENERATED)
    ):
        frame = frame.f_back
    return frame.f_code


def _number(node: ast.AST, scope: tuple[str, ...], names: dict[tuple[int, int], str]) -> None:
    """Name the lambdas below *node* by the place where their body begins."""
    count = 0

    def walk(node: ast.AST) -> None:
        nonlocal count
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Lambda):
                count += 1
                inner = (*scope, f"<lambda{count}>")
                names[child.body.lineno, child.body.col_offset] = ".".join(inner)
                for default in (*child.args.defaults, *(one for one in child.args.kw_defaults if one)):
                    walk(ast.Expression(default))
                _number(ast.Expression(child.body), inner, names)
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if isinstance(child, ast.ClassDef):
                    outside: list[ast.AST] = [*child.decorator_list, *child.bases]
                else:
                    outside = [*child.decorator_list, child.args]
                for part in outside:
                    walk(ast.Tuple([part]) if isinstance(part, ast.Lambda) else part)
                _number(ast.Module(child.body, []), (*scope, child.name), names)
            else:
                walk(child)

    walk(node)


def trace(folder: Path, script: Path | str, *, with_lines: bool = False) -> CallTrace:
    """
    Run *script* as a program that may import from *folder*, and return the calls it made between functions of it.

    A text is the name of a module to run as a program, with what is in `sys.argv`.
    """
    found = CallTrace(folder)
    sys.path.insert(0, str(folder))
    found.watch_created()
    threading.setprofile(found.profile)
    sys.setprofile(found.profile)
    if with_lines:
        threading.settrace(found.trace)
        sys.settrace(found.trace)
    try:
        if isinstance(script, str):
            runpy.run_module(script, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(str(script.resolve()), run_name="__main__")
    except SystemExit:
        pass
    finally:
        sys.settrace(None)
        threading.settrace(None)
        sys.setprofile(None)
        threading.setprofile(None)
        sys.path.remove(str(folder))
    return found


if __name__ == "__main__":
    where, program, *rest = sys.argv[1:]
    sys.argv = [program, *rest[1:]]
    result = trace(Path(where), rest[0] if program == "-m" else Path(program), with_lines=True)
    for one, other in sorted(result.calls):
        print(one, "->", other)  # noqa: T201 - the answer
    for path, line in sorted(result.lines):
        print(f"{path}:{line}")  # noqa: T201 - the answer
