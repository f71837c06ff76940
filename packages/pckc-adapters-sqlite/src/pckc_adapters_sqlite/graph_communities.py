"""The communities of a graph."""

from collections.abc import Sequence

from pckc_domain.model.graph import Community
from pckc_domain.model.identity import text_number
from pckc_domain.ports.graph import CommunityRepository

from pckc_adapters_sqlite import graph_queries, rows
from pckc_adapters_sqlite.connection import Connection
from pckc_adapters_sqlite.graph_key import GraphKey
from pckc_adapters_sqlite.graph_rows import full_id


class SqliteCommunities(CommunityRepository):
    """Communities of one graph."""

    def __init__(self, connection: Connection, key: GraphKey) -> None:
        self._connection = connection
        self._key = key

    def put(self, communities: Sequence[Community], /, *, modularity: float) -> None:
        """See the port."""
        connection, graph = self._connection, self._key.made()
        for statement in graph_queries.DELETE_COMMUNITIES:
            connection.run(statement, (graph,))
        connection.run(graph_queries.PUT_MODULARITY, (modularity, graph))
        connection.run_many(
            graph_queries.INSERT_COMMUNITY,
            [(graph, one.level, one.id, one.parent, rows.clean(one.name)) for one in communities],
        )
        hashes = {id_: text_number(id_) for one in communities for id_ in one.members}
        keys: dict[int, int] = dict(connection.rows(graph_queries.NODE_KEYS, (graph, str(list(hashes.values())))))
        connection.run_many(
            graph_queries.INSERT_MEMBER,
            [
                (graph, keys[hashes[id_]], one.level, one.id, ranks.get(id_))
                for one in communities
                for ranks in [{id_: rank for rank, id_ in enumerate(one.central)}]
                for id_ in one.members
                if hashes[id_] in keys
            ],
        )

    def all(self) -> tuple[Sequence[Community], float]:
        """See the port."""
        connection, graph = self._connection, self._key.value()
        members: dict[tuple[int, int], list[tuple[str, int | None]]] = {}
        for level, community, rank, id_, path in connection.rows(graph_queries.MEMBERS, (graph,)):
            members.setdefault((level, community), []).append((full_id(id_, path), rank))
        found = [
            _community(row, members[row[0], row[1]])
            for row in connection.rows(graph_queries.COMMUNITIES, (graph,))
            if (row[0], row[1]) in members
        ]
        return found, connection.value(graph_queries.MODULARITY, (graph,)) or 0.0


def _community(row: Sequence[object], members: list[tuple[str, int | None]]) -> Community:
    level, id_, parent, name = row
    central = sorted((rank, member) for member, rank in members if rank is not None)
    return Community(
        id=id_,  # type: ignore[arg-type]  # rows are untyped
        level=level,  # type: ignore[arg-type]  # rows are untyped
        parent=parent,  # type: ignore[arg-type]  # rows are untyped
        name=name,  # type: ignore[arg-type]  # rows are untyped
        members=tuple(sorted(member for member, _ in members)),
        central=tuple(member for _, member in central),
    )
