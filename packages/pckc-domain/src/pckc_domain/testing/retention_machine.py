"""A state machine of retention on any store: what stays is believed as it was, and as it would be computed anew."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim, Governance
from pckc_domain.model.retention import Outlived, RetentionRules
from pckc_domain.model.session import EventKind
from pckc_domain.policy.retention import dated_reason
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.conversations import SCOPE, START, conversation
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.holdings import beliefs_of
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.remember import Deriver, prepare_event
from pckc_domain.usecases.retention import Retention
from pckc_domain.usecases.settling import settle

EVERYTHING = 10_000
LINES = (
    "The server listens on port 8000.",
    "The server listens on port 9000.",
    "Correction: the server listens on port 9090 now.",
    "We decided to use Postgres as the database.",
    "We decided to use SQLite as the database.",
    "We use Django 5.1.",
    "We no longer use Django.",
    "Never deploy on a Friday.",
    "The cache timeout is 30 seconds.",
    "The cache timeout is 60 seconds.",
    "TODO: rename the parser.",
    "There is a bug in the parser: it drops commas.",
    "Fixed the bug in the parser: it keeps commas.",
)
KINDS = (EventKind.PROMPT, EventKind.PROMPT, EventKind.AGENT_MESSAGE, EventKind.TEST_RESULT)
RULES = RetentionRules()


class RetentionMachine(RuleBasedStateMachine):
    """Inherit it, override *open*, and let pytest collect ``YourMachine.TestCase``."""

    def open(self) -> AbstractContextManager[Canonical]:
        """Open an empty store."""
        raise NotImplementedError

    @initialize()
    def start(self) -> None:
        """Open the store."""
        self._exit = ExitStack()
        self.canonical = self._exit.enter_context(self.open())
        self.now = START + timedelta(days=1)
        self.sessions = 0

    def teardown(self) -> None:
        """Close it."""
        if hasattr(self, "_exit"):
            self._exit.close()

    @rule(
        lines=st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(LINES)), min_size=1, max_size=4),
        days=st.integers(0, 200),
    )
    def say(self, lines: list[tuple[EventKind, str]], days: int) -> None:
        """Say something in a session of its own, some days ago."""
        self.sessions += 1
        told, events = conversation(f"session{self.sessions}", lines, start=self.now - timedelta(days=days))
        with self.canonical.writing(SCOPE) as work:
            work.sessions.put(told, [prepare_event(event) for event in events])
        self._deriver().run(SCOPE)

    @rule(days=st.integers(1, 150))
    def wait(self, days: int) -> None:
        """Let time pass."""
        self.now += timedelta(days=days)

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 99), decision=st.sampled_from(list(Governance)))
    def decide(self, which: int, decision: Governance) -> None:
        """Decide about a claim."""
        if claims := sorted(self._claims()):
            Governor(self.canonical, self._clock()).decide(SCOPE, claims[which % len(claims)], decision, actor="ann")

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 99))
    def lose_proof(self, which: int) -> None:
        """Find that a claim's proofs hold no longer."""
        if claims := sorted(self._claims()):
            with self.canonical.writing(SCOPE) as work:
                work.claims.note_check(
                    claims[which % len(claims)], stale_reason=dated_reason("its proof is gone", "", self.now)
                )

    @precondition(lambda self: self.sessions)
    @rule()
    def retain(self) -> None:
        """Erase what is old, and look at what is left."""
        before = self._claims()
        told = self._retention().report(SCOPE)
        assert self._claims() == before, "a report changes nothing"
        assert self._retention().apply(SCOPE) == told
        after = self._claims()
        gone = before.keys() - after.keys()
        assert len(gone) == told.count
        assert {key: before[key] for key in after} == after, "what stays is believed as it was"
        for claim in (before[key] for key in gone):
            self._check_gone(claim)
        assert self._retention().report(SCOPE).count == 0
        self._check_recomputed()

    def _check_gone(self, claim: Claim) -> None:
        assert claim.type not in RULES.protected
        assert not claim.is_standing
        assert claim.governance is Governance.ACTIVE
        age = self.now - claim.valid_from
        assert age > timedelta(days=min(RULES.days(kind) for kind in Outlived))

    def _check_recomputed(self) -> None:
        """Settled anew, the store holds the same."""
        held = beliefs_of(self.canonical, SCOPE)
        with self.canonical.writing(SCOPE) as work:
            settle(work, work.assertions.slots(limit=EVERYTHING))
        assert beliefs_of(self.canonical, SCOPE) == held

    @rule()
    def derive_anew(self) -> None:
        """Derive every session again, which may bring back what was erased until the next time."""
        with self.canonical.writing(SCOPE) as work:
            work.inventory.mark_underived([session.id for session in work.sessions.find(limit=EVERYTHING)])
        self._deriver().run(SCOPE)

    def _claims(self) -> Mapping[str, Claim]:
        with self.canonical.reading(SCOPE) as work:
            return {each.claim.id: each.claim for each in work.claims.find(where=ClaimFilter(), limit=EVERYTHING)}

    def _clock(self) -> FixedClock:
        return FixedClock(self.now)

    def _deriver(self) -> Deriver:
        return Deriver(self.canonical, FixedClock())

    def _retention(self) -> Retention:
        return Retention(self.canonical, self._clock(), RULES)
