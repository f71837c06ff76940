"""The graph of one layer of one checkout: its files, what linking remembers, communities and state."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pckc_domain.model.graph import Community, FileCoverage, FileGraph, GraphLayer
from pckc_domain.model.identity import text_number
from pckc_domain.model.linking import GraphState, KnownFile, LinkedFile, LinkMemory
from pckc_domain.model.outbox import OutboxKind, OutboxOperation, graph_file_id
from pckc_domain.ports.graph import (
    CommunityRepository,
    GraphFileRepository,
    GraphStateRepository,
    GraphWork,
)

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.graph_links import PostgresGraphLinks, calls_meaning
from pckc_adapters_postgres.graph_symbols import PostgresSymbols, node_row
from pckc_adapters_postgres.outbox import PostgresOutbox
from pckc_adapters_postgres.values import as_json, clean, dump, load

NO_GRAPH = 0
"""Key of a graph that was never written to: no row has it."""

_KEY = "SELECT key FROM graph WHERE scope_key = %s AND checkout_id = %s AND layer = %s"
_MAKE = """
    INSERT INTO graph (scope_key, checkout_id, layer) VALUES (%s, %s, %s)
    ON CONFLICT (scope_key, checkout_id, layer) DO NOTHING
"""
_PUT_FILE = """
    INSERT INTO graph_file (graph_key, path, language, content_hash) VALUES (%s, %s, %s, %s)
    ON CONFLICT (graph_key, path) DO UPDATE SET language = excluded.language, content_hash = excluded.content_hash
"""
_FILE_KEYS = "SELECT path, key FROM graph_file WHERE graph_key = %s AND path = ANY(%s)"
_COVER = "UPDATE graph_file SET coverage = %s WHERE key = %s"
_FORGET = (
    "DELETE FROM graph_open_call WHERE file_key = ANY(%s)",
    "DELETE FROM graph_edge WHERE file_key = ANY(%s)",
    "DELETE FROM graph_node WHERE file_key = ANY(%s)",
)
_NODE_COLUMNS = (
    "graph_key", "file_key", "id", "kind", "qualified_name", "tail", "path", "start_line", "end_line", "data", "words",
)  # fmt: skip
_EDGE_COLUMNS = ("graph_key", "file_key", "source", "target", "kind", "data")
_CALL_COLUMNS = ("graph_key", "file_key", "caller", "is_external", "candidates", "data")
_PUT_SECTION = """
    INSERT INTO graph_section (file_key, name, data) VALUES (%s, %s, %s)
    ON CONFLICT (file_key, name) DO UPDATE SET data = excluded.data
"""
_FORGET_ASKED = "DELETE FROM graph_asked WHERE file_key = ANY(%s)"
_ASKED_COLUMNS = ("graph_key", "hash", "file_key")
_LEADING_TO = """
    DELETE FROM graph_edge
    WHERE graph_key = %(graph)s AND target IN (SELECT id FROM graph_node WHERE file_key = ANY(%(keys)s))
"""
_NODES_OF = "SELECT id FROM graph_node WHERE file_key = ANY(%s)"
_UNNAME = """
    UPDATE graph_open_call c SET candidates = ARRAY(
        SELECT candidate FROM unnest(c.candidates) WITH ORDINALITY AS named (candidate, place)
        WHERE candidate <> ALL(%(ids)s) ORDER BY place
    )
    WHERE key = ANY(%(calls)s)
"""
_PRUNE = """
    DELETE FROM graph_member m
    WHERE graph_key = %(graph)s
      AND NOT EXISTS (SELECT 1 FROM graph_node n WHERE n.graph_key = m.graph_key AND n.id = m.node_id)
"""
_DELETE_FILES = "DELETE FROM graph_file WHERE key = ANY(%s)"
_DELETE_GRAPH = "DELETE FROM graph WHERE key = %s"
_KNOWN = "SELECT path, language, content_hash, coverage->>'skipped' FROM graph_file WHERE graph_key = %s ORDER BY path"
_COVERAGE = "SELECT path, language, coverage FROM graph_file WHERE graph_key = %s ORDER BY path"
_LOAD = """
    SELECT f.path, s.data FROM graph_file f JOIN graph_section s ON s.file_key = f.key
    WHERE f.graph_key = %s AND s.name = %s AND f.path = ANY(%s)
"""
_ASKERS = """
    SELECT DISTINCT f.path FROM graph_asked a JOIN graph_file f ON f.key = a.file_key
    WHERE a.graph_key = %s AND a.hash = ANY(%s) ORDER BY f.path
"""
_CLEAR_COMMUNITIES = (
    "DELETE FROM graph_member WHERE graph_key = %s",
    "DELETE FROM graph_community WHERE graph_key = %s",
)
_COMMUNITY_COLUMNS = ("graph_key", "level", "id", "parent", "name")
_MEMBER_COLUMNS = ("graph_key", "level", "community", "node_id", "rank")
_SET_MODULARITY = "UPDATE graph SET modularity = %s WHERE key = %s"
_MODULARITY = "SELECT modularity FROM graph WHERE key = %s"
_COMMUNITIES = "SELECT level, id, parent, name FROM graph_community WHERE graph_key = %s ORDER BY level, id"
_MEMBERS = """
    SELECT m.level, m.community, m.node_id, m.rank FROM graph_member m
    JOIN graph_node n ON n.graph_key = m.graph_key AND n.id = m.node_id
    WHERE m.graph_key = %s ORDER BY m.level, m.community, m.node_id
