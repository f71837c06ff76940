"""What an agent wants remembered, and what becomes of it."""

from datetime import timedelta
from typing import Any

import attrs
import pytest
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import ClaimStatus, ClaimType
from pckc_domain.model.proof import AuthorityClass
from pckc_domain.model.reflection import Outcome, Reflected, Reflection
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import EventKind
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.record import NewEvent, Recorder
from pckc_domain.usecases.reflect import Reflector
from pckc_domain.usecases.remember import Deriver

SCOPE = Scope(project="harvester")
DECISION = Reflection(
    type=ClaimType.DECISION,
    text="Leases are used instead of locks.",
    subject="work items",
    attribute="guard",
    value="leases",
)


class _Desk:
    def __init__(self) -> None:
        self.canonical = MemoryCanonical()
        self.clock = FixedClock()
        self.source = MemoryRepository()
        self.recorder = Recorder(self.canonical, self.clock)
        self.session_id = self.recorder.start(SCOPE, host="claude", source_id="s1").id
        self.reflector = Reflector(self.canonical, self.source, self.clock)

    def say(self, text: str, kind: EventKind = EventKind.PROMPT, **changes: Any) -> str:
        new = attrs.evolve(NewEvent(kind=kind, text=text, source_id=f"u:{text[:200]}"), **changes)
        self.recorder.append(SCOPE, self.session_id, new)
        return new.source_id

    def write(self, item: Reflection) -> Reflected:
        return self.reflector.write(SCOPE, [item], session_id=self.session_id)[0]

    def status(self, claim_id: str) -> ClaimStatus:
        with self.canonical.reading(SCOPE) as work:
            return work.claims.get([claim_id])[0].claim.status

    def eraser(self) -> Eraser:
        return Eraser(self.canonical, Deriver(self.canonical, self.clock))

    def sessions(self) -> int:
        with self.canonical.reading(SCOPE) as work:
            return len(work.sessions.find(limit=99))


@pytest.fixture
def desk() -> _Desk:
    return _Desk()


def test_a_models_word_is_a_candidate(desk: _Desk) -> None:
    answer = desk.write(DECISION)
    assert (answer.outcome, answer.authority) == (Outcome.CANDIDATE, AuthorityClass.MODEL_INFERRED)
    assert desk.status(answer.claim_id) is ClaimStatus.CANDIDATE
    with desk.canonical.reading(SCOPE) as work:
        assert [rejection.rule for rejection in work.rejections.find(limit=9)] == ["gate.model_inferred"]


class TestPrompts:
    QUOTE = "please use leases, locks are not used any more"

    def test_quoted_words_confirm(self, desk: _Desk) -> None:
        name = desk.say(f"Well, {self.QUOTE}. And run the tests.")
        item = attrs.evolve(DECISION, text="Use leases, not locks.", event_ids=(name,), quote=self.QUOTE)
        answer = desk.write(item)
        assert (answer.outcome, answer.authority) == (Outcome.ADMITTED, AuthorityClass.USER_CONFIRMED)
        assert answer.source_ref == f"session:{desk.session_id}#0:6-{6 + len(self.QUOTE)}"
        assert desk.status(answer.claim_id) is ClaimStatus.VERIFIED

    def test_words_are_found_without_naming_the_event(self, desk: _Desk) -> None:
        desk.say(f"Well, {self.QUOTE}.")
        answer = desk.write(attrs.evolve(DECISION, text="Use leases, not locks.", quote=self.QUOTE))
        assert answer.outcome is Outcome.ADMITTED

    @pytest.mark.parametrize(
        ("said", "changes", "reason"),
        [
            ("Use leases instead of locks.", {"event_ids": ("nowhere",)}, "no event 'nowhere'"),
            ("Use leases instead of locks.", {"quote": "Use threads instead of locks."}, "nobody said"),
            ("Yes, do that.", {"quote": "Yes, do that."}, "does not say 'leases'"),
            ("Leases expire. What is a lock?", {"quote": "Leases expire."}, "too little"),
            ("Leases are never used instead of locks.", {"quote": "Leases are never used instead of locks."}, "denies"),
            ("Maybe leases are used instead of locks.", {"quote": "Maybe leases are used instead of locks."}, "hedged"),
        ],
    )
    def test_other_words_do_not(self, desk: _Desk, said: str, changes: dict[str, Any], reason: str) -> None:
        desk.say(said)
        answer = desk.write(attrs.evolve(DECISION, **changes))
        assert answer.outcome is Outcome.CANDIDATE
        assert reason in answer.reason

    @pytest.mark.parametrize(
        ("kind", "changes"),
        [
            (EventKind.AGENT_MESSAGE, {}),
            (EventKind.RESPONSE, {}),
            (EventKind.PROMPT, {"is_sidechain": True}),
        ],
    )
    def test_a_models_own_words_do_not(self, desk: _Desk, kind: EventKind, changes: dict[str, Any]) -> None:
        name = desk.say(DECISION.text, kind, **changes)
        answer = desk.write(attrs.evolve(DECISION, event_ids=(name,)))
        assert answer.outcome is Outcome.CANDIDATE
        assert "model's own word" in answer.reason

    def test_words_of_another_session_are_not_found(self, desk: _Desk) -> None:
        other = desk.recorder.start(SCOPE, host="claude", source_id="s2").id
        desk.recorder.append(SCOPE, other, NewEvent(kind=EventKind.PROMPT, text=DECISION.text, source_id="x"))
        assert desk.write(attrs.evolve(DECISION, event_ids=("x",))).outcome is Outcome.CANDIDATE


