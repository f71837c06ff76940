"""
A state machine for repository facts: inherit `FactMachine`, provide `open_canonical`.

Whatever edits, deletions, reverts and branches came before, and whatever sessions said meanwhile: what the store says
that the repository sets is what a fresh index of the same files says.
"""

from abc import abstractmethod
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.session import EventKind
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.conversations import SCOPE
from pckc_domain.testing.fact_world import FactWorld, branch
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.usecases.settling import settle

PATHS = ("a.py", "b.py", "app.toml", "requirements.txt")
LINES = {
    "a.py": ("TIMEOUT = 30", "TIMEOUT = 60", "RETRIES = 5", "RETRIES = 6", "AUTH_TIMEOUT = 30", "X = f()"),
    "b.py": ("TIMEOUT = 30", "TIMEOUT = 90", "RETRIES = 5"),
    "app.toml": ("[http]", "[db]", "timeout = 30", "retries = 7"),
    "requirements.txt": ("django==5.1.4", "django>=5,<6", "requests==2.31"),
}
SAYINGS = (
    "The timeout is 30 seconds.",
    "The timeout is 60 seconds.",
    "Let's set the timeout to 90 seconds.",
    "The http timeout is 30 seconds.",
    "The auth timeout is 5 seconds.",
    "We use Django 5.1.",
    "The Django version is 4.2.",
    "Retries is 5.",
)


class FactMachine(RuleBasedStateMachine):
    """Files change and sessions speak, in any order."""

    @abstractmethod
    def open_canonical(self) -> Canonical:
        """Return an empty store."""

    @initialize()
    def begin(self) -> None:
        """Start with nothing."""
        self.world = FactWorld(self.open_canonical())
        self.world.tree.branch = branch("main")
        self.sessions: list[str] = []
        self.files: dict[str, bytes] = {}
        self.is_indexed = True

    @rule(path=st.sampled_from(PATHS), data=st.data())
    def write(self, path: str, data: st.DataObject) -> None:
        """Write some lines."""
        lines = data.draw(st.lists(st.sampled_from(LINES[path]), max_size=4, unique=True))
        self.files[path] = ("\n".join(lines) + "\n").encode()
        self.world.tree.write(path, self.files[path])
        self.is_indexed = False

    @rule(path=st.sampled_from(PATHS))
    def delete(self, path: str) -> None:
        """Delete a file."""
        if self.files.pop(path, None) is not None:
            self.world.tree.remove(path)
            self.is_indexed = False

    @rule(text=st.sampled_from(SAYINGS), kind=st.sampled_from((EventKind.PROMPT, EventKind.AGENT_MESSAGE)))
    def say(self, text: str, kind: EventKind) -> None:
        """Say something of it."""
        self.world.clock.advance(timedelta(hours=1))
        self.sessions.append(self.world.say(kind, text))

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        """Forget a session."""
        if self.sessions:
            session = data.draw(st.sampled_from(self.sessions))
            self.sessions.remove(session)
            self.world.forget(session)

    @rule()
    def index(self) -> None:
        """Bring the index up to date."""
        self.world.clock.advance(timedelta(hours=1))
        self.world.index()
        self.is_indexed = True

    @invariant()
    def it_is_what_a_fresh_index_says(self) -> None:
        """Compare with a fresh index; and once more, which changes nothing."""
        if not self.is_indexed:
            return
        fresh = FactWorld(MemoryCanonical())
        fresh.tree.branch = self.world.tree.branch
        for path, data in self.files.items():
            fresh.tree.write(path, data)
        fresh.index()
        assert self.world.set_now() == fresh.set_now()
        assert self.world.shown() == fresh.shown()
        before = self.world.claims()
        assert self._changes_of_settling_again() == []
        assert self.world.claims() == before

    def _changes_of_settling_again(self) -> list[str]:
        with self.world.canonical.writing(SCOPE) as work:
            last = max((entry.seq for entry in work.outbox.pending("all", limit=1_000_000)), default=0)
            settle(work, work.assertions.slots(limit=1_000_000))
            return [
                entry.entity_id
                for entry in work.outbox.pending("all", limit=1_000_000)
                if entry.seq > last and entry.kind is OutboxKind.CLAIM
            ]
