"""
A team's servers under load, each of which may be killed at any moment.

PostgreSQL keeps the truth, Chroma the vectors, a Bolt server the graphs; sessions are imported and files indexed
through the real program all the while, and ``pckc worker`` processes follow.
"""

import json
import os
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import attrs
import chromadb
import neo4j
from pckc_adapters_chroma import testing as chroma
from pckc_adapters_memgraph import testing as arcade
from pckc_adapters_memgraph.backend import MemgraphSettings
from pckc_adapters_postgres import testing as postgres
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings
from pckc_domain.model.projection import generation_scope
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.usecases.project import VECTOR_KINDS, VECTOR_PROJECTION
from pckc_domain.usecases.project_graph import GRAPH_KINDS, GRAPH_PROJECTION

from . import sample
from .conftest import environ_at
from .hash_embedder import write_embedder
from .program import Answer, Program, Repository, kill

WORKERS = 2
EVENTS = 8
"""Events of one session."""

PATIENCE_SECONDS = 120.0
"""How long anything may take before the test fails; nothing is measured against it."""

CONFIG = """\
[canonical]
backend = "postgres"
url = "{postgres}"
connect_timeout_seconds = 3

[vector]
backend = "chroma"
url = "{chroma}"

[graph_index]
backend = "memgraph"
url = "{bolt.url}"
user = "{bolt.user}"
password_variable = "{bolt.password_variable}"
database = "{bolt.database}"
connect_timeout_seconds = 1.0
retry_seconds = 1.0
"""


class Server(Protocol):
    """Something that is killed as a crash would, and started again."""

    def kill(self) -> None: ...
    def start(self) -> None: ...


class Bolt:
    """The Bolt server as a `Server`."""

    def __init__(self, server: arcade.ArcadeServer) -> None:
        self.kill = server.stop
        self.start = server.start


