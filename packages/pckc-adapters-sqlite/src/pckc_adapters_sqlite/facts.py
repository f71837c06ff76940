"""Places of repository facts."""

from collections.abc import Collection, Mapping, Sequence

from pckc_domain.model.fact import FactPlace, Place
from pckc_domain.ports.belief import FactRepository

from pckc_adapters_sqlite import belief_queries, belief_rows, rows
from pckc_adapters_sqlite.connection import Connection, Row


class SqliteFacts(FactRepository):
    """Places of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def replace(self, owner_id: str, places: Sequence[FactPlace], /) -> None:
        """See the port."""
        found = self._connection.rows(belief_queries.PLACES_OF_OWNERS, (self._scope_key, rows.array([owner_id])))
        wanted = {place.slot: _row(place) for place in places}
        gone, changed = belief_rows.changes({row[0]: row for row in found}, wanted)
        if gone:
            self._connection.run(belief_queries.DELETE_PLACES, (self._scope_key, rows.array(gone)))
        self._connection.run_many(belief_queries.PUT_PLACE, [(self._scope_key, *row) for row in changed.values()])

    def of_owners(self, owner_ids: Collection[str], /) -> Sequence[FactPlace]:
        """See the port."""
        return self._places(belief_queries.PLACES_OF_OWNERS, rows.array(owner_ids))

    def about(self, topics: Collection[str], /) -> Sequence[FactPlace]:
        """See the port."""
        return self._places(belief_queries.PLACES_ABOUT, rows.array(topics))

    def at(self, path: str, /) -> Sequence[FactPlace]:
        """See the port."""
        return self._places(belief_queries.PLACES_AT, rows.clean(path))

    def join(self, topics: Mapping[str, str], /) -> None:
        """See the port."""
        joined = [(self._scope_key, slot, topic) for slot, topic in topics.items()]
        self._connection.run_many(belief_queries.JOIN_PLACE, joined)

    def _places(self, query: str, asked: str) -> list[FactPlace]:
        return [_place(row) for row in self._connection.rows(query, (self._scope_key, asked))]


def _row(place: FactPlace) -> Row:
    return (
        place.slot,
        place.owner_id,
        rows.clean(place.place.branch),
        rows.clean(place.place.path),
        place.topic,
        place.tail,
        int(place.is_live),
        place.joined,
    )


def _place(row: Row) -> FactPlace:
    slot, owner_id, branch, path, topic, tail, is_live, joined = row
    return FactPlace(
        slot=slot,
        owner_id=owner_id,
        place=Place(branch=branch, path=path),
        topic=topic,
        tail=tail,
        is_live=bool(is_live),
        joined=joined,
    )
