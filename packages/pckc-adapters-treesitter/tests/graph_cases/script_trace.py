"""
Record which functions of a JavaScript program call each other while it runs.

Every function of the program is made to say that it begins; V8's stack then tells in which function, and where, the
caller stands. What the engine calls by itself, a promise's callback for example, has no caller.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_adapters_treesitter.grammars import grammars
from pckc_domain.model.code_facts import CodeFacts, ScopeKind
from pckc_domain.policy.graph.modules import module_name
from tree_sitter import Node, Parser

NODE = shutil.which("node")
ENDINGS = (".js", ".mjs", ".cjs")
_FUNCTIONS = frozenset(
    "function_declaration generator_function_declaration function_expression generator_function arrow_function "
    "method_definition".split()
)
_PRELOADED = """
const { appendFileSync } = require("node:fs");
const seen = new Set();
globalThis.__enter = function (callee) {
  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = (_, frames) => frames;
  const frames = new Error().stack;
  Error.prepareStackTrace = before;
  const found = [];
  for (const frame of frames.slice(2)) {
    if (frame.isAsync()) break;
    const file = (frame.getFileName() || "").replace("file://", "");
    if (file.startsWith(process.env.TRACED)) {
      found.push([file, frame.getLineNumber(), frame.getColumnNumber(), frame.getFunctionName() || ""]);
    }
  }
  const line = JSON.stringify([callee, found]);
  if (!seen.has(line)) appendFileSync(process.env.TRACE, line + "\\n");
  seen.add(line);
};
Error.stackTraceLimit = 50;
"""

Calls = set[tuple[str, str]]


class Scope(NamedTuple):
    """A scope of a file: its bytes, its name from the root, and whether it is a class."""

    start: int
    end: int
    name: str
    is_class: bool


def trace(folder: Path, files: Mapping[str, str], start: str) -> Calls:
    """Run the program in an empty *folder*, from the file *start*; return the calls between its functions."""
    if NODE is None:
        raise FileNotFoundError("node")
    texts = {path: instrumented(path, text) if path.endswith(ENDINGS) else text for path, text in files.items()}
    is_module = any(line.startswith(("import ", "export ")) for text in files.values() for line in text.split("\n"))
    if is_module and "package.json" not in texts:
        texts["package.json"] = '{"type": "module"}'
    program = folder / "program"
    for path, text in texts.items():
        (program / path).parent.mkdir(parents=True, exist_ok=True)
        (program / path).write_text(text, encoding="utf-8")
    for path in files:
        if path.endswith("package.json") and (name := json.loads(files[path]).get("name")) and "/" in path:
            link = program / "node_modules" / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to((program / path).parent)
    preloaded = folder / "preloaded.cjs"
    preloaded.write_text(_PRELOADED, encoding="utf-8")
    record = folder / "trace.jsonl"
    ran = subprocess.run(
        [NODE, "--preserve-symlinks-main", "--require", str(preloaded), str(program / start)],
        env={"TRACE": str(record), "TRACED": f"{program.resolve()}/", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return set(_calls(program.resolve(), texts, lines))


def instrumented(path: str, text: str) -> str:
    """Return a file whose functions say that they begin."""
    source = text.encode()
    root = Parser(grammars()["javascript"].language).parse(source).root_node
    inserted: list[tuple[int, bytes]] = []
    for scope in scopes(path, text):
        node: Node | None = root.descendant_for_byte_range(scope.start, scope.end)
        while node is not None and node.type not in _FUNCTIONS:
            node = node.parent
        body = node.child_by_field_name("body") if node is not None else None
        if scope.is_class or node is None or body is None or (node.start_byte, node.end_byte) != scope[:2]:
            continue
        enter = f"__enter({json.dumps(scope.name)})".encode()
        if body.type == "statement_block":
            inserted.append((body.start_byte + 1, enter + b";"))
        else:
            inserted += [(body.start_byte, b"(" + enter + b",("), (body.end_byte, b"))")]
    for at, piece in sorted(inserted, key=lambda one: one[0], reverse=True):
        source = source[:at] + piece + source[at:]
    return source.decode()


def scopes(path: str, text: str) -> list[Scope]:
    """Return the scopes of a file, the module first."""
    facts = TreeSitterCodeReader().facts(path, text, language="javascript")
    assert isinstance(facts, CodeFacts)
    found: list[Scope] = []
    for one in facts.scopes:
        name = f"{found[one.parent].name}.{one.name}" if one.parent >= 0 else module_name(path)
        end = one.end_byte if one.parent >= 0 else len(text.encode())
        found.append(Scope(one.start_byte, end, name, one.kind is ScopeKind.CLASS))
    return [scope for scope, one in zip(found, facts.scopes, strict=True) if one.kind is not ScopeKind.NAMESPACE]


def _calls(program: Path, texts: Mapping[str, str], lines: list[str]) -> Iterator[tuple[str, str]]:
    known: dict[str, tuple[list[int], list[Scope]]] = {}
    for line in lines:
        callee, frames = json.loads(line)
        for file, row, column, function in frames:
            path = Path(file).resolve().relative_to(program).as_posix()
            if path not in known:
                starts = [0, *(at + 1 for at, one in enumerate(texts[path]) if one == "\n")]
                known[path] = (starts, scopes(path, texts[path]))
            starts, around = known[path]
            inside = _around(around, starts[row - 1] + column - 1)
            if inside[0].is_class and function == inside[0].name.rpartition(".")[2]:
                continue  # a constructor that nobody wrote
            is_heritage = inside[0].is_class and not function.startswith("<")
            yield inside[is_heritage].name, callee
            break


def _around(scopes: list[Scope], at: int) -> list[Scope]:
    """Return the scopes that a place stands in, innermost first."""
    return sorted((one for one in scopes if one.start <= at < one.end), key=lambda one: one.end - one.start)
