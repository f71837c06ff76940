"""Feed projections from the outbox: at least once, in order, resumable at any point, by any number of workers."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Protocol

import attrs

from pckc_domain.errors import BackendUnavailableError, ConfigurationError, PckcError
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.projection import (
    MOST_ERROR_CHARACTERS,
    Generations,
    Lease,
    SetAside,
    building_cursor,
    generation_scope,
)
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.clock import Clock

LEASE = timedelta(minutes=2)
"""More than a batch takes. Whoever is slower has its batch done again by another worker."""

TRIES = 5
"""So often a batch is tried while the projection cannot be reached, and an entry that fails alone."""

FIRST_PAUSE_SECONDS = 0.1
MOST_PAUSE_SECONDS = 30.0

MOST_ENTRIES = 256
"""Changes looked at for one batch."""


class Projection(Protocol):
    """Something that can be rebuilt from the canonical store, kept per scope in an index of its own."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of its cursor."""

    @property
    @abstractmethod
    def kinds(self) -> Collection[OutboxKind]:
        """Changes that it follows."""

    @property
    @abstractmethod
    def stage(self) -> str:
        """What its progress is called."""

    @abstractmethod
    def batch(self, entries: Sequence[OutboxEntry], /) -> Sequence[OutboxEntry]:
        """Return the first of *entries*, one at least, that are worth a commit together."""

    @abstractmethod
    def project(self, scope: Scope, entries: Sequence[OutboxEntry], /, *, into: Scope) -> None:
        """
        Make the index kept as *into* hold of these entities what the store holds of them now. Idempotent.

        Raises:
            BackendUnavailableError: The index cannot be reached now.
            ConfigurationError: It will not work before someone changes a setting.
        """

    @abstractmethod
    def probe(self, scope: Scope, /) -> None:
        """Write and forget something of no meaning, beside what *scope* holds; raises when `project` cannot work."""

    @abstractmethod
    def wanted(self, scope: Scope, /) -> int:
        """Return how many items the store says there should be."""

    @abstractmethod
    def count(self, into: Scope, /) -> int:
        """Return how many items the index kept as *into* holds."""

    @abstractmethod
    def clear(self, into: Scope, /) -> None:
        """Forget the index kept as *into*."""


class StoppedError(Exception):
    """Work was broken off from inside, such as by a signal; what was not committed is done again next time."""


@attrs.frozen(kw_only=True)
class Worker:
    """
    Who works.

    Attributes:
        name: Unlike any other worker's.
        clock: Of the worker's machine; workers' clocks may differ by much less than `LEASE`.
        is_gone: Whether the worker of this name is known to have ended without giving its leases back.
        wait: Waits for so many seconds; may raise a StoppedError.
    """

    name: str
    clock: Clock
    is_gone: Callable[[str], bool] = lambda _: False
    wait: Callable[[float], None] = lambda _: None

    def take(self, work: UnitOfWork, name: str) -> bool:
        """Take or renew the lease *name*, also from a worker that is gone."""
        now = self.clock.now()
        lease = Lease(holder=self.name, until=now + LEASE)
        if work.leases.take(name, lease, now=now):
            return True
        held = work.leases.get(name)
        if held is None or not self.is_gone(held.holder):
            return False
        work.leases.release(name, held.holder)
        return work.leases.take(name, lease, now=now)

    def holds(self, work: UnitOfWork, name: str) -> bool:
        """Return whether the lease *name* is still this worker's: nobody has taken it since."""
        held = work.leases.get(name)
        return held is not None and held.holder == self.name

    @contextmanager
    def holding(self, canonical: Canonical, scope: Scope, name: str) -> Iterator[bool]:
        """Hold the lease *name* inside the block; yield whether it was to be had."""
        with canonical.writing(scope) as work:
            is_mine = self.take(work, name)
        try:
            yield is_mine
        finally:
            if is_mine:
                # a store that is gone does not keep what happened from being told: the lease runs out
                with suppress(PckcError), canonical.writing(scope) as work:
                    work.leases.release(name, self.name)


@attrs.frozen(kw_only=True)
class _Batch:
    entries: Sequence[OutboxEntry]
    generations: Generations
    into: Scope


