"""What every canonical store must do for sessions and claims: inherit `BeliefContract`, provide *canonical*."""

from collections.abc import Callable

import pytest

from pckc_domain.errors import BackendError
from pckc_domain.model.belief import ClaimFilter, EvidenceFilter
from pckc_domain.model.claim import Beliefs, ClaimStatus
from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.query import LexicalQuery
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.transcripts import TranscriptPosition
from pckc_domain.testing.belief_samples import (
    act,
    assertion,
    episode,
    event,
    proof,
    rejection,
)
from pckc_domain.testing.belief_steps import (
    NEW,
    OLD,
    ONE,
    OTHER,
    SLOT,
    TWO,
    assert_,
    changes,
    check,
    claims_found,
    derive,
    fill,
    holdings,
    put,
    see,
    settle,
)
from pckc_domain.testing.claim_contract import AssertionsContract, ClaimsContract, GovernanceContract
from pckc_domain.testing.samples import SCOPE
from pckc_domain.testing.session_contract import EvidenceContract, SessionsContract


class BeliefTransactionsContract:
    """Scopes, snapshots, roll-back and the queue."""

    def test_scopes_do_not_see_each_other(self, canonical: Canonical) -> None:
        """The same ids live in two scopes without touching."""
        for scope in (SCOPE, OTHER):
            put(canonical, ONE, event(ONE, text="alpha"), scope=scope)
            derive(canonical, ONE, "alpha", scope=scope)
            assert_(canonical, {SLOT: [assertion(OLD)]}, scope=scope)
            settle(canonical, OLD, proofs=[proof(OLD)], scope=scope)
            with canonical.writing(scope) as work:
                work.governance.append(act(OLD))
                work.proofs.attach([proof(OLD, "attached")])
                work.imports.remember("/a", TranscriptPosition(offset=1))
        before = holdings(canonical, SCOPE)
        with canonical.writing(OTHER) as work:
            assert work.sessions.remove([ONE.id]) == {SLOT}
            work.claims.settle({SLOT: Beliefs()})
            work.imports.forget()
        assert holdings(canonical, SCOPE) == before
        assert not any(holdings(canonical, OTHER))
        words = LexicalQuery(words=("alpha", "Postgres"))
        with canonical.reading(OTHER) as work:
            assert work.evidence.search(words, where=EvidenceFilter(), limit=9) == []
            assert work.claims.search(words, where=ClaimFilter(), limit=9) == []

    def test_scopes_with_sessions_are_listed(self, canonical: Canonical) -> None:
        """Also without a document."""
        put(canonical, ONE, scope=OTHER)
        settle(canonical, OLD)
        assert canonical.scopes() == [OTHER, SCOPE]

    def test_an_exception_leaves_no_trace(self, canonical: Canonical) -> None:
        """Everything of the block is undone."""
        fill(canonical)
        before = holdings(canonical, SCOPE)

        def fail(work: UnitOfWork) -> None:
            work.sessions.remove([ONE.id])
            work.claims.settle({SLOT: Beliefs(claims=(NEW,))})
            work.governance.append(act(NEW))
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError), canonical.writing(SCOPE) as work:
            fail(work)
        assert holdings(canonical, SCOPE) == before

    @pytest.mark.parametrize(
        "write",
        [
            lambda work: work.sessions.put(TWO, [event(TWO, text="x")]),
            lambda work: work.sessions.remove([ONE.id]),
            lambda work: work.evidence.replace(ONE.id, [], []),
            lambda work: work.assertions.replace(ONE.id, {}),
            lambda work: work.rejections.replace(ONE.id, [rejection(ONE, 99)]),
            lambda work: work.claims.settle({SLOT: Beliefs()}),
            lambda work: work.claims.note_check(OLD.id, stale_reason="x"),
            lambda work: work.proofs.attach([proof(OLD, "x")]),
            lambda work: work.governance.append(act(OLD)),
            lambda work: work.imports.remember("/a", TranscriptPosition()),
            lambda work: work.imports.forget(),
        ],
    )
    def test_a_snapshot_cannot_be_written(self, canonical: Canonical, write: Callable[[UnitOfWork], None]) -> None:
        """Writing while reading raises and changes nothing."""
        fill(canonical)
        before = holdings(canonical, SCOPE)
        with canonical.reading(SCOPE) as work, pytest.raises(BackendError):
            write(work)
        assert holdings(canonical, SCOPE) == before

    def test_reset_queues_claims_and_episodes(self, canonical: Canonical) -> None:
        """What is stored, not what was erased."""
        fill(canonical)
        settle(canonical, NEW, slot="other")
        settle(canonical, slot="other")
        see(canonical)
        with canonical.writing(SCOPE) as work:
            work.outbox.reset("vector")
        found = changes(canonical)
        assert (OutboxKind.CLAIM, OLD.id, "upsert") in found
        assert (OutboxKind.EPISODE, episode(ONE).id, "upsert") in found
        assert (OutboxKind.CLAIM, NEW.id, "upsert") not in found

    def test_the_census_counts_one_scope(self, canonical: Canonical) -> None:
        """Sessions by host, events by kind, claims by type, status and governance; a stale claim counts as stale."""
        fill(canonical)
        put(canonical, TWO, event(TWO, text="two"), scope=OTHER)
        expected = {(OLD.type, OLD.status, OLD.governance): 1}
        with canonical.reading(SCOPE) as work:
            assert dict(work.census.sessions()) == {ONE.host: 1}
            assert dict(work.census.events()) == {event(ONE).kind: 1}
            assert dict(work.census.claims()) == expected
        check(canonical, OLD, "the line is gone")
        with canonical.reading(SCOPE) as work:
            assert dict(work.census.claims()) == {(OLD.type, ClaimStatus.STALE, OLD.governance): 1}
        with canonical.reading(OTHER) as work:
            assert dict(work.census.sessions()) == {TWO.host: 1}
            assert not work.census.claims()

    def test_compacting_loses_nothing(self, canonical: Canonical) -> None:
        """A store is the same afterwards, and sound."""
        fill(canonical)
        before = holdings(canonical, SCOPE)
        canonical.compact()
        assert holdings(canonical, SCOPE) == before
        assert claims_found(canonical, LexicalQuery(words=("Postgres",))) == {OLD.id}
        assert canonical.info(check=True).problems == ()


class BeliefContract(
    SessionsContract,
    EvidenceContract,
    AssertionsContract,
    ClaimsContract,
    GovernanceContract,
    BeliefTransactionsContract,
):
    """The whole of it."""
