"""The memory store's repositories."""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import attrs

from pckc_domain.model.document import Document, ManifestEntry
from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation, graph_file_id
from pckc_domain.model.passage import (
    DocumentContent,
    Layer,
    LayerCount,
    Passage,
    PassageFilter,
    PassageHit,
    StoredPassage,
    layer_of,
)
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Checkout, Scope
from pckc_domain.ports.canonical import (
    Canonical,
    DocumentRepository,
    ManifestRepository,
    OutboxRepository,
    PassageRepository,
    StoreInfo,
    UnitOfWork,
)
from pckc_domain.testing.memory.census import MemoryCensus
from pckc_domain.testing.memory.claims import (
    MemoryAssertions,
    MemoryClaims,
    MemoryFacts,
    MemoryGovernance,
    MemoryLinks,
    MemoryProofs,
    MemoryRejections,
)
from pckc_domain.testing.memory.curated import MemoryDistillations, MemoryGaps, MemoryTraces, MemoryVerdicts
from pckc_domain.testing.memory.graph import MemoryGraphWork
from pckc_domain.testing.memory.inference import MemoryInferences
from pckc_domain.testing.memory.inventory import MemoryInventory
from pckc_domain.testing.memory.matching import passes, ranked
from pckc_domain.testing.memory.projecting import MemoryGenerations, MemoryLeases, MemorySetAside
from pckc_domain.testing.memory.sessions import MemoryEvidence, MemoryImports, MemorySessions
from pckc_domain.testing.memory.state import State


class MemoryDocuments(DocumentRepository):
    """Document versions of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def put(self, content: DocumentContent, /) -> None:
        """See the port."""
        self._state.check_writable()
        document = content.document
        if document.id in self._state.documents:
            self.mark([document.id], is_stale=False)
            return
        self._state.documents[document.id] = attrs.evolve(document, is_stale=False)
        self._state.passages.update({passage.id: passage for passage in content.passages})
        if self._state.holders(document.id):
            self._state.ever_held.add(document.id)
        self._state.enqueue(OutboxKind.DOCUMENT, document.id, OutboxOperation.UPSERT)

    def get(self, document_ids: Sequence[str], /) -> Sequence[Document]:
        """See the port."""
        return [self._state.documents[id_] for id_ in sorted(set(document_ids)) if id_ in self._state.documents]

    def at(self, uri: str, /) -> Sequence[Document]:
        """See the port."""
        versions = [document for document in self._state.documents.values() if document.uri == uri]
        return sorted(versions, key=lambda d: (d.is_stale, -d.indexed_at.timestamp(), d.id))

    def retire(self, document_ids: Sequence[str], /) -> None:
        """See the port."""
        self._state.check_writable()
        self.mark(document_ids, is_stale=True)

    def remove(self, document_ids: Iterable[str], /) -> None:
        """See the port."""
        self._state.check_writable()
        for id_ in sorted(set(document_ids) & self._state.documents.keys()):
            del self._state.documents[id_]
            self._state.ever_held.discard(id_)
            self._state.passages = {
                passage.id: passage for passage in self._state.passages.values() if passage.document_id != id_
            }
            self._state.distillations = {
                owner: each for owner, each in self._state.distillations.items() if each.document_id != id_
            }
            self._state.enqueue(OutboxKind.DOCUMENT, id_, OutboxOperation.DELETE)

    def mark(self, document_ids: Iterable[str], *, is_stale: bool) -> None:
        """Make known versions stale or fresh."""
        for id_ in sorted(set(document_ids) & self._state.documents.keys()):
            if self._state.documents[id_].is_stale is not is_stale:
                self._state.documents[id_] = attrs.evolve(self._state.documents[id_], is_stale=is_stale)
                self._state.enqueue(OutboxKind.DOCUMENT, id_, OutboxOperation.UPSERT)


class MemoryPassages(PassageRepository):
    """Passages of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def get(self, passage_ids: Sequence[str], /) -> Sequence[StoredPassage]:
        """See the port."""
        known = self._state.passages
        return [self._stored(known[id_]) for id_ in dict.fromkeys(passage_ids) if id_ in known]

    def search(self, layer: Layer, query: LexicalQuery, /, *, where: PassageFilter, limit: int) -> Sequence[PassageHit]:
        """See the port."""
        hits = ranked(self._of_layer(layer, where), query)[: max(limit, 0)]
        return [PassageHit(stored=self._stored(passage), score=score) for score, passage in hits]

    def find(self, layer: Layer, /, *, where: PassageFilter, after: str = "", limit: int) -> Sequence[StoredPassage]:
        """See the port."""
        found = [passage for passage in self._of_layer(layer, where) if passage.id > after]
        return [self._stored(passage) for passage in found[: max(limit, 0)]]

    def of_documents(self, document_ids: Sequence[str], /) -> Sequence[StoredPassage]:
        """See the port."""
        wanted = set(document_ids)
        found = [passage for passage in self._state.passages.values() if passage.document_id in wanted]
        found.sort(key=lambda p: (p.document_id, layer_of(p), p.ordinal, p.id))
        return [self._stored(passage) for passage in found]

    def count(self) -> Mapping[Layer, LayerCount]:
        """See the port."""
        counts = {layer: LayerCount() for layer in Layer}
        for passage in self._state.passages.values():
            count, is_stale = counts[layer_of(passage)], self._state.documents[passage.document_id].is_stale
            counts[layer_of(passage)] = LayerCount(fresh=count.fresh + (not is_stale), stale=count.stale + is_stale)
        return counts

    def _of_layer(self, layer: Layer, where: PassageFilter) -> list[Passage]:
        """Return the layer's passages that *where* keeps, by id."""
        found = [p for p in self._state.passages.values() if layer_of(p) is layer and passes(self._state, p, where)]
        return sorted(found, key=lambda passage: passage.id)

    def _stored(self, passage: Passage) -> StoredPassage:
        return StoredPassage(passage=passage, document=self._state.documents[passage.document_id])


