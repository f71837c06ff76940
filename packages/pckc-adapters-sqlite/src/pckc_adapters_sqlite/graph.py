"""A graph inside a unit of work."""

from collections.abc import Collection, Mapping, Sequence

from pckc_domain.model.graph import GraphLayer
from pckc_domain.model.identity import text_number
from pckc_domain.model.linking import GraphState, LinkMemory
from pckc_domain.ports.graph import GraphStateRepository, GraphWork

from pckc_adapters_sqlite import graph_queries, graph_rows, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.graph_communities import SqliteCommunities
from pckc_adapters_sqlite.graph_files import SqliteGraphFiles
from pckc_adapters_sqlite.graph_key import GraphKey
from pckc_adapters_sqlite.graph_links import SqliteGraphLinks
from pckc_adapters_sqlite.graph_symbols import SqliteSymbols
from pckc_adapters_sqlite.outbox import SqliteOutbox


class SqliteLinkMemory(LinkMemory):
    """What linking remembers of one graph."""

    def __init__(self, connection: Connection, key: GraphKey) -> None:
        self._connection = connection
        self._key = key

    def load(self, section: str, paths: Sequence[str], /) -> Mapping[str, bytes]:
        """See the port."""
        values = {"graph": self._key.value(), "section": section, "paths": rows.array(map(rows.clean, paths))}
        return dict(self._connection.rows(graph_queries.SECTIONS, values))

    def askers(self, keys: Collection[str], /) -> Sequence[str]:
        """See the port."""
        hashes = str([*map(text_number, keys)])
        return [path for (path,) in self._connection.rows(graph_queries.ASKERS, (self._key.value(), hashes))]


class SqliteGraphState(GraphStateRepository):
    """State of one graph."""

    def __init__(self, connection: Connection, key: GraphKey) -> None:
        self._connection = connection
        self._key = key

    def get(self) -> GraphState | None:
        """See the port."""
        text = self._connection.value(graph_queries.STATE, (self._key.value(),))
        return graph_rows.state(text) if text else None

    def put(self, state: GraphState, /) -> None:
        """See the port."""
        self._connection.run(graph_queries.PUT_STATE, (graph_rows.state_row(state), self._key.made()))


class SqliteGraphWork(GraphWork):
    """Repositories of one graph on one connection."""

    def __init__(
        self, connection: Connection, scope_key: int, checkout_id: str, layer: GraphLayer, outbox: SqliteOutbox
    ) -> None:
        key = GraphKey(connection, scope_key, checkout_id, layer)
        self._symbols = SqliteSymbols(connection, key)
        self._links = SqliteGraphLinks(connection, key)
        self._files = SqliteGraphFiles(connection, key, outbox)
        self._communities = SqliteCommunities(connection, key)
        self._memory = SqliteLinkMemory(connection, key)
        self._state = SqliteGraphState(connection, key)

    @property
    def symbols(self) -> SqliteSymbols:
        """See the port."""
        return self._symbols

    @property
    def links(self) -> SqliteGraphLinks:
        """See the port."""
        return self._links

    @property
    def files(self) -> SqliteGraphFiles:
        """See the port."""
        return self._files

    @property
    def communities(self) -> SqliteCommunities:
        """See the port."""
        return self._communities

    @property
    def memory(self) -> SqliteLinkMemory:
        """See the port."""
        return self._memory

    @property
    def state(self) -> SqliteGraphState:
        """See the port."""
        return self._state
