"""One state machine for the curated side of every canonical store: it answers as the memory store does."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pckc_domain.model.distillation import Distillation
from pckc_domain.model.gap import Gap, GapStatus
from pckc_domain.model.passage import DocumentContent
from pckc_domain.model.session import Session
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.model.verdict import Verdict
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing import belief_strategies, curated_strategies, strategies
from pckc_domain.testing.belief_strategies import CLAIM_IDS
from pckc_domain.testing.curated_strategies import GAP_IDS
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.samples import SCOPE

EVERYTHING = 1_000


class CuratedMachine(RuleBasedStateMachine):
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

    @rule(content=strategies.contents(), made=st.lists(curated_strategies.distillations, max_size=3))
    def distil(self, content: DocumentContent, made: list[Distillation]) -> None:
        """Store a version and what became of chunks."""

        def step(work: UnitOfWork) -> None:
            work.documents.put(content)
            work.distillations.put(made)

        self._write(step)

    @rule(ids=strategies.document_ids, is_erased=st.booleans())
    def lose_documents(self, ids: list[str], is_erased: bool) -> None:
        """Retire versions, or erase them with what became of their chunks."""
        self._write(lambda work: work.documents.remove(ids) if is_erased else work.documents.retire(ids))

    @rule(owner_ids=curated_strategies.owner_ids)
    def forget_distillations(self, owner_ids: list[str]) -> None:
        """Forget what became of chunks."""
        self._write(lambda work: work.distillations.remove(owner_ids))

    @rule(verdicts=st.lists(curated_strategies.verdicts, max_size=4))
    def judge(self, verdicts: list[Verdict]) -> None:
        """Store verdicts, the last one of a key."""
        self._write(lambda work: work.verdicts.put(verdicts))

    @rule(claim_ids=st.lists(st.sampled_from(("", *CLAIM_IDS)), max_size=2))
    def forget_verdicts(self, claim_ids: list[str]) -> None:
        """Forget verdicts by either claim."""
        self._write(lambda work: work.verdicts.remove(claim_ids))

    @rule(gap=curated_strategies.gaps)
    def ask(self, gap: Gap) -> None:
        """Store a question."""
        self._write(lambda work: work.gaps.put(gap))

    @rule(gap_id=st.sampled_from(GAP_IDS))
    def drop_gap(self, gap_id: str) -> None:
        """Forget a question; both say whether it was known."""
        self._write(lambda work: work.gaps.remove(gap_id))

    @rule(traces=st.lists(curated_strategies.traces, max_size=4))
    def note(self, traces: list[Trace]) -> None:
        """Add notes, the first one of an id."""
        self._write(lambda work: work.traces.add(traces))

    @rule(session=belief_strategies.sessions, is_erased=st.booleans())
    def lose_notes(self, session: Session, is_erased: bool) -> None:
        """Forget the notes of a session, by themselves or with it."""
        self._write(lambda work: work.sessions.remove([session.id]) if is_erased else work.traces.remove([session.id]))

    @rule(
        kinds=st.sets(st.sampled_from(TraceKind), max_size=2),
        session_id=st.none() | curated_strategies.session_ids,
        statuses=st.sets(st.sampled_from(GapStatus), max_size=2),
        limit=st.integers(0, 4),
        offset=st.integers(0, 2),
    )
    def look(
        self, kinds: set[TraceKind], session_id: str | None, statuses: set[GapStatus], limit: int, offset: int
    ) -> None:
        """Filters and pages are the same."""
        self._compare(
            lambda work: (
                work.traces.find(kinds=kinds, session_id=session_id, limit=limit, offset=offset),
                work.gaps.find(statuses=statuses, limit=limit, offset=offset),
            )
        )

    @invariant()
    def holds_the_same(self) -> None:
        """Every other question has the same answer."""
        self._compare(_holdings)

    def _write(self, act: Callable[[UnitOfWork], object]) -> None:
        answers = []
        for store in self._stores:
            with store.writing(SCOPE) as work:
                answer = act(work)
                answers.append(sorted(answer) if isinstance(answer, frozenset) else answer)
        assert answers[0] == answers[1]

    def _compare(self, answer: Callable[[UnitOfWork], object]) -> None:
        answers = []
        for store in self._stores:
            with store.reading(SCOPE) as work:
                answers.append(answer(work))
        assert answers[0] == answers[1]


def _holdings(work: UnitOfWork) -> Sequence[object]:
    ids = [each.id for each in strategies.DOCUMENTS]
    distillations, verdicts = work.distillations, work.verdicts
    return [
        work.documents.get(ids),
        [distillations.find(is_done=is_done, limit=EVERYTHING) for is_done in (None, True, False)],
        distillations.find(after="owner_a", limit=1),
        [distillations.of_uri(path) for path in strategies.PATHS],
        distillations.count(),
        verdicts.find(limit=EVERYTHING),
        verdicts.find(after=("claim_b", "", "rules"), limit=2),
        [verdicts.of([id_]) for id_ in CLAIM_IDS],
        verdicts.count(),
        work.gaps.find(limit=EVERYTHING),
        [work.gaps.get(id_) for id_ in GAP_IDS],
        dict(work.gaps.count()),
        work.traces.find(limit=EVERYTHING),
        work.traces.count(),
    ]
