"""One state machine for every canonical store: whatever is done to it, it answers as the memory store does."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.passage import DocumentContent, Layer, PassageFilter
from pckc_domain.model.query import LexicalQuery
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.testing import strategies
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.samples import SCOPE, checkout

EVERYTHING = 1_000


class _RollBack(Exception):  # noqa: N818  # no error: it ends a transaction on purpose
    pass


class StoreMachine(RuleBasedStateMachine):
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

    @rule(content=strategies.contents(), is_kept=st.booleans() | st.just(True))
    def put(self, content: DocumentContent, is_kept: bool) -> None:
        """Store a version; sometimes the transaction is undone."""
        self._write(lambda work: work.documents.put(content), is_kept=is_kept)

    @rule(ids=strategies.document_ids)
    def remove(self, ids: list[str]) -> None:
        """Erase versions."""
        self._write(lambda work: work.documents.remove(ids))

    @rule(ids=strategies.document_ids)
    def retire(self, ids: list[str]) -> None:
        """Make versions stale."""
        self._write(lambda work: work.documents.retire(ids))

    @rule(checkout_id=st.sampled_from(strategies.CHECKOUTS), is_complete=st.booleans())
    def record(self, checkout_id: str, is_complete: bool) -> None:
        """Record a checkout."""
        self._write(lambda work: work.manifest.record(checkout(checkout_id, is_complete=is_complete)))

    @rule(
        checkout_id=st.sampled_from(strategies.CHECKOUTS),
        entries=st.lists(strategies.entries(), max_size=4),
        is_kept=st.booleans() | st.just(True),
    )
    def hold(self, checkout_id: str, entries: list[ManifestEntry], is_kept: bool) -> None:
        """Put manifest entries."""
        self._write(lambda work: work.manifest.put(checkout_id, entries), is_kept=is_kept)

    @rule(checkout_id=st.sampled_from(strategies.CHECKOUTS), paths=strategies.paths)
    def forget(self, checkout_id: str, paths: list[str]) -> None:
        """Forget paths."""
        self._write(lambda work: work.manifest.remove(checkout_id, paths))

    @rule(ids=st.lists(st.sampled_from("abc"), max_size=2), operation=st.sampled_from(OutboxOperation))
    def append(self, ids: list[str], operation: OutboxOperation) -> None:
        """Queue changes of claims."""
        self._write(lambda work: work.outbox.append(OutboxKind.CLAIM, ids, operation))

    @rule(projection=st.sampled_from(strategies.PROJECTIONS), count=st.integers(1, 5))
    def advance(self, projection: str, count: int) -> None:
        """Mark the next changes as seen."""

        def step(work: UnitOfWork) -> None:
            if pending := work.outbox.pending(projection, limit=count):
                work.outbox.advance(projection, pending[-1].seq)

        self._write(step)

    @rule(projection=st.sampled_from(strategies.PROJECTIONS))
    def reset(self, projection: str) -> None:
        """Start a projection over."""
        self._write(lambda work: work.outbox.reset(projection))

    @rule(layer=strategies.layers, query=strategies.queries, where=strategies.filters)
    def search(self, layer: Layer, query: LexicalQuery, where: PassageFilter) -> None:
        """The same passages match, whatever their order."""

        def hits(work: UnitOfWork) -> object:
            found = work.passages.search(layer, query, where=where, limit=EVERYTHING)
            keys = [(-hit.score, hit.stored.passage.id) for hit in found]
            assert keys == sorted(keys)
            return sorted((hit.stored for hit in found), key=lambda stored: stored.passage.id)

        self._compare(hits)

    @rule(layer=strategies.layers, where=strategies.filters, limit=st.integers(0, 4))
    def find(self, layer: Layer, where: PassageFilter, limit: int) -> None:
        """The same passages pass the filter, in the same order."""
        self._compare(lambda work: work.passages.find(layer, where=where, limit=limit))

    @invariant()
    def holds_the_same(self) -> None:
        """Every other query has the same answer."""
        self._compare(_holdings)

    def _write(self, act: Callable[[UnitOfWork], None], *, is_kept: bool = True) -> None:
        for store in self._stores:
            try:
                with store.writing(SCOPE) as work:
                    act(work)
                    if not is_kept:
                        raise _RollBack
            except _RollBack:
                pass

    def _compare(self, answer: Callable[[UnitOfWork], object]) -> None:
        answers = []
        for store in self._stores:
            with store.reading(SCOPE) as work:
                answers.append(answer(work))
        assert answers[0] == answers[1]


def _holdings(work: UnitOfWork) -> Sequence[object]:
    """Return everything that does not depend on a search; sequence numbers are each store's own."""
    ids = [each.id for each in strategies.DOCUMENTS]
    return [
        work.documents.get(ids),
        [work.documents.at(path) for path in strategies.PATHS],
        work.passages.of_documents(ids),
        work.passages.count(),
        work.manifest.checkouts(),
        [work.manifest.entries(checkout_id) for checkout_id in strategies.CHECKOUTS],
        [
            [(each.kind, each.entity_id, each.operation) for each in work.outbox.pending(name, limit=EVERYTHING)]
            for name in (*strategies.PROJECTIONS, "unknown")
        ],
        [work.outbox.lag(name) for name in strategies.PROJECTIONS],
    ]
