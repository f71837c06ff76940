"""The memory store's graphs."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import attrs

from pckc_domain.model.graph import (
    Community,
    Edge,
    EdgeKind,
    FileCoverage,
    FileGraph,
    Graph,
    GraphLayer,
    Node,
    NodeKind,
    OpenCall,
)
from pckc_domain.model.identity import text_number
from pckc_domain.model.linking import GraphState, KnownFile, LinkedFile, LinkMemory
from pckc_domain.model.outbox import OutboxKind, OutboxOperation, graph_file_id
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.graph.symbol_names import is_meant_by, last_part, nearest
from pckc_domain.ports.graph import (
    CommunityRepository,
    Direction,
    GraphCount,
    GraphFileRepository,
    GraphStateRepository,
    GraphWork,
    LinkRepository,
    SymbolRepository,
)
from pckc_domain.testing.memory.matching import ranked
from pckc_domain.testing.memory.state import GraphKey, State


class _Part:
    """A repository over one graph of a state."""

    def __init__(self, state: State, key: GraphKey) -> None:
        self._state = state
        self._key = key

    def _files(self) -> dict[str, tuple[KnownFile, FileGraph]]:
        """Return the graph's files by path."""
        return {path: file for (key, path), file in sorted(self._state.graph_files.items()) if key == self._key}

    def _nodes(self) -> dict[str, Node]:
        """Return the nodes by id, in order, with their communities."""
        communities = {
            member: community.id
            for community in self._state.communities.get(self._key, ((), 0.0))[0]
            if community.level == 0
            for member in community.members
        }
        nodes = {node.id: node for _, graph in self._files().values() for node in graph.nodes}
        return {id_: attrs.evolve(nodes[id_], community=communities.get(id_)) for id_ in sorted(nodes)}


class MemorySymbols(_Part, SymbolRepository):
    """Nodes of one graph."""

    def get(self, node_ids: Sequence[str], /) -> Sequence[Node]:
        """See the port."""
        wanted = set(node_ids)
        return [node for id_, node in self._nodes().items() if id_ in wanted]

    def named(self, name: str, /) -> Sequence[Node]:
        """See the port."""
        nodes = self._nodes()
        if name in nodes:
            return [nodes[name]]
        meant = [node for node in self._symbols() if is_meant_by(name, node.qualified_name)]
        return [node for node in meant if node.qualified_name == name] or meant

    def near(self, name: str, /, *, limit: int) -> Sequence[str]:
        """See the port."""
        return nearest(name, (node.qualified_name for node in self._symbols()), limit=limit)

    def search(self, query: LexicalQuery, /, *, limit: int) -> Sequence[tuple[Node, float]]:
        """See the port."""
        return [(node, score) for score, node in ranked(list(self._nodes().values()), query)[: max(limit, 0)]]

    def at(self, path: str, /, *, lines: tuple[int, int] | None = None) -> Sequence[Node]:
        """See the port."""
        first, last = lines or (0, 1 << 62)
        return [
            node
            for node in self._nodes().values()
            if node.path == path and node.start_line <= last and node.end_line >= first
        ]

    def _symbols(self) -> list[Node]:
        return [node for node in self._nodes().values() if node.kind is not NodeKind.RATIONALE]


