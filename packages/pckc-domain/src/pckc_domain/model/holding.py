"""What a store holds of one scope, in parts that can be written to another store one after the other."""

from collections.abc import Mapping
from typing import TypeAlias

import attrs

from pckc_domain.model.claim import Assertion, Beliefs, GovernanceAct, Rejection
from pckc_domain.model.distillation import Distillation
from pckc_domain.model.document import Document, ManifestEntry
from pckc_domain.model.fact import FactPlace
from pckc_domain.model.gap import Gap
from pckc_domain.model.graph import Community, FileGraph, GraphLayer
from pckc_domain.model.graph_index import GraphName
from pckc_domain.model.inference import InferenceState, InferredEdge
from pckc_domain.model.linking import GraphState, KnownFile
from pckc_domain.model.passage import Chunk, Paragraph, Passage, Proposition, Summary
from pckc_domain.model.proof import Proof
from pckc_domain.model.scope import Checkout
from pckc_domain.model.session import Episode, Event, Evidence, Session
from pckc_domain.model.trace import Trace
from pckc_domain.model.verdict import Verdict


@attrs.frozen(kw_only=True)
class HeldDocument:
    """
    A document version as a store keeps it.

    Attributes:
        document: The version, also whether it is stale.
        was_held: Whether a checkout holds or held it.
    """

    document: Document
    was_held: bool


@attrs.frozen(kw_only=True)
class DocumentPart:
    """A document version with its passages, by layer."""

    held: HeldDocument
    chunks: tuple[Chunk, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    propositions: tuple[Proposition, ...] = ()
    summaries: tuple[Summary, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All of them, layer after layer."""
        return (*self.chunks, *self.paragraphs, *self.propositions, *self.summaries)


@attrs.frozen(kw_only=True)
class CheckoutPart:
    """A work tree and what it holds."""

    checkout: Checkout
    entries: tuple[ManifestEntry, ...]


@attrs.frozen(kw_only=True)
class SessionPart:
    """A session with all that was kept of it; *is_underived* as `SessionRepository.find` has it."""

    session: Session
    events: tuple[Event, ...]
    episodes: tuple[Episode, ...]
    evidence: tuple[Evidence, ...]
    rejections: tuple[Rejection, ...]
    is_underived: bool


@attrs.frozen(kw_only=True)
class OwnerPart:
    """What the session or document *owner_id* asserts, by slot, and the places of its facts."""

    owner_id: str
    assertions: Mapping[str, tuple[Assertion, ...]]
    places: tuple[FactPlace, ...]


@attrs.frozen(kw_only=True)
class SlotPart:
    """
    What a slot was settled with, and what came to its claims later.

    Attributes:
        attached: Proofs that were attached.
        stale: Claim id to the reason why its proofs no longer hold.
    """

    slot: str
    beliefs: Beliefs
    attached: tuple[Proof, ...] = ()
    stale: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class ActPart:
    """A decision about a claim; they come in the order in which they were made."""

    act: GovernanceAct


@attrs.frozen(kw_only=True)
class TranscriptPart:
    """How far the transcript at *path* was read: the fields of `TranscriptPosition`."""

    path: str
    offset: int
    records: int
    prefix_hash: str
    state: str


@attrs.frozen(kw_only=True)
class DistillationPart:
    """What became of a chunk."""

    distillation: Distillation


@attrs.frozen(kw_only=True)
class VerdictPart:
    """What a check of a claim found."""

    verdict: Verdict


@attrs.frozen(kw_only=True)
class GapPart:
    """A question."""

    gap: Gap


@attrs.frozen(kw_only=True)
class TracePart:
    """A note of an agent."""

    trace: Trace


@attrs.frozen(kw_only=True)
class RememberedFile:
    """
    What linking remembers of one file.

    Attributes:
        sections: By name.
        asked: `identity.text_number` of the keys that its links depend on.
    """

    path: str
    sections: Mapping[str, bytes] = attrs.field(factory=dict)
    asked: frozenset[int] = frozenset()


@attrs.frozen(kw_only=True)
class GraphFilePart:
    """One file of a graph."""

    checkout_id: str
    layer: GraphLayer
    known: KnownFile
    graph: FileGraph
    remembered: RememberedFile


@attrs.frozen(kw_only=True)
class GraphPart:
    """What is kept of a graph as a whole; it comes after its files."""

    checkout_id: str
    layer: GraphLayer
    communities: tuple[Community, ...]
    modularity: float
    state: GraphState | None


@attrs.frozen(kw_only=True)
class InferencePart:
    """What was inferred in a graph; it comes after claims and graphs."""

    graph: GraphName
    state: InferenceState
    edges: tuple[InferredEdge, ...]


Part: TypeAlias = (
    DocumentPart
    | CheckoutPart
    | SessionPart
    | OwnerPart
    | SlotPart
    | ActPart
    | DistillationPart
    | VerdictPart
    | GapPart
    | TracePart
    | TranscriptPart
    | GraphFilePart
    | GraphPart
    | InferencePart
)
