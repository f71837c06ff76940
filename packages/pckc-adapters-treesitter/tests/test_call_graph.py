"""
The labelled suite of the call graphs of JavaScript and TypeScript: small programs and the calls in them.

`python packages/pckc-adapters-treesitter/tests/test_call_graph.py` prints the table by feature; with `-v` also every
miss of the part that may be tuned on; with `--run` it runs the programs in JavaScript and compares the labels with the
calls that happen. The cases of `held_out` were written before the resolver, and those of `fresh` after it, by one who
had not read it; nothing is tuned to either.
"""

# ruff: noqa: T201  # run as a script, it prints its table

import runpy
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.graph import EdgeKind, Graph
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.testing.call_tally import Calls, Tally

HERE = Path(__file__).parent / "graph_cases"
FLOORS = tomllib.loads((HERE / "floors.toml").read_text())
PARTS = ("dev", "held_out", "fresh")
LANGUAGES = ("javascript", "typescript")
ENDINGS = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".tsx": "tsx",
}


@attrs.frozen
class Case:
    """
    A program: its files and the calls it may make.

    Running it does not show those in *not_run*: what a timer or a promise calls counts as called where it is given.
    Those in *only_run* it makes from elsewhere: a generator runs when it is asked for an element, and is called where
    it is made.
    """

    feature: str
    name: str
    part: str
    files: dict[str, str]
    calls: Calls
    not_run: Calls
    only_run: Calls


def cases(language: str) -> Iterator[Case]:
    """Yield all cases of a language, by feature."""
    for file in sorted((HERE / language).rglob("*.toml")):
        for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]:
            part = "fresh" if file.parent.name == "fresh" else PARTS[case["held_out"]]
            pairs = [_pairs(case.get(key, [])) for key in ("calls", "not_run", "only_run")]
            yield Case(file.stem, case["name"], part, case["files"], *pairs)


def _pairs(lines: list[str]) -> Calls:
    return {(caller, callee) for caller, _, callee in (line.partition(" -> ") for line in lines)}


def graph_of(files: dict[str, str]) -> Graph:
    """Return the graph of a program; what is no source is a setting."""
    reader = TreeSitterCodeReader()
    settings = {path: text for path, text in files.items() if path.endswith(".json")}
    facts = []
    for path, text in files.items():
        language = next((ENDINGS[end] for end in ENDINGS if path.endswith(end)), None)
        if language is not None:
            read = reader.facts(path, text, language=language)
            assert isinstance(read, CodeFacts)
            facts.append(read)
    return build_graph(facts, settings)


def found_calls(files: dict[str, str]) -> Calls:
    """Return the calls that the graph of *files* holds."""
    graph = graph_of(files)
    names = {node.id: node.qualified_name for node in graph.nodes}
    return {(names[edge.source], names[edge.target]) for edge in graph.edges if edge.kind is EdgeKind.CALLS}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_floors(language: str, part: str) -> None:
    tally = Tally()
    for case in cases(language):
        if case.part == part:
            tally.add(found_calls(case.files), case.calls)
    assert tally.precision >= FLOORS[language][part]["precision"]
    assert tally.recall >= FLOORS[language][part]["recall"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_cases(language: str) -> None:
    parts = [case.part for case in cases(language)]
    assert len(parts) >= 64
    assert parts.count("held_out") >= 20
    assert parts.count("fresh") >= 24


TRACE: dict[str, Any] = runpy.run_path(str(HERE / "script_trace.py"))


@pytest.mark.skipif(TRACE["NODE"] is None, reason="there is no node to run the programs with")
def test_labels_are_what_happens() -> None:
    assert not list(wrong_labels(is_sample=True))


def wrong_labels(*, is_sample: bool = False) -> Iterator[str]:
    """Run every program, or every third, and yield labels that do not happen, and calls that are not labelled."""
    for number, case in enumerate(cases("javascript")):
        if is_sample and number % 3:
            continue
        start = next(path for path in case.files if path.endswith(("main.js", "main.mjs")))
        with tempfile.TemporaryDirectory() as folder:
            happened: Calls = TRACE["trace"](Path(folder), case.files, start)
        for caller, callee in sorted((case.calls - case.not_run | case.only_run) ^ happened):
            yield f"{case.feature}/{case.name}: {caller} -> {callee}"


def main(*, is_verbose: bool) -> None:
    """Print precision and recall by language, feature and part."""
    for language in LANGUAGES:
        tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
        for case in cases(language):
            found = found_calls(case.files)
            for feature in (case.feature, "all"):
                tallies[feature, case.part].add(found, case.calls)
            if is_verbose and case.part == "dev" and found != case.calls:
                missed, extra = sorted(case.calls - found), sorted(found - case.calls)
                print(f"{case.feature}/{case.name}", "missed", missed, "extra", extra)
        print(f"{language:22}{'dev':>20}{'held out':>24}{'fresh':>24}")
        for feature in dict.fromkeys(feature for feature, _ in sorted(tallies)):
            parts = [tallies[feature, part] for part in PARTS]
            row = "".join(f"{one.precision:10.3f}{one.recall:8.3f}{one.wanted:6}" for one in parts)
            print(f"{feature:22}{row}")


if __name__ == "__main__":
    if "--run" in sys.argv:
        wrong = list(wrong_labels())
        print("\n".join(wrong))
        sys.exit(bool(wrong))
    main(is_verbose="-v" in sys.argv)
