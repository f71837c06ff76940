"""Passages and how they are searched."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pckc_domain.model.passage import (
    LAYER_CLASSES,
    Layer,
    LayerCount,
    PassageFilter,
    PassageHit,
    StoredPassage,
)
from pckc_domain.model.query import LexicalQuery
from pckc_domain.ports.canonical import PassageRepository

from pckc_adapters_postgres.connection import Connection, Row
from pckc_adapters_postgres.documents import document
from pckc_adapters_postgres.fulltext import search
from pckc_adapters_postgres.values import clean, load

_STORED = """
    SELECT t.layer, t.data, d.id, d.data, d.is_stale FROM passage t JOIN document d ON d.key = t.document_key
"""
_GET = f"{_STORED} WHERE t.scope_key = %s AND t.layer = ANY(%s) AND t.id = ANY(%s)"
_BY_KEY = f"{_STORED} WHERE t.key = ANY(%s)"
_OF_DOCUMENTS = f"{_STORED} WHERE d.scope_key = %s AND d.id = ANY(%s) ORDER BY d.id, t.layer, t.ordinal, t.id"
_FIND = f"""
    {_STORED} WHERE t.scope_key = %(scope)s AND t.layer = %(layer)s AND t.id > %(after)s {{condition}}
    ORDER BY t.id LIMIT %(limit)s
"""
_COUNT = """
    SELECT is_stale, sum(counts[1])::int, sum(counts[2])::int, sum(counts[3])::int, sum(counts[4])::int
    FROM document WHERE scope_key = %s GROUP BY is_stale
"""
_JOINED = "JOIN document d ON d.key = t.document_key"
_IN_CHECKOUT = """
    AND (
        NOT d.was_held
        OR EXISTS (
            SELECT 1 FROM manifest m
            WHERE m.scope_key = t.scope_key AND m.document_id = d.id AND m.checkout_id = %(checkout)s
        )
    )
"""


class PostgresPassages(PassageRepository):
    """Passages of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def get(self, passage_ids: Sequence[str], /) -> Sequence[StoredPassage]:
        """See the port."""
        found = self._connection.rows(_GET, (self._scope_key, list(Layer), list(passage_ids)))
        by_id = {stored.passage.id: stored for stored in _stored(found)}
        return [by_id[id_] for id_ in dict.fromkeys(passage_ids) if id_ in by_id]

    def search(self, layer: Layer, query: LexicalQuery, /, *, where: PassageFilter, limit: int) -> Sequence[PassageHit]:
        """See the port."""
        condition, values = _condition(layer, where)
        ranked = search(
            self._connection,
            "passage",
            query,
            marks=(f"{self._scope_key}", layer),
            condition=condition,
            values=values,
            limit=limit,
            joined=_JOINED,
        )
        found = self._connection.rows(_BY_KEY, ([key for key, _, _ in ranked],))
        by_id = {stored.passage.id: stored for stored in _stored(found)}
        return [PassageHit(stored=by_id[id_], score=score) for _, id_, score in ranked]

    def find(self, layer: Layer, /, *, where: PassageFilter, after: str = "", limit: int) -> Sequence[StoredPassage]:
        """See the port."""
        condition, values = _condition(layer, where)
        values |= {"scope": self._scope_key, "layer": layer.value, "after": after, "limit": max(limit, 0)}
        return list(_stored(self._connection.rows(_FIND.format(condition=condition), values)))

    def of_documents(self, document_ids: Sequence[str], /) -> Sequence[StoredPassage]:
        """See the port."""
        return list(_stored(self._connection.rows(_OF_DOCUMENTS, (self._scope_key, list(document_ids)))))

    def count(self) -> Mapping[Layer, LayerCount]:
        """See the port."""
        none = (0,) * len(Layer)
        sums = {row[0]: row[1:] for row in self._connection.rows(_COUNT, (self._scope_key,))}
        counts = zip(Layer, sums.get(False, none), sums.get(True, none), strict=True)
        return {layer: LayerCount(fresh=fresh, stale=stale) for layer, fresh, stale in counts}


def _condition(layer: Layer, where: PassageFilter) -> tuple[str, dict[str, Any]]:
    """Return *where* as SQL to append to a WHERE clause, and its parameters."""
    kinds = {Layer.PROPOSITION: where.types, Layer.SUMMARY: where.levels}.get(layer)
    conditions: list[str] = [] if where.include_stale else ["AND NOT t.is_stale"]
    values: dict[str, Any] = {}
    if kinds:
        conditions.append("AND t.kind = ANY(%(kinds)s)")
        values["kinds"] = [str(kind) for kind in kinds]
    if where.uris:
        conditions.append("AND d.uri = ANY(%(uris)s)")
        values["uris"] = [clean(uri) for uri in where.uris]
    if where.uri_prefixes:
        conditions.append("AND EXISTS (SELECT 1 FROM unnest(%(prefixes)s::text[]) p WHERE starts_with(d.uri, p))")
        values["prefixes"] = [clean(prefix) for prefix in where.uri_prefixes]
    if where.digests:
        conditions.append("AND t.digest = ANY(%(digests)s)")
        values["digests"] = list(where.digests)
    if where.names:
        conditions.append("AND t.names && %(names)s::text[]")
        values["names"] = [clean(name) for name in where.names if name]
    if where.checkout is not None:
        conditions.append(_IN_CHECKOUT)
        values["checkout"] = where.checkout
    return " ".join(conditions), values


def _stored(found: Sequence[Row]) -> Iterator[StoredPassage]:
    """Read the rows of `_STORED`; passages of one document share its value."""
    documents: dict[str, Any] = {}
    for layer, data, document_id, document_data, is_stale in found:
        if document_id not in documents:
            documents[document_id] = document(document_data, is_stale)
        yield StoredPassage(passage=load(data, LAYER_CLASSES[Layer(layer)]), document=documents[document_id])
