"""
Compare what documents say with what is known already, as far as it has vectors: resumable at any point.

A cursor of the outbox stands behind the claims that were compared. It never overtakes that of the vectors: so of each
two claims one is compared when the index holds the other.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.outbox import OutboxEntry, OutboxKind
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.policy.verdicts import stands
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.usecases.project import VECTOR_KINDS
from pckc_domain.usecases.projecting import StoppedError, Worker

if TYPE_CHECKING:  # its rules cost a run that finds nothing to compare 50 ms of start-up
    from pckc_domain.usecases.cross_check import CrossChecker

COMPARISON = "comparison"
"""Name of the cursor, and of the lease of whoever compares."""

BATCH = 64
"""Changes looked at together: their claims take a tenth of a second."""

MOST_LEFT = 100_000
"""Changes that `Comparison.left` looks at; what is left behind them is not told."""

PAGE = 1000


class Comparison:
    """
    Lets claims of documents that say what another claim says lend it their proofs; a `Job` of workers.

    Args:
        canonical: The store.
        checker: Returns what compares them, when there is something to compare.
        worker: Who works.
        vectors: Name of the projection that feeds the index the checker asks.
    """

    def __init__(
        self, canonical: Canonical, checker: "Callable[[], CrossChecker]", worker: Worker, *, vectors: str
    ) -> None:
        self._canonical = canonical
        self._checker = checker
        self._worker = worker
        self._vectors = vectors

    @property
    def name(self) -> str:
        """See the protocol."""
        return COMPARISON

    def run(
        self,
        scope: Scope,
        *,
        progress: ProgressListener = ignore_progress,
        is_enough: Callable[[], bool] = lambda: False,
    ) -> int:
        """
        Compare what was not compared yet and has vectors, or as much as *is_enough* lets; return how many claims.

        While another worker is at it there is nothing to do.

        Raises:
            BackendError: Meanings cannot be compared now; what is left waits.
            ConfigurationError: The index holds another embedder's vectors.
        """
        if is_enough() or not self._next(scope):
            return 0
        with self._worker.holding(self._canonical, scope, COMPARISON) as is_mine:
            return self._run(scope, progress, is_enough) if is_mine else 0

    def retry(self, scope: Scope) -> int:  # noqa: ARG002 - nothing is set aside
        """See the protocol."""
        return 0

    def behind(self, scope: Scope) -> int:
        """See the protocol."""
        return len(self.left(scope))

    def left(self, scope: Scope) -> frozenset[str]:
        """Return the ids of the claims of documents that are yet to be compared."""
        with self._canonical.reading(scope) as work:
            pending = work.outbox.pending(COMPARISON, limit=MOST_LEFT, kinds=(OutboxKind.CLAIM,))
            pages = (pending[start : start + PAGE] for start in range(0, len(pending), PAGE))
            return frozenset(one.claim.id for page in pages for one in _compared(work, page))

    def _run(self, scope: Scope, progress: ProgressListener, is_enough: Callable[[], bool]) -> int:
        checker = self._checker()
        done, total = 0, len(self.left(scope))
        while not is_enough() and (entries := self._next(scope)):
            with self._canonical.reading(scope) as work:
                claims = [one.claim.id for one in _compared(work, entries)]
            try:
                if claims:
                    checker.deduplicate(scope, claims)
            except StoppedError:
                if is_enough():
                    break
                raise
            with self._canonical.writing(scope) as work:
                if not self._worker.take(work, COMPARISON):
                    break  # another worker took over
                work.outbox.advance(COMPARISON, entries[-1].seq)
            done += len(claims)
            progress(Progress(stage="comparing claims", done=done, total=max(done, total)))
        return done

    def _next(self, scope: Scope) -> Sequence[OutboxEntry]:
        """Return the next changes that were not looked at, none that the vectors have not seen."""
        with self._canonical.reading(scope) as work:
            pending = work.outbox.pending(COMPARISON, limit=BATCH, kinds=VECTOR_KINDS)
            unseen = work.outbox.pending(self._vectors, limit=1, kinds=VECTOR_KINDS)
        return [entry for entry in pending if not unseen or entry.seq < unseen[0].seq]


def _compared(work: UnitOfWork, entries: Sequence[OutboxEntry]) -> list[StoredClaim]:
    """Return those of the changed claims that are compared: what documents say and still stands."""
    changed = [entry.entity_id for entry in entries if entry.kind is OutboxKind.CLAIM]
    return [one for one in work.claims.get(changed) if one.claim.document_id and stands(one.claim)]
