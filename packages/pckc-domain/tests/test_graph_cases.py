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
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from pckc_domain.model.graph import EdgeKind
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.python.facts import python_facts
from pckc_domain.testing.call_tally import Calls, Tally

HERE = Path(__file__).parent / "graph_cases"
FLOORS = tomllib.loads((HERE / "floors.toml").read_text())
PARTS = ("dev", "held_out", "fresh")


@attrs.frozen
class Case:
    """
    A program: its files and the calls it may make.

    Running it does not show those in *not_run*; those in *only_run* it makes from elsewhere: a generator runs when it
    is asked for an element, and is called where it is made.
    """

    feature: str
    name: str
    part: str
    files: dict[str, str]
    calls: Calls
    not_run: Calls
    only_run: Calls


def cases() -> Iterator[Case]:
    """Yield all cases, by feature."""
    for file in sorted((HERE / "python").rglob("*.toml")):
        for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]:
            part = "fresh" if file.parent.name == "fresh" else PARTS[case["held_out"]]
            pairs = [_pairs(case.get(key, [])) for key in ("calls", "not_run", "only_run")]
            yield Case(file.stem, case["name"], part, case["files"], *pairs)


def _pairs(lines: list[str]) -> Calls:
    return {(caller, callee) for caller, _, callee in (line.partition(" -> ") for line in lines)}


def found_calls(files: dict[str, str]) -> Calls:
    """Return the calls that the graph of *files* holds."""
    graph = build_graph(python_facts(path, text) for path, text in files.items())
    names = {node.id: node.qualified_name for node in graph.nodes}
    return {(names[edge.source], names[edge.target]) for edge in graph.edges if edge.kind is EdgeKind.CALLS}


@pytest.mark.parametrize("part", PARTS)
def test_floors(part: str) -> None:
    tally = Tally()
    for case in cases():
        if case.part == part:
            tally.add(found_calls(case.files), case.calls)
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


def main(*, is_verbose: bool) -> None:
    """Print precision and recall by feature and part."""
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for case in cases():
        found = found_calls(case.files)
        for feature in (case.feature, "all"):
            tallies[feature, case.part].add(found, case.calls)
        if is_verbose and case.part == "dev" and found != case.calls:
            print(
                f"{case.feature}/{case.name}", "missed", sorted(case.calls - found), "extra", sorted(found - case.calls)
            )
    print(f"{'feature':22}{'dev':>20}{'held out':>24}{'fresh':>24}")
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
