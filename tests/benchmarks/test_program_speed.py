"""Speed of indexing, and of the program as a whole process, beside git and the bare interpreter."""

import os
import re
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path

import pytest
from pckc_domain.model.progress import ProgressListener, ignore_progress
from pckc_domain.usecases.index import IndexReport
from pckc_mcp.config import DEFAULT_SLOTS, Config, Slot
from pckc_mcp.opening import open_engine
from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.bench

SYNC_LIMIT_MS = 100.0
SEARCH_LIMIT_MS = 250.0
UNCHANGED_FILES = 5_000
GROWTH_FROM, GROWTH_TO = 1_000, 10_000
GROWTH_LIMIT = 1.1
"""Cost per file up to 10,000 files over that up to 1,000."""

RUNS = 15
PCKC = shutil.which("pckc", path=str(Path(sys.executable).parent)) or "pckc"
CONFIG = Config(slots={**DEFAULT_SLOTS, "embedder": Slot(backend="none")})
_LONG_AGO_NS = 3_600 * 10**9


def stdlib_modules() -> list[Path]:
    """All modules of the standard library but its tests."""
    root = Path(sysconfig.get_path("stdlib"))
    skipped = {"test", "tests", "idlelib", "lib2to3", "site-packages", "dist-packages"}
    return sorted(path for path in root.rglob("*.py") if skipped.isdisjoint(path.parts))


def copies(target: Path, count: int) -> None:
    """Write *count* files below *target*: small modules again and again, their public names changed in each round."""
    small = [path for path in stdlib_modules() if 1_000 < path.stat().st_size < 12_000]
    for number, path in enumerate(islice(cycle(small), count)):
        text = path.read_text(encoding="utf-8", errors="replace")
        text = re.sub(r"\b(def|class) (\w+)", rf"\1 \2_{number}", text)
        file = target / f"part{number % 97}" / f"{path.stem}_{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="replace")


def index(root: Path, store: Path, progress: ProgressListener = ignore_progress) -> IndexReport:
    """Index *root* in this process."""
    with open_engine(root, store=store, config=CONFIG) as engine:
        return engine.indexer().run(engine.scope, progress=progress)


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Print a line past pytest."""
    with capsys.disabled():
        print(f"\n  {line}")  # noqa: T201  # what the benchmark is for


def median_ms(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> float:
    """Return the median time of a whole process, after a first run that warms up."""
    times = []
    for _ in range(RUNS + 1):
        started = time.perf_counter()
        subprocess.run(command, cwd=folder, env=environ, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times[1:]) * 1e3


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment with a home of its own, where no model is loaded."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "PCKC_EMBEDDER": "none",
    }


def test_index_standard_library(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files and megabytes a second."""
    tree = tmp_path / "tree"
    root = Path(sysconfig.get_path("stdlib"))
    for path in stdlib_modules():
        target = tree / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    started = time.perf_counter()
    done = benchmark.pedantic(index, args=(tree, tmp_path / "store.db"), rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    taken, megabytes = time.perf_counter() - started, done.bytes_read / 1e6
    rate = f"{done.indexed / taken:.0f} files/s, {megabytes / taken:.2f} MB/s"
    report(capsys, f"index of the standard library: {rate} ({done.indexed} files, {megabytes:.1f} MB)")


def test_cost_per_file_does_not_grow(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """
    Milliseconds of the processor's time a file, up to a small number of files and up to a large one.

    Both come from one run, and of the processor's time, so that other processes matter less.
    """
    copies(tmp_path / "tree", GROWTH_TO)
    marks = [(0, time.process_time())]
    benchmark.pedantic(  # type: ignore[no-untyped-call]  # no types for it
        index,
        args=(tmp_path / "tree", tmp_path / "store.db", lambda at: marks.append((at.done, time.process_time()))),
        rounds=1,
    )
    started = marks[0][1]
    small, large = (
        next((used - started) / done * 1e3 for done, used in marks if done >= count)
        for count in (GROWTH_FROM, GROWTH_TO)
    )
    report(
        capsys,
        f"index: {small:.2f} ms a file up to {GROWTH_FROM:,} files, {large:.2f} up to {GROWTH_TO:,}, "
        f"ratio {large / small:.2f} (limit {GROWTH_LIMIT})",
    )


def test_sync_of_an_unchanged_tree(
    benchmark: BenchmarkFixture, tmp_path: Path, environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`pckc sync` as a whole process, beside `git status` and an interpreter that does nothing."""
    tree = tmp_path / "tree"
    copies(tree, UNCHANGED_FILES)
    then = time.time_ns() - _LONG_AGO_NS  # a file written just now is not trusted to be unchanged
    for file in tree.rglob("*.py"):
        os.utime(file, ns=(then, then))
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    for arguments in (["init", "--quiet"], ["add", "."], [*identity, "commit", "--quiet", "-m", "all"]):
        subprocess.run(["git", *arguments], cwd=tree, env=environ, check=True)
    subprocess.run([PCKC, "index"], cwd=tree, env=environ, check=True, capture_output=True)
    sync = benchmark.pedantic(median_ms, args=([PCKC, "sync"], tree, environ), rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    git = median_ms(["git", "status", "--porcelain"], tree, environ)
    bare = median_ms([sys.executable, "-c", "pass"], tree, environ)
    search = median_ms([PCKC, "search", "how is a header parsed"], tree, environ)
    report(
        capsys,
        f"{UNCHANGED_FILES:,} unchanged files: pckc sync {sync:.0f} ms (limit {SYNC_LIMIT_MS:.0f}), "
        f"git status {git:.0f} ms, python -c pass {bare:.0f} ms; "
        f"pckc search {search:.0f} ms (limit {SEARCH_LIMIT_MS:.0f})",
    )
