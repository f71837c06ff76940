"""What a memory store holds."""

from typing import Any

import attrs

from pckc_domain.errors import BackendError
from pckc_domain.model.belief import StoredClaim
from pckc_domain.model.claim import Assertion, GovernanceAct, Link, LinkKind, Rejection
from pckc_domain.model.distillation import Distillation
from pckc_domain.model.document import Document, ManifestEntry
from pckc_domain.model.fact import FactPlace
from pckc_domain.model.gap import Gap
from pckc_domain.model.graph import Community, FileGraph, GraphLayer
from pckc_domain.model.graph_index import GraphName
from pckc_domain.model.inference import InferenceState, InferredEdge
from pckc_domain.model.linking import GraphState, KnownFile
from pckc_domain.model.outbox import OutboxEntry, OutboxKind, OutboxOperation
from pckc_domain.model.passage import Passage
from pckc_domain.model.projection import Generations, Lease, SetAside
from pckc_domain.model.proof import Proof
from pckc_domain.model.scope import Checkout
from pckc_domain.model.session import Episode, Event, Evidence, Session
from pckc_domain.model.trace import Trace
from pckc_domain.model.verdict import Verdict
from pckc_domain.ports.transcripts import TranscriptPosition

GraphKey = tuple[str, GraphLayer]
"""Checkout and layer."""

_CONTAINERS = (dict, set, list)


@attrs.define
class State:
    """
    One scope, as of one commit.

    Attributes:
        assertions: By owner and claim id, with the slot.
        fact_places: By slot.
        checks: Claim id to the reason why its proofs no longer hold.
        proofs: What claims were settled with, by claim id and proof id.
        attached: Proofs attached later, by claim id and proof id.
        links: By both ends and kind, with the slot that they were settled with.
        acts: Each with the session of its claim.
        distillations: By owner.
        verdicts: By claim, other claim and method.
        set_aside: By projection, kind and entity.
        graph_files: What is known of a graph's files and what they give to it, by graph and path.
        graph_sections: What linking remembers, by graph, section and path.
        graph_asked: What the links of a file depend on, by graph and path.
        graph_numbers: `text_number` of the same, of files that were copied from another store.
        communities: With their modularity, by graph.
        inferences: Inferred edges by key, and what they were concluded from, by graph.
    """

    is_writable: bool = False
    last_seq: int = 0
    documents: dict[str, Document] = attrs.Factory(dict)
    ever_held: set[str] = attrs.Factory(set)
    passages: dict[str, Passage] = attrs.Factory(dict)
    checkouts: dict[str, Checkout] = attrs.Factory(dict)
    manifest: dict[tuple[str, str], ManifestEntry] = attrs.Factory(dict)
    outbox: dict[tuple[OutboxKind, str], OutboxEntry] = attrs.Factory(dict)
    cursors: dict[str, int] = attrs.Factory(dict)
    set_aside: dict[tuple[str, OutboxKind, str], SetAside] = attrs.Factory(dict)
    leases: dict[str, Lease] = attrs.Factory(dict)
    generations: dict[str, Generations] = attrs.Factory(dict)
    sessions: dict[str, Session] = attrs.Factory(dict)
    underived: set[str] = attrs.Factory(set)
    events: dict[str, Event] = attrs.Factory(dict)
    episodes: dict[str, Episode] = attrs.Factory(dict)
    evidence: dict[str, Evidence] = attrs.Factory(dict)
    assertions: dict[tuple[str, str], tuple[str, Assertion]] = attrs.Factory(dict)
    fact_places: dict[str, FactPlace] = attrs.Factory(dict)
    rejections: dict[str, tuple[Rejection, ...]] = attrs.Factory(dict)
    claims: dict[str, StoredClaim] = attrs.Factory(dict)
    checks: dict[str, str] = attrs.Factory(dict)
    proofs: dict[tuple[str, str], Proof] = attrs.Factory(dict)
    attached: dict[tuple[str, str], Proof] = attrs.Factory(dict)
    links: dict[tuple[str, str, LinkKind], tuple[str, Link]] = attrs.Factory(dict)
    acts: list[tuple[str, GovernanceAct]] = attrs.Factory(list)
    positions: dict[str, TranscriptPosition] = attrs.Factory(dict)
    distillations: dict[str, Distillation] = attrs.Factory(dict)
    verdicts: dict[tuple[str, str, str], Verdict] = attrs.Factory(dict)
    gaps: dict[str, Gap] = attrs.Factory(dict)
    traces: dict[str, Trace] = attrs.Factory(dict)
    graph_files: dict[tuple[GraphKey, str], tuple[KnownFile, FileGraph]] = attrs.Factory(dict)
    graph_sections: dict[tuple[GraphKey, str, str], bytes] = attrs.Factory(dict)
    graph_asked: dict[tuple[GraphKey, str], frozenset[str]] = attrs.Factory(dict)
    graph_numbers: dict[tuple[GraphKey, str], frozenset[int]] = attrs.Factory(dict)
    graph_states: dict[GraphKey, GraphState] = attrs.Factory(dict)
    communities: dict[GraphKey, tuple[tuple[Community, ...], float]] = attrs.Factory(dict)
    inferences: dict[GraphName, tuple[InferenceState, tuple[InferredEdge, ...]]] = attrs.Factory(dict)

    def copy(self, *, is_writable: bool) -> "State":
        """Return a state that can change without this one: the values in it are frozen."""
        fields = attrs.asdict(self, recurse=False)
        copied: dict[str, Any] = {name: each.copy() for name, each in fields.items() if isinstance(each, _CONTAINERS)}
        return attrs.evolve(self, is_writable=is_writable, **copied)

    @property
    def holds_anything(self) -> bool:
        """Whether the scope counts as one that is there."""
        return any(
            (
                self.documents,
                self.checkouts,
                self.manifest,
                self.sessions,
                self.assertions,
                self.claims,
                self.positions,
                self.distillations,
                self.verdicts,
                self.gaps,
                self.traces,
                self.graph_files,
                self.graph_states,
            )
        )

    def check_writable(self) -> None:
        """Raise a BackendError in a snapshot."""
        if not self.is_writable:
            raise BackendError("opened for reading", remedy="Write inside canonical.writing().")

    def enqueue(self, kind: OutboxKind, entity_id: str, operation: OutboxOperation) -> None:
        """Queue a change, in place of an older one of the same entity."""
        self.last_seq += 1
        self.outbox.pop((kind, entity_id), None)
        for projection in {name for name, *entity in self.set_aside if entity == [kind, entity_id]}:
            del self.set_aside[projection, kind, entity_id]
        self.outbox[kind, entity_id] = OutboxEntry(
            seq=self.last_seq, kind=kind, entity_id=entity_id, operation=operation
        )

    def holders(self, document_id: str) -> set[str]:
        """Return the checkouts that hold a version."""
        return {checkout for (checkout, _), entry in self.manifest.items() if entry.document_id == document_id}
