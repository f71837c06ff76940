"""Keep the vector index in step with the store, through the outbox."""

from collections.abc import Callable, Iterator, Sequence

import attrs

from pckc_domain.model.embedding import VectorItem
from pckc_domain.model.outbox import OutboxEntry, OutboxKind
from pckc_domain.model.passage import Proposition, layer_of
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.policy.embedded_text import (
    EMBEDDED_LAYERS,
    claim_partition,
    claim_text,
    evidence_partition,
    evidence_text,
    passage_partition,
    passage_text,
)
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.vector import VectorIndex

VECTOR_PROJECTION = "vector"
VECTOR_KINDS = (OutboxKind.DOCUMENT, OutboxKind.CLAIM, OutboxKind.EPISODE)
"""Changes that the vectors follow."""

BATCH_ENTRIES = 4
"""Changes embedded and committed together: few, so that a run that is stopped keeps what it did."""


@attrs.frozen(kw_only=True)
class _Text:
    id: str
    owner: str
    partition: str
    text: str


class VectorProjector:
    """Feeds the vector index from the outbox: at least once, in order, resumable at any point."""

    def __init__(self, canonical: Canonical, embedder: Embedder, vectors: VectorIndex) -> None:
        self._canonical = canonical
        self._embedder = embedder
        self._vectors = vectors

    def run(
        self,
        scope: Scope,
        *,
        progress: ProgressListener = ignore_progress,
        is_enough: Callable[[], bool] = lambda: False,
    ) -> int:
        """
        Project pending changes until there are none, or *is_enough* says so, and return how many were projected.

        What is left is projected by the next run.
        """
        done = 0
        with self._canonical.reading(scope) as work:
            total = work.outbox.lag(VECTOR_PROJECTION, kinds=VECTOR_KINDS)
        while not is_enough() and (step := self._step(scope)):
            done += step
            progress(Progress(stage="embedding", done=done, total=max(done, total)))
        return done

    def rebuild(self, scope: Scope, *, progress: ProgressListener = ignore_progress) -> int:
        """Forget the scope's vectors, make them all anew and return the number of changes projected."""
        self._vectors.clear(scope)
        with self._canonical.writing(scope) as work:
            work.outbox.reset(VECTOR_PROJECTION)
        return self.run(scope, progress=progress)

    def _step(self, scope: Scope) -> int:
        with self._canonical.reading(scope) as work:
            entries = work.outbox.pending(VECTOR_PROJECTION, limit=BATCH_ENTRIES, kinds=VECTOR_KINDS)
            if not entries:
                return 0
            texts = list(_texts(work, entries))
        self._vectors.delete(scope, owners=sorted({entry.entity_id for entry in entries}))
        self._upsert(scope, texts)
        with self._canonical.writing(scope) as work:
            work.outbox.advance(VECTOR_PROJECTION, entries[-1].seq)
        return len(entries)

    def _upsert(self, scope: Scope, texts: Sequence[_Text]) -> None:
        if not texts:
            return
        vectors = self._embedder.embed([item.text for item in texts])
        items = [
            VectorItem(id=item.id, partition=item.partition, vector=vector, owner=item.owner)
            for item, vector in zip(texts, vectors, strict=True)
        ]
        self._vectors.upsert(scope, self._embedder.space, items)


def _texts(work: UnitOfWork, entries: Sequence[OutboxEntry]) -> Iterator[_Text]:
    """Yield what the changed documents, claims and episodes hold now; nothing for those that are gone or stale."""
    changed = {kind: sorted({entry.entity_id for entry in entries if entry.kind is kind}) for kind in VECTOR_KINDS}
    fresh = [document.id for document in work.documents.get(changed[OutboxKind.DOCUMENT]) if not document.is_stale]
    for stored in work.passages.of_documents(fresh):
        layer = layer_of(stored.passage)
        if layer in EMBEDDED_LAYERS:
            kind = stored.passage.type if isinstance(stored.passage, Proposition) else None
            yield _Text(
                id=stored.passage.id,
                owner=stored.document.id,
                partition=passage_partition(layer, kind),
                text=passage_text(stored),
            )
    for found in work.claims.get(changed[OutboxKind.CLAIM]):
        claim = found.claim
        if not claim.session_id:  # lines that a program sets are found by their names, and in their passages
            continue
        yield _Text(id=claim.id, owner=claim.id, partition=claim_partition(claim.type), text=claim_text(claim))
    for evidence in work.evidence.of_episodes(changed[OutboxKind.EPISODE]):
        yield _Text(
            id=evidence.id,
            owner=evidence.episode_id,
            partition=evidence_partition(evidence),
            text=evidence_text(evidence),
        )
