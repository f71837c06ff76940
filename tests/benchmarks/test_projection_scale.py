"""
100,000 claims into the vector index and the graph, by a worker that is killed in the middle and started again.

PostgreSQL keeps the claims, pgvector the vectors, a Bolt server the graph. Printed: the worker's memory at its peak,
how far it is behind over time, and how long all took.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest
from pckc_adapters_memgraph import testing as arcade
from pckc_adapters_memgraph.backend import GRAPH
from pckc_adapters_postgres import testing as postgres
from pckc_adapters_postgres.backend import CANONICAL, VECTOR, PgvectorSettings, PostgresSettings
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.project import VECTOR_KINDS, VECTOR_PROJECTION
from pckc_domain.usecases.project_graph import GRAPH_KINDS, GRAPH_PROJECTION

from .test_postgres_speed import make_claims, settling

pytestmark = pytest.mark.bench

CLAIMS = int(os.environ.get("PCKC_PROJECTED_CLAIMS", "100000"))
MEMORY_LIMIT_MB = 300
WORKER = Path(__file__).with_name("projection_worker.py")


def behind(store: Canonical) -> tuple[int, int]:
    """Return how many changes the vectors and the graph have not seen."""
    with store.reading(SCOPE) as work:
        lag = work.outbox.lag
        return lag(VECTOR_PROJECTION, kinds=VECTOR_KINDS), lag(GRAPH_PROJECTION, kinds=GRAPH_KINDS)


def test_projecting_with_a_restart(tmp_path: Path) -> None:
    """It goes on where it was; in the end nothing is behind, and both hold every claim."""
    with postgres.started() as truth, arcade.started(tmp_path) as bolt:
        settings = attrs.asdict(bolt.settings)
        command = [sys.executable, str(WORKER), truth.url, json.dumps(settings), SCOPE.project]
        with CANONICAL.open(PostgresSettings(url=truth.url)) as store:
            claims = [attrs.evolve(claim, session_id="session_of_all") for claim in make_claims(CLAIMS)]
            for act in settling(claims):
                with store.writing(SCOPE) as work:
                    act(work)
            started = time.perf_counter()
            say(f"{CLAIMS} claims: {behind(store)} changes behind (vectors, graph)")
            peak_mb = 0.0
            for vectors_left, graph_left in ((CLAIMS // 2, CLAIMS), (0, CLAIMS // 2), (0, 0)):
                worker = subprocess.Popen(command)
                while worker.poll() is None and not _is_at(behind(store), vectors_left, graph_left):
                    peak_mb = max(peak_mb, _peak_mb(worker.pid))
                    time.sleep(0.2)
                worker.kill()
                worker.wait()
                say(f"{time.perf_counter() - started:7.1f} s  worker ended at {behind(store)} behind")
            seconds = time.perf_counter() - started
            say(f"{seconds:7.1f} s  {behind(store)} behind; {CLAIMS / seconds:,.0f} claims/s into both")
            say(f"worker's memory at its peak {peak_mb:.0f} MB (limit {MEMORY_LIMIT_MB})")
            assert behind(store) == (0, 0)
        with VECTOR.open(PgvectorSettings(url=truth.url)) as vectors, GRAPH.open(bolt.settings) as graph:
            assert vectors.count(SCOPE, partitions=frozenset()) == CLAIMS
            assert graph.count(SCOPE).nodes == CLAIMS


def _is_at(lag: tuple[int, int], vectors_left: int, graph_left: int) -> bool:
    return lag[0] <= vectors_left and lag[1] <= graph_left


def _peak_mb(pid: int) -> float:
    """Return the most memory that a process had since it became the program it is; its parent's counts in others."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:  # it has just ended
        return 0.0
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return float(peaks[0]) / 1024 if peaks else 0.0


def say(line: str) -> None:
    """Print past pytest."""
    sys.__stdout__.write(f"{line}\n") if sys.__stdout__ else None
