"""The vector index as a projection of the store."""

from array import array
from collections.abc import Collection, Iterator, Sequence

import attrs

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Claim
from pckc_domain.model.embedding import EVERYTHING, EmbeddingSpace, Vector, VectorFilter, VectorHit, VectorItem
from pckc_domain.model.outbox import OutboxEntry, OutboxKind
from pckc_domain.model.passage import Proposition, StoredPassage, layer_of
from pckc_domain.model.projection import generation_scope, probe_scope
from pckc_domain.model.scope import Scope
from pckc_domain.model.session import Evidence
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
from pckc_domain.usecases.projecting import Projection

VECTOR_PROJECTION = "vector"
"""Name of the projection into an index that everybody shares who shares the store."""

VECTOR_KINDS = (OutboxKind.DOCUMENT, OutboxKind.CLAIM, OutboxKind.EPISODE)
"""Changes that the vectors follow."""

BATCH_WEIGHT = 64
WEIGHTS = {OutboxKind.DOCUMENT: 16, OutboxKind.EPISODE: 4, OutboxKind.CLAIM: 1}
"""What is embedded and committed together: little, so that a run that is stopped keeps what it did."""

SLICE = 512
"""Texts of a batch whose vectors are held in memory at once: a document may have any number."""

PAGE = 1000

NO_VECTOR: Vector = array("f")
"""Of an item whose text is yet to be embedded."""


@attrs.frozen(kw_only=True)
class _Text:
    """What is embedded, and the item that its vector is to be put into."""

    text: str
    item: VectorItem


class VectorProjection(Projection):
    """Keeps a vector for every fresh passage, claim and passage of a session that is searched by its meaning."""

    def __init__(
        self, canonical: Canonical, embedder: Embedder, vectors: VectorIndex, *, name: str = VECTOR_PROJECTION
    ) -> None:
        self._canonical = canonical
        self._embedder = embedder
        self._vectors = vectors
        self._name = name

    @property
    def name(self) -> str:
        """See the protocol."""
        return self._name

    @property
    def kinds(self) -> Collection[OutboxKind]:
        """See the protocol."""
        return VECTOR_KINDS

    @property
    def stage(self) -> str:
        """See the protocol."""
        return "embedding"

    def batch(self, entries: Sequence[OutboxEntry], /) -> Sequence[OutboxEntry]:
        """See the protocol; some documents or many claims."""
        weight = 0
        for place, entry in enumerate(entries):
            weight += WEIGHTS[entry.kind]
            if weight >= BATCH_WEIGHT:
                return entries[: place + 1]
        return entries

    def project(self, scope: Scope, entries: Sequence[OutboxEntry], /, *, into: Scope) -> None:
        """See the protocol."""
        with self._canonical.reading(scope) as work:
            texts = list(_texts(work, entries))
        for start in range(0, max(1, len(texts)), SLICE):
            items = self._embedded(texts[start : start + SLICE])
            if not start:  # as late as possible: what they held is found meanwhile
                self._vectors.delete(into, owners=sorted({entry.entity_id for entry in entries}))
            if items:
                self._vectors.upsert(into, self._embedder.space, items)

    def _embedded(self, texts: Sequence[_Text]) -> list[VectorItem]:
        vectors = self._embedder.embed([each.text for each in texts]) if texts else []
        return [attrs.evolve(each.item, vector=vector) for each, vector in zip(texts, vectors, strict=True)]

    def probe(self, scope: Scope, /) -> None:
        """See the protocol."""
        (vector,) = self._embedder.embed(["probe"])
        beside = probe_scope(scope)
        self._vectors.clear(beside)
        item = VectorItem(id="probe", partition="probe", vector=vector, owner="probe")
        self._vectors.upsert(beside, self._embedder.space, [item])
        self._vectors.clear(beside)

    def wanted(self, scope: Scope, /) -> int:
        """See the protocol."""
        with self._canonical.reading(scope) as work:
            counts = work.passages.count()
            passages = sum(counts[layer].fresh for layer in EMBEDDED_LAYERS)
            claims, after = 0, ""
            while page := work.claims.find(where=ClaimFilter(is_said=True), after=after, limit=PAGE):
                claims += len(page)
                after = page[-1].claim.id
            return passages + claims + work.census.evidence()

    def count(self, into: Scope, /) -> int:
        """See the protocol."""
        return self._vectors.count(into, partitions=frozenset())

    def clear(self, into: Scope, /) -> None:
        """See the protocol."""
        self._vectors.clear(into)


