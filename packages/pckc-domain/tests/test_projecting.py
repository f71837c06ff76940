"""Feeding projections: failures, poison, several workers, and rebuilds while the old index serves."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import timedelta

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import BackendError, BackendUnavailableError, ConfigurationError, ConflictError
from pckc_domain.model.embedding import EmbeddingSpace
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.projection import Generations, building_cursor, generation_scope, probe_scope
from pckc_domain.model.scope import Scope
from pckc_domain.testing.conversations import SCOPE, tell
from pckc_domain.testing.fakes import FixedClock, HashEmbedder
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.projections import vector_projector
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.project import ServingVectors, VectorProjection
from pckc_domain.usecases.projecting import LEASE, TRIES, Projection, Projector, StoppedError, Worker, pause_seconds
from pckc_domain.usecases.rebuild import Rebuilder
from pckc_domain.usecases.remember import Deriver
from pckc_domain.usecases.working import DERIVATION, DerivationJob, ProjectionJob, work_round

NAMES = tuple("abcdefgh")


class Shelf(Projection):
    """
    Keeps for each claim how often it was projected; fails when and for what it is told to.

    Attributes:
        poison: Entities that fail, with their error.
        trouble: Raises, or not, before anything is done.
        between: Runs after the store was read, before anything is written.
    """

    name = "shelf"
    stage = "shelving"
    kinds: Collection[OutboxKind] = (OutboxKind.CLAIM,)

    def __init__(self, canonical: MemoryCanonical) -> None:
        self.shelves: dict[Scope, dict[str, str]] = {}
        self.poison: dict[str, Exception] = {}
        self.trouble: Callable[[], None] = lambda: None
        self.between: Callable[[], None] = lambda: None
        self._canonical = canonical

    def batch(self, entries: Sequence[OutboxEntry], /) -> Sequence[OutboxEntry]:
        return entries[:3]

    def project(self, scope: Scope, entries: Sequence[OutboxEntry], /, *, into: Scope) -> None:
        self.trouble()
        held = holdings(self._canonical)
        self.between()
        shelf = self.shelves.setdefault(into, {})
        for entry in entries:
            if error := self.poison.get(entry.entity_id):
                raise error
            shelf.pop(entry.entity_id, None)
            if entry.entity_id in held:
                shelf[entry.entity_id] = held[entry.entity_id]

    def probe(self, scope: Scope, /) -> None:
        self.trouble()

    def wanted(self, scope: Scope, /) -> int:
        return len(holdings(self._canonical))

    def count(self, into: Scope, /) -> int:
        return len(self.shelves.get(into, {}))

    def clear(self, into: Scope, /) -> None:
        self.shelves.pop(into, None)


def holdings(canonical: MemoryCanonical) -> dict[str, str]:
    """Return what the store holds: here, simply what was queued last and how."""
    with canonical.reading(SCOPE) as work:
        every = work.outbox.pending("nobody", limit=999)
    return {each.entity_id: str(each.seq) for each in every if each.operation is OutboxOperation.UPSERT}


class Hall:
    """A store with a shelf beside it, and workers."""

    def __init__(self) -> None:
        self.canonical = MemoryCanonical()
        self.shelf = Shelf(self.canonical)
        self.clock = FixedClock()
        self.waited: list[float] = []

    def change(self, *names: str, gone: bool = False) -> None:
        operation = OutboxOperation.DELETE if gone else OutboxOperation.UPSERT
        with self.canonical.writing(SCOPE) as work:
            work.outbox.append(OutboxKind.CLAIM, names, operation)

    def worker(self, name: str = "one", **more: object) -> Worker:
        return Worker(name=name, clock=self.clock, wait=self.waited.append, **more)  # type: ignore[arg-type]  # options

    def projector(self, name: str = "one", **more: object) -> Projector:
        return Projector(self.canonical, self.shelf, self.worker(name, **more))

    def rebuilder(self, name: str = "one") -> Rebuilder:
        return Rebuilder(self.canonical, self.shelf, self.worker(name))

    def lag(self) -> int:
        return self.projector().lag(SCOPE)

    def set_aside(self) -> dict[str, int]:
        with self.canonical.reading(SCOPE) as work:
            return {each.entry.entity_id: each.tries for each in work.set_aside.find("shelf", limit=99)}

    def serving(self) -> dict[str, str]:
        with self.canonical.reading(SCOPE) as work:
            generation = work.generations.get("shelf").serving
        return self.shelf.shelves.get(generation_scope(SCOPE, generation), {})


def unavailable() -> None:
    raise BackendUnavailableError("the shelf is down")


def test_a_poisoned_entry_is_set_aside_and_keeps_nobody_waiting() -> None:
    hall = Hall()
    hall.shelf.poison = {"b": ValueError("bad text"), "e": BackendUnavailableError("it hangs up")}
    hall.change(*NAMES)
    assert hall.projector().run(SCOPE) == len(NAMES)
    assert hall.lag() == 0
    assert hall.set_aside() == {"b": TRIES, "e": TRIES}
    assert hall.serving().keys() == set(NAMES) - {"b", "e"}
    with hall.canonical.reading(SCOPE) as work:
        assert [each.error for each in work.set_aside.find("shelf", limit=9)] == ["ValueError: bad text", "it hangs up"]


def test_an_entry_that_is_poisoned_and_alone_is_set_aside_too() -> None:
    hall = Hall()
    hall.shelf.poison = {"a": BackendUnavailableError("it hangs up")}
    hall.change("a")
    assert hall.projector().run(SCOPE) == 1
    assert hall.set_aside() == {"a": TRIES}


def test_what_was_set_aside_is_tried_again_when_asked() -> None:
    hall = Hall()
    hall.shelf.poison = {"b": ValueError(), "c": ValueError()}
    hall.change(*NAMES)
    hall.projector().run(SCOPE)
    del hall.shelf.poison["b"]
    assert hall.projector().retry(SCOPE) == 1
    assert hall.set_aside() == {"c": 2 * TRIES}
    hall.shelf.poison = {}
    assert hall.projector().retry(SCOPE) == 1
    assert hall.projector().retry(SCOPE) == 0
    assert hall.serving() == holdings(hall.canonical)


def test_what_was_set_aside_is_tried_again_when_it_changes() -> None:
    hall = Hall()
    hall.shelf.poison = {"b": ValueError()}
    hall.change("a", "b")
    hall.projector().run(SCOPE)
    hall.shelf.poison = {}
    hall.change("b")
    assert hall.set_aside() == {}
    hall.projector().run(SCOPE)
    assert hall.serving() == holdings(hall.canonical)


def test_while_the_projection_is_down_the_cursor_waits() -> None:
    hall = Hall()
    hall.change(*NAMES)
    hall.shelf.trouble = unavailable
    with pytest.raises(BackendUnavailableError):
        hall.projector().run(SCOPE)
    assert (hall.lag(), hall.set_aside()) == (len(NAMES), {})
    assert hall.waited == [pause_seconds(number) for number in range(1, TRIES)]
    hall.shelf.trouble = lambda: None
    assert hall.projector().run(SCOPE) == len(NAMES)
    assert hall.serving() == holdings(hall.canonical)


def test_a_wrong_setting_is_told_at_once() -> None:
    hall = Hall()
    hall.change("a", "b")
    hall.shelf.poison = {"a": ConfigurationError("another space")}
    with pytest.raises(ConfigurationError):
        hall.projector().run(SCOPE)
    assert (hall.lag(), hall.set_aside(), hall.waited) == (2, {}, [])


def test_pauses_grow_and_end() -> None:
    pauses = [pause_seconds(failures) for failures in range(1, 40)]
    assert pauses[:3] == [0.1, 0.2, 0.4]
    assert pauses == sorted(pauses)
    assert pauses[-1] == pauses[-2] == 30.0


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_after_any_failures_it_equals_a_rebuild(data: st.DataObject) -> None:
    """It fails at random, changes go on, workers come and go; then it works again."""
    hall = Hall()
    errors = st.sampled_from([None, None, None, BackendUnavailableError("away"), BackendError("odd"), ValueError()])

    def trouble() -> None:
        if error := data.draw(errors):
            raise error

    for _ in range(data.draw(st.integers(1, 6))):
        hall.change(*data.draw(st.lists(st.sampled_from(NAMES), unique=True)), gone=data.draw(st.booleans()))
        hall.shelf.trouble = trouble
        with suppress(BackendError, ValueError):
            hall.projector(data.draw(st.sampled_from(["one", "two"]))).run(SCOPE)
    hall.shelf.trouble = lambda: None
    hall.projector().run(SCOPE)
    hall.projector().retry(SCOPE)
    assert (hall.lag(), hall.set_aside()) == (0, {})
    before = dict(hall.serving())
    hall.rebuilder().run(SCOPE)
    assert hall.serving() == before == holdings(hall.canonical)


def test_two_workers_do_not_do_the_same() -> None:
    hall = Hall()
    hall.change(*NAMES)
    others: list[int] = []
    hall.shelf.between = lambda: others.append(hall.projector("two").run(SCOPE))
    assert hall.projector("one").run(SCOPE) == len(NAMES)
    assert set(others) == {0}


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_dead_workers_lease_is_taken_over(is_gone: bool) -> None:
    """At once when it is known to be dead, and when its lease has run out."""
    hall = Hall()
    hall.change("a")
    with hall.canonical.writing(SCOPE) as work:
        assert hall.worker("dead").take(work, "shelf")
    assert hall.projector("two", is_gone=lambda name: is_gone and name == "dead").run(SCOPE) == int(is_gone)
    hall.clock.advance(LEASE)
    assert hall.projector("two").run(SCOPE) == 1 - int(is_gone)
    assert hall.serving() == holdings(hall.canonical)


def test_a_worker_that_was_too_slow_leaves_nothing_old_behind() -> None:
    """It read a claim, slept beyond its lease, and wrote what was no longer so: its claims are queued again."""
    hall = Hall()
    hall.change("a")

    def sleep() -> None:
        hall.shelf.between = lambda: None
        hall.clock.advance(2 * LEASE)
        hall.change("a")
        assert hall.projector("two").run(SCOPE) == 1

    hall.shelf.between = sleep
    assert hall.projector("one").run(SCOPE) == 0
    assert hall.lag() == 1
    hall.projector("two").run(SCOPE)
    assert hall.serving() == holdings(hall.canonical) == {}
    with hall.canonical.reading(SCOPE) as work:
        assert work.outbox.pending("nobody", limit=9) == []  # it is not stored: nothing of it stays queued


def test_stopping_keeps_what_was_committed() -> None:
    hall = Hall()
    hall.change(*NAMES)
    rounds: list[int] = []

    def stop() -> None:
        rounds.append(1)
        if len(rounds) == 2:
            raise StoppedError

    hall.shelf.between = stop
    with pytest.raises(StoppedError):
        hall.projector().run(SCOPE)
    assert (hall.lag(), hall.set_aside()) == (len(NAMES) - 3, {})
    with hall.canonical.reading(SCOPE) as work:
        assert work.leases.get("shelf") is None


def test_a_lost_index_is_fed_from_the_beginning() -> None:
    mine = told()
    mine.project()
    before = dict(mine.held())
    mine.vectors.clear(SCOPE)
    mine.project()
    assert mine.held() == before != {}


def test_a_rebuild_lets_the_old_index_serve_until_the_new_one_is_whole() -> None:
    hall = Hall()
    hall.change(*NAMES)
    hall.projector().run(SCOPE)
    hall.shelf.shelves[SCOPE]["stale"] = "old"
    before = dict(hall.serving())
    seen: list[dict[str, str]] = []
    hall.shelf.between = lambda: seen.append(dict(hall.serving()))
    report = hall.rebuilder().run(SCOPE)
    assert seen == [before] * 3
    assert attrs.astuple(report) == (9, 8, 8, 0, 8, False)
    assert hall.serving() == holdings(hall.canonical)
    assert hall.shelf.shelves.keys() == {generation_scope(SCOPE, 1)}
    assert hall.rebuilder().run(SCOPE).before == 8
    assert hall.shelf.shelves.keys() == {SCOPE}


def test_changes_during_a_rebuild_reach_both_indexes() -> None:
    hall = Hall()
    hall.change("a", "b", "c", "d")
    hall.projector().run(SCOPE)

    def change() -> None:
        hall.shelf.between = lambda: None
        hall.change("a", gone=True)
        hall.change("e")
        hall.projector("two").run(SCOPE)
        assert hall.serving() == holdings(hall.canonical)

    hall.shelf.between = change
    hall.rebuilder().run(SCOPE)
    assert hall.serving() == holdings(hall.canonical)
    assert hall.lag() == 0


def test_a_rebuild_that_was_broken_off_is_gone_on_with() -> None:
    hall = Hall()
    hall.change(*NAMES)
    hall.projector().run(SCOPE)
    steps: list[int] = []

    def kill() -> None:
        steps.append(1)
        if len(steps) == 2:
            raise StoppedError

    hall.shelf.between = kill
    with pytest.raises(StoppedError):
        hall.rebuilder().run(SCOPE)
    with hall.canonical.reading(SCOPE) as work:
        assert work.generations.get("shelf") == Generations(serving=0, building=1)
    hall.shelf.between = lambda: None
    report = hall.rebuilder().run(SCOPE)
    assert (report.is_resumed, report.projected) == (True, len(NAMES) - 3)
    assert hall.serving() == holdings(hall.canonical)


def test_one_rebuild_at_a_time() -> None:
    hall = Hall()
    hall.change(*NAMES)
    hall.projector().run(SCOPE)
    refused: list[type[Exception]] = []

    def another() -> None:
        with pytest.raises(ConflictError) as caught:
            hall.rebuilder("two").run(SCOPE)
        refused.append(caught.type)

    hall.shelf.between = another
    hall.rebuilder("one").run(SCOPE)
    assert refused
    assert hall.serving() == holdings(hall.canonical)


class Told:
    """A store of sessions with vectors of them."""

    def __init__(self) -> None:
        self.canonical, self.vectors, self.embedder = MemoryCanonical(), MemoryVectorIndex(), HashEmbedder()

    def project(self) -> int:
        return vector_projector(self.canonical, self.embedder, self.vectors).run(SCOPE)

    def rebuild(self, embedder: HashEmbedder) -> None:
        worker = Worker(name="one", clock=FixedClock())
        Rebuilder(self.canonical, VectorProjection(self.canonical, embedder, self.vectors), worker).run(SCOPE)

    def held(self, generation: int = 0) -> dict[str, object]:
        items: dict[str, object] = vars(self.vectors)["_items"].get(generation_scope(SCOPE, generation), {})
        return items


def told() -> Told:
    mine = Told()
    tell(mine.canonical, "s", ["The queue listens on port 8000.", "We decided to use SQLite for the job queue."])
    return mine


def test_vectors_of_another_embedder_are_built_beside_the_old_ones() -> None:
    mine = told()
    mine.project()
    mine.rebuild(HashEmbedder(32))
    mine.rebuild(HashEmbedder(16))
    serving = ServingVectors(mine.canonical, mine.vectors)
    query = HashEmbedder(16).embed(["queue"])[0]
    assert len(serving.search(SCOPE, HashEmbedder(16).space, query, partitions=frozenset(), limit=9)) == 4
    assert serving.count(SCOPE, partitions=frozenset()) == 4
    assert mine.vectors.count(generation_scope(SCOPE, 1), partitions=frozenset()) == 0


def test_a_rebuild_begun_with_another_embedder_starts_again() -> None:
    mine = told()
    mine.project()
    with mine.canonical.writing(SCOPE) as work:
        work.outbox.reset(building_cursor("vector"))
        work.generations.begin("vector", 1)
    beside = generation_scope(SCOPE, 1)
    space = EmbeddingSpace(model="other", dimensions=2)
    mine.vectors.upsert(beside, space, [])
    vars(mine.vectors)["_spaces"][beside] = space
    mine.rebuild(mine.embedder)
    assert len(mine.held(1)) == 4


def test_what_is_forgotten_goes_from_both_generations() -> None:
    mine = told()
    mine.project()
    with mine.canonical.writing(SCOPE) as work:
        work.outbox.reset(building_cursor("vector"))
        work.generations.begin("vector", 1)
    worker = Worker(name="one", clock=FixedClock())
    projection = VectorProjection(mine.canonical, mine.embedder, mine.vectors)
    Projector(mine.canonical, projection, worker, is_building=True).run(SCOPE)
    assert len(mine.held(0)) == len(mine.held(1)) == 4
    serving = ServingVectors(mine.canonical, mine.vectors)
    Eraser(mine.canonical, Deriver(mine.canonical, FixedClock()), vectors=serving).forget_session(SCOPE, "s")
    assert mine.held(0) == mine.held(1) == {}


def test_a_probe_leaves_nothing() -> None:
    mine = told()
    VectorProjection(mine.canonical, mine.embedder, mine.vectors).probe(SCOPE)
    assert mine.vectors.count(probe_scope(SCOPE), partitions=frozenset()) == 0
    assert mine.held() == {}


def test_a_round_goes_on_after_a_job_that_fails() -> None:
    hall = Hall()
    hall.change("a")
    tell(hall.canonical, "s", ["The queue listens on port 8000."])
    with hall.canonical.writing(SCOPE) as work:
        session = work.sessions.find(limit=1)[0]
        work.sessions.put(session, [attrs.evolve(work.sessions.events(session.id)[0], id="new", seq=9)])
    worker = hall.worker()
    projector = hall.projector()
    derivation = DerivationJob(hall.canonical, Deriver(hall.canonical, FixedClock()), worker)
    hall.shelf.trouble = unavailable
    last = work_round([SCOPE], [ProjectionJob(projector), derivation])
    assert last.done[DERIVATION] == 1
    assert set(last.errors) == {"shelf"}
    hall.shelf.trouble = lambda: None
    last = work_round([SCOPE], [ProjectionJob(projector), derivation])
    assert last.errors == {}
    assert last.done["shelf"] >= 1
    assert derivation.behind(SCOPE) == 0
    hall.clock.advance(timedelta(days=1))
    assert work_round([SCOPE], [ProjectionJob(projector), derivation]).done.total() == 0
