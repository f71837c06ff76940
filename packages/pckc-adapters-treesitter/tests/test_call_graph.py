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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.graph import Graph
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.testing.call_cases import PARTS, Calls, Case, calls_in, cases_in, print_table, tally_of

HERE = Path(__file__).parent / "graph_cases"
FLOORS = tomllib.loads((HERE / "floors.toml").read_text())
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


def cases(language: str) -> Iterator[Case]:
    """Yield all cases of a language, by feature."""
    return cases_in(HERE / language)


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
    return calls_in([graph_of(files)])


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_floors(language: str, part: str) -> None:
    tally = tally_of(cases(language), part, found_calls)
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


if __name__ == "__main__":
    if "--run" in sys.argv:
        wrong = list(wrong_labels())
        print("\n".join(wrong))
        sys.exit(bool(wrong))
    for language in LANGUAGES:
        print_table(language, cases(language), found_calls, is_verbose="-v" in sys.argv)
