"""Everything that a store holds of one scope, named for copying: what other repositories answer only when asked for."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from pckc_domain.model.claim import GovernanceAct
from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.holding import HeldDocument, RememberedFile, SlotPart
from pckc_domain.model.session import Episode
from pckc_domain.ports.transcripts import TranscriptPosition


class DocumentStock(Protocol):
    """Document versions, also those that nobody holds."""

    @abstractmethod
    def documents(self, *, after: str = "", limit: int) -> Sequence[HeldDocument]:
        """Return up to *limit* document versions, stale ones too, with an id greater than *after*, by id."""

    @abstractmethod
    def keep(self, documents: Sequence[HeldDocument], /) -> None:
        """Make known versions as stale, and as held, as they are here."""


class SessionStock(Protocol):
    """What else belongs to sessions and their transcripts."""

    @abstractmethod
    def episodes(self, session_id: str, /) -> Sequence[Episode]:
        """Return the session's episodes, by first seq and id."""

    @abstractmethod
    def mark_underived(self, session_ids: Sequence[str], /) -> None:
        """Note that the events of these sessions have changed since their evidence was last replaced."""

    @abstractmethod
    def positions(self) -> Mapping[str, TranscriptPosition]:
        """Return how far each transcript was read, by path."""


class BeliefStock(Protocol):
    """What was asserted by whom, settled and decided."""

    @abstractmethod
    def owners(self, *, after: str = "", limit: int) -> Sequence[str]:
        """Return up to *limit* owners of assertions or places of facts that are greater than *after*, in order."""

    @abstractmethod
    def slots(self, *, after: str = "", limit: int) -> Sequence[SlotPart]:
        """
        Return up to *limit* slots that hold claims and are greater than *after*, in order.

        Claims are by id, as they were settled whatever became of their proofs; proofs by claim and id; links by source,
        target and kind.
        """

    @abstractmethod
    def acts(self) -> Sequence[GovernanceAct]:
        """Return every decision about a claim, in the order they were added."""


class GraphStock(Protocol):
    """Which file gives what to a graph, and what linking remembers of it."""

    @abstractmethod
    def node_files(self, checkout_id: str, layer: GraphLayer, /) -> Mapping[str, str]:
        """Return the file that gives each node of a graph, by node id."""

    @abstractmethod
    def remembered(self, checkout_id: str, layer: GraphLayer, paths: Sequence[str], /) -> Sequence[RememberedFile]:
        """Return what linking remembers of these files of a graph, by path."""

    @abstractmethod
    def remember(self, checkout_id: str, layer: GraphLayer, files: Sequence[RememberedFile], /) -> None:
        """Make this what linking remembers of these files, which are part of the graph."""


class Inventory(DocumentStock, SessionStock, BeliefStock, GraphStock, Protocol):
    """The holdings of one scope inside one unit of work."""
