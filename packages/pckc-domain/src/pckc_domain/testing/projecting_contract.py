"""What every canonical store remembers for those who feed projections. Provide the fixture *canonical*."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import attrs
import pytest

from pckc_domain.errors import BackendError
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.projection import Generations, Lease, SetAside, building_cursor
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing.samples import SCOPE

OTHER = Scope(tenant="local", project="another")
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
NEXT = building_cursor("vector")


def lease(holder: str, until: datetime = NOW + MINUTE) -> Lease:
    """Return a lease of a minute."""
    return Lease(holder=holder, until=until)


def take(canonical: Canonical, taken: Lease, *, now: datetime = NOW, scope: Scope = SCOPE) -> bool:
    """Take the lease of the vectors."""
    with canonical.writing(scope) as work:
        return work.leases.take("vector", taken, now=now)


def fail(canonical: Canonical, *ids: str, projection: str = "vector") -> list[SetAside]:
    """Queue changes to claims, set them aside and return them."""
    with canonical.writing(SCOPE) as work:
        work.outbox.append(OutboxKind.CLAIM, ids, OutboxOperation.UPSERT)
    with canonical.writing(SCOPE) as work:
        queued = [entry for entry in work.outbox.pending(projection, limit=1000) if entry.entity_id in ids]
        failed = [SetAside(projection=projection, entry=entry, tries=3, error="it broke") for entry in queued]
        work.set_aside.put(failed)
    return failed


def set_aside(canonical: Canonical, projection: str = "vector", scope: Scope = SCOPE) -> list[SetAside]:
    """Return everything a projection set aside."""
    with canonical.reading(scope) as work:
        return list(work.set_aside.find(projection, limit=1000))


class SetAsideContract:
    """Changes that projections could not take in."""

    def test_what_is_put_comes_back_in_order(self, canonical: Canonical) -> None:
        """Every field survives; pages follow the sequence."""
        failed = fail(canonical, "b", "a", "c")
        assert set_aside(canonical) == failed
        with canonical.reading(SCOPE) as work:
            assert work.set_aside.find("vector", limit=2) == failed[:2]
            assert work.set_aside.find("vector", after=failed[1].entry.seq, limit=2) == failed[2:]
            assert work.set_aside.count() == {"vector": 3}

    def test_putting_again_replaces(self, canonical: Canonical) -> None:
        """The newest error counts, any text of it."""
        (first,) = fail(canonical, "a")
        again = attrs.evolve(first, tries=6, error="другая \x00 ошибка")
        with canonical.writing(SCOPE) as work:
            work.set_aside.put([again])
        (found,) = set_aside(canonical)
        assert (found.tries, found.entry) == (6, first.entry)
        assert found.error.startswith("другая ")

    def test_projections_and_scopes_are_apart(self, canonical: Canonical) -> None:
        """What one projection could not take in, another one may have."""
        failed = fail(canonical, "a", projection="graph")
        assert set_aside(canonical) == []
        assert set_aside(canonical, "graph") == failed
        assert set_aside(canonical, "graph", OTHER) == []
        with canonical.reading(OTHER) as work:
            assert work.set_aside.count() == {}

    def test_removing_is_idempotent(self, canonical: Canonical) -> None:
        """Unknown ones are fine."""
        one, two = fail(canonical, "a", "b")
        for _ in range(2):
            with canonical.writing(SCOPE) as work:
                work.set_aside.remove("vector", [one.entry.seq, 999_999])
                work.set_aside.remove("graph", [two.entry.seq])
        assert set_aside(canonical) == [two]

    @pytest.mark.parametrize("operation", OutboxOperation)
    def test_a_change_queued_again_is_set_aside_no_more(self, canonical: Canonical, operation: OutboxOperation) -> None:
        """Its entity is pending again, and nothing about it stays behind."""
        _, kept = fail(canonical, "a", "b")
        with canonical.writing(SCOPE) as work:
            work.outbox.append(OutboxKind.CLAIM, ["a"], operation)
        assert set_aside(canonical) == [kept]

    def test_what_changed_meanwhile_is_not_set_aside(self, canonical: Canonical) -> None:
        """A worker that is late says nothing about the newer change."""
        (failed,) = fail(canonical, "a")
        with canonical.writing(SCOPE) as work:
            work.outbox.append(OutboxKind.CLAIM, ["a"], OutboxOperation.UPSERT)
            work.set_aside.put([failed])
        assert set_aside(canonical) == []

    def test_starting_over_forgets_them(self, canonical: Canonical) -> None:
        """Everything is pending again, for this projection only."""
        fail(canonical, "a")
        kept = fail(canonical, "a", projection="graph")
        fail(canonical, "b")
        with canonical.writing(SCOPE) as work:
            work.outbox.reset("vector")
        assert set_aside(canonical) == []
        assert set_aside(canonical, "graph") == kept


class LeasesContract:
    """Who works at what."""

    def test_one_at_a_time(self, canonical: Canonical) -> None:
        """Another worker gets it when it has run out, and the first one does not get it back."""
        assert take(canonical, lease("one"))
        assert not take(canonical, lease("two"))
        with canonical.reading(SCOPE) as work:
            assert work.leases.get("vector") == lease("one")
        later = NOW + MINUTE
        assert take(canonical, lease("two", later + MINUTE), now=later)
        assert not take(canonical, lease("one", later + MINUTE), now=later)
        with canonical.reading(SCOPE) as work:
            assert work.leases.get("vector") == lease("two", later + MINUTE)

    def test_its_holder_renews_it(self, canonical: Canonical) -> None:
        """Before and after it has run out, as long as nobody else took it."""
        for step in (0, 1, 5):
            now = NOW + step * MINUTE
            assert take(canonical, lease("one", now + MINUTE), now=now)

    def test_names_and_scopes_are_apart(self, canonical: Canonical) -> None:
        """Workers share the projects of a store and the projections of a project."""
        assert take(canonical, lease("one"))
        assert take(canonical, lease("two"), scope=OTHER)
        with canonical.writing(SCOPE) as work:
            assert work.leases.take("graph", lease("two"), now=NOW)
            assert work.leases.get("derivation") is None

    def test_only_its_holder_gives_it_back(self, canonical: Canonical) -> None:
        """A worker that is late takes nothing from the one that followed it."""
        assert take(canonical, lease("one"))
        with canonical.writing(SCOPE) as work:
            work.leases.release("vector", "two")
            work.leases.release("graph", "one")
        assert not take(canonical, lease("two"))
        with canonical.writing(SCOPE) as work:
            work.leases.release("vector", "one")
        with canonical.reading(SCOPE) as work:
            assert work.leases.get("vector") is None
        assert take(canonical, lease("two"))

    def test_of_many_at_once_one_gets_it(self, canonical: Canonical) -> None:
        """Workers that start together do not do the same."""
        taken: list[str] = []
        start = threading.Barrier(4)

        def work(name: str) -> None:
            start.wait()
            if take(canonical, lease(name)):
                taken.append(name)

        threads = [threading.Thread(target=work, args=(str(number),)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(taken) == 1


class GenerationsContract:
    """Which index serves."""

    def test_the_first_serves(self, canonical: Canonical) -> None:
        """While none was ever built."""
        with canonical.reading(SCOPE) as work:
            assert work.generations.get("vector") == Generations()

    def test_switching_takes_cursor_and_failures_along(self, canonical: Canonical) -> None:
        """Who follows the serving cursor sees what the new index has not seen."""
        fail(canonical, "a")
        with canonical.writing(SCOPE) as work:
            work.outbox.append(OutboxKind.CLAIM, ["b", "c"], OutboxOperation.UPSERT)
            one, two, three = work.outbox.pending("vector", limit=9)
            work.outbox.advance("vector", three.seq)
            work.outbox.reset(NEXT)
            work.generations.begin("vector", 1)
            work.outbox.advance(NEXT, two.seq)
            work.set_aside.put([SetAside(projection=NEXT, entry=two, tries=1, error="")])
        with canonical.writing(SCOPE) as work:
            assert work.generations.get("vector") == Generations(serving=0, building=1)
            work.generations.switch("vector")
        with canonical.reading(SCOPE) as work:
            assert work.generations.get("vector") == Generations(serving=1)
            assert [entry.seq for entry in work.outbox.pending("vector", limit=9)] == [three.seq]
            assert [each.entry for each in work.set_aside.find("vector", limit=9)] == [two]
            assert work.set_aside.count() == {"vector": 1}
            assert work.outbox.lag(NEXT) == 3
        assert one.entity_id == "a"

    def test_switching_without_building_does_nothing(self, canonical: Canonical) -> None:
        """Twice is once."""
        failed = fail(canonical, "a")
        with canonical.writing(SCOPE) as work:
            work.outbox.advance("vector", failed[0].entry.seq)
            work.generations.switch("vector")
        with canonical.reading(SCOPE) as work:
            assert work.generations.get("vector") == Generations()
            assert work.outbox.lag("vector") == 0
        assert set_aside(canonical) == failed

    def test_back_and_forth(self, canonical: Canonical) -> None:
        """The generations take turns."""
        for building in (1, 0, 1):
            with canonical.writing(SCOPE) as work:
                work.outbox.reset(NEXT)
                work.generations.begin("vector", building)
            with canonical.writing(SCOPE) as work:
                work.generations.switch("vector")
                assert work.generations.get("vector") == Generations(serving=building)


class ProjectingContract(SetAsideContract, LeasesContract, GenerationsContract):
    """All of it."""

    @pytest.mark.parametrize(
        "write",
        [
            lambda work: work.set_aside.put([_failed()]),
            lambda work: work.set_aside.remove("vector", [1]),
            lambda work: work.leases.take("vector", lease("one"), now=NOW),
            lambda work: work.leases.release("vector", "one"),
            lambda work: work.generations.begin("vector", 1),
        ],
    )
    def test_a_snapshot_cannot_change_it(self, canonical: Canonical, write: Callable[[UnitOfWork], None]) -> None:
        """Writing while reading raises."""
        fail(canonical, "a")
        with canonical.reading(SCOPE) as work, pytest.raises(BackendError):
            write(work)


def _failed() -> SetAside:
    entry = OutboxEntry(seq=1, kind=OutboxKind.CLAIM, entity_id="a", operation=OutboxOperation.UPSERT)
    return SetAside(projection="vector", entry=entry, tries=1, error="")