class ServingVectors(VectorIndex):
    """The generation of a vector index that serves; what is erased goes from both."""

    def __init__(self, canonical: Canonical, vectors: VectorIndex, *, name: str = VECTOR_PROJECTION) -> None:
        self._canonical = canonical
        self._vectors = vectors
        self._name = name

    def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
        """See the port."""
        self._vectors.upsert(self._serving(scope), space, items)

    def delete(self, scope: Scope, /, *, owners: Sequence[str]) -> None:
        """See the port."""
        for generation in (0, 1):
            self._vectors.delete(generation_scope(scope, generation), owners=owners)

    def search(
        self,
        scope: Scope,
        space: EmbeddingSpace,
        vector: Vector,
        /,
        *,
        partitions: frozenset[str],
        limit: int,
        where: VectorFilter = EVERYTHING,
    ) -> Sequence[VectorHit]:
        """See the port."""
        serving = self._serving(scope)
        return self._vectors.search(serving, space, vector, partitions=partitions, limit=limit, where=where)

    def count(self, scope: Scope, /, *, partitions: frozenset[str]) -> int:
        """See the port."""
        return self._vectors.count(self._serving(scope), partitions=partitions)

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        for generation in (0, 1):
            self._vectors.clear(generation_scope(scope, generation))

    def _serving(self, scope: Scope) -> Scope:
        with self._canonical.reading(scope) as work:
            return generation_scope(scope, work.generations.get(self._name).serving)


def _texts(work: UnitOfWork, entries: Sequence[OutboxEntry]) -> Iterator[_Text]:
    """Yield what the changed documents, claims and episodes hold now; nothing for those that are gone or stale."""
    changed = {kind: sorted({entry.entity_id for entry in entries if entry.kind is kind}) for kind in VECTOR_KINDS}
    fresh = [document.id for document in work.documents.get(changed[OutboxKind.DOCUMENT]) if not document.is_stale]
    for stored in work.passages.of_documents(fresh):
        if layer_of(stored.passage) in EMBEDDED_LAYERS:
            yield _Text(text=passage_text(stored), item=_passage_item(stored))
    for found in work.claims.get(changed[OutboxKind.CLAIM]):
        if found.claim.is_said:  # lines that a program sets are found by their names, and in their passages
            yield _Text(text=claim_text(found.claim), item=_claim_item(found.claim))
    for evidence in work.evidence.of_episodes(changed[OutboxKind.EPISODE]):
        yield _Text(text=evidence_text(evidence), item=_evidence_item(evidence))


def _passage_item(stored: StoredPassage) -> VectorItem:
    kind = stored.passage.type if isinstance(stored.passage, Proposition) else None
    return VectorItem(
        id=stored.passage.id,
        partition=passage_partition(layer_of(stored.passage), kind),
        vector=NO_VECTOR,
        owner=stored.document.id,
        branch=stored.document.branch.name or "",
    )


def _claim_item(claim: Claim) -> VectorItem:
    return VectorItem(
        id=claim.id,
        partition=claim_partition(claim.type),
        vector=NO_VECTOR,
        owner=claim.id,
        branch=claim.branch.name or "",
        status=claim.status,
        valid_from=claim.valid_from.timestamp(),
        valid_to=claim.valid_to.timestamp() if claim.valid_to else None,
    )


def _evidence_item(evidence: Evidence) -> VectorItem:
    return VectorItem(
        id=evidence.id,
        partition=evidence_partition(evidence),
        vector=NO_VECTOR,
        owner=evidence.episode_id,
        valid_from=evidence.time.timestamp() if evidence.time else None,
    )