"""
_GET_STATE = "SELECT state FROM graph WHERE key = %s"
_PUT_STATE = "UPDATE graph SET state = %s WHERE key = %s"


class GraphKey:
    """Finds the key of a graph, and makes the graph when something is written to it."""

    def __init__(self, connection: Connection, scope_key: int, checkout_id: str, layer: GraphLayer) -> None:
        self._connection = connection
        self._named = (scope_key, clean(checkout_id), layer.value)
        self.layer = layer
        self.checkout_id = self._named[1]
        self._value: int | None = None

    def value(self) -> int:
        """Return the key."""
        if not self._value:
            self._value = self._connection.value(_KEY, self._named) or NO_GRAPH
        return self._value

    def made(self) -> int:
        """Return the key; the graph is there afterwards."""
        if not self.value():
            self._connection.run(_MAKE, self._named)
        return self.value()

    def forget(self) -> None:
        """Look the key up again next time."""
        self._value = None


class PostgresGraphFiles(GraphFileRepository):
    """Files of one graph."""

    def __init__(self, connection: Connection, key: GraphKey, outbox: PostgresOutbox) -> None:
        self._connection = connection
        self._key = key
        self._outbox = outbox

    def put(self, files: Sequence[LinkedFile], /) -> None:
        """See the port."""
        connection, graph = self._connection, self._key.made()
        newest = {clean(file.path): file for file in files}
        connection.run_many(
            _PUT_FILE, [(graph, path, file.language, file.content_hash) for path, file in newest.items()]
        )
        keys: dict[str, int] = dict(connection.rows(_FILE_KEYS, (graph, list(newest))))
        self._replace(graph, {keys[path]: file.graph for path, file in newest.items() if file.graph is not None})
        sections = [(keys[path], name, data) for path, file in newest.items() for name, data in file.sections.items()]
        connection.run_many(_PUT_SECTION, sections)
        asked = {keys[path]: file.asked for path, file in newest.items() if file.asked is not None}
        connection.run(_FORGET_ASKED, (list(asked),))
        hashes = [(graph, hash_, key) for key, names in asked.items() for hash_ in {*map(_hash, names)}]
        connection.insert("graph_asked", _ASKED_COLUMNS, hashes)
        connection.run(_PRUNE, {"graph": graph})
        self._enqueue([path for path, file in newest.items() if file.graph is not None], OutboxOperation.UPSERT)

    def remove(self, paths: Sequence[str], /) -> None:
        """See the port."""
        graph = self._key.value()
        known: dict[str, int] = dict(self._connection.rows(_FILE_KEYS, (graph, [*map(clean, paths)])))
        keys = list(known.values())
        ids = [id_ for (id_,) in self._connection.rows(_NODES_OF, (keys,))]
        self._connection.run(_UNNAME, {"ids": ids, "calls": calls_meaning(self._connection, graph, ids)})
        self._connection.run(_LEADING_TO, {"graph": graph, "keys": keys})
        self._connection.run(_DELETE_FILES, (keys,))
        self._connection.run(_PRUNE, {"graph": graph})
        self._enqueue(known, OutboxOperation.DELETE)

    def clear(self) -> None:
        """See the port."""
        known = list(self.known())
        self._connection.run(_DELETE_GRAPH, (self._key.value(),))
        self._key.forget()
        self._enqueue(known, OutboxOperation.DELETE)

    def known(self) -> Mapping[str, KnownFile]:
        """See the port."""
        return {
            path: KnownFile(path=path, language=language, content_hash=content_hash, skipped=skipped or "")
            for path, language, content_hash, skipped in self._connection.rows(_KNOWN, (self._key.value(),))
        }

    def coverage(self) -> Sequence[FileCoverage]:
        """See the port."""
        return [
            load(data, FileCoverage) if data else FileCoverage(path=path, language=language)
            for path, language, data in self._connection.rows(_COVERAGE, (self._key.value(),))
        ]

    def _enqueue(self, paths: Iterable[str], operation: OutboxOperation) -> None:
        ids = [graph_file_id(self._key.checkout_id, self._key.layer, path) for path in sorted(paths)]
        self._outbox.append(OutboxKind.GRAPH_FILE, ids, operation)

    def _replace(self, graph: int, given: Mapping[int, FileGraph]) -> None:
        connection = self._connection
        for statement in _FORGET:
            connection.run(statement, (list(given),))
        connection.run_many(_COVER, [(as_json(each.coverage), key) for key, each in given.items()])
        nodes = {node.id: (key, node) for key, each in given.items() for node in each.nodes}
        connection.insert("graph_node", _NODE_COLUMNS, [(graph, *node_row(graph, *pair)) for pair in nodes.values()])
        edges = {(e.source, e.target, e.kind): (key, e) for key, each in given.items() for e in each.edges}
        connection.insert(
            "graph_edge",
            _EDGE_COLUMNS,
            [(graph, key, clean(e.source), clean(e.target), e.kind.value, dump(e)) for key, e in edges.values()],
        )
        calls = [(key, call) for key, each in given.items() for call in each.open_calls]
        connection.insert(
            "graph_open_call",
            _CALL_COLUMNS,
            [
                (graph, key, clean(call.caller), bool(call.external), [*map(clean, call.candidates)], dump(call))
                for key, call in calls
            ],
        )


class PostgresCommunities(CommunityRepository):
    """Communities of one graph."""

    def __init__(self, connection: Connection, key: GraphKey) -> None:
        self._connection = connection
        self._key = key

    def put(self, communities: Sequence[Community], /, *, modularity: float) -> None:
        """See the port."""
        connection, graph = self._connection, self._key.made()
        for statement in _CLEAR_COMMUNITIES:
            connection.run(statement, (graph,))
        connection.run(_SET_MODULARITY, (modularity, graph))
        rows = [(graph, each.level, each.id, each.parent, clean(each.name)) for each in communities]
        connection.insert("graph_community", _COMMUNITY_COLUMNS, rows)
        members = [
            (graph, each.level, each.id, clean(member), {id_: i for i, id_ in enumerate(each.central)}.get(member))
            for each in communities
            for member in dict.fromkeys(each.members)
        ]
        connection.insert("graph_member", _MEMBER_COLUMNS, members)

    def all(self) -> tuple[Sequence[Community], float]:
        """See the port."""
        connection, graph = self._connection, self._key.value()
        members: dict[tuple[int, int], list[tuple[str, int | None]]] = {}
        for level, community, node_id, rank in connection.rows(_MEMBERS, (graph,)):
            members.setdefault((level, community), []).append((node_id, rank))
        found = []
        for level, id_, parent, name in connection.rows(_COMMUNITIES, (graph,)):
            if held := members.get((level, id_)):
                central = sorted((rank, node_id) for node_id, rank in held if rank is not None)
                found.append(
                    Community(
                        id=id_,
                        level=level,
                        parent=parent,
                        name=name,
                        members=tuple(node_id for node_id, _ in held),
                        central=tuple(node_id for _, node_id in central),
                    )
                )
        return found, connection.value(_MODULARITY, (graph,)) or 0.0


class PostgresLinkMemory(LinkMemory):
    """What linking remembers of one graph."""

    def __init__(self, connection: Connection, key: GraphKey) -> None:
        self._connection = connection
        self._key = key

    def load(self, section: str, paths: Sequence[str], /) -> Mapping[str, bytes]:
        """See the port."""
        found = self._connection.rows(_LOAD, (self._key.value(), section, [*map(clean, paths)]))
        return {path: bytes(data) for path, data in found}

    def askers(self, keys: Collection[str], /) -> Sequence[str]:
        """See the port."""
        found = self._connection.rows(_ASKERS, (self._key.value(), [*map(_hash, keys)]))
        return [path for (path,) in found]


class PostgresGraphState(GraphStateRepository):
    """State of one graph."""

    def __init__(self, connection: Connection, key: GraphKey) -> None:
        self._connection = connection
        self._key = key

    def get(self) -> GraphState | None:
        """See the port."""
        data = self._connection.value(_GET_STATE, (self._key.value(),))
        return None if data is None else load(data, GraphState)

    def put(self, state: GraphState, /) -> None:
        """See the port."""
        self._connection.run(_PUT_STATE, (as_json(state), self._key.made()))


class PostgresGraphWork(GraphWork):
    """Repositories over one graph."""

    def __init__(
        self, connection: Connection, scope_key: int, checkout_id: str, layer: GraphLayer, outbox: PostgresOutbox
    ) -> None:
        key = GraphKey(connection, scope_key, checkout_id, layer)
        self._symbols = PostgresSymbols(connection, key)
        self._links = PostgresGraphLinks(connection, key)
        self._files = PostgresGraphFiles(connection, key, outbox)
        self._communities = PostgresCommunities(connection, key)
        self._memory = PostgresLinkMemory(connection, key)
        self._state = PostgresGraphState(connection, key)

    @property
    def symbols(self) -> PostgresSymbols:
        """See the port."""
        return self._symbols

    @property
    def links(self) -> PostgresGraphLinks:
        """See the port."""
        return self._links

    @property
    def files(self) -> PostgresGraphFiles:
        """See the port."""
        return self._files

    @property
    def communities(self) -> PostgresCommunities:
        """See the port."""
        return self._communities

    @property
    def memory(self) -> PostgresLinkMemory:
        """See the port."""
        return self._memory

    @property
    def state(self) -> PostgresGraphState:
        """See the port."""
        return self._state


def _hash(name: str) -> int:
    return text_number(clean(name))
