"""Workers and rebuilds in processes of their own: killed at any moment, and several at once."""

import random
import time
from pathlib import Path

import numpy as np
import pytest
from pckc_adapters_sqlite.backend import CANONICAL, VECTOR, SqliteSettings
from pckc_domain.model.claim import Beliefs
from pckc_domain.model.projection import generation_scope
from pckc_domain.testing.belief_samples import claim
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.project import VECTOR_KINDS

from .test_processes import finish, start

CLAIMS = 700
KILLS = 3
SLOW = 0.02
"""Seconds that a batch takes at least: some two dozen of them are as long as a kill may be late."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a store of many claims, some of which were changed or removed."""
    path = tmp_path / "store.db"
    texts = [f"The queue {number} listens on port {number}." for number in range(CLAIMS)]
    with CANONICAL.open(SqliteSettings(path=path)) as store, store.writing(SCOPE) as work:
        work.claims.settle({text: Beliefs(claims=(claim(text),)) for text in texts})
        work.claims.settle({text: Beliefs() for text in texts[::7]})
    return path


def kill_at_random(task: str, path: Path) -> None:
    """Start *task* some times and kill it after a while."""
    for number in range(KILLS):
        process = start(task, path, f"dead{number}", SLOW)
        time.sleep(random.uniform(0.3, 0.8))  # noqa: S311 - any moment will do
        process.kill()
        process.communicate()


def vectors(path: Path) -> dict[str, bytes]:
    """Return the vectors that serve, by id."""
    with CANONICAL.open(SqliteSettings(path=path)) as store, VECTOR.open(SqliteSettings(path=path)) as index:
        with store.reading(SCOPE) as work:
            serving = work.generations.get("vector").serving
            assert work.outbox.lag("vector", kinds=VECTOR_KINDS) == 0
            assert work.set_aside.count() == {}
        query = HashEmbedder().embed(["queue"])[0]
        hits = index.search(
            generation_scope(SCOPE, serving), HashEmbedder().space, query, partitions=frozenset(), limit=2 * CLAIMS
        )
        return {hit.id: np.asarray(hit.vector).tobytes() for hit in hits}


def check(path: Path) -> None:
    """What serves must be what a rebuild makes."""
    before = vectors(path)
    (told,) = finish(start("rebuild", path, "last"))
    assert before == vectors(path)
    assert told.split()[:2] == [str(len(before))] * 2
    assert len(before) == CLAIMS - len(range(0, CLAIMS, 7))


def test_killed_workers_lose_nothing(path: Path) -> None:
    kill_at_random("project", path)
    finish(start("project", path, "whole"))
    check(path)


def test_a_killed_rebuild_is_gone_on_with(path: Path) -> None:
    finish(start("project", path, "first"))
    before = vectors(path)
    kill_at_random("rebuild", path)
    assert vectors(path) == before
    finish(start("rebuild", path, "whole"))
    assert vectors(path) == before
    check(path)


def test_workers_share_the_work(path: Path) -> None:
    """Three at once, again and again: each change is done by one of them."""
    done = 0
    while step := sum(int(told) for told in finish(*(start("project", path, name) for name in "abc"))):
        done += step
    assert done == CLAIMS
    check(path)