class MemoryManifest(ManifestRepository):
    """What each checkout of one scope holds."""

    def __init__(self, state: State, documents: MemoryDocuments) -> None:
        self._state = state
        self._documents = documents

    def checkouts(self) -> Sequence[Checkout]:
        """See the port."""
        return [checkout for _, checkout in sorted(self._state.checkouts.items())]

    def record(self, checkout: Checkout, /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.checkouts[checkout.id] = checkout

    def entries(self, checkout_id: str, /, *, paths: Sequence[str] | None = None) -> Sequence[ManifestEntry]:
        """See the port."""
        return [
            entry
            for (checkout, path), entry in sorted(self._state.manifest.items())
            if checkout == checkout_id and (paths is None or path in paths)
        ]

    def put(self, checkout_id: str, entries: Sequence[ManifestEntry], /) -> None:
        """See the port."""
        self._state.check_writable()
        newest = {entry.path: entry for entry in entries}
        before = self._held_at(checkout_id, newest)
        self._state.manifest.update({(checkout_id, path): entry for path, entry in newest.items()})
        named = {entry.document_id for entry in newest.values() if entry.document_id is not None}
        self._state.ever_held |= named & self._state.documents.keys()
        self._documents.mark(named, is_stale=False)
        self._documents.mark([id_ for id_ in before if not self._state.holders(id_)], is_stale=True)

    def remove(self, checkout_id: str, paths: Sequence[str], /) -> None:
        """See the port."""
        self._state.check_writable()
        ever = {id_ for id_ in self._state.ever_held if self._state.documents[id_].uri in paths}
        versions = ever | self._held_at(checkout_id, paths)
        for path in paths:
            self._state.manifest.pop((checkout_id, path), None)
        self._documents.remove([id_ for id_ in versions if not self._state.holders(id_)])

    def _held_at(self, checkout_id: str, paths: Iterable[str]) -> set[str]:
        held = [self._state.manifest.get((checkout_id, path)) for path in paths]
        return {entry.document_id for entry in held if entry is not None and entry.document_id is not None}


class MemoryOutbox(OutboxRepository):
    """The queue of one scope."""

    def __init__(self, state: State) -> None:
        self._state = state

    def append(self, kind: OutboxKind, entity_ids: Sequence[str], operation: OutboxOperation, /) -> None:
        """See the port."""
        self._state.check_writable()
        for id_ in entity_ids:
            self._state.enqueue(kind, id_, operation)

    def pending(self, projection: str, /, *, limit: int, kinds: Collection[OutboxKind] = ()) -> Sequence[OutboxEntry]:
        """See the port."""
        return self._unseen(projection, kinds)[: max(limit, 0)]

    def advance(self, projection: str, seq: int, /) -> None:
        """See the port."""
        self._state.check_writable()
        cursors = self._state.cursors
        cursors[projection] = max(cursors.get(projection, 0), seq)
        seen = min(cursors.values())
        self._state.outbox = {
            key: entry
            for key, entry in self._state.outbox.items()
            if entry.operation is OutboxOperation.UPSERT or entry.seq > seen
        }

    def lag(self, projection: str, /, *, kinds: Collection[OutboxKind] = ()) -> int:
        """See the port."""
        return len(self._unseen(projection, kinds))

    def reset(self, projection: str, /) -> None:
        """See the port."""
        self._state.check_writable()
        files = (graph_file_id(*graph, path) for graph, path in self._state.graph_files)
        stored = (
            (OutboxKind.DOCUMENT, self._state.documents),
            (OutboxKind.CLAIM, self._state.claims),
            (OutboxKind.EPISODE, self._state.episodes),
            (OutboxKind.GRAPH_FILE, files),
        )
        for kind, entities in stored:
            for id_ in sorted(entities):
                entry = self._state.outbox.get((kind, id_))
                if entry is None or entry.operation is not OutboxOperation.UPSERT:
                    self._state.enqueue(kind, id_, OutboxOperation.UPSERT)
        self._state.cursors[projection] = 0
        self._state.set_aside = {key: each for key, each in self._state.set_aside.items() if key[0] != projection}

    def _unseen(self, projection: str, kinds: Collection[OutboxKind]) -> list[OutboxEntry]:
        cursor = self._state.cursors.get(projection, 0)
        unseen = (e for e in self._state.outbox.values() if e.seq > cursor and (not kinds or e.kind in kinds))
        return sorted(unseen, key=lambda entry: entry.seq)


class MemoryUnitOfWork(UnitOfWork):
    """Repositories over one state."""

    def __init__(self, state: State) -> None:
        self._documents = MemoryDocuments(state)
        self._passages = MemoryPassages(state)
        self._manifest = MemoryManifest(state, self._documents)
        self._outbox = MemoryOutbox(state)
        self._sessions = MemorySessions(state)
        self._evidence = MemoryEvidence(state)
        self._assertions = MemoryAssertions(state)
        self._facts = MemoryFacts(state)
        self._rejections = MemoryRejections(state)
        self._claims = MemoryClaims(state)
        self._proofs = MemoryProofs(state)
        self._links = MemoryLinks(state)
        self._governance = MemoryGovernance(state)
        self._imports = MemoryImports(state)
        self._census = MemoryCensus(state, self._claims)
        self._inventory = MemoryInventory(state)
        self._distillations = MemoryDistillations(state)
        self._verdicts = MemoryVerdicts(state)
        self._gaps = MemoryGaps(state)
        self._traces = MemoryTraces(state)
        self._inferences = MemoryInferences(state)
        self._set_aside = MemorySetAside(state)
        self._leases = MemoryLeases(state)
        self._generations = MemoryGenerations(state)
        self._state = state

    def graph(self, checkout_id: str, layer: GraphLayer, /) -> MemoryGraphWork:
        """See the port."""
        return MemoryGraphWork(self._state, checkout_id, layer)

    def graphs(self) -> Sequence[tuple[str, GraphLayer]]:
        """See the port."""
        return sorted({key for key, _ in self._state.graph_files} | self._state.graph_states.keys())

    @property
    def documents(self) -> MemoryDocuments:
        """See the port."""
        return self._documents

    @property
    def passages(self) -> MemoryPassages:
        """See the port."""
        return self._passages

    @property
    def manifest(self) -> MemoryManifest:
        """See the port."""
        return self._manifest

    @property
    def outbox(self) -> MemoryOutbox:
        """See the port."""
        return self._outbox

    @property
    def inventory(self) -> MemoryInventory:
        """See the port."""
        return self._inventory

    @property
    def inferences(self) -> MemoryInferences:
        """See the port."""
        return self._inferences

    @property
    def sessions(self) -> MemorySessions:
        """See the port."""
        return self._sessions

    @property
    def evidence(self) -> MemoryEvidence:
        """See the port."""
        return self._evidence

    @property
    def assertions(self) -> MemoryAssertions:
        """See the port."""
        return self._assertions

    @property
    def facts(self) -> MemoryFacts:
        """See the port."""
        return self._facts

    @property
    def rejections(self) -> MemoryRejections:
        """See the port."""
        return self._rejections

    @property
    def claims(self) -> MemoryClaims:
        """See the port."""
        return self._claims

    @property
    def proofs(self) -> MemoryProofs:
        """See the port."""
        return self._proofs

    @property
    def links(self) -> MemoryLinks:
        """See the port."""
        return self._links

    @property
    def governance(self) -> MemoryGovernance:
        """See the port."""
        return self._governance

    @property
    def imports(self) -> MemoryImports:
        """See the port."""
        return self._imports

    @property
    def census(self) -> MemoryCensus:
        """See the port."""
        return self._census

    @property
    def distillations(self) -> MemoryDistillations:
        """See the port."""
        return self._distillations

    @property
    def verdicts(self) -> MemoryVerdicts:
        """See the port."""
        return self._verdicts

    @property
    def gaps(self) -> MemoryGaps:
        """See the port."""
        return self._gaps

    @property
    def traces(self) -> MemoryTraces:
        """See the port."""
        return self._traces

    @property
    def set_aside(self) -> MemorySetAside:
        """See the port."""
        return self._set_aside

    @property
    def leases(self) -> MemoryLeases:
        """See the port."""
        return self._leases

    @property
    def generations(self) -> MemoryGenerations:
        """See the port."""
        return self._generations


class MemoryCanonical(Canonical):
    """A store that lives as long as the process."""

    def __init__(self) -> None:
        self._states: dict[Scope, State] = {}
        self._lock = threading.Lock()

    @contextmanager
    def reading(self, scope: Scope, /) -> Iterator[MemoryUnitOfWork]:
        """See the port."""
        yield MemoryUnitOfWork(self._states.get(scope, State()))

    @contextmanager
    def writing(self, scope: Scope, /) -> Iterator[MemoryUnitOfWork]:
        """See the port."""
        with self._lock:
            state = self._states.get(scope, State()).copy(is_writable=True)
            yield MemoryUnitOfWork(state)
            self._states[scope] = state.copy(is_writable=False)

    def scopes(self) -> Sequence[Scope]:
        """See the port."""
        return sorted(
            (scope for scope, state in self._states.items() if state.holds_anything),
            key=lambda scope: (scope.tenant, scope.project),
        )

    def info(self, *, check: bool = False) -> StoreInfo:  # noqa: ARG002  # dictionaries are always sound
        """See the port."""
        return StoreInfo(backend="memory", location="memory", schema_version=1, size_bytes=0)

    def compact(self) -> None:
        """See the port; nothing is left behind anyway."""
