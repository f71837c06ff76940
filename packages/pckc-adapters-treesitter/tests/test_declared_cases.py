"""
The labelled suite of the call graph in languages with declared types: small programs and the calls in them.

`python packages/pckc-adapters-treesitter/tests/test_declared_cases.py [LANGUAGE …]` prints the table by language and
feature; with `-v` also every miss of the part that may be tuned on. The cases of `held_out` were written before the
linker, and those of `fresh` after it, by one who had not read it; nothing is tuned to either. A call of an interface's
method is labelled with that method, and with each implementation that the program has.
"""

# ruff: noqa: T201  # run as a script, it prints its table

import sys
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.graph import EdgeKind, FileGraph
from pckc_domain.model.linking import FileChange, LinkMemory
from pckc_domain.model.progress import ignore_progress
from pckc_domain.policy.graph.declared.languages import RULES_OF
from pckc_domain.policy.graph.declared.linker import DeclaredLinker
from pckc_domain.testing.call_tally import Calls, Tally

HERE = Path(__file__).parent / "graph_cases"
FLOORS = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))
PARTS = ("dev", "held_out", "fresh")
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


@attrs.frozen
class Case:
    """A program: its files and the calls in it."""

    language: str
    feature: str
    name: str
    part: str
    files: dict[str, str]
    calls: Calls


class NoMemory(LinkMemory):
    """Of a graph that is made anew."""

    def load(self, _: str, _paths: Sequence[str], /) -> Mapping[str, bytes]:
        """Remember nothing."""
        return {}

    def askers(self, _: Collection[str], /) -> Sequence[str]:
        """Remember nothing."""
        return ()


def cases(language: str) -> Iterator[Case]:
    """Yield all cases of a language, by feature."""
    for file in sorted((HERE / language).rglob("*.toml")):
        for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]:
            part = "fresh" if file.parent.name == "fresh" else PARTS[case["held_out"]]
            pairs = {(caller, callee) for caller, _, callee in (line.partition(" -> ") for line in case["calls"])}
            yield Case(language, file.stem, case["name"], part, case["files"], pairs)


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
    graphs = linked(language, files)
    names = {node.id: node.qualified_name for graph in graphs for node in graph.nodes}
    edges = [edge for graph in graphs for edge in graph.edges]
    return {(names[edge.source], names[edge.target]) for edge in edges if edge.kind is EdgeKind.CALLS}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_floors(language: str, part: str) -> None:
    tally = Tally()
    for case in cases(language):
        if case.part == part:
            tally.add(found_calls(language, case.files), case.calls)
    assert tally.wanted
    assert tally.precision >= FLOORS[language][part]["precision"]
    assert tally.recall >= FLOORS[language][part]["recall"]


def main(languages: Sequence[str], *, is_verbose: bool) -> None:
    """Print precision and recall by language, feature and part."""
    print(f"{'language':10}{'feature':22}{'dev':>20}{'held out':>24}{'fresh':>24}")
    for language in languages:
        tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
        for case in cases(language):
            found = found_calls(language, case.files)
            for feature in (case.feature, "~ all"):
                tallies[feature, case.part].add(found, case.calls)
            if is_verbose and case.part == "dev" and found != case.calls:
                print(f"  {case.feature}/{case.name}")
                print(*(f"    missed {caller} -> {callee}" for caller, callee in sorted(case.calls - found)), sep="\n")
                print(*(f"    extra  {caller} -> {callee}" for caller, callee in sorted(found - case.calls)), sep="\n")
        for feature in dict.fromkeys(feature for feature, _ in sorted(tallies)):
            parts = [tallies[feature, part] for part in PARTS]
            row = "".join(f"{one.precision:10.3f}{one.recall:8.3f}{one.wanted:6}" for one in parts)
            print(f"{language:10}{feature:22}{row}")


if __name__ == "__main__":
    chosen = [one for one in sys.argv[1:] if not one.startswith("-")]
    main(chosen or LANGUAGES, is_verbose="-v" in sys.argv)
