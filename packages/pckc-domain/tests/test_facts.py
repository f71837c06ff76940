"""Repository facts as claims."""

from datetime import timedelta

import pytest
from hypothesis import settings
from pckc_domain.model.memory import MemoryRequest
from pckc_domain.model.proof import Liveness
from pckc_domain.policy.facts.reading import MAX_FACTS, read_facts
from pckc_domain.policy.granularity import route
from pckc_domain.policy.subgoals import find_subgoals
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.conversations import SCOPE
from pckc_domain.testing.fact_contract import FactContract
from pckc_domain.testing.fact_machine import FactMachine
from pckc_domain.testing.fact_world import FactWorld, branch
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.usecases.compile_claims import ClaimSelector
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.recall_claims import ClaimSearch
from pckc_domain.usecases.remember import Deriver
from pckc_domain.usecases.verify_claims import ClaimVerifier


class TestMemoryFacts(FactContract):
    """The memory store keeps the contract."""

    @pytest.fixture
    def canonical(self) -> Canonical:
        return MemoryCanonical()


class MemoryFactMachine(FactMachine):
    """The memory store."""

    def open_canonical(self) -> Canonical:
        return MemoryCanonical()


TestMemoryFactMachine = MemoryFactMachine.TestCase
TestMemoryFactMachine.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


class TestAnswers:
    """Facts among what sessions said: in searches and in compiled contexts."""

    def test_hundreds_of_facts_do_not_crowd_out_a_decision(self) -> None:
        world = FactWorld(MemoryCanonical())
        decision = "We decided that a lease timeout is never retried by the worker."
        world.play([f"user {decision}"])
        for number in range(6):
            lines = "\n".join(f"LEASE_TIMEOUT_{chr(65 + n)}{number} = {n}" for n in range(26))
            world.tree.write(f"m{number}.py", lines.encode())
        world.index()
        answer = ClaimSearch(world.canonical).search(SCOPE, MemoryRequest(query="lease timeout", limit=5))
        assert decision in [result.claim.text for result in answer.results]
        selection = ClaimSelector(world.canonical, world.clock).select(
            SCOPE, "change the lease timeout", find_subgoals("change the lease timeout", route("")), budget_tokens=2_000
        )
        assert decision in [item.result.claim.text for item in selection.claims]

    def test_another_branch_is_not_read_and_the_own_comes_before_the_mainline(self) -> None:
        world = FactWorld(MemoryCanonical())
        world.play(["branch main", "file a.py TIMEOUT = 30", "branch x", "file a.py TIMEOUT = 5"])

        def found(name: str) -> list[str]:
            answer = ClaimSearch(world.canonical).search(SCOPE, MemoryRequest(query="timeout"), branch=branch(name))
            return [result.claim.value for result in answer.results]

        assert found("main") == ["30"]
        assert found("x") == ["5"]
        assert found("y") == ["30"]

    def test_a_conflict_shows_both_sides_with_their_proofs(self) -> None:
        world = FactWorld(MemoryCanonical())
        world.play(["file a.py TIMEOUT = 60", "user The timeout is 30 seconds."])
        results = ClaimSearch(world.canonical).search(SCOPE, MemoryRequest(query="timeout")).results
        assert {result.claim.value for result in results} == {"60", "30s"}
        assert all(len(result.proofs) == 1 and len(result.conflicts) == 1 for result in results)

    def test_an_unchanged_file_is_a_fact_already(self) -> None:
        world = FactWorld(MemoryCanonical())
        world.play(["file a.py TIMEOUT = 60"])
        before = world.claims()
        world.tree.write("a.py", b"TIMEOUT = 60\n")
        world.clock.advance(timedelta(hours=1))
        assert world.index().indexed == 1
        assert world.claims() == before

    def test_more_facts_than_a_file_may_set_are_counted(self) -> None:
        facts = read_facts("a.py", "\n".join(f"NAME_{chr(65 + n // 26)}{chr(65 + n % 26)} = {n}" for n in range(100)))
        assert (len(facts.facts), facts.left_out) == (MAX_FACTS, 100 - MAX_FACTS)

    def test_forgetting_a_document_forgets_what_it_set(self) -> None:
        world = FactWorld(MemoryCanonical())
        world.play(["user The timeout is 30 seconds.", "file a.py TIMEOUT = 30", "file a.py TIMEOUT = 60"])
        Eraser(world.canonical, Deriver(world.canonical, world.clock)).forget_document(SCOPE, "a.py")
        assert [(one.outcome, one.claim.text) for one in world.claims()] == [("alone", "The timeout is 30 seconds.")]

    def test_verifying_follows_facts(self) -> None:
        world = FactWorld(MemoryCanonical())
        world.play(["file a.py TIMEOUT = 60"])
        verifier = ClaimVerifier(world.canonical, world.tree, world.clock)
        assert verifier.verify_current(SCOPE).counts == {Liveness.LIVE: 1}
        world.tree.write("a.py", b"TIMEOUT = 61\n")
        assert verifier.verify_current(SCOPE).counts == {Liveness.CHANGED: 1}
        assert world.outcomes("60") == ["stale"]
        world.tree.write("a.py", b"TIMEOUT = 60\n")
        world.index()
        assert world.outcomes("60") == ["alone"]
