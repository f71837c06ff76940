"""
Compare the graph of real packages with the calls that their use makes.

``python reality.py [PACKAGE…]`` runs ``drivers/drive_PACKAGE.py`` under `call_trace` for each package (all by default),
builds the graph of the installed package, and prints precision and recall. Precision is over the edges with a site on a
line that ran: a call that is right but did not happen there counts as wrong, so it is a lower bound. With ``-v`` the
misses are listed.
"""

# ruff: noqa: T201  # run as a script, it prints its table

import subprocess
import sys
import sysconfig
from pathlib import Path

from pckc_domain.model.graph import EdgeEvidence, EdgeKind, Graph
from pckc_domain.policy.graph.assemble import build_graph
from pckc_domain.policy.graph.python.facts import python_facts

HERE = Path(__file__).parent
SITE = Path(sysconfig.get_paths()["purelib"])
Calls = set[tuple[str, str]]
FOLDERS = {"attrs": ("attr", "attrs")}


def traced(package: str) -> tuple[Calls, set[tuple[str, int]]]:
    """
    Return the calls between functions of *package* that its driver makes, and the lines that ran.

    The import system asks modules for members too: calls of a module's ``__getattr__`` are left out.
    """
    command = [sys.executable, str(HERE / "call_trace.py"), str(SITE), str(HERE / "drivers" / f"drive_{package}.py")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
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
    }
    return calls, {(path, int(line)) for path, _, line in lines if line.isdigit()}


def graph_of(package: str) -> Graph:
    """Return the graph of an installed package."""
    files = [file for folder in FOLDERS.get(package, (package,)) for file in sorted((SITE / folder).rglob("*.py"))]
    return build_graph(
        python_facts(file.relative_to(SITE).as_posix(), file.read_text(encoding="utf-8")) for file in files
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


def main(packages: list[str], *, is_verbose: bool) -> None:
    """Print the table."""
    print(f"{'package':14}{'traced':>8}{'found':>8}{'precision':>11}{'recall':>8}{'p (no ambiguous)':>18}{'recall':>8}")
    for package in packages:
        truth, ran = traced(package)
        graph = graph_of(package)
        cells = []
        for evidence in (tuple(EdgeEvidence), (EdgeEvidence.EXTRACTED, EdgeEvidence.INFERRED)):
            found = calls_of(graph, ran, *evidence)
            cells.append((len(found), len(found & truth) / max(len(found), 1), len(found & truth) / max(len(truth), 1)))
            if is_verbose and evidence == tuple(EdgeEvidence):
                for pair in sorted(truth - found):
                    print("  missed", " -> ".join(pair))
                for pair in sorted(found - truth):
                    print("  not seen", " -> ".join(pair))
        (count, precision, recall), (_, strict, strict_recall) = cells
        print(f"{package:14}{len(truth):8}{count:8}{precision:11.3f}{recall:8.3f}{strict:18.3f}{strict_recall:8.3f}")


if __name__ == "__main__":
    chosen = [one for one in sys.argv[1:] if one != "-v"]
    known = sorted(file.stem.removeprefix("drive_") for file in (HERE / "drivers").glob("drive_*.py"))
    main(chosen or known, is_verbose="-v" in sys.argv)
