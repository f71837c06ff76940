"""Decisions about claims: each is kept, each can be taken back."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.errors import ConflictError, NotFoundError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim, Governance, GovernanceAct
from pckc_domain.testing.conversations import SCOPE, START, conversation, tell
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.remember import Deriver

TOKEN = "ghp_" + "k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI"
DECISIONS = (Governance.PINNED, Governance.ARCHIVED, Governance.REJECTED, Governance.ACTIVE)


class Desk:
    """One session, one claim, and someone who decides about it."""

    def __init__(self, *talks: str) -> None:
        self.canonical = MemoryCanonical()
        self.clock = FixedClock()
        self.governor = Governor(self.canonical, self.clock)
        for number, line in enumerate(talks or ("The queue listens on port 8000.",)):
            tell(self.canonical, f"s{number}", [line], start=START + timedelta(days=number))

    def claims(self) -> Sequence[Claim]:
        with self.canonical.reading(SCOPE) as work:
            found = [stored.claim for stored in work.claims.find(where=ClaimFilter(), limit=99)]
        return sorted(found, key=lambda claim: claim.valid_from)

    def decide(self, decision: Governance, reason: str = "", claim: int = 0) -> GovernanceAct:
        self.clock.advance(timedelta(minutes=1))
        return self.governor.decide(SCOPE, self.claims()[claim].id, decision, actor="ann", reason=reason)

    def undo(self) -> GovernanceAct:
        self.clock.advance(timedelta(minutes=1))
        return self.governor.undo(SCOPE, self.claims()[0].id, actor="bob")

    def history(self) -> Sequence[GovernanceAct]:
        return self.governor.history(SCOPE, self.claims()[0].id)


@pytest.mark.parametrize("decision", [one for one in DECISIONS if one is not Governance.ACTIVE])
def test_a_decision_shows_on_the_claim_and_in_its_history(decision: Governance) -> None:
    desk = Desk()
    act = desk.decide(decision, "because")
    assert desk.claims()[0].governance is decision
    assert desk.history() == [act]
    assert (act.before, act.after, act.actor, act.reason) == (Governance.ACTIVE, decision, "ann", "because")
    assert act.at == desk.clock.now()


def test_a_decision_is_taken_back_by_another_entry() -> None:
    desk = Desk()
    desk.decide(Governance.PINNED)
    desk.decide(Governance.REJECTED)
    assert desk.undo().after is Governance.PINNED
    assert desk.claims()[0].governance is Governance.PINNED
    assert desk.undo().after is Governance.ACTIVE
    with pytest.raises(ConflictError):
        desk.undo()
    after = [act.after for act in desk.history()]
    assert after == [Governance.PINNED, Governance.REJECTED, Governance.PINNED, Governance.ACTIVE]
    assert [act.actor for act in desk.history()] == ["ann", "ann", "bob", "bob"]


@given(st.lists(st.sampled_from((*DECISIONS, None)), max_size=10))
@settings(max_examples=80, deadline=None)
def test_any_decisions_and_undos_are_a_stack_with_a_growing_history(steps: list[Governance | None]) -> None:
    desk = Desk()
    stack = [Governance.ACTIVE]
    for step in steps:
        before = list(desk.history())
        if step is not None:
            act = desk.decide(step)
            if act.before is act.after:  # decided already: nothing to record
                assert step is stack[-1]
                assert list(desk.history()) == before
                continue
            stack.append(step)
        elif len(stack) > 1:
            desk.undo()
            stack.pop()
        else:
            with pytest.raises(ConflictError):
                desk.undo()
            continue
        after = list(desk.history())
        assert after[:-1] == before
        assert (after[-1].before, after[-1].after) == (before[-1].after if before else Governance.ACTIVE, stack[-1])
        assert desk.claims()[0].governance is stack[-1]


def test_rejecting_a_value_brings_the_one_before_back_and_undoing_closes_it_again() -> None:
    desk = Desk("The queue listens on port 8000.", "The queue listens on port 8100.")
    before = desk.claims()
    assert [claim.valid_to is None for claim in before] == [False, True]
    desk.decide(Governance.REJECTED, claim=1)
    assert [(claim.value, claim.valid_to) for claim in desk.claims() if claim.governance is Governance.ACTIVE] == [
        ("8000", None)
    ]
    desk.governor.undo(SCOPE, before[1].id, actor="ann")
    assert desk.claims() == before


def test_decisions_outlive_deriving_again() -> None:
    desk = Desk()
    desk.decide(Governance.PINNED)
    before = desk.claims()
    Deriver(desk.canonical, desk.clock).derive(SCOPE, conversation("s0", [])[0])
    assert desk.claims() == before


def test_a_reason_is_redacted() -> None:
    desk = Desk()
    desk.decide(Governance.ARCHIVED, f"its token {TOKEN} was revoked")
    assert TOKEN not in repr(vars(desk.canonical))
    assert "was revoked" in desk.history()[0].reason


def test_an_unknown_claim_is_named_and_nothing_is_kept() -> None:
    desk = Desk()
    with pytest.raises(NotFoundError, match="claim_nowhere"):
        desk.governor.decide(SCOPE, "claim_nowhere", Governance.PINNED, actor="ann")
    with pytest.raises(ConflictError):
        desk.governor.undo(SCOPE, "claim_nowhere", actor="ann")
    assert desk.governor.history(SCOPE, "claim_nowhere") == []
