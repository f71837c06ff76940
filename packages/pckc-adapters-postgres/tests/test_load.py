"""Sixteen writers and thirty-two readers at once, in several processes: no error, nothing lost, no deadlock."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pckc_adapters_postgres.backend import CANONICAL, PostgresSettings
from pckc_domain.model.scope import Scope

WORKER = Path(__file__).with_name("worker.py")
WRITERS, READERS = 16, 32
EVERYTHING = 10_000_000


@pytest.mark.parametrize("projects", [1, 4])
def test_writers_and_readers_at_once(settings: PostgresSettings, projects: int) -> None:
    """For a moment."""
    check_load(settings, projects=projects, processes=2, seconds=2.5)


@pytest.mark.bench
@pytest.mark.parametrize("projects", [1, 4])
def test_writers_and_readers_for_a_minute(settings: PostgresSettings, projects: int) -> None:
    """The same for 60 s, and how much was done."""
    check_load(settings, projects=projects, processes=4, seconds=60)


def check_load(settings: PostgresSettings, *, projects: int, processes: int, seconds: float) -> None:
    """Run the load and compare what was acknowledged with what is stored."""
    before = _deadlocks(settings)
    named = {"url": settings.url, "schema": settings.schema, "tenants": ["local"]}
    load = {"seconds": seconds, "projects": projects, "writers": WRITERS // processes, "readers": READERS // processes}
    started = [
        subprocess.Popen(
            [sys.executable, str(WORKER), json.dumps(named), json.dumps({**load, "process": number})],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    outputs = [process.communicate(timeout=seconds + 120) for process in started]
    assert [process.returncode for process in started] == [0] * processes, outputs
    shares: list[dict[str, Any]] = [json.loads(output) for output, _ in outputs]
    assert [share["problems"] for share in shares] == [[]] * processes
    acknowledged: dict[str, set[str]] = {}
    documents: Counter[str] = Counter()
    for share in shares:
        for project, ids in share["acknowledged"].items():
            acknowledged.setdefault(project, set()).update(ids)
        documents.update(share["documents"])
    assert len(acknowledged) == projects
    with CANONICAL.open(settings) as store:
        for project, ids in acknowledged.items():
            with store.reading(Scope(project=project)) as work:
                sessions = work.sessions.find(limit=EVERYTHING)
                stored = {event.id for one in sessions for event in work.sessions.events(one.id)}
                pending = work.outbox.pending("any", limit=EVERYTHING)
                queued = Counter(one.kind.value for one in pending)
            assert stored == ids
            assert (queued["claim"], queued["document"]) == (len(ids) // 2, documents[project])
            assert len({one.seq for one in pending}) == len(pending)
    assert _deadlocks(settings) == before
    events, reads = sum(map(len, acknowledged.values())), sum(share["reads"] for share in shares)
    print(  # noqa: T201 - what a benchmark is for
        f"\n{WRITERS} writers, {READERS} readers, {projects} projects, {seconds:.0f} s: {events} events and "
        f"{documents.total()} documents in {events // 2 + documents.total()} transactions, {reads} snapshots read; "
        f"0 errors, 0 lost, 0 deadlocks"
    )


def _deadlocks(settings: PostgresSettings) -> int:
    with psycopg.connect(settings.url) as connection:
        row = connection.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()
    assert row
    return int(row[0])
