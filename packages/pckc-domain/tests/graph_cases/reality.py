"""
Compare the graph of real packages with the calls that their use makes.

``python reality.py [PACKAGE…]`` runs ``drivers/drive_PACKAGE.py`` under `call_trace` for each package (all by default),
builds the graph of the installed package, and prints precision and recall. Precision is over the edges with a site on a
line that ran: a call that is right but did not happen there counts as wrong, so it is a lower bound. With ``-v`` the
misses are listed.

``python reality.py --tests FOLDER PYTHON [PACKAGE…]`` runs the tests of the packages' unpacked source distributions in
FOLDER (as ``pip download --no-binary :all: --no-deps`` gives them) with the interpreter PYTHON, which has what they
need; its version should be 3.12 or later, where generators can be told.
"""

# ruff: noqa: T201  # run as a script, it prints its table

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from functools import partial
from pathlib import Path

import attrs
from pckc_domain.model.graph import EdgeEvidence, EdgeKind, Graph
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.python.facts import python_facts

HERE = Path(__file__).parent
SITE = Path(sysconfig.get_paths()["purelib"])
Calls = set[tuple[str, str]]
FOLDERS = {"attrs": ("attr", "attrs")}
SOURCES = {"attrs": "src", "click": "src"}
TESTS = {
    "jsonschema": ("jsonschema/tests",),
    "markdown_it": ("tests", "--ignore=tests/test_fuzzer.py", "--ignore=tests/test_port/test_no_end_newline.py"),
    "starlette": ("tests", "--ignore=tests/middleware/test_opentelemetry.py"),
}
"""What some packages' tests are, without those that need more than Python packages."""

_NOT_PRODUCT = (".tests", ".benchmarks")


@attrs.frozen
class Place:
    """Where a package stands, and what is run to see its calls."""

    folder: Path
    working: Path
    command: tuple[str, ...]


def installed(package: str) -> Place:
    """Return the place of an installed package, which a driver uses."""
    script = str(HERE / "drivers" / f"drive_{package}.py")
    return Place(SITE, Path.cwd(), (sys.executable, str(HERE / "call_trace.py"), str(SITE), script))


def unpacked(package: str, sources: Path, python: str) -> Place:
    """Return the place of a package's source distribution, which its own tests use."""
    working = next(one for one in sources.iterdir() if one.name.startswith(package) and one.is_dir())
    folder = working / SOURCES.get(package, "")
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", *TESTS.get(package, ("tests",)))
    return Place(folder, working, (python, str(HERE / "call_trace.py"), str(folder), *tests))


def traced(package: str, place: Place) -> tuple[Calls, set[tuple[str, int]]]:
    """
    Return the calls between functions of *package* that its use makes, and the lines that ran.

    The import system asks modules for members too: calls of a module's ``__getattr__`` are left out.
    """
    ran = subprocess.run(
        place.command, cwd=place.working, capture_output=True, text=True, check=True, encoding="utf-8", errors="replace"
    ).stdout.splitlines()
    pairs = [line.split(" -> ") for line in ran if " -> " in line]
    lines = [line.rpartition(":") for line in ran if ".py:" in line and " -> " not in line]
    tops = FOLDERS.get(package, (package,))
    prefixes = tuple(f"{folder}." for folder in tops)
    calls = {
        (one, other)
        for one, other in pairs
        if (one.startswith(prefixes) or one in tops)
        and other.startswith(prefixes)
        and not (other.endswith(".__getattr__") and other.rpartition(".")[0].rpartition(".")[2].islower())
        and not any(part in name for part in _NOT_PRODUCT for name in (one, other))
    }
    return calls, {(path, int(line)) for path, _, line in lines if line.isdigit()}


def graph_of(package: str, place: Place) -> Graph:
    """Return the graph of a package."""
    folder = place.folder
    files = [file for top in FOLDERS.get(package, (package,)) for file in sorted((folder / top).rglob("*.py"))]
    named = ((file.relative_to(folder).as_posix(), file) for file in files)
    return build_graph(
        python_facts(path, file.read_text(encoding="utf-8"))
        for path, file in named
        if not any(f"/{part[1:]}/" in path for part in _NOT_PRODUCT)
    )


def calls_of(graph: Graph, ran: set[tuple[str, int]], *evidence: EdgeEvidence) -> Calls:
    """Return the calls of a graph by qualified names that have a site on a line that *ran*."""
    names = {node.id: node.qualified_name for node in graph.nodes}
    return {
        (names[edge.source], names[edge.target])
        for edge in graph.edges
        if edge.kind is EdgeKind.CALLS
        and edge.evidence in evidence
        and any((site.path, site.line) in ran for site in edge.sites)
    }


def main(packages: list[str], places: Callable[[str], Place], *, is_verbose: bool) -> None:
    """Print the table: number and precision of each evidence, then precision and recall of sure ones and of all."""
    heads = [*EdgeEvidence, "sure", "all"]
    print(f"{'package':14}{'traced':>7}", *(f"{head:>16}" for head in heads), sep="")
    for package in packages:
        place = places(package)
        truth, ran = traced(package, place)
        graph = graph_of(package, place)
        sure = calls_of(graph, ran, EdgeEvidence.EXTRACTED, EdgeEvidence.INFERRED)
        certain = calls_of(graph, ran, EdgeEvidence.EXTRACTED)
        found = calls_of(graph, ran, *EdgeEvidence)
        cells = [f"{len(one)} {_share(one & truth, one)}" for one in (certain, sure - certain, found - sure)]
        cells += [f"{_share(one & truth, one)} {_share(one & truth, truth)}" for one in (sure, found)]
        print(f"{package:14}{len(truth):7}", *(f"{cell:>16}" for cell in cells), sep="")
        if is_verbose:
            for pair in sorted(truth - found):
                print("  missed", " -> ".join(pair))
            for pair in sorted(found - truth):
                kind = "extracted" if pair in certain else "inferred" if pair in sure else "ambiguous"
                print("  not seen", kind, " -> ".join(pair))


def _share(part: Calls, whole: Calls) -> str:
    return f"{len(part) / max(len(whole), 1):.3f}"


if __name__ == "__main__":
    chosen = [one for one in sys.argv[1:] if one != "-v"]
    placed: Callable[[str], Place] = installed
    if "--tests" in chosen:
        at = chosen.index("--tests")
        placed = partial(unpacked, sources=Path(chosen[at + 1]), python=chosen[at + 2])
        del chosen[at : at + 3]
    known = sorted(file.stem.removeprefix("drive_") for file in (HERE / "drivers").glob("drive_*.py"))
    main(chosen or known, placed, is_verbose="-v" in sys.argv)
