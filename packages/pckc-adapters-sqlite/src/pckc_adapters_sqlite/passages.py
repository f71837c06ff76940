"""Passages and how they are searched."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pckc_domain.model.passage import (
    Layer,
    LayerCount,
    PassageFilter,
    PassageHit,
    StoredPassage,
)
from pckc_domain.model.query import LexicalQuery
from pckc_domain.ports.canonical import PassageRepository

from pckc_adapters_sqlite import fts, queries, rows
from pckc_adapters_sqlite.connection import Connection, Row
from pckc_adapters_sqlite.search import search

_PASSAGE_COLUMNS = 16


class SqlitePassages(PassageRepository):
    """Passages of one scope."""

    def __init__(self, connection: Connection, scope_key: int) -> None:
        self._connection = connection
        self._scope_key = scope_key

    def get(self, passage_ids: Sequence[str], /) -> Sequence[StoredPassage]:
        """See the port."""
        found = self._connection.rows(queries.PASSAGES, (self._scope_key, rows.array(passage_ids)))
        by_id = {stored.passage.id: stored for stored in _stored(found)}
        return [by_id[id_] for id_ in dict.fromkeys(passage_ids) if id_ in by_id]

    def search(self, layer: Layer, query: LexicalQuery, /, *, where: PassageFilter, limit: int) -> Sequence[PassageHit]:
        """See the port."""
        condition, values = _condition(layer, where)
        sql = queries.SEARCH_PASSAGES.format(table=fts.TABLES[layer].name, filter=condition)
        values |= {"scope": self._scope_key}
        ranked = search(self._connection, fts.TABLES[layer], query, sql=sql, values=values, limit=limit)
        keys = [key for key, _, _ in ranked]
        found = self._connection.rows(queries.PASSAGES_BY_KEY, (str(keys),))
        by_id = {stored.passage.id: stored for stored in _stored(found)}
        return [PassageHit(stored=by_id[id_], score=-rank) for _, id_, rank in ranked]

    def find(self, layer: Layer, /, *, where: PassageFilter, after: str = "", limit: int) -> Sequence[StoredPassage]:
        """See the port."""
        condition, values = _condition(layer, where)
        is_few = where.uris or where.digests
        sql = (queries.FIND_FEW_PASSAGES if is_few else queries.FIND_PASSAGES).format(filter=condition)
        values |= {"scope": self._scope_key, "layer": layer.value, "after": after, "limit": max(limit, 0)}
        return list(_stored(self._connection.rows(sql, values)))

    def of_documents(self, document_ids: Sequence[str], /) -> Sequence[StoredPassage]:
        """See the port."""
        found = self._connection.rows(queries.PASSAGES_OF_DOCUMENTS, (self._scope_key, rows.array(document_ids)))
        return list(_stored(found))

    def count(self) -> Mapping[Layer, LayerCount]:
        """See the port."""
        none = (0,) * len(Layer)
        sums = {row[0]: row[1:] for row in self._connection.rows(queries.COUNT_PASSAGES, (self._scope_key,))}
        counts = zip(Layer, sums.get(False, none), sums.get(True, none), strict=True)
        return {layer: LayerCount(fresh=fresh, stale=stale) for layer, fresh, stale in counts}


def _condition(layer: Layer, where: PassageFilter) -> tuple[str, dict[str, Any]]:
    """Return *where* as SQL to append to a WHERE clause, and its parameters."""
    kinds = {Layer.PROPOSITION: where.types, Layer.SUMMARY: where.levels}.get(layer)
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if not where.include_stale:
        conditions.append(queries.FRESH)
    if kinds:
        conditions.append(queries.OF_KINDS)
        values["kinds"] = rows.array(kinds)
    if where.uris:
        conditions.append(queries.AT_URIS)
        values["uris"] = rows.array(where.uris)
    if where.uri_prefixes:
        conditions.append(queries.UNDER_PREFIXES)
        values["prefixes"] = rows.array(where.uri_prefixes)
    if where.digests:
        conditions.append(queries.OF_DIGESTS)
        values["digests"] = rows.array(where.digests)
    if where.names:
        conditions.append(queries.BEARING_NAMES)
        values["names"] = rows.array(where.names)
    if where.checkout is not None:
        conditions.append(queries.IN_CHECKOUT)
        values["checkout"] = where.checkout
    return " ".join(conditions), values


def _stored(found: Sequence[Row]) -> Iterator[StoredPassage]:
    """Read the rows of ``queries.STORED_PASSAGE``; passages of one document share its value."""
    documents: dict[str, Any] = {}
    for row in found:
        document_id = row[_PASSAGE_COLUMNS + 1]
        if document_id not in documents:
            documents[document_id] = rows.document(row[_PASSAGE_COLUMNS:])
        passage = rows.passage(document_id, row[:_PASSAGE_COLUMNS])
        yield StoredPassage(passage=passage, document=documents[document_id])
