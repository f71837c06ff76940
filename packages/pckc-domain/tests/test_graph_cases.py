"""
The labelled suite of the call graph: small programs and the calls between their functions.

`python packages/pckc-domain/tests/test_graph_cases.py` prints the table by feature; with `-v` also every miss of the
part that may be tuned on; with `--run` it runs the programs and compares the labels with the calls that happen. The
cases of `held_out` were written before the resolver, and those of `fresh` after it, by one who had not read it; nothing
is tuned to either.
"""

# ruff: noqa: T201  # run as a script, it prints its table

import importlib
import runpy
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.testing.call_cases import PARTS, Calls, Case, calls_in, cases_in, print_table, tally_of

HERE = Path(__file__).parent / "graph_cases"
FLOORS = tomllib.loads((HERE / "floors.toml").read_text())


def cases() -> Iterator[Case]:
    """Yield all cases, by feature."""
    return cases_in(HERE / "python")


def found_calls(files: dict[str, str]) -> Calls:
    """Return the calls that the graph of *files* holds."""
    return calls_in([build_graph(python_facts(path, text) for path, text in files.items())])


@pytest.mark.parametrize("part", PARTS)
def test_floors(part: str) -> None:
    tally = tally_of(cases(), part, found_calls)
    assert tally.precision >= FLOORS[part]["precision"]
    assert tally.recall >= FLOORS[part]["recall"]


def test_there_are_enough_cases() -> None:
    parts = [case.part for case in cases()]
    assert len(parts) >= 240
    assert parts.count("held_out") >= 100
    assert parts.count("fresh") >= 40


def test_labels_are_what_happens() -> None:
    ran = subprocess.run([sys.executable, __file__, "--run"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def wrong_labels() -> Iterator[str]:
    """Run every program, and yield labels that do not happen, and calls that are not labelled."""
    trace: Any = runpy.run_path(str(HERE / "call_trace.py"))["trace"]
    for case in cases():
        tops = {path.partition("/")[0].removesuffix(".py") for path in case.files}
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for path, text in case.files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
            happened: Calls = trace(folder, folder / "main.py").calls
        for module in [one for one in sys.modules if one.partition(".")[0] in tops]:
            del sys.modules[module]
        importlib.invalidate_caches()
        for caller, callee in sorted((case.calls - case.not_run | case.only_run) ^ happened):
            yield f"{case.feature}/{case.name}: {caller} -> {callee}"


if __name__ == "__main__":
    if "--run" in sys.argv:
        wrong = list(wrong_labels())
        print("\n".join(wrong))
        sys.exit(bool(wrong))
    print_table("feature", cases(), found_calls, is_verbose="-v" in sys.argv)
