"""One state machine for the session side of every canonical store: it answers as the memory store does."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pckc_domain.model.belief import ClaimFilter, EvidenceFilter
from pckc_domain.model.claim import Assertion, Beliefs, Governance, Rejection
from pckc_domain.model.proof import Proof
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import Episode, Event, Evidence, Session
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing import belief_strategies, strategies
from pckc_domain.testing.belief_samples import act, claim
from pckc_domain.testing.belief_strategies import CLAIM_IDS, SESSIONS, SLOTS
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.samples import SCOPE

EVERYTHING = 1_000


class BeliefMachine(RuleBasedStateMachine):
    """Inherit it, override *open*, and let pytest collect ``YourMachine.TestCase``."""

    def open(self) -> AbstractContextManager[Canonical]:
        """Open an empty store."""
        raise NotImplementedError

    @initialize()
    def start(self) -> None:
        """Open both stores."""
        self._exit = ExitStack()
        self._stores: tuple[Canonical, ...] = (MemoryCanonical(), self._exit.enter_context(self.open()))

    def teardown(self) -> None:
        """Close the store."""
        self._exit.close()

    @rule(session=belief_strategies.sessions, events=st.lists(belief_strategies.events, max_size=5))
    def put(self, session: Session, events: list[Event]) -> None:
        """Store events; the same ones are new."""
        self._write(lambda work: work.sessions.put(session, events))

    @rule(sessions=st.lists(belief_strategies.sessions, max_size=2))
    def remove(self, sessions: list[Session]) -> None:
        """Erase sessions; the same slots are touched."""
        self._write(lambda work: work.sessions.remove([each.id for each in sessions]))

    @rule(
        session=belief_strategies.sessions,
        episodes=st.lists(belief_strategies.episodes, max_size=4),
        evidence=st.lists(belief_strategies.evidences, max_size=5),
    )
    def derive(self, session: Session, episodes: list[Episode], evidence: list[Evidence]) -> None:
        """Replace a session's episodes and evidence."""
        own_episodes = list({each.id: each for each in episodes if each.session_id == session.id}.values())
        own_evidence = list({each.id: each for each in evidence if each.session_id == session.id}.values())
        self._write(lambda work: work.evidence.replace(session.id, own_episodes, own_evidence))

    @rule(session=belief_strategies.sessions, by_slot=belief_strategies.slotted_assertions)
    def assert_(self, session: Session, by_slot: dict[str, list[Assertion]]) -> None:
        """Replace a session's assertions; the same slots are touched."""
        self._write(lambda work: work.assertions.replace(session.id, by_slot))

    @rule(session=belief_strategies.sessions, rejections=st.lists(belief_strategies.rejections, max_size=4))
    def reject(self, session: Session, rejections: list[Rejection]) -> None:
        """Replace a session's rejections."""
        own = [each for each in rejections if each.session_id == session.id]
        self._write(lambda work: work.rejections.replace(session.id, own))

    @rule(by_slot=st.dictionaries(belief_strategies.slots, belief_strategies.beliefs(), max_size=2))
    def settle(self, by_slot: dict[str, Beliefs]) -> None:
        """Settle slots, two at once at times, which may claim the same."""
        self._write(lambda work: work.claims.settle(by_slot))

    @rule(slot=belief_strategies.slots, beliefs=belief_strategies.beliefs())
    def settle_twice(self, slot: str, beliefs: Beliefs) -> None:
        """The second time nothing is queued."""

        def again(work: UnitOfWork) -> object:
            work.claims.settle({slot: beliefs})
            before = _queued(work)
            work.claims.settle({slot: beliefs})
            assert _queued(work) == before
            return None

        self._write(again)

    @rule(claim_id=belief_strategies.claim_ids, reason=st.sampled_from(("", "gone", "changed")))
    def check(self, claim_id: str, reason: str) -> None:
        """Note a check."""
        self._write(lambda work: work.claims.note_check(claim_id, stale_reason=reason))

    @rule(proofs=st.lists(belief_strategies.proofs, max_size=3))
    def attach(self, proofs: list[Proof]) -> None:
        """Attach proofs."""
        self._write(lambda work: work.proofs.attach(proofs))

    @rule(claim_id=belief_strategies.claim_ids, after=st.sampled_from(Governance))
    def govern(self, claim_id: str, after: Governance) -> None:
        """Decide about a claim, known or not."""
        self._write(lambda work: work.governance.append(act(claim("any", id=claim_id), after)))

    @rule(count=st.integers(1, 9))
    def advance(self, count: int) -> None:
        """Mark the next changes as seen."""

        def step(work: UnitOfWork) -> object:
            if pending := work.outbox.pending("vector", limit=count):
                work.outbox.advance("vector", pending[-1].seq)
            return None

        self._write(step)

    @rule()
    def reset(self) -> None:
        """Start a projection over."""
        self._write(lambda work: work.outbox.reset("vector"))

    @rule(query=strategies.queries, where=belief_strategies.claim_filters)
    def search_claims(self, query: LexicalQuery, where: ClaimFilter) -> None:
        """The same claims match, whatever their order."""

        def hits(work: UnitOfWork) -> object:
            found = work.claims.search(query, where=where, limit=EVERYTHING)
            keys = [(-hit.score, hit.stored.claim.id) for hit in found]
            assert keys == sorted(keys)
            return sorted((hit.stored for hit in found), key=lambda stored: stored.claim.id)

        self._compare(hits)

    @rule(query=strategies.queries, where=belief_strategies.evidence_filters)
    def search_evidence(self, query: LexicalQuery, where: EvidenceFilter) -> None:
        """The same passages match, whatever their order."""

        def hits(work: UnitOfWork) -> object:
            found = work.evidence.search(query, where=where, limit=EVERYTHING)
            keys = [(-hit.score, hit.evidence.id) for hit in found]
            assert keys == sorted(keys)
            return sorted((hit.evidence for hit in found), key=lambda evidence: evidence.id)

        self._compare(hits)

    @rule(where=belief_strategies.claim_filters, after=st.just("") | belief_strategies.claim_ids)
    def find(self, where: ClaimFilter, after: str) -> None:
        """The same claims pass the filter, in the same order."""
        self._compare(lambda work: work.claims.find(where=where, after=after, limit=3))

    @invariant()
    def holds_the_same(self) -> None:
        """Every other query has the same answer."""
        self._compare(_holdings)

    def _write(self, act: Callable[[UnitOfWork], object]) -> None:
        """Do the same in both stores; it has the same result."""
        results = []
        for store in self._stores:
            with store.writing(SCOPE) as work:
                results.append(act(work))
        assert results[0] == results[1]

    def _compare(self, answer: Callable[[UnitOfWork], object]) -> None:
        answers = []
        for store in self._stores:
            with store.reading(SCOPE) as work:
                answers.append(answer(work))
        assert answers[0] == answers[1]


def _holdings(work: UnitOfWork) -> Sequence[object]:
    """Return everything that does not depend on a search; sequence numbers are each store's own."""
    return [
        work.sessions.find(limit=EVERYTHING),
        work.sessions.find(limit=EVERYTHING, is_underived=True),
        [work.sessions.events(each.id) for each in SESSIONS],
        work.evidence.of_episodes(belief_strategies.EPISODE_IDS),
        work.census.evidence(),
        work.assertions.of_slots(SLOTS),
        work.assertions.slots(limit=EVERYTHING),
        work.rejections.find(limit=EVERYTHING),
        work.claims.find(where=ClaimFilter(), limit=EVERYTHING),
        work.proofs.of(CLAIM_IDS),
        work.links.of(CLAIM_IDS),
        work.governance.of(CLAIM_IDS),
        _queued(work),
    ]


def _queued(work: UnitOfWork) -> Sequence[object]:
    pending = work.outbox.pending("vector", limit=EVERYTHING)
    return [(each.kind, each.entity_id, each.operation) for each in pending]
