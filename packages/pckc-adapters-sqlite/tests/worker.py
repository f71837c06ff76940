"""
What the other processes of ``test_processes.py`` do: ``python worker.py TASK PATH [ARGUMENT…]``.

A script and not functions: test modules cannot be imported by a process that pytest did not start.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pckc_adapters_sqlite.backend import CANONICAL, VECTOR, SqliteSettings
from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.embedding import Vector
from pckc_domain.model.passage import Layer, PassageFilter
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.graph.linkers import all_linkers
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.graph_samples import versioned_project
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.projections import rebuild_vectors, vector_projector
from pckc_domain.testing.samples import SCOPE, content, document, entry
from pckc_domain.testing.vector_contract import SPACE, items
from pckc_domain.usecases import graph_sync
from pckc_domain.usecases.graph_sync import GraphSync
from pckc_domain.usecases.projecting import Worker
from pckc_domain.usecases.read_code import SerialReading

TEXTS = [f"alpha text {i}" for i in range(5)]
NOBODY = 65534


def write(path: Path, writer: str, rounds: str) -> None:
    """Store documents, one a transaction, and move a checkout from each to the next."""
    with CANONICAL.open(SqliteSettings(path=path)) as store:
        for step in range(int(rounds)):
            version = document(f"src/{writer}.py", step)
            with store.writing(SCOPE) as work:
                work.documents.put(content(version, *TEXTS))
                work.manifest.put(f"co_{writer}", [entry(version)])


def write_for_ever(path: Path, acknowledged: str) -> None:
    """Store documents until killed; note each one behind its commit."""
    with CANONICAL.open(SqliteSettings(path=path)) as store, Path(acknowledged).open("a") as notes:
        with store.reading(SCOPE) as work:
            start = len(work.documents.at("src/app.py"))
        for step in range(start, 1_000_000):
            version = document("src/app.py", step)
            with store.writing(SCOPE) as work:
                work.documents.put(content(version, *TEXTS))
                work.manifest.put("co_one", [entry(version)])
            notes.write(f"{version.id}\n")
            notes.flush()


def read(path: Path, rounds: str) -> None:
    """Search, and check that every snapshot holds whole documents only."""
    everything = PassageFilter(include_stale=True)
    with CANONICAL.open(SqliteSettings(path=path)) as store:
        for _ in range(int(rounds)):
            with store.reading(SCOPE) as work:
                hits = work.passages.search(Layer.CHUNK, LexicalQuery(words=("alpha",)), where=everything, limit=10_000)
                counts = work.passages.count()
            assert len(hits) == counts[Layer.CHUNK].fresh + counts[Layer.CHUNK].stale
            assert len(hits) % len(TEXTS) == 0
            assert len({(count.fresh, count.stale) for count in counts.values()}) == 1


def read_without_rights(path: Path) -> None:
    """Print how many passages are found, and what is said to a writer."""
    if os.getuid() == 0:
        os.setuid(NOBODY)
    with CANONICAL.open(SqliteSettings(path=path)) as store:
        with store.reading(SCOPE) as work:
            found = work.passages.search(Layer.CHUNK, LexicalQuery(words=("alpha",)), where=PassageFilter(), limit=10)
        try:
            with store.writing(SCOPE):
                remedy = "none needed"
        except BackendUnavailableError as error:
            remedy = error.remedy
    json.dump([len(found), remedy], sys.stdout)


def upsert(path: Path, prefix: str) -> None:
    """Store vectors."""
    with VECTOR.open(SqliteSettings(path=path)) as index:
        index.upsert(SCOPE, SPACE, items(50, prefix=prefix))


def sync_graph(path: Path, version: str) -> None:
    """Let the graph follow a version of a project."""
    with CANONICAL.open(SqliteSettings(path=path)) as store:
        source = MemoryRepository(versioned_project(int(version)))
        GraphSync(store, source, FixedClock(), reading=SerialReading(), linkers=all_linkers()).run(SCOPE)


def follow_graph(path: Path, batch_files: str) -> None:
    """Let the graph follow one version after the other until killed, and say after each that it does."""
    graph_sync.BATCH_FILES = int(batch_files)
    for version in range(1, 1_000_000):
        sync_graph(path, str(version))
        sys.stdout.write(f"{version}\n")
        sys.stdout.flush()


def project(path: Path, name: str, batch_pause: str = "0") -> None:
    """Bring the vectors up to date as the worker *name*; wait a little in each batch, so that there is time to die."""
    embedder = SlowEmbedder(float(batch_pause))
    with CANONICAL.open(SqliteSettings(path=path)) as store, VECTOR.open(SqliteSettings(path=path)) as vectors:
        worker = Worker(name=name, clock=FixedClock(), is_gone=lambda other: other.startswith("dead"))
        done = vector_projector(store, embedder, vectors, worker=worker).run(SCOPE)
        sys.stdout.write(f"{done}\n")


def rebuild(path: Path, name: str, batch_pause: str = "0") -> None:
    """Make the vectors anew as the worker *name*."""
    embedder = SlowEmbedder(float(batch_pause))
    with CANONICAL.open(SqliteSettings(path=path)) as store, VECTOR.open(SqliteSettings(path=path)) as vectors:
        worker = Worker(name=name, clock=FixedClock(), is_gone=lambda other: other.startswith("dead"))
        report = rebuild_vectors(store, embedder, vectors, SCOPE, worker=worker)
        sys.stdout.write(f"{report.after} {report.wanted} {report.is_resumed}\n")


class SlowEmbedder(HashEmbedder):
    """Takes its time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """See the port."""
        time.sleep(self._seconds)
        return super().embed(texts)


TASKS = {
    task.__name__: task
    for task in (
        write, write_for_ever, read, read_without_rights, upsert, sync_graph, follow_graph, project, rebuild,
    )
}  # fmt: skip

if __name__ == "__main__":
    name, store_path, *arguments = sys.argv[1:]
    TASKS[name](Path(store_path), *arguments)
