"""Retention: what is old and no belief goes, nothing else does."""

from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta

import attrs
import pytest
from hypothesis import settings
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import ClaimStatus, ClaimType, Governance
from pckc_domain.model.retention import Outlived, RetentionRules
from pckc_domain.model.session import EventKind
from pckc_domain.policy.retention import began, dated_reason, outlived, stale_since
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.belief_samples import claim
from pckc_domain.testing.conversations import SCOPE, START, tell
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.retention_machine import RetentionMachine
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.retention import Retention, RetentionReport


class MemoryRetention(RetentionMachine):
    """On the memory store."""

    def open(self) -> AbstractContextManager[Canonical]:
        """Open an empty store."""
        return nullcontext(MemoryCanonical())


TestMemoryRetention = MemoryRetention.TestCase
TestMemoryRetention.settings = settings(max_examples=60, stateful_step_count=12, deadline=None)


def after(canonical: Canonical, days: float, rules: RetentionRules | None = None) -> RetentionReport:
    """Return what may go so many days after the story began."""
    return Retention(canonical, FixedClock(START + timedelta(days=days)), rules or RetentionRules()).report(SCOPE)


def counts(report: RetentionReport) -> dict[Outlived, int]:
    """Return how much may go, by reason."""
    return {group.kind: group.count for group in report.groups if group.count}


@pytest.fixture
def store() -> Canonical:
    """An empty store."""
    return MemoryCanonical()


def test_candidates_go_after_thirty_days(store: Canonical) -> None:
    tell(store, "one", ["The server listens on port 8000."], kind=EventKind.AGENT_MESSAGE)
    assert counts(after(store, 30)) == {}
    assert counts(after(store, 31)) == {Outlived.CANDIDATE: 1}
    assert counts(after(store, 31, RetentionRules(candidate_days=40))) == {}
    assert after(store, 31).groups[0].oldest == START


def test_what_was_superseded_goes_and_its_successor_stays(store: Canonical) -> None:
    tell(store, "one", ["The server listens on port 8000."])
    tell(store, "two", ["Correction: the server listens on port 9090 now."], start=START + timedelta(days=10))
    assert counts(after(store, 129)) == {}
    assert counts(after(store, 131)) == {Outlived.SUPERSEDED: 1}


def test_protected_types_stay(store: Canonical) -> None:
    tell(store, "one", ["Never deploy on a Friday.", "We decided to use Postgres as the database."])
    tell(store, "two", ["We decided to use SQLite as the database."], start=START + timedelta(days=10))
    assert counts(after(store, 1000)) == {}
    assert counts(after(store, 1000, RetentionRules(protected=("constraint",)))) == {Outlived.SUPERSEDED: 1}


@pytest.mark.parametrize(
    "changes",
    [
        {"governance": Governance.PINNED},
        {"governance": Governance.REJECTED},
        {"is_standing": True},
        {"type": ClaimType.CONSTRAINT},
        {"session_id": "", "document_id": ""},
        {"attribute": "in use"},
    ],
    ids=str,
)
def test_what_is_kept_for_good(changes: dict[str, object]) -> None:
    old = claim("It is so.", status=ClaimStatus.CANDIDATE, type=ClaimType.FACT)
    now = old.valid_from + timedelta(days=9999)
    assert outlived(old, began(old, None), now, RetentionRules()) is Outlived.CANDIDATE
    kept = attrs.evolve(old, **changes)  # type: ignore[arg-type]  # of any field
    assert outlived(kept, began(kept, None), now, RetentionRules()) is None


def test_a_stale_claim_counts_from_the_day_it_turned_stale() -> None:
    """Not from when it was said; one whose day nobody noted is kept."""
    turned = datetime(2026, 7, 1, 12, tzinfo=UTC)
    reason = dated_reason("its line is gone", "", turned)
    assert dated_reason("its line is gone", reason, turned + timedelta(days=9)) == reason
    assert dated_reason("another reason", reason, turned + timedelta(days=9)).endswith("(since 2026-07-10)")
    stale = claim("It is so.", status=ClaimStatus.STALE, status_reason=reason, type=ClaimType.FACT)
    assert began(stale, None) == stale_since(reason) == datetime(2026, 7, 2, tzinfo=UTC)
    rules = RetentionRules()
    assert outlived(stale, began(stale, None), turned + timedelta(days=180), rules) is None
    assert outlived(stale, began(stale, None), turned + timedelta(days=182), rules) is Outlived.STALE
    undated = attrs.evolve(stale, status_reason="its line is gone")
    assert outlived(undated, began(undated, None), turned + timedelta(days=999), rules) is None


def test_old_versions_of_files_go_but_not_what_they_alone_demand(store: Canonical) -> None:
    """A statement of a protected type keeps its version, unless a current version says it too."""
    tree = MemoryRepository({"a.md": b"# A\n\nIt is so.\n", "b.md": b"# B\n\nThe b must never sleep.\n"})
    Indexer(store, tree, FixedClock(START)).run(SCOPE)
    tree.write("a.md", b"# A\n\nIt is otherwise.\n")
    tree.write("b.md", b"# B\n\nThe b may sleep.\n")
    Indexer(store, tree, FixedClock(START + timedelta(days=10))).run(SCOPE)
    assert counts(after(store, 180)) == {}
    assert counts(after(store, 191)) == {Outlived.VERSION: 1}
    tree.write("b.md", b"# B\n\nThe b must never sleep.\n\nReally.\n")
    Indexer(store, tree, FixedClock(START + timedelta(days=11))).run(SCOPE)
    assert counts(after(store, 192)) == {Outlived.VERSION: 3}
    Retention(store, FixedClock(START + timedelta(days=192)), RetentionRules()).apply(SCOPE)
    with store.reading(SCOPE) as work:
        assert [one.is_stale for one in (*work.documents.at("a.md"), *work.documents.at("b.md"))] == [False, False]


def test_what_something_else_rests_on_stays(store: Canonical) -> None:
    """Without the newer claim, which lost its proof, the archived older one would be believed again."""
    tell(store, "one", ["The server listens on port 8000."])
    tell(store, "two", ["Correction: the server listens on port 9090 now."], start=START + timedelta(days=10))
    clock = FixedClock(START + timedelta(days=11))
    with store.writing(SCOPE) as work:
        old, new = sorted(
            (stored.claim for stored in work.claims.find(where=ClaimFilter(), limit=9)), key=lambda one: one.valid_from
        )
        work.claims.note_check(new.id, stale_reason=dated_reason("its proof is gone", "", clock.now()))
    Governor(store, clock).decide(SCOPE, old.id, Governance.ARCHIVED, actor="ann")
    report = after(store, 400)
    assert counts(report) == {}
    assert [group.kept for group in report.groups if group.kind is Outlived.STALE] == [1]
    Retention(store, FixedClock(START + timedelta(days=400)), RetentionRules()).apply(SCOPE)
    with store.reading(SCOPE) as work:
        assert {stored.claim.id for stored in work.claims.find(where=ClaimFilter(), limit=9)} == {old.id, new.id}
    Governor(store, clock).decide(SCOPE, old.id, Governance.ACTIVE, actor="ann")
    assert counts(after(store, 400)) == {Outlived.SUPERSEDED: 1, Outlived.STALE: 1}