class Workers:
    """``pckc worker`` processes; one that ends by itself is a fault of its own."""

    def __init__(self, program: Program, folder: Path) -> None:
        self._program = program
        self._log = folder / "workers.txt"
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start as many as are missing."""
        while len(self._running) < WORKERS:
            with self._log.open("ab") as log:
                self._running.append(self._program.start("worker", "--poll", "0.2", output=log))

    def kill(self) -> None:
        """Kill the one that has run the longest."""
        self.check()
        kill(self._running.pop(0))

    def check(self) -> None:
        """Fail when one has ended by itself."""
        for worker in self._running:
            assert worker.poll() is None, self.said()

    def said(self) -> str:
        """Return what they told."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        """End all of them."""
        for worker in self._running:
            kill(worker)
        self._running.clear()


class Load:
    """Imports sessions and indexes edits, one after the other, until it is paused; what fails is asked for again."""

    def __init__(self, program: Program, repository: Repository, folder: Path) -> None:
        self._program = program
        self._repository = repository
        self._folder = folder
        self._going = threading.Event()
        self._is_over = threading.Event()
        self._is_idle = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.acknowledged: list[str] = []
        self.failures: list[Answer] = []
        self.trouble: list[BaseException] = []

    def start(self) -> None:
        """Start, or go on."""
        self._is_idle.clear()
        self._going.set()
        if not self._thread.is_alive():
            self._thread.start()

    def pause(self) -> None:
        """Let what is under way end, and no other begin; raises what went wrong."""
        self._going.clear()
        assert self._is_idle.wait(PATIENCE_SECONDS) or self.trouble
        if self.trouble:
            raise self.trouble[0]

    def stop(self) -> None:
        """End."""
        self._is_over.set()
        self._going.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE_SECONDS)

    def _run(self) -> None:
        number = 0
        try:
            while not self._is_over.is_set():
                if not self._going.is_set():
                    self._is_idle.set()
                    self._going.wait()
                    continue
                if self._step(number):
                    number += 1
        except BaseException as error:
            self.trouble.append(error)

    def _step(self, number: int) -> bool:
        """Return whether the step was acknowledged."""
        name = f"load{number}"
        if number % 4 == 3:
            self._repository.write(f"src/harvester/part{number}.py", f'"""Part {number}."""\n\nLIMIT = {number}\n')
            answer = self._program("index", "--json", check=False)
        else:
            answer = self._program("import", "--json", self._session(name, number), check=False)
        if answer.code:
            self.failures.append(answer)
            self._is_over.wait(0.1)
            return False
        if number % 4 != 3:
            self.acknowledged.append(name)
        return True

    def _session(self, name: str, number: int) -> Path:
        file = self._folder / f"{name}.jsonl"
        day, text = 1 + number % 28, "Decision: the service {number} of part {seq} listens on port {port}."
        lines = [
            {
                "session": name,
                "seq": seq,
                "role": "user",
                "time": f"2026-06-{day:02}T10:{seq:02}:00Z",
                "text": text.format(number=number, seq=seq, port=8000 + number % 100),
            }
            for seq in range(EVENTS)
        ]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return file


@attrs.define
class Tally:
    """What one kind of fault came to: how often it was injected, what was lost, and the seconds to recover."""

    fault: str
    injected: int = 0
    lost: int = 0
    recovered: list[float] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class Site:
    """All of it, running."""

    program: Program
    canonical: Canonical
    scope: Scope
    targets: Mapping[str, Server]
    workers: Workers
    load: Load
    chroma_url: str
    bolt: MemgraphSettings

    def inject(self, fault: str, dice: random.Random, tally: Tally) -> None:
        """Kill *fault* at a random moment of the load, ask while it is down, start it, and wait until all is well."""
        target = self.targets[fault]
        self.load.start()
        time.sleep(dice.uniform(0.2, 2.5))
        target.kill()
        DOWN[fault](self)
        began = time.monotonic()
        target.start()
        self.load.pause()
        self.wait_until_followed()
        tally.recovered.append(time.monotonic() - began)
        tally.injected += 1
        tally.lost += self.lost()

    def wait_until_followed(self) -> None:
        """Wait until every projection has seen every change."""
        end = time.monotonic() + PATIENCE_SECONDS
        while (behind := self.behind()).total:
            self.workers.check()
            assert time.monotonic() < end, f"{behind}\n{self.workers.said()[-4000:]}"
            time.sleep(0.05)

    def behind(self) -> "Behind":
        """Return what is not followed yet."""
        with self.canonical.reading(self.scope) as work:
            return Behind.of(work)

    def lost(self) -> int:
        """Return how many acknowledged events, evidence or claims of them are not there."""
        lost = 0
        with self.canonical.reading(self.scope) as work:
            assert not work.set_aside.count(), "a healthy change was set aside"
            by_name = {session.source_id: session for session in work.sessions.find(limit=100_000)}
            for name in self.load.acknowledged:
                events = work.sessions.events(by_name[name].id) if name in by_name else []
                episodes = {event.id for event in events}
                lost += EVENTS - len(episodes)
        return lost

    def projections(self) -> Mapping[str, Any]:
        """Return all that serves in both projections, read past the program."""
        with self.canonical.reading(self.scope) as work:
            vectors = generation_scope(self.scope, work.generations.get(VECTOR_PROJECTION).serving)
            graph = generation_scope(self.scope, work.generations.get(GRAPH_PROJECTION).serving)
        return {"vectors": self._vectors(vectors.project), "graph": self._graph(graph.project)}

    def _vectors(self, project: str) -> Any:
        host, _, port = self.chroma_url.removeprefix("http://").partition(":")
        client = chromadb.HttpClient(host=host, port=int(port))
        found = []
        for collection in client.list_collections():
            held: Any = collection.get(where={"project": project}, include=["metadatas", "embeddings"])
            for metadata, embedding in zip(held["metadatas"], held["embeddings"], strict=True):
                what = {key: value for key, value in metadata.items() if key != "project"}
                found.append((collection.name, sorted(what.items()), [round(float(x), 5) for x in embedding]))
        return sorted(found)

    def _graph(self, project: str) -> Any:
        with neo4j.GraphDatabase.driver(self.bolt.url, auth=(self.bolt.user, arcade.PASSWORD)) as driver:
            nodes, edges = (
                driver.execute_query(query, project=project, database_=self.bolt.database).records
                for query in (_NODES, _EDGES)
            )
        return [sorted(record.values() for record in nodes), sorted(record.values() for record in edges)]


_NODES = "MATCH (n:PckcNode {project: $project}) RETURN n.layer, n.checkout, n.owner, n.id, n.kind, n.name, n.path"
_EDGES = """
    MATCH (s:PckcNode {project: $project})-[r:RELATES]->(t:PckcNode)
    RETURN s.id, t.id, r.kind, r.confidence, r.origin, r.is_inferred, r.detail, r.layer
