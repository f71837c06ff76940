"""
The labelled suite of the call graph in languages with declared types: small programs and the calls in them.

`python packages/pckc-adapters-treesitter/tests/test_declared_cases.py [LANGUAGE …]` prints the table by language and
feature; with `-v` also every miss of the part that may be tuned on. The cases of `held_out` were written before the
linker, and those of `fresh` after it, by one who had not read it; nothing is tuned to either. A call of an interface's
method is labelled with that method, and with each implementation that the program has.
"""

# run as a script, it prints its table

import sys
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.graph import FileGraph
from pckc_domain.model.linking import FileChange, NoMemory
from pckc_domain.model.progress import ignore_progress
from pckc_domain.policy.graph.declared.languages import RULES_OF
from pckc_domain.policy.graph.declared.linker import DeclaredLinker
from pckc_domain.testing.call_cases import PARTS, Calls, calls_in, cases_in, print_table, tally_of

HERE = Path(__file__).parent / "graph_cases"
FLOORS = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))
LANGUAGES = sorted(folder.name for folder in HERE.iterdir() if folder.name in RULES_OF)
SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "c": (".c", ".h"),
    "cpp": (".cpp", ".cc", ".hpp", ".h", ".c"),
    "csharp": (".cs",),
    "elixir": (".ex", ".exs"),
    "go": (".go",),
    "java": (".java",),
    "julia": (".jl",),
    "kotlin": (".kt", ".kts"),
    "lua": (".lua",),
    "php": (".php",),
    "ruby": (".rb",),
    "rust": (".rs",),
    "scala": (".scala", ".sc"),
    "swift": (".swift",),
    "zig": (".zig",),
}


def linked(language: str, files: Mapping[str, str]) -> list[FileGraph]:
    """Return the graph of a program, file by file."""
    reader = TreeSitterCodeReader()
    rules = RULES_OF[language]
    changes, settings, known = [], {}, {}
    for path, text in files.items():
        if not path.endswith(SUFFIXES[language]):
            settings[path] = text
            continue
        is_c = path.endswith(".c") and language == "cpp"
        facts = reader.facts(path, text, language="c" if is_c else language)
        assert facts is not None
        changes.append(FileChange(facts=facts, content_hash=path))
        known[path] = facts.language
    found = DeclaredLinker(rules).link(
        changes, gone=(), known=known, settings=settings, memory=NoMemory(), progress=ignore_progress
    )
    return [file.graph for file in found if file.graph]


def found_calls(language: str, files: Mapping[str, str]) -> Calls:
    """Return the calls that the graph of a program holds."""
    return calls_in(linked(language, files))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_floors(language: str, part: str) -> None:
    tally = tally_of(cases_in(HERE / language), part, partial(found_calls, language))
    assert tally.wanted
    assert tally.precision >= FLOORS[language][part]["precision"]
    assert tally.recall >= FLOORS[language][part]["recall"]


if __name__ == "__main__":
    for one in [name for name in sys.argv[1:] if not name.startswith("-")] or LANGUAGES:
        print_table(one, cases_in(HERE / one), partial(found_calls, one), is_verbose="-v" in sys.argv)
