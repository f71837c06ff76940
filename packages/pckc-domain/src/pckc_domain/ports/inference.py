"""The inference ports: where inferred edges are kept, and who else can apply rules."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

import attrs

from pckc_domain.model.graph_index import GraphName
from pckc_domain.model.inference import Derivation, EdgeKey, InferenceRule, InferenceState, InferredEdge
from pckc_domain.model.scope import Scope


class InferenceRepository(Protocol):
    """The inferred edges of one scope, graph by graph, beside the edges that were read."""

    @abstractmethod
    def premises(self, graph: GraphName, kinds: Collection[str], /) -> Mapping[EdgeKey, float]:
        """
        Return the edges of *kinds* that were read, both of whose ends are there, with their confidence: those of a code
        graph, or the links between claims.
        """

    @abstractmethod
    def replace(self, graph: GraphName, state: InferenceState | None, edges: Sequence[InferredEdge], /) -> None:
        """Make these all that is inferred in *graph*; with no state nothing is."""

    @abstractmethod
    def known(self) -> Mapping[GraphName, InferenceState]:
        """Return the graphs of which something was concluded, if only that nothing follows, by layer and checkout."""

    @abstractmethod
    def edges(self, graph: GraphName, /, *, node_ids: Collection[str] | None = None) -> Sequence[InferredEdge]:
        """Return the inferred edges of *graph*, or those that leave or reach *node_ids*, by source, target and kind."""

    @abstractmethod
    def get(self, edge_id: str, /) -> tuple[GraphName, InferredEdge] | None:
        """Return the edge of this `inferred_id` with its graph; ``None`` when there is none."""


class InferenceWork(Protocol):
    """Part of a unit of work that holds what was inferred."""

    @property
    @abstractmethod
    def inferences(self) -> InferenceRepository: ...


@attrs.frozen(kw_only=True)
class Applied:
    """
    What applying rules gave.

    Attributes:
        found: Each edge with its proof; premises come before what rests on them.
        stopped: Why not everything was concluded; ``""`` when all of it was.
    """

    found: tuple[tuple[EdgeKey, Derivation], ...]
    rounds: int
    stopped: str = ""


@runtime_checkable
class RuleEngine(Protocol):
    """A graph index that applies rules to its own edges."""

    @abstractmethod
    def apply(self, scope: Scope, graph: GraphName, rules: Sequence[InferenceRule], /, *, limit: int) -> Applied:
        """
        Forget what was inferred in *graph*, apply *rules* to what was read there until nothing new follows, and mark
        what does: inferred, of origin `INFERENCE`. No edge that was read is concluded; at most *limit* are.
        """