class TestFiles:
    @pytest.fixture(autouse=True)
    def _file(self, desk: _Desk) -> None:
        desk.source.write("src/leases.py", b"import time\n\nMAX_RETRIES = 7\nSECONDS = 30\n")

    def fact(self, **changes: Any) -> Reflection:
        item = Reflection(
            type=ClaimType.FACT, text="MAX_RETRIES is 7", subject="MAX_RETRIES", attribute="value", value="7",
            path="src/leases.py", start_line=3,
        )  # fmt: skip
        return attrs.evolve(item, **changes)

    def test_lines_that_say_so_prove(self, desk: _Desk) -> None:
        answer = desk.write(self.fact())
        assert (answer.outcome, answer.authority) == (Outcome.ADMITTED, AuthorityClass.REPOSITORY_DERIVED)
        assert answer.source_ref.startswith("repo:src/leases.py@")
        assert answer.source_ref.endswith("#L3-L3")

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"start_line": 4}, "does not say '7'"),
            ({"start_line": 99}, "no lines 99-99"),
            ({"start_line": -1}, "no lines"),
            ({"path": "src/none.py"}, "cannot be read"),
            ({"path": "../secret"}, "cannot be read"),
            ({"path": "/etc/passwd"}, "cannot be read"),
        ],
    )
    def test_others_do_not(self, desk: _Desk, changes: dict[str, Any], reason: str) -> None:
        answer = desk.write(self.fact(**changes))
        assert answer.outcome is Outcome.CANDIDATE
        assert reason in answer.reason


class TestTests:
    FIX = Reflection(
        type=ClaimType.FIX, text="Expired leases are refused.", subject="lease table", path="src/leases.py"
    )

    @pytest.mark.parametrize(
        ("output", "exit_code", "outcome"),
        [
            ("tests/test_leases.py ...\n3 passed in 0.1s", 0, Outcome.ADMITTED),
            ("tests/test_leases.py .F.\n1 failed, 2 passed in 0.1s", 1, Outcome.CANDIDATE),
            ("tests/test_client.py ...\n3 passed in 0.1s", 0, Outcome.CANDIDATE),
        ],
    )
    def test_a_passed_test_of_its_file_proves_a_fix(
        self, desk: _Desk, output: str, exit_code: int, outcome: Outcome
    ) -> None:
        name = desk.say(output, EventKind.TEST_RESULT, exit_code=exit_code)
        answer = desk.write(attrs.evolve(self.FIX, event_ids=(name,)))
        assert answer.outcome is outcome
        assert (answer.authority is AuthorityClass.TEST_VERIFIED) is (outcome is Outcome.ADMITTED)


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "no text"),
            ("x" * 5_000, "at most 4000"),
            ("The cache might be Redis.", "hedged"),
            ("<pckc-context>\n> The port is 1.\n</pckc-context>", "injected"),
            ("The port is 1. <pckc-context>x</pckc-context>", "recalled"),
        ],
    )
    def test_leaves_no_trace(self, desk: _Desk, text: str, reason: str) -> None:
        before = desk.sessions()
        answer = desk.write(attrs.evolve(DECISION, text=text))
        assert answer.outcome is Outcome.REJECTED
        assert reason in answer.reason
        assert answer.claim_id == ""
        assert desk.sessions() == before

    def test_a_secret_is_redacted_and_no_claim(self, desk: _Desk) -> None:
        token = "ghp_" + "k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI"
        answer = desk.write(Reflection(type=ClaimType.FACT, text=f"The deploy token is {token}."))
        assert token not in answer.text
        assert (answer.outcome, answer.claim_id) == (Outcome.REJECTED, "")