"""


@attrs.frozen
class Behind:
    """Changes that are not followed yet, and sessions that nothing was derived of."""

    vectors: int
    graph: int
    sessions: int

    @classmethod
    def of(cls, work: UnitOfWork) -> "Behind":
        """Return what is behind in one scope."""
        return cls(
            work.outbox.lag(VECTOR_PROJECTION, kinds=VECTOR_KINDS),
            work.outbox.lag(GRAPH_PROJECTION, kinds=GRAPH_KINDS),
            len(work.sessions.find(limit=10, is_underived=True)),
        )

    @property
    def total(self) -> int:
        """The sum."""
        return self.vectors + self.graph + self.sessions


def _ask(site: Site) -> Any:
    search = ("search", "--json", "--layer", "claims", "--semantic", "always", "which service listens on port 8000")
    return site.program(*search).json


def _without_worker(site: Site) -> None:
    """Answers come as ever, and say how far the vectors are."""
    form = _ask(site)
    assert form["results"]
    assert "behind" in form["coverage"]["claim_vectors"]


def _without_truth(site: Site) -> None:
    """There is no answer without it: the error says what to do."""
    answer = site.program("search", "--json", "port", check=False)
    assert answer.code == 4
    assert "PostgreSQL at" in answer.error["message"]
    assert "what was committed is kept" in answer.error["remedy"]


def _without_vectors(site: Site) -> None:
    """What matches by its words is found, and the answer says why no more is."""
    form = _ask(site)
    assert form["results"]
    assert form["signals"].startswith("lexical only: Chroma at")
    assert "cannot be reached" in form["signals"]


def _without_graph(site: Site) -> None:
    """The question is answered from the truth, and the answer says so."""
    form = site.program("graph", "callers", "LeaseExpiredError", "--json").json
    assert form["results"]
    assert "cannot be reached" in form["why_no_graph_index"] or "behind" in form["why_no_graph_index"], form


DOWN: Mapping[str, Callable[[Site], None]] = {
    "worker": _without_worker,
    "PostgreSQL": _without_truth,
    "Chroma": _without_vectors,
    "Bolt server": _without_graph,
}
"""What is asked while each is down."""


@contextmanager
def running(root: Path) -> Iterator[Site]:
    """Start everything, with something in it already, and end it."""
    with ExitStack() as stack:
        for name in ("home", "chroma", "bolt", "load"):
            (root / name).mkdir()
        truth = stack.enter_context(postgres.started(is_quick=False))
        vectors = stack.enter_context(chroma.started(root / "chroma"))
        graph = stack.enter_context(arcade.started(root / "bolt"))
        write_embedder(root / "plugin")
        environ = environ_at(root / "home")
        environ |= {
            "PYTHONPATH": os.pathsep.join(filter(None, (str(root / "plugin"), environ.get("PYTHONPATH")))),
            "PCKC_EMBEDDER": "hash",
            graph.settings.password_variable: arcade.PASSWORD,
        }
        repository = Repository(root / "repo", environ)
        sample.fill(repository)
        program = Program(folder=repository.root, environ=environ)
        folder = root / "home" / "config" / "pckc"
        folder.mkdir(parents=True)
        config = CONFIG.format(postgres=truth.url, chroma=vectors.url, bolt=graph.settings)
        (folder / "pckc.toml").write_text(config, encoding="utf-8")
        project = program("index", "--json").json["project"]
        settings = PostgresSettings(url=truth.url, connect_timeout_seconds=3.0)
        workers, load = Workers(program, root), Load(program, repository, root / "load")
        site = Site(
            program=program,
            canonical=stack.enter_context(CANONICAL.open(settings)),
            scope=Scope(project=project),
            targets={"worker": workers, "PostgreSQL": truth, "Chroma": vectors, "Bolt server": Bolt(graph)},
            workers=workers,
            load=load,
            chroma_url=vectors.url,
            bolt=graph.settings,
        )
        stack.callback(workers.stop)
        stack.callback(load.stop)
        workers.start()
        yield site


def table(tallies: Mapping[str, Tally]) -> str:
    """Return the fault table as text."""
    lines = [f"{'fault':14} {'times injected':>14} {'lost':>6}  recovered in"]
    for tally in tallies.values():
        seconds = sorted(tally.recovered)
        took = f"{seconds[len(seconds) // 2]:.1f} s, at most {seconds[-1]:.1f} s" if seconds else "never"
        lines.append(f"{'kill ' + tally.fault:18} {tally.injected:10} {tally.lost:6}  {took}")
    return "\n".join(lines)