class Projector:
    """
    Feeds one projection; one worker at a time does for each scope.

    An entry that fails while the projection works is set aside after some tries. While it does not work, the cursor
    waits and nothing is lost.
    """

    def __init__(
        self, canonical: Canonical, projection: Projection, worker: Worker, *, is_building: bool = False
    ) -> None:
        self._canonical = canonical
        self._projection = projection
        self._worker = worker
        self._is_building = is_building
        self.cursor = building_cursor(projection.name) if is_building else projection.name

    def run(
        self,
        scope: Scope,
        *,
        progress: ProgressListener = ignore_progress,
        is_enough: Callable[[], bool] = lambda: False,
    ) -> int:
        """
        Project pending changes until there are none, or *is_enough* says so, and return how many were projected.

        It is asked between batches; whatever asks it inside of one breaks it off by a `StoppedError`. What is left is
        projected by the next run. While another worker is at it there is nothing to do. An index that holds nothing
        of what it should, because it was lost, is fed from the beginning.

        Raises:
            BackendUnavailableError: The store or the projection could not be reached, after some tries.
            ConfigurationError: See `Projection.project`.
        """
        if not (is_lost := self._is_lost(scope)) and not self.lag(scope):
            return 0
        with self._worker.holding(self._canonical, scope, self.cursor) as is_mine:
            if not is_mine:
                return 0
            if is_lost:
                with self._canonical.writing(scope) as work:
                    work.outbox.reset(self.cursor)
            return self._run(scope, progress, is_enough)

    def retry(self, scope: Scope) -> int:
        """Try again what was set aside and return how much of it went through; raises as `run` does."""
        with self._worker.holding(self._canonical, scope, self.cursor) as is_mine:
            return self._retry(scope) if is_mine else 0

    def lag(self, scope: Scope) -> int:
        """Return how many changes are pending."""
        with self._canonical.reading(scope) as work:
            return work.outbox.lag(self.cursor, kinds=self._projection.kinds)

    def _is_lost(self, scope: Scope) -> bool:
        with self._canonical.reading(scope) as work:
            into = self._place(work, scope, ()).into
            has_failed = work.set_aside.count().get(self.cursor, 0) > 0
        return not has_failed and not self._projection.count(into) and self._projection.wanted(scope) > 0

    def _run(self, scope: Scope, progress: ProgressListener, is_enough: Callable[[], bool]) -> int:
        done = failures = 0
        total = self.lag(scope)
        while not is_enough():
            try:
                step = self._step(scope)
            except StoppedError:
                if is_enough():  # the batch was broken off for it
                    break
                raise
            except BackendUnavailableError:
                failures += 1
                if failures == TRIES:
                    raise
                self._worker.wait(pause_seconds(failures))
                continue
            if not step:
                break
            failures = 0
            done += step
            progress(Progress(stage=self._projection.stage, done=done, total=max(done, total)))
        return done

    def _step(self, scope: Scope) -> int:
        with self._canonical.reading(scope) as work:
            pending = work.outbox.pending(self.cursor, limit=MOST_ENTRIES, kinds=self._projection.kinds)
            batch = self._place(work, scope, pending)
        if not batch.entries:
            return 0
        failed = self._project(scope, batch)
        return len(batch.entries) if self._commit(scope, batch, failed) else 0

    def _place(self, work: UnitOfWork, scope: Scope, pending: Sequence[OutboxEntry]) -> _Batch:
        generations = work.generations.get(self._projection.name)
        generation = generations.building if self._is_building else generations.serving
        is_gone = generation is None  # another worker has finished what was being built
        return _Batch(
            entries=self._projection.batch(pending) if pending and not is_gone else [],
            generations=generations,
            into=generation_scope(scope, generation or 0),
        )

    def _project(self, scope: Scope, batch: _Batch) -> list[SetAside]:
        """Project a batch and return what is to be set aside of it."""
        error = self._error(scope, batch.entries, batch.into)
        if error is None:
            return []
        self._projection.probe(scope)
        return self._one_by_one(scope, batch.entries, batch.into)

    def _one_by_one(self, scope: Scope, entries: Sequence[OutboxEntry], into: Scope) -> list[SetAside]:
        """Try each entry by itself, those that fail some times; return these."""
        left = {entry.seq: entry for entry in entries}
        errors: dict[int, Exception] = {}
        for attempt in range(1, TRIES + 1):
            errors = {entry.seq: error for entry in left.values() if (error := self._error(scope, [entry], into))}
            if not errors:
                return []
            self._projection.probe(scope)  # while that fails, it says nothing of the entries
            left = {seq: left[seq] for seq in errors}
            if attempt < TRIES:
                self._worker.wait(pause_seconds(attempt))
        return [
            SetAside(projection=self.cursor, entry=left[seq], tries=TRIES, error=_described(error))
            for seq, error in errors.items()
        ]

    def _error(self, scope: Scope, entries: Sequence[OutboxEntry], into: Scope) -> Exception | None:
        try:
            self._projection.project(scope, entries, into=into)
        except (ConfigurationError, StoppedError):
            raise
        except Exception as error:  # whatever a driver raises for one entry must not keep the others waiting
            return error
        return None

    def _commit(self, scope: Scope, batch: _Batch, failed: Sequence[SetAside]) -> bool:
        """
        Move the cursor behind the batch, unless another worker took over or another generation serves meanwhile.

        Then what was written may be older than what the other one wrote: it is queued again.
        """
        with self._canonical.writing(scope) as work:
            if not self._worker.holds(work, self.cursor):
                _queue_again(work, batch.entries)
                return False
            if not self._still_fits(work, batch):
                return False
            self._worker.take(work, self.cursor)
            work.set_aside.put(failed)
            work.outbox.advance(self.cursor, batch.entries[-1].seq)
        return True

    def _still_fits(self, work: UnitOfWork, batch: _Batch) -> bool:
        now = work.generations.get(self._projection.name)
        if self._is_building:
            return now.building == batch.generations.building
        return now.serving == batch.generations.serving

    def _retry(self, scope: Scope) -> int:
        done = after = 0
        while True:
            with self._canonical.reading(scope) as work:
                page = work.set_aside.find(self.cursor, after=after, limit=MOST_ENTRIES)
                batch = self._place(work, scope, [each.entry for each in page])
            if not batch.entries:
                return done
            failed = self._one_by_one(scope, batch.entries, batch.into)
            tries = {each.entry.seq: each.tries for each in page}
            with self._canonical.writing(scope) as work:
                if not self._worker.holds(work, self.cursor) or not self._still_fits(work, batch):
                    return done
                work.set_aside.remove(self.cursor, [entry.seq for entry in batch.entries])
                work.set_aside.put([attrs.evolve(each, tries=each.tries + tries[each.entry.seq]) for each in failed])
            done += len(batch.entries) - len(failed)
            after = batch.entries[-1].seq


