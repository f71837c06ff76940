"""The graph ports: what a store keeps of the graph, and what linking remembers between runs."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

import attrs

from pckc_domain.model.graph import (
    Community,
    Edge,
    EdgeKind,
    FileCoverage,
    Graph,
    GraphLayer,
    Node,
    OpenCall,
)
from pckc_domain.model.linking import GraphState, KnownFile, LinkedFile, LinkMemory
from pckc_domain.model.query import LexicalQuery


class Direction(StrEnum):
    """Which end of an edge is asked from."""

    OUT = "out"
    IN = "in"


@attrs.frozen(kw_only=True)
class GraphCount:
    """How much of a layer there is."""

    files: int
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    open_calls: int
    external_calls: int


class SymbolRepository(Protocol):
    """The nodes of one layer of one checkout."""

    @abstractmethod
    def get(self, node_ids: Sequence[str], /) -> Sequence[Node]:
        """Return the known ones among *node_ids*, by id."""

    @abstractmethod
    def named(self, name: str, /) -> Sequence[Node]:
        """
        Return what *name* means, by id: the node of this id, else those of this qualified name, else those whose
        qualified name ends with ``.name``; never a rationale.
        """

    @abstractmethod
    def near(self, name: str, /, *, limit: int) -> Sequence[str]:
        """Return up to *limit* qualified names spelled like *name*, nearest first."""

    @abstractmethod
    def search(self, query: LexicalQuery, /, *, limit: int) -> Sequence[tuple[Node, float]]:
        """
        Return up to *limit* nodes whose name, name parts, signature, documentation, text or path match, with their
        scores, best first (higher is better, comparable within one call), ties by id.
        """

    @abstractmethod
    def at(self, path: str, /, *, lines: tuple[int, int] | None = None) -> Sequence[Node]:
        """Return the nodes of a file, or those that share a line with *lines* (from 1, both ends included), by id."""


class LinkRepository(Protocol):
    """What joins the nodes of one layer of one checkout; an edge or candidate is there while both its ends are."""

    @abstractmethod
    def edges(
        self, node_ids: Sequence[str], direction: Direction, /, *, kinds: Collection[EdgeKind] = ()
    ) -> Sequence[Edge]:
        """Return the edges that leave or reach *node_ids*, of *kinds* if any are named, by source, target and kind."""

    @abstractmethod
    def open_calls(
        self, *, callers: Sequence[str] = (), candidates: Sequence[str] = (), names: Sequence[str] = ()
    ) -> Sequence[OpenCall]:
        """
        Return the calls without an edge that stand in *callers*, may mean one of *candidates*, or are of something
        whose last name is one of *names*, by site.
        """

    @abstractmethod
    def degrees(self, *, limit: int) -> Sequence[tuple[str, int]]:
        """Return the ids of the *limit* most joined nodes with their number of edges other than ``contains``."""

    @abstractmethod
    def whole(self) -> Graph:
        """Return all of the layer."""

    @abstractmethod
    def count(self) -> GraphCount:
        """Return how much there is."""


class GraphFileRepository(Protocol):
    """The files of one layer of one checkout: how a graph is written."""

    @abstractmethod
    def put(self, files: Sequence[LinkedFile], /) -> None:
        """Replace all that each file gave before."""

    @abstractmethod
    def remove(self, paths: Sequence[str], /) -> None:
        """Forget all that these files gave, and what led to it; unknown ones are fine."""

    @abstractmethod
    def clear(self) -> None:
        """Forget everything of the layer: files, memory, communities and state."""

    @abstractmethod
    def known(self) -> Mapping[str, KnownFile]:
        """Return the files there are, by path."""

    @abstractmethod
    def coverage(self) -> Sequence[FileCoverage]:
        """Return the coverage of every file, by path."""


class CommunityRepository(Protocol):
    """The communities of one layer of one checkout."""

    @abstractmethod
    def put(self, communities: Sequence[Community], /, *, modularity: float) -> None:
        """Replace all of them; each node's community is the one of level 0 that holds it."""

    @abstractmethod
    def all(self) -> tuple[Sequence[Community], float]:
        """Return the communities that still have members, by level and id, and the modularity of level 0."""


class GraphStateRepository(Protocol):
    """How far the graph of one layer of one checkout is."""

    @abstractmethod
    def get(self) -> GraphState | None:
        """Return what was put last; ``None`` before."""

    @abstractmethod
    def put(self, state: GraphState, /) -> None:
        """Replace it."""


class GraphWork(Protocol):
    """The graph repositories of one layer of one checkout inside one transaction."""

    @property
    @abstractmethod
    def symbols(self) -> SymbolRepository: ...

    @property
    @abstractmethod
    def links(self) -> LinkRepository: ...

    @property
    @abstractmethod
    def files(self) -> GraphFileRepository: ...

    @property
    @abstractmethod
    def communities(self) -> CommunityRepository: ...

    @property
    @abstractmethod
    def memory(self) -> LinkMemory: ...

    @property
    @abstractmethod
    def state(self) -> GraphStateRepository: ...


class GraphOpener(Protocol):
    """Part of a unit of work that leads to its graphs."""

    @abstractmethod
    def graph(self, checkout_id: str, layer: GraphLayer, /) -> GraphWork:
        """Return the graph of a checkout; the session layer has one for the whole scope, under checkout ``""``."""

    @abstractmethod
    def graphs(self) -> Sequence[tuple[str, GraphLayer]]:
        """Return the checkouts and layers that a graph is stored of, in order."""
