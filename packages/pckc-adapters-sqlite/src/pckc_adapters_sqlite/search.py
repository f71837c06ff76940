"""Ranked search in a full-text table."""

from collections.abc import Callable, Mapping
from typing import Any

from pckc_domain.model.query import LexicalQuery

from pckc_adapters_sqlite import fts, queries
from pckc_adapters_sqlite.connection import Connection, Row
from pckc_adapters_sqlite.selection import COMMON_ROWS, any_of, selective


def search(
    connection: Connection,
    table: fts.Table,
    query: LexicalQuery,
    *,
    sql: str,
    values: Mapping[str, Any],
    limit: int,
    narrow: Callable[[str], str] = lambda expression: expression,
) -> list[Row]:
    """
    Return key, id and rank of the *limit* best matches of *query*; a lower rank is better, ties are by id.

    *sql* yields key, id and rank by rank; it takes *values*, ``:match`` and ``:weights``. *narrow* adds to an
    expression what every match must hold.
    """
    parts = fts.parts(table, query)
    if not parts or limit < 1:
        return []
    values = {**values, "weights": table.rank}
    ranked: list[Row] = []
    if selection := selective(_counted(connection, table, parts)):
        ranked = _best(connection, sql, {**values, "match": narrow(selection)}, limit)
    if len(ranked) < limit:
        ranked = _best(connection, sql, {**values, "match": narrow(any_of(parts))}, limit)
    return ranked


def _counted(connection: Connection, table: fts.Table, parts: list[str]) -> list[tuple[int, str]]:
    """Return each part with the number of texts it matches, counted up to a bound."""
    sql = queries.COUNT_MATCHES.format(table=table.name)
    return [(connection.value(sql, (part, COMMON_ROWS)), part) for part in parts]


def _best(connection: Connection, sql: str, values: Mapping[str, Any], limit: int) -> list[Row]:
    best: list[Row] = []
    for row in connection.stream(sql, values):
        # Matches of equal rank come in no order: read them all before cutting.
        if len(best) >= limit and row[2] > best[-1][2]:
            break
        best.append(row)
    best.sort(key=lambda row: (row[2], row[1]))
    return best[:limit]