def _queue_again(work: UnitOfWork, entries: Sequence[OutboxEntry]) -> None:
    """Queue the entities of *entries* again; of what is gone the queue keeps nothing but its deletion."""
    asked = {kind: sorted({entry.entity_id for entry in entries if entry.kind is kind}) for kind in OutboxKind}
    claims = {found.claim.id for kind in (OutboxKind.CLAIM, OutboxKind.LINK) for found in work.claims.get(asked[kind])}
    stored = {
        OutboxKind.DOCUMENT: {document.id for document in work.documents.get(asked[OutboxKind.DOCUMENT])},
        OutboxKind.CLAIM: claims,
        OutboxKind.EPISODE: {each.episode_id for each in work.evidence.of_episodes(asked[OutboxKind.EPISODE])},
        OutboxKind.LINK: claims,
        OutboxKind.GRAPH_FILE: set(asked[OutboxKind.GRAPH_FILE]),
    }
    for kind, ids in asked.items():
        work.outbox.append(kind, [id_ for id_ in ids if id_ in stored[kind]], OutboxOperation.UPSERT)
        work.outbox.append(kind, [id_ for id_ in ids if id_ not in stored[kind]], OutboxOperation.DELETE)


def pause_seconds(failures: int) -> float:
    """Return how long to wait after so many failures in a row: twice as long each time."""
    return min(MOST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(failures - 1, 16))


def _described(error: Exception) -> str:
    said = error.message if isinstance(error, PckcError) else f"{type(error).__name__}: {error}"
    return said[:MOST_ERROR_CHARACTERS]
