"""Places of repository facts."""

from collections.abc import Collection, Mapping, Sequence

from pckc_domain.model.fact import FactPlace, Place
from pckc_domain.ports.belief import FactRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.values import changes, clean

_COLUMNS = ("slot", "owner_id", "branch", "path", "topic", "tail", "is_live", "joined")
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM fact_place WHERE scope_key = %(scope)s"  # noqa: S608 - our names
_OF_OWNERS = f"{_SELECT} AND owner_id = ANY(%(asked)s) ORDER BY slot"
_ABOUT = f"{_SELECT} AND (topic = ANY(%(asked)s) OR tail = ANY(%(asked)s) OR joined = ANY(%(asked)s)) ORDER BY slot"
_AT = f"{_SELECT} AND path = ANY(%(asked)s) ORDER BY slot"
_DELETE = "DELETE FROM fact_place WHERE scope_key = %s AND slot = ANY(%s)"
_JOIN = "UPDATE fact_place SET joined = %s WHERE scope_key = %s AND slot = %s AND joined <> %s"


class PostgresFacts(FactRepository):
    """Places of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def replace(self, owner_id: str, places: Sequence[FactPlace], /) -> None:
        """See the port."""
        stored = {place.slot: _row(place) for place in self.of_owners([owner_id])}
        wanted = {place.slot: _row(place) for place in places}
        gone, changed = changes(stored, wanted)
        self._connection.run(_DELETE, (self._scope_key, [*gone, *changed]))
        rows = [(self._scope_key, *wanted[slot]) for slot in changed]
        self._connection.insert("fact_place", ("scope_key", *_COLUMNS), rows)

    def of_owners(self, owner_ids: Collection[str], /) -> Sequence[FactPlace]:
        """See the port."""
        return self._places(_OF_OWNERS, owner_ids)

    def about(self, topics: Collection[str], /) -> Sequence[FactPlace]:
        """See the port."""
        return self._places(_ABOUT, [topic for topic in topics if topic])

    def at(self, path: str, /) -> Sequence[FactPlace]:
        """See the port."""
        return self._places(_AT, [clean(path)])

    def join(self, topics: Mapping[str, str], /) -> None:
        """See the port."""
        for slot, topic in topics.items():
            self._connection.run(_JOIN, (topic, self._scope_key, slot, topic))

    def _places(self, query: str, asked: Collection[str]) -> list[FactPlace]:
        return [_place(row) for row in self._connection.rows(query, {"scope": self._scope_key, "asked": list(asked)})]


def _row(place: FactPlace) -> Row:
    return (
        place.slot,
        place.owner_id,
        clean(place.place.branch),
        clean(place.place.path),
        place.topic,
        place.tail,
        place.is_live,
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
        is_live=is_live,
        joined=joined,
    )
