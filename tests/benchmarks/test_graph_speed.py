"""
Speed of making the graph and of keeping it, beside bare parsing of the same files in the same process.

``PCKC_BENCH_TREE`` names a real tree, such as Django's source distribution; without it the files are made up.
"""

import ast
import os
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pckc_domain.usecases.graph_sync import GraphReport
from pckc_mcp.opening import open_engine

from .test_program_speed import CONFIG, PCKC, copies, environ, report

pytestmark = pytest.mark.bench

BUILD_LIMIT_SECONDS = 15.0
MEMORY_LIMIT_MB = 800.0
UNCHANGED_LIMIT_MS = 100.0
EDIT_LIMIT_MS = 500.0
TREE_FILES = 2_800
GROWTH_FROM, GROWTH_TO = 1_000, 20_000
RUNS = 7

__all__ = ["environ"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a work tree of the size of Django, committed."""
    root, given = tmp_path / "tree", os.environ.get("PCKC_BENCH_TREE")
    if given:
        shutil.copytree(given, root)
    else:
        copies(root, TREE_FILES)
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org")
    for command in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "all")):
        subprocess.run([*git, *command], cwd=root, check=True, capture_output=True)
    return root


def build(root: Path, store: Path) -> GraphReport:
    """Make the graph in this process."""
    with open_engine(root, store=store, config=CONFIG, with_semantic=False) as engine:
        return engine.graph_sync().run(engine.scope, from_scratch=True)


def seconds(action: Callable[[], object]) -> float:
    """Return how long something takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def parse_bare(root: Path) -> None:
    """Parse every file of Python with tree-sitter, and keep nothing."""
    import tree_sitter_python
    from tree_sitter import Language, Parser

    parser = Parser(Language(tree_sitter_python.language()))
    for path in root.rglob("*.py"):
        parser.parse(path.read_bytes())


def parse_ast(root: Path) -> None:
    """Parse every file of Python with the interpreter's own parser."""
    for path in root.rglob("*.py"):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def run_ms(root: Path, environ: Mapping[str, str], *arguments: str) -> float:
    """Return the time of a whole process."""
    command = [PCKC, *arguments, "--project", str(root)]
    return 1e3 * seconds(lambda: subprocess.run(command, env=environ, check=True, capture_output=True))


def test_building(tree: Path, tmp_path: Path, environ: Mapping[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The whole process, with the most memory that it or one of its helpers held."""
    taken = run_ms(tree, environ, "graph", "build", "--json") / 1e3
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    bare, own = seconds(lambda: parse_bare(tree)), seconds(lambda: parse_ast(tree))
    files = sum(1 for _ in tree.rglob("*.py"))
    report(capsys, f"graph of {files} files: {taken:.1f} s (limit {BUILD_LIMIT_SECONDS:g} s), {memory:.0f} MB")
    report(
        capsys, f"  limit {MEMORY_LIMIT_MB:g} MB; bare tree-sitter {bare:.1f} s (x{taken / bare:.1f}), ast {own:.1f} s"
    )
    assert build(tree, tmp_path / "again.db").read >= files * 0.9


def test_keeping(tree: Path, environ: Mapping[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Unchanged, and after one edit, as whole processes."""
    run_ms(tree, environ, "index", "--no-embed")
    time.sleep(2.5)  # git and PCKC trust times that lie a while back
    run_ms(tree, environ, "sync")
    unchanged = statistics.median(run_ms(tree, environ, "sync") for _ in range(RUNS))
    file = sorted(tree.rglob("*.py"), key=lambda path: path.stat().st_size)[len(list(tree.rglob("*.py"))) // 2]
    edited = []
    for number in range(RUNS):
        file.write_text(file.read_text(encoding="utf-8") + f"\n\ndef added_{number}():\n    return {number}\n")
        edited.append(run_ms(tree, environ, "sync"))
    report(capsys, f"unchanged sync: {unchanged:.0f} ms (limit {UNCHANGED_LIMIT_MS:g} ms)")
    report(capsys, f"one edited file: {statistics.median(edited):.0f} ms (limit {EDIT_LIMIT_MS:g} ms)")


def test_cost_per_file_is_flat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a thousand files to twenty thousand."""
    costs = {}
    for count in (GROWTH_FROM, GROWTH_TO):
        root = tmp_path / str(count)
        copies(root, count)
        costs[count] = 1e3 * seconds(lambda root=root: build(root, tmp_path / f"{root.name}.db")) / count
    report(capsys, ", ".join(f"{cost:.2f} ms a file of {count:,}" for count, cost in costs.items()))
    assert costs[GROWTH_TO] > 0