class MemoryGraphLinks(_Part, LinkRepository):
    """Edges and open calls of one graph."""

    def edges(
        self, node_ids: Sequence[str], direction: Direction, /, *, kinds: Collection[EdgeKind] = ()
    ) -> Sequence[Edge]:
        """See the port."""
        wanted = set(node_ids)
        return [
            edge
            for edge in self._all_edges()
            if (edge.source if direction is Direction.OUT else edge.target) in wanted
            and (not kinds or edge.kind in kinds)
        ]

    def open_calls(
        self, *, callers: Sequence[str] = (), candidates: Sequence[str] = (), names: Sequence[str] = ()
    ) -> Sequence[OpenCall]:
        """See the port."""
        wanted, meant, named = set(callers), set(candidates), set(names)
        return [
            call
            for call in self._all_calls()
            if call.caller in wanted or not meant.isdisjoint(call.candidates) or last_part(call.name) in named
        ]

    def degrees(self, *, limit: int) -> Sequence[tuple[str, int]]:
        """See the port."""
        counts: Counter[str] = Counter()
        for edge in self._all_edges():
            if edge.kind is not EdgeKind.CONTAINS:
                counts.update((edge.source, edge.target))
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[: max(limit, 0)]

    def whole(self) -> Graph:
        """See the port."""
        return Graph(
            nodes=tuple(self._nodes().values()),
            edges=tuple(self._all_edges()),
            open_calls=tuple(self._all_calls()),
            coverage=tuple(graph.coverage for _, graph in self._files().values()),
        )

    def count(self) -> GraphCount:
        """See the port."""
        calls = self._all_calls()
        external = sum(bool(call.external) for call in calls)
        return GraphCount(
            files=len(self._files()),
            nodes=Counter(str(node.kind) for node in self._nodes().values()),
            edges=Counter(str(edge.kind) for edge in self._all_edges()),
            open_calls=len(calls) - external,
            external_calls=external,
        )

    def _all_edges(self) -> list[Edge]:
        nodes = self._nodes()
        edges = [edge for _, graph in self._files().values() for edge in graph.edges if edge.target in nodes]
        return sorted(edges, key=lambda edge: (edge.source, edge.target, edge.kind))

    def _all_calls(self) -> list[OpenCall]:
        nodes = self._nodes()
        calls = [call for _, graph in self._files().values() for call in graph.open_calls]
        return [
            attrs.evolve(call, candidates=tuple(id_ for id_ in call.candidates if id_ in nodes))
            for call in sorted(calls, key=lambda call: (call.site, call.caller, call.name))
        ]


class MemoryGraphFiles(_Part, GraphFileRepository):
    """Files of one graph."""

    def put(self, files: Sequence[LinkedFile], /) -> None:
        """See the port."""
        self._state.check_writable()
        for file in files:
            before = self._state.graph_files.get((self._key, file.path))
            graph = file.graph or (before[1] if before else _nothing(file))
            known = KnownFile(
                path=file.path,
                language=file.language,
                content_hash=file.content_hash,
                skipped=graph.coverage.skipped,
            )
            self._state.graph_files[self._key, file.path] = (known, graph)
            for section, data in file.sections.items():
                self._state.graph_sections[self._key, section, file.path] = data
            if file.asked is not None:
                self._state.graph_asked[self._key, file.path] = file.asked
                self._state.graph_numbers.pop((self._key, file.path), None)
        self._enqueue({file.path for file in files if file.graph}, OutboxOperation.UPSERT)
        self._prune()

    def remove(self, paths: Sequence[str], /) -> None:
        """See the port."""
        self._state.check_writable()
        gone = set(paths) & self._files().keys()
        nodes = {node.id for path, (_, graph) in self._files().items() if path in gone for node in graph.nodes}
        for path, (known, graph) in self._files().items():
            if path in gone:
                del self._state.graph_files[self._key, path]
                self._state.graph_asked.pop((self._key, path), None)
                self._state.graph_numbers.pop((self._key, path), None)
            else:
                self._state.graph_files[self._key, path] = (known, _without(graph, nodes))
        for key in [key for key in self._state.graph_sections if key[0] == self._key and key[2] in gone]:
            del self._state.graph_sections[key]
        self._enqueue(gone, OutboxOperation.DELETE)
        self._prune()

    def _enqueue(self, paths: Iterable[str], operation: OutboxOperation) -> None:
        for path in sorted(paths):
            self._state.enqueue(OutboxKind.GRAPH_FILE, graph_file_id(*self._key, path), operation)

    def _prune(self) -> None:
        """Nodes that are gone are members of no community any more."""
        if self._key not in self._state.communities:
            return
        communities, modularity = self._state.communities[self._key]
        nodes = self._nodes()
        kept = tuple(
            attrs.evolve(
                one,
                members=tuple(id_ for id_ in one.members if id_ in nodes),
                central=tuple(id_ for id_ in one.central if id_ in nodes),
            )
            for one in communities
        )
        self._state.communities[self._key] = (kept, modularity)

    def clear(self) -> None:
        """See the port."""
        self.remove(list(self._files()))
        self._state.graph_states.pop(self._key, None)
        self._state.communities.pop(self._key, None)

    def known(self) -> Mapping[str, KnownFile]:
        """See the port."""
        return {path: known for path, (known, _) in self._files().items()}

    def coverage(self) -> Sequence[FileCoverage]:
        """See the port."""
        return [graph.coverage for _, graph in self._files().values()]


