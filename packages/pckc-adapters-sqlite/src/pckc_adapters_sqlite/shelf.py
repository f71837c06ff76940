"""
Texts of one kind, looked up by the parts of a query.

As for `belief_probe`, nothing heavy is imported.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import count
from typing import Any, Generic, NamedTuple, TypeVar

from pckc_domain.policy.analysis import index_terms

from pckc_adapters_sqlite.selection import COMMON_ROWS, any_of, selective

RANKS = {
    "claim": "bm25(1.0, 2.0, 1.0, 1.0, 0.0, 0.5)",
    "evidence": "bm25(1.0, 0.5)",
    "knowledge_paragraphs": "bm25(1.0, 1.0, 2.0, 2.0, 0.5)",
}
"""The rank of each full-text table, by its view; a test keeps them those that searches use."""

_COLUMNS_OF = {
    "claim": "text subject attribute value",
    "evidence": "text",
    "knowledge_paragraphs": "content summary section_heading symbols",
    "loose": "text",
}
"""Where words and phrases are looked for; extra terms have a column of their own, which words are looked for in too."""

_NAMED_IN = {"claim": "subject", "evidence": "text", "knowledge_paragraphs": "section_heading symbols", "loose": "text"}
"""Where names are looked for."""

_COUNT = "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)"

_AMONG = "SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid IN (SELECT value FROM json_each(?))"

_LOOSE = "CREATE VIRTUAL TABLE temp.{table} USING fts5 (text, terms, tokenize = 'porter unicode61')"
_LOOSE_NUMBERS = count(1)


class Part(NamedTuple):
    """What to look for: *kind* is word, phrase, name or term, as in `LexicalQuery`; *text* is plain words."""

    kind: str
    text: str


RowT = TypeVar("RowT")


class Shelf(Generic[RowT]):
    """Texts of one kind in a store."""

    def __init__(
        self, connection: sqlite3.Connection, view: str, row: Callable[..., RowT], sql: str, values: Mapping[str, Any]
    ) -> None:
        self._connection = connection
        self._view = view
        self._row = row
        self._sql = sql
        self._values = values

    def size(self) -> int:
        """Return about how many texts the store holds, old ones included."""
        (highest,) = self._connection.execute(f"SELECT coalesce(max(id), 0) FROM {self._view}_fts_docsize").fetchone()  # noqa: S608 - a name of this module
        return int(highest)

    def count(self, part: Part, /) -> int:
        """Return how many texts match *part*, old ones included, at most `COMMON_ROWS`."""
        sql = _COUNT.format(table=f"{self._view}_fts")
        (count,) = self._connection.execute(sql, (_expression(self._view, part), COMMON_ROWS)).fetchone()
        return int(count)

    def best(self, counted: Sequence[tuple[int, Part]], /, *, limit: int) -> list[RowT]:
        """Return the best matches of parts, each with its count; many that hold common words alone are passed over."""
        return [self._row(*row) for row in self._found(counted, limit)]

    def like(self, parts: Sequence[Part], /, *, limit: int) -> list[RowT]:
        """Return the best matches of *parts*; see `best`."""
        return self.best([(self.count(part), part) for part in parts], limit=limit)

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the texts with these *keys* match *part*."""
        sql = _AMONG.format(table=f"{self._view}_fts")
        found = self._connection.execute(sql, (_expression(self._view, part), str([*keys])))
        return {key for (key,) in found}

    def _found(self, counted: Sequence[tuple[int, Part]], limit: int) -> list[tuple[Any, ...]]:
        parts = [(count, _expression(self._view, part)) for count, part in counted if count]
        if not parts:
            return []
        match = selective(parts) or any_of(expression for _, expression in parts)
        values = {**self._values, "match": match, "rank": RANKS[self._view], "limit": limit}
        return self._connection.execute(self._sql, values).fetchall()


class LooseTexts:
    """Texts, by key, that no store holds as they are, looked up as if one did, in a temporary table of *connection*."""

    def __init__(self, connection: sqlite3.Connection, texts: Mapping[int, str]) -> None:
        self._connection = connection
        self._table = f"loose_{next(_LOOSE_NUMBERS)}"
        connection.execute(_LOOSE.format(table=self._table))
        rows = [(key, text, index_terms(text)) for key, text in texts.items()]
        connection.executemany(f"INSERT INTO temp.{self._table} (rowid, text, terms) VALUES (?, ?, ?)", rows)  # noqa: S608 - a name of this module

    def among(self, part: Part, /) -> set[int]:
        """Return the keys of the texts that match *part*."""
        sql = f"SELECT rowid FROM temp.{self._table} WHERE {self._table} MATCH ?"  # noqa: S608 - a name of this module
        return {key for (key,) in self._connection.execute(sql, (_expression("loose", part),))}


@contextmanager
def scratch() -> Iterator[sqlite3.Connection]:
    """Yield a connection to no store at all."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        yield connection


def _expression(view: str, part: Part) -> str:
    columns = _COLUMNS_OF[view]
    where = {"word": f"{columns} terms", "phrase": columns, "name": _NAMED_IN[view], "term": "terms"}[part.kind]
    return f"{{{where}}} : " + '"' + part.text.replace('"', '""') + '"'
