"""Small programs with labelled calls, and how well a call graph agrees with them."""

# ruff: noqa: T201  # it prints a table

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs

from pckc_domain.model.graph import EdgeKind, FileGraph, Graph

Calls = set[tuple[str, str]]
"""Qualified names of callers and of what they call."""

PARTS = ("dev", "held_out", "fresh")
"""Cases that may be tuned on; those written before the resolver, and after it by one who had not read it."""


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


def cases_in(folder: Path) -> Iterator[Case]:
    """Yield all cases of a folder, by feature."""
    for file in sorted(folder.rglob("*.toml")):
        for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]:
            part = "fresh" if file.parent.name == "fresh" else PARTS[case["held_out"]]
            unseen = [_pairs(case.get(key, [])) for key in ("not_run", "only_run")]
            yield Case(file.stem, case["name"], part, case["files"], _pairs(case["calls"]), *unseen)


def _pairs(lines: list[str]) -> Calls:
    return {(caller, callee) for caller, _, callee in (line.partition(" -> ") for line in lines)}


def calls_in(graphs: Iterable[Graph | FileGraph]) -> Calls:
    """Return the calls that the graphs of a program hold."""
    parts = list(graphs)
    names = {node.id: node.qualified_name for part in parts for node in part.nodes}
    edges = [edge for part in parts for edge in part.edges]
    return {(names[edge.source], names[edge.target]) for edge in edges if edge.kind is EdgeKind.CALLS}


@attrs.define
class Tally:
    """Hits, what was found in all, and what should have been found."""

    hits: int = 0
    found: int = 0
    wanted: int = 0

    def add(self, found: Calls, wanted: Calls) -> None:
        """Count one case."""
        self.hits += len(found & wanted)
        self.found += len(found)
        self.wanted += len(wanted)

    @property
    def precision(self) -> float:
        """Share of what was found that is right; 1.0 when nothing was."""
        return self.hits / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Share of what is right that was found; 1.0 when nothing is."""
        return self.hits / self.wanted if self.wanted else 1.0


def tally_of(cases: Iterable[Case], part: str, found_calls: Callable[[dict[str, str]], Calls]) -> Tally:
    """Return how well *found_calls*, which reads the files of a program, agrees with the cases of a part."""
    tally = Tally()
    for case in cases:
        if case.part == part:
            tally.add(found_calls(case.files), case.calls)
    return tally


def print_table(
    title: str, cases: Iterable[Case], found_calls: Callable[[dict[str, str]], Calls], *, is_verbose: bool
) -> None:
    """Print precision, recall and count by feature and part; verbose also each miss of what may be tuned on."""
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for case in cases:
        found = found_calls(case.files)
        for feature in (case.feature, "~ all"):
            tallies[feature, case.part].add(found, case.calls)
        if is_verbose and case.part == "dev" and found != case.calls:
            print(f"  {case.feature}/{case.name}")
            print(*(f"    missed {caller} -> {callee}" for caller, callee in sorted(case.calls - found)), sep="\n")
            print(*(f"    extra  {caller} -> {callee}" for caller, callee in sorted(found - case.calls)), sep="\n")
    print(f"{title:22}{'dev':>20}{'held out':>24}{'fresh':>24}")
    for feature in dict.fromkeys(feature for feature, _ in sorted(tallies)):
        parts = [tallies[feature, part] for part in PARTS]
        print(f"{feature:22}" + "".join(f"{one.precision:10.3f}{one.recall:8.3f}{one.wanted:6}" for one in parts))
