"""The canonical store: the truth that projections are rebuilt from."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import attrs

from pckc_domain.model.document import Document, ManifestEntry
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.passage import (
    DocumentContent,
    Layer,
    LayerCount,
    PassageFilter,
    PassageHit,
    StoredPassage,
)
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.scope import Checkout, Scope
from pckc_domain.ports.belief import BeliefWork
from pckc_domain.ports.curated import CuratedWork
from pckc_domain.ports.graph import GraphOpener
from pckc_domain.ports.inference import InferenceWork
from pckc_domain.ports.inventory import Inventory
from pckc_domain.ports.projecting import ProjectingWork


class DocumentRepository(Protocol):
    """Document versions of one scope."""

    @abstractmethod
    def put(self, content: DocumentContent, /) -> None:
        """Store a document version with all its passages, fresh. A known id is made fresh again, nothing else."""

    @abstractmethod
    def get(self, document_ids: Sequence[str], /) -> Sequence[Document]:
        """Return the known ones among *document_ids*, by id."""

    @abstractmethod
    def at(self, uri: str, /) -> Sequence[Document]:
        """Return the versions of *uri*: fresh ones first, then newest first, ties by id."""

    @abstractmethod
    def retire(self, document_ids: Sequence[str], /) -> None:
        """Make these versions stale, as the manifest does those that no checkout holds; unknown ones are fine."""

    @abstractmethod
    def remove(self, document_ids: Sequence[str], /) -> None:
        """Erase these versions with their passages and distillations everywhere; unknown ones are fine."""


class PassageRepository(Protocol):
    """Passages of one scope."""

    @abstractmethod
    def get(self, passage_ids: Sequence[str], /) -> Sequence[StoredPassage]:
        """Return the known ones among *passage_ids*, in the order asked for; one id once."""

    @abstractmethod
    def search(self, layer: Layer, query: LexicalQuery, /, *, where: PassageFilter, limit: int) -> Sequence[PassageHit]:
        """
        Return up to *limit* passages of *layer* that match any part of *query*, best first, ties by id.

        A passage matches when one of the words stands in its text, heading, symbols or extra terms (English stemming),
        one of the phrases stands in one of the first three in order, or one of the terms is among its extra terms.
        """

    @abstractmethod
    def find(self, layer: Layer, /, *, where: PassageFilter, after: str = "", limit: int) -> Sequence[StoredPassage]:
        """Return up to *limit* passages of *layer* with an id greater than *after*, by id."""

    @abstractmethod
    def of_documents(self, document_ids: Sequence[str], /) -> Sequence[StoredPassage]:
        """Return all passages of these versions, by document id, layer name, ordinal and id."""

    @abstractmethod
    def count(self) -> Mapping[Layer, LayerCount]:
        """Return the number of passages of each layer."""


class ManifestRepository(Protocol):
    """What each checkout of one scope holds."""

    @abstractmethod
    def checkouts(self) -> Sequence[Checkout]:
        """Return every known checkout, by id."""

    @abstractmethod
    def record(self, checkout: Checkout, /) -> None:
        """Insert or replace *checkout*."""

    @abstractmethod
    def entries(self, checkout_id: str, /, *, paths: Sequence[str] | None = None) -> Sequence[ManifestEntry]:
        """Return the checkout's entries, or those of them at *paths*, by path."""

    @abstractmethod
    def put(self, checkout_id: str, entries: Sequence[ManifestEntry], /) -> None:
        """
        Insert or replace entries. A version that was at such a path, and that no checkout holds any more, turns
        stale; a version named by an entry is fresh.
        """

    @abstractmethod
    def remove(self, checkout_id: str, paths: Sequence[str], /) -> None:
        """Forget these paths. Every version of them that no checkout holds any more is erased with its passages."""


class OutboxRepository(Protocol):
    """
    The queue of changes of one scope.

    Changes to documents, claims, episodes and files of graphs enter it by themselves, and so do claims of which only
    the links changed.
    """

    @abstractmethod
    def append(self, kind: OutboxKind, entity_ids: Sequence[str], operation: OutboxOperation, /) -> None:
        """Queue a change for every projection, also those that start later."""

    @abstractmethod
    def pending(self, projection: str, /, *, limit: int, kinds: Collection[OutboxKind] = ()) -> Sequence[OutboxEntry]:
        """Return the next changes that *projection* has not seen, of *kinds* if any are named, by seq."""

    @abstractmethod
    def advance(self, projection: str, seq: int, /) -> None:
        """Mark every change up to *seq* as seen by *projection*. The cursor never moves back."""

    @abstractmethod
    def lag(self, projection: str, /, *, kinds: Collection[OutboxKind] = ()) -> int:
        """Return the number of changes that *projection* has not seen, of *kinds* if any are named."""

    @abstractmethod
    def reset(self, projection: str, /) -> None:
        """Start over: queue every stored document, claim, episode and file of a graph for *projection*."""


class UnitOfWork(BeliefWork, CuratedWork, ProjectingWork, GraphOpener, InferenceWork, Protocol):
    """Repositories of one scope inside one transaction."""

    @property
    @abstractmethod
    def documents(self) -> DocumentRepository: ...

    @property
    @abstractmethod
    def passages(self) -> PassageRepository: ...

    @property
    @abstractmethod
    def manifest(self) -> ManifestRepository: ...

    @property
    @abstractmethod
    def outbox(self) -> OutboxRepository: ...

    @property
    @abstractmethod
    def inventory(self) -> Inventory: ...


@attrs.frozen(kw_only=True)
class StoreInfo:
    """
    What a store says of itself.

    Attributes:
        backend: Name of the backend.
        location: Path or address, without credentials.
        schema_version: Number of the newest migration applied.
        size_bytes: Size on disk; 0 when not known.
        problems: What an integrity check found; empty when sound.
    """

    backend: str
    location: str
    schema_version: int
    size_bytes: int
    problems: tuple[str, ...] = ()


class Canonical(Protocol):
    """A store of truth, shared by threads and processes."""

    @abstractmethod
    def reading(self, scope: Scope, /) -> AbstractContextManager[UnitOfWork]:
        """Open a consistent snapshot; writing through it raises a BackendError."""

    @abstractmethod
    def writing(self, scope: Scope, /) -> AbstractContextManager[UnitOfWork]:
        """
        Open a transaction: committed when the block ends, rolled back when it raises. Writers wait for each other.

        Raises:
            BackendUnavailableError: The store stayed locked, is read-only, full or gone.
        """

    @abstractmethod
    def scopes(self) -> Sequence[Scope]:
        """Return the scopes that hold anything, by tenant and project."""

    @abstractmethod
    def info(self, *, check: bool = False) -> StoreInfo:
        """Describe the store; *check* also runs its integrity check, which may take long."""

    @abstractmethod
    def compact(self) -> None:
        """
        Give disk space back and leave no erased text behind. Takes time and may need as much space again.

        Raises:
            BackendUnavailableError: Someone kept reading or writing.
        """
