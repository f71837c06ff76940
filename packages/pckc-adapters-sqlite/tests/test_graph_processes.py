"""Several processes, and the end of one, while a graph is written."""

import re
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from pckc_adapters_sqlite.backend import CANONICAL, SqliteSettings
from pckc_domain.model.graph import Graph, GraphLayer
from pckc_domain.model.linking import GraphState
from pckc_domain.policy.graph.linkers import all_linkers
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.graph_samples import versioned_project
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.graph_sync import GraphSync
from pckc_domain.usecases.read_code import SerialReading

from .test_processes import finish, opened, start

KILLS = 3


def synced(store: Canonical, files: Mapping[str, bytes]) -> Graph:
    """Return the graph of *files* after a run."""
    source = MemoryRepository(files)
    GraphSync(store, source, FixedClock(), reading=SerialReading(), linkers=all_linkers()).run(SCOPE)
    graph, state = read(store)
    assert state is not None
    assert state.is_complete
    return graph


def read(store: Canonical) -> tuple[Graph, GraphState | None]:
    """Return the graph and its state."""
    with store.reading(SCOPE) as work:
        found = work.graph(MemoryRepository().checkout().id, GraphLayer.REPOSITORY)
        return found.links.whole(), found.state.get()


def shapes(graph: Graph) -> dict[str, tuple[int, list[str], set[str]]]:
    """Return how many nodes each file has, the kinds of edges that stay in it, and the versions all these are of."""
    found = {}
    for path in {node.path for node in graph.nodes}:
        nodes = [node.name for node in graph.nodes if node.path == path]
        edges = [edge for edge in graph.edges if edge.source.startswith(f"{path}#")]
        own = [edge for edge in edges if edge.target.startswith(f"{path}#")]
        names = [*nodes, *(edge.target for edge in own)]
        of = {version for name in names for version in re.findall(r"_v(\d+)", name)}
        found[path] = (len(nodes), sorted(edge.kind for edge in own), of)
    return found


@pytest.mark.parametrize("batch_files", [1, 400])
def test_a_killed_run_leaves_whole_files(tmp_path: Path, batch_files: int) -> None:
    """In one transaction all of one version; in several the graph says so, and the next run makes it whole."""
    path = tmp_path / "store.db"
    whole = shapes(synced(MemoryCanonical(), versioned_project(0)))
    for _ in range(KILLS):
        process = start("follow_graph", path, batch_files)
        assert process.stdout is not None
        for _ in range(2):
            process.stdout.readline()
        time.sleep(0.03)
        kill(process)
        with opened(path) as store:
            assert store.info(check=True).problems == ()
            graph, state = read(store)
            left = shapes(graph)
            assert all(len(of) == 1 for _, _, of in left.values())
            assert all(shape[:2] == whole[file][:2] for file, shape in left.items())
            if state is not None and state.is_complete:
                assert len(left) == len(whole)
                assert len(set.union(*(of for _, _, of in left.values()))) == 1
            else:
                assert batch_files == 1
    with opened(path) as store:
        assert synced(store, versioned_project(0)) == synced(MemoryCanonical(), versioned_project(0))


def test_two_runs_at_once_end_with_one_graph(tmp_path: Path) -> None:
    """Whoever comes second starts again and finds nothing left to do."""
    path = tmp_path / "store.db"
    with opened(path) as store:
        synced(store, versioned_project(0))
    finish(*(start("sync_graph", path, 1) for _ in range(3)))
    with opened(path) as store:
        graph, state = read(store)
    assert state is not None
    assert (state.is_complete, state.revision) == (True, 2)
    assert graph == synced(MemoryCanonical(), versioned_project(1))


def kill(process: subprocess.Popen[str]) -> None:
    """End a process as a crash does."""
    process.kill()
    process.communicate()


def test_erased_text_is_in_no_file(tmp_path: Path) -> None:
    """Of a cleared graph no byte remains after compaction."""
    path = tmp_path / "store.db"
    with CANONICAL.open(SqliteSettings(path=path)) as store:
        synced(store, {"a.py": b"def zeppelin(): pass\n", "b.py": b"from a import zeppelin\nzeppelin()\n"})
        with store.writing(SCOPE) as work:
            work.graph(MemoryRepository().checkout().id, GraphLayer.REPOSITORY).files.remove(["a.py", "b.py"])
        store.compact()
    assert not any(b"zeppelin" in file.read_bytes() for file in tmp_path.iterdir())
