"""Keep the vector index in step with the store, through the outbox."""

from collections.abc import Sequence

from pckc_domain.model.document import Document
from pckc_domain.model.embedding import VectorItem
from pckc_domain.model.outbox import OutboxKind
from pckc_domain.model.passage import (
    Layer,
    Paragraph,
    Passage,
    Proposition,
    PropositionType,
    StoredPassage,
    layer_of,
)
from pckc_domain.model.progress import Progress, ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.vector import VectorIndex

VECTOR_PROJECTION = "vector"
EMBEDDED_LAYERS = frozenset({Layer.PARAGRAPH, Layer.PROPOSITION, Layer.SUMMARY})
"""Chunks repeat their paragraphs: embedding them too would double the cost and find nothing new."""

EMBEDDED_CHARACTERS = 1_000
"""What a model reads of a text at most; the rest would be cut off anyway."""

BATCH_ENTRIES = 16


def partition(layer: Layer, kind: PropositionType | None = None) -> str:
    """Return the typed partition of passages of *layer*; propositions have one for each type."""
    return f"{layer}:{kind}" if layer is Layer.PROPOSITION and kind else str(layer)


def embedded_text(stored: StoredPassage) -> str:
    """Return the text that stands for a passage in the embedding space: its subject first."""
    passage = stored.passage
    heading = _heading(passage, stored.document)
    return f"{heading}: {passage.text}"[:EMBEDDED_CHARACTERS] if heading else passage.text[:EMBEDDED_CHARACTERS]


class VectorProjector:
    """Feeds the vector index from the outbox: at least once, in order, resumable at any point."""

    def __init__(self, canonical: Canonical, embedder: Embedder, vectors: VectorIndex) -> None:
        self._canonical = canonical
        self._embedder = embedder
        self._vectors = vectors

    def run(self, scope: Scope, *, progress: ProgressListener = ignore_progress) -> int:
        """Project every pending change and return how many there were."""
        done = 0
        with self._canonical.reading(scope) as work:
            total = work.outbox.lag(VECTOR_PROJECTION)
        while step := self._step(scope):
            done += step
            progress(Progress(stage="embedding", done=done, total=max(done, total)))
        return done

    def _step(self, scope: Scope) -> int:
        with self._canonical.reading(scope) as work:
            entries = work.outbox.pending(VECTOR_PROJECTION, limit=BATCH_ENTRIES)
            if not entries:
                return 0
            changed = sorted({entry.entity_id for entry in entries if entry.kind is OutboxKind.DOCUMENT})
            fresh = [document.id for document in work.documents.get(changed) if not document.is_stale]
            passages = work.passages.of_documents(fresh)
        self._vectors.delete(scope, owners=changed)
        self._upsert(scope, [stored for stored in passages if layer_of(stored.passage) in EMBEDDED_LAYERS])
        with self._canonical.writing(scope) as work:
            work.outbox.advance(VECTOR_PROJECTION, entries[-1].seq)
        return len(entries)

    def _upsert(self, scope: Scope, passages: Sequence[StoredPassage]) -> None:
        if not passages:
            return
        vectors = self._embedder.embed([embedded_text(stored) for stored in passages])
        items = [
            VectorItem(
                id=stored.passage.id,
                partition=partition(layer_of(stored.passage), _type(stored.passage)),
                vector=vector,
                owner=stored.document.id,
            )
            for stored, vector in zip(passages, vectors, strict=True)
        ]
        self._vectors.upsert(scope, self._embedder.space, items)


def _type(passage: Passage) -> PropositionType | None:
    return passage.type if isinstance(passage, Proposition) else None


def _heading(passage: Passage, document: Document) -> str:
    if isinstance(passage, Proposition):
        return passage.subject
    if isinstance(passage, Paragraph):
        return passage.section_heading or document.title
    return ""