def test_the_same_item_twice_is_one_claim(desk: _Desk) -> None:
    first = desk.write(DECISION)
    with desk.canonical.reading(SCOPE) as work:
        before = work.claims.get([first.claim_id])
    desk.clock.advance(timedelta(hours=1))
    assert desk.write(DECISION) == first
    with desk.canonical.reading(SCOPE) as work:
        assert work.claims.get([first.claim_id]) == before


def test_evidence_found_later_promotes_it(desk: _Desk) -> None:
    candidate = desk.write(DECISION)
    desk.say("Leases are used instead of locks.")
    admitted = desk.write(attrs.evolve(DECISION, quote="Leases are used instead of locks."))
    assert admitted.outcome is Outcome.ADMITTED
    assert admitted.claim_id == candidate.claim_id


def test_a_later_value_closes_the_earlier(desk: _Desk) -> None:
    desk.say(DECISION.text)
    old = desk.write(attrs.evolve(DECISION, quote=DECISION.text))
    desk.clock.advance(timedelta(hours=1))
    desk.say("Now we use queues for work items.")
    new = desk.write(
        attrs.evolve(
            DECISION, text="Queues are used for work items.", value="queues", quote="Now we use queues for work items."
        )
    )
    with desk.canonical.reading(SCOPE) as work:
        assert work.claims.get([old.claim_id])[0].claim.superseded_by == new.claim_id


class TestForgetting:
    def test_a_session_takes_what_cites_it(self, desk: _Desk) -> None:
        desk.say(DECISION.text)
        answer = desk.write(attrs.evolve(DECISION, quote=DECISION.text))
        desk.eraser().forget_session(SCOPE, "s1")
        with desk.canonical.reading(SCOPE) as work:
            assert work.claims.get([answer.claim_id]) == []
        assert desk.sessions() == 0

    def test_a_claim_goes_alone(self, desk: _Desk) -> None:
        desk.say(f"Hello. {DECISION.text} And the port is fine.")
        answer = desk.write(attrs.evolve(DECISION, quote=DECISION.text))
        kept = desk.write(Reflection(type=ClaimType.FACT, text="The port is fine."))
        desk.eraser().forget_claim(SCOPE, answer.claim_id)
        with desk.canonical.reading(SCOPE) as work:
            assert [stored.claim.id for stored in work.claims.get([answer.claim_id, kept.claim_id])] == [kept.claim_id]
            (event,) = work.sessions.events(desk.session_id)
        assert event.text == "Hello. [FORGOTTEN]. And the port is fine."


class TestRules:
    """A rule and what revokes it meet, whoever of user and agent told them, and however the agent named their parts."""

    RULE = "Always run make lint before commit."
    REVOKED = "You don't need to run make lint any more."

    def told(self, desk: _Desk, text: str, *, by_agent: bool, **named: Any) -> None:
        if not by_agent:
            desk.say(text)
            Deriver(desk.canonical, desk.clock).run(SCOPE)
            return
        name = desk.say(f"{text} Well.", kind=EventKind.PROMPT)
        item = Reflection(type=ClaimType.CONSTRAINT, text=text, event_ids=(name,), quote=text, **named)
        assert desk.write(item).outcome is Outcome.ADMITTED

    @pytest.mark.parametrize("rule_by_agent", [True, False])
    @pytest.mark.parametrize("revoked_by_agent", [True, False])
    def test_a_revoked_rule_ends(self, desk: _Desk, *, rule_by_agent: bool, revoked_by_agent: bool) -> None:
        self.told(desk, self.RULE, by_agent=rule_by_agent, subject="linting", attribute="when", is_standing=True)
        desk.clock.advance(timedelta(days=1))
        self.told(desk, self.REVOKED, by_agent=revoked_by_agent, subject="linting", attribute="is needed")
        with desk.canonical.reading(SCOPE) as work:
            standing = work.claims.find(where=ClaimFilter(is_standing=True), limit=9)
            assert standing
            assert not [one for one in standing if one.claim.valid_to is None]
