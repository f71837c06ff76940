"""What a memory store holds."""

import attrs

from pckc_domain.errors import BackendError
from pckc_domain.model.document import Document, ManifestEntry
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.passage import Passage
from pckc_domain.model.scope import Checkout


@attrs.define
class State:
    """One scope, as of one commit."""

    is_writable: bool = False
    last_seq: int = 0
    documents: dict[str, Document] = attrs.Factory(dict)
    ever_held: set[str] = attrs.Factory(set)
    passages: dict[str, Passage] = attrs.Factory(dict)
    checkouts: dict[str, Checkout] = attrs.Factory(dict)
    manifest: dict[tuple[str, str], ManifestEntry] = attrs.Factory(dict)
    outbox: dict[tuple[OutboxKind, str], OutboxEntry] = attrs.Factory(dict)
    cursors: dict[str, int] = attrs.Factory(dict)

    def copy(self, *, is_writable: bool) -> "State":
        """Return a state that can change without this one: the values in it are frozen."""
        return State(
            is_writable,
            self.last_seq,
            dict(self.documents),
            set(self.ever_held),
            dict(self.passages),
            dict(self.checkouts),
            dict(self.manifest),
            dict(self.outbox),
            dict(self.cursors),
        )

    def check_writable(self) -> None:
        """Raise a BackendError in a snapshot."""
        if not self.is_writable:
            raise BackendError("opened for reading", remedy="Write inside canonical.writing().")

    def enqueue(self, kind: OutboxKind, entity_id: str, operation: OutboxOperation) -> None:
        """Queue a change, in place of an older one of the same entity."""
        self.last_seq += 1
        self.outbox.pop((kind, entity_id), None)
        self.outbox[kind, entity_id] = OutboxEntry(
            seq=self.last_seq, kind=kind, entity_id=entity_id, operation=operation
        )

    def holders(self, document_id: str) -> set[str]:
        """Return the checkouts that hold a version."""
        return {checkout for (checkout, _), entry in self.manifest.items() if entry.document_id == document_id}
