"""
Symbols beside those of Universal Ctags.

`python packages/pckc-adapters-treesitter/tests/test_ctags.py FOLDER` prints, for every language that both read, which
share of ctags' symbols in the files of that folder the readers find; with `-v` also those they miss.
"""

# ruff: noqa: T201  # run as a script, it prints its table

import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.declared_facts import DeclaredFacts

CTAGS = shutil.which("ctags")
_OPERATOR = re.compile(r"^operator (?=\W)")
CASES = Path(__file__).parent / "graph_cases"
FLOOR = 0.95
BODIES = frozenset(("function", "method", "property"))
"""What holds locals, which are no symbols of ours."""


class Language(NamedTuple):
    """
    How ctags calls a language, the ends of its files' names, and the kinds of symbols that are not compared.

    *is_chained* tells that a symbol's name has what it stands in before it.
    """

    ctags: str
    suffixes: tuple[str, ...]
    left_out: frozenset[str] = frozenset()
    is_chained: bool = False


LANGUAGES = {
    "c": Language("C", (".c", ".h")),
    "cpp": Language("C++", (".cpp", ".hpp", ".cc", ".cxx", ".hh", ".hxx")),
    "csharp": Language("C#", (".cs",)),
    "elixir": Language("Elixir", (".ex", ".exs")),
    "go": Language("Go", (".go",), frozenset(("package", "packageName", "anonMember", "unknown"))),
    "java": Language("Java", (".java",), frozenset(("package", "local"))),
    "kotlin": Language("Kotlin", (".kt",), frozenset(("package",))),
    "julia": Language("Julia", (".jl",), frozenset(("unknown",))),
    "lua": Language("Lua", (".lua",), frozenset(("unknown",)), is_chained=True),
    "php": Language("PHP", (".php",), frozenset(("alias", "local", "namespace"))),
    "ruby": Language("Ruby", (".rb",), frozenset(("library",))),
    "rust": Language("Rust", (".rs",), frozenset(("implementation",))),
}


class Symbol(NamedTuple):
    """A symbol as ctags sees it."""

    path: str
    line: int
    kind: str
    name: str


def ctags(language: Language, paths: Iterable[Path]) -> list[Symbol]:
    """Return what ctags finds in files of one language."""
    ran = subprocess.run(
        [str(CTAGS), f"--language-force={language.ctags}", "-x", "--_xformat=%F\t%n\t%K\t%p\t%N", "-L", "-"],
        input="\n".join(map(str, paths)),
        capture_output=True,
        text=True,
        errors="replace",
        check=True,
    )
    found = []
    for row in ran.stdout.splitlines():
        path, line, kind, around, name = row.split("\t", 4)
        name = _OPERATOR.sub("operator", name)
        if language.is_chained:
            name = re.split(r"[.:[]", name)[-1].strip("]'\"")
        is_named = name.isprintable() and not name.startswith(("__anon", "<lambda>"))
        if kind not in language.left_out and around not in BODIES and is_named:
            found.append(Symbol(path, int(line), kind, name))
    return found


def lines_of(path: Path, language: str) -> dict[str, list[tuple[int, int]]]:
    """Return the first and last lines of a file's symbols, by name."""
    facts = TreeSitterCodeReader().facts(
        path.name, path.read_text(encoding="utf-8", errors="replace"), language=language
    )
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    if isinstance(facts, DeclaredFacts):
        for one in facts.declarations:
            found[one.name.rstrip("!").rpartition(".")[2]].append((one.start_line, one.end_line))
            found[_OPERATOR.sub("operator", one.name)].append((one.start_line, one.end_line))
    return found


def missed(language: str, paths: list[Path]) -> tuple[list[Symbol], int]:
    """Return the symbols of ctags that the reader does not have, and how many there are in all."""
    texts = {str(path): path.read_text(encoding="utf-8", errors="replace").split("\n") for path in paths}
    symbols = [
        one
        for one in ctags(LANGUAGES[language], paths)
        if not _is_guard(one, texts[one.path])
        and (language != "lua" or _is_lua_function(one, texts[one.path][one.line - 1]))
        and (language != "csharp" or not _is_csharp_parameter(one, texts[one.path][one.line - 1]))
        and (one.kind != "module" or not texts[one.path][one.line - 1].rstrip().endswith(";"))  # Rust's ``mod name;``
    ]
    read = {str(path): lines_of(path, language) for path in paths}
    gone = [
        symbol
        for symbol in symbols
        if not any(first <= symbol.line <= last for first, last in read[symbol.path].get(symbol.name, ()))
    ]
    return gone, len(symbols)


def _is_csharp_parameter(symbol: Symbol, text: str) -> bool:
    """Return whether ctags takes a parameter for a field, as it does before ``=>``."""
    return symbol.kind == "field" and re.search(rf"[(,][^()]*\b{re.escape(symbol.name)}\s*[,)]", text) is not None


def _is_guard(symbol: Symbol, lines: list[str]) -> bool:
    """Return whether a macro only tells that a header was included, which is no symbol of ours."""
    if symbol.kind != "macro":
        return False
    words = " ".join(lines[max(symbol.line - 3, 0) : symbol.line]).split()
    return f"#ifndef {symbol.name}" in " ".join(words).replace("# ", "#") and words[-1] == symbol.name


def _is_lua_function(symbol: Symbol, line: str) -> bool:
    """Return whether a line gives a function that name: ctags takes every line with the word for such a one."""
    name = re.escape(symbol.name)
    return re.search(rf"\bfunction\s+[\w.:]*\b{name}\s*\(|\b{name}\s*=\s*function\s*\(", line) is not None


@pytest.mark.skipif(CTAGS is None, reason="Universal Ctags is not installed")
@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() & {folder.name for folder in CASES.iterdir()}))
def test_recall(language: str, tmp_path: Path) -> None:
    paths = []
    for file in sorted((CASES / language).glob("*.toml")):
        for number, case in enumerate(tomllib.loads(file.read_text(encoding="utf-8"))["case"]):
            for name, text in case["files"].items():
                if name.endswith(LANGUAGES[language].suffixes):
                    paths.append(tmp_path / f"{file.stem}_{number}_{name.replace('/', '_')}")
                    paths[-1].write_text(text, encoding="utf-8")
    gone, count = missed(language, paths)
    assert count >= 20
    assert len(gone) <= (1 - FLOOR) * count, gone


def main(folder: str, *, is_verbose: bool) -> None:
    """Print the table for the files of a folder."""
    for language, one in sorted(LANGUAGES.items()):
        paths = sorted(path for suffix in one.suffixes for path in Path(folder).rglob(f"*{suffix}") if path.is_file())
        if not paths:
            continue
        gone, count = missed(language, paths)
        print(f"{language:12}{len(paths):6} files{count:8} symbols   recall {1 - len(gone) / max(count, 1):.3f}")
        for symbol in gone if is_verbose else []:
            print("   ", *symbol)


if __name__ == "__main__":
    main(sys.argv[1], is_verbose="-v" in sys.argv)