class MemoryCommunities(_Part, CommunityRepository):
    """Communities of one graph."""

    def put(self, communities: Sequence[Community], /, *, modularity: float) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.communities[self._key] = (tuple(communities), modularity)

    def all(self) -> tuple[Sequence[Community], float]:
        """See the port."""
        communities, modularity = self._state.communities.get(self._key, ((), 0.0))
        return sorted((one for one in communities if one.members), key=lambda one: (one.level, one.id)), modularity


class MemoryLinkMemory(_Part, LinkMemory):
    """What linking remembers of one graph."""

    def load(self, section: str, paths: Sequence[str], /) -> Mapping[str, bytes]:
        """See the port."""
        sections = self._state.graph_sections
        return {path: sections[self._key, section, path] for path in paths if (self._key, section, path) in sections}

    def askers(self, keys: Collection[str], /) -> Sequence[str]:
        """See the port."""
        wanted = set(keys)
        asked = {at for at, of in self._state.graph_asked.items() if not wanted.isdisjoint(of)}
        numbers = set(map(text_number, wanted))
        asked |= {at for at, of in self._state.graph_numbers.items() if not numbers.isdisjoint(of)}
        return sorted(path for key, path in asked if key == self._key)


class MemoryGraphState(_Part, GraphStateRepository):
    """State of one graph."""

    def get(self) -> GraphState | None:
        """See the port."""
        return self._state.graph_states.get(self._key)

    def put(self, state: GraphState, /) -> None:
        """See the port."""
        self._state.check_writable()
        self._state.graph_states[self._key] = state


class MemoryGraphWork(GraphWork):
    """Repositories over one graph."""

    def __init__(self, state: State, checkout_id: str, layer: GraphLayer) -> None:
        key = (checkout_id, layer)
        self._symbols = MemorySymbols(state, key)
        self._links = MemoryGraphLinks(state, key)
        self._files = MemoryGraphFiles(state, key)
        self._communities = MemoryCommunities(state, key)
        self._memory = MemoryLinkMemory(state, key)
        self._state = MemoryGraphState(state, key)

    @property
    def symbols(self) -> MemorySymbols:
        """See the port."""
        return self._symbols

    @property
    def links(self) -> MemoryGraphLinks:
        """See the port."""
        return self._links

    @property
    def files(self) -> MemoryGraphFiles:
        """See the port."""
        return self._files

    @property
    def communities(self) -> MemoryCommunities:
        """See the port."""
        return self._communities

    @property
    def memory(self) -> MemoryLinkMemory:
        """See the port."""
        return self._memory

    @property
    def state(self) -> MemoryGraphState:
        """See the port."""
        return self._state


def _nothing(file: LinkedFile) -> FileGraph:
    coverage = FileCoverage(path=file.path, language=file.language)
    return FileGraph(path=file.path, nodes=(), edges=(), open_calls=(), coverage=coverage)


def _without(graph: FileGraph, gone: set[str]) -> FileGraph:
    """Return *graph* without what leads to nodes that are gone."""
    if gone.isdisjoint(edge.target for edge in graph.edges) and not any(
        not gone.isdisjoint(call.candidates) for call in graph.open_calls
    ):
        return graph
    return attrs.evolve(
        graph,
        edges=tuple(edge for edge in graph.edges if edge.target not in gone),
        open_calls=tuple(
            attrs.evolve(call, candidates=tuple(id_ for id_ in call.candidates if id_ not in gone))
            for call in graph.open_calls
        ),
    )
