"""The full-text tables, one per layer and one each for evidence, claims and symbols, and queries in their language."""

from collections.abc import Iterable

import attrs
from pckc_domain.model.passage import Layer
from pckc_domain.model.query import LexicalQuery

from pckc_adapters_sqlite.rows import clean
from pckc_adapters_sqlite.selection import any_of


@attrs.frozen(kw_only=True)
class Table:
    """
    A full-text table.

    Attributes:
        view: The view that its text comes from; the table's name is that and ``_fts``.
        weights: Weight in BM25 of each column, in the table's order; 0 for what only filters.
        entries: Which entries are inserted and deleted together, as a condition on the view.
    """

    view: str
    weights: dict[str, float]
    entries: str = "document_key = ?"

    @property
    def name(self) -> str:
        return f"{self.view}_fts"

    @property
    def rank(self) -> str:
        """The ranking function, as ``rank MATCH`` takes it."""
        return f"bm25({', '.join(map(str, self.weights.values()))})"

    @property
    def insert(self) -> str:
        """Put `entries` into the index."""
        columns = ", ".join(self.weights)
        return (
            f"INSERT INTO {self.name} (rowid, {columns}) "  # noqa: S608  # names from this module
            f"SELECT key, {columns} FROM {self.view} WHERE {self.entries} ORDER BY key"
        )

    @property
    def delete(self) -> str:
        """Take `entries` out of the index; they must still be stored as they were."""
        columns = ", ".join(self.weights)
        return (
            f"INSERT INTO {self.name} ({self.name}, rowid, {columns}) "  # noqa: S608  # names from this module
            f"SELECT 'delete', key, {columns} FROM {self.view} WHERE {self.entries}"
        )

    @property
    def check(self) -> str:
        """Compare the index with the view; raises when they differ."""
        columns = f"{self.name}, rank"  # a rank of 1 asks to read the view too
        return f"INSERT INTO {self.name} ({columns}) VALUES ('integrity-check', 1)"  # noqa: S608  # names from this module


TABLES = {
    Layer.CHUNK: Table(
        view="knowledge_chunks",
        weights={"content": 1.0, "heading": 2.0, "symbols": 2.0, "module": 1.0, "tags": 1.0, "terms": 0.5},
    ),
    Layer.PARAGRAPH: Table(
        view="knowledge_paragraphs",
        weights={"content": 1.0, "summary": 1.0, "section_heading": 2.0, "symbols": 2.0, "terms": 0.5},
    ),
    Layer.PROPOSITION: Table(
        view="knowledge_propositions",
        weights={"proposition_text": 1.0, "subject": 1.0, "proposition_type": 0.0, "terms": 0.5},
    ),
    Layer.SUMMARY: Table(
        view="knowledge_summaries",
        weights={"summary_text": 1.0, "purpose": 1.0, "key_symbols": 2.0, "granularity_level": 0.0, "terms": 0.5},
    ),
}

_BY_KEY = "key IN (SELECT value FROM json_each(?))"

EVIDENCE = Table(view="evidence", weights={"text": 1.0, "terms": 0.5}, entries=_BY_KEY)

CLAIMS = Table(
    view="claim",
    weights={"text": 1.0, "subject": 2.0, "attribute": 1.0, "value": 1.0, "type": 0.0, "terms": 0.5},
    entries=_BY_KEY,
)

SYMBOLS = Table(
    view="graph_symbol",
    weights={
        "name": 4.0,
        "qualified_name": 1.0,
        "signature": 1.0,
        "doc": 1.0,
        "text": 1.0,
        "path": 0.5,
        "terms": 0.5,
    },
    entries="file_key IN (SELECT value FROM json_each(?))",
)

ALL_TABLES = (*TABLES.values(), EVIDENCE, CLAIMS, SYMBOLS)

_NAMES = {"heading", "section_heading", "symbols", "key_symbols", "subject", "name", "qualified_name"}
_FILTERS = {"proposition_type", "granularity_level", "type"}


def parts(table: Table, query: LexicalQuery) -> list[str]:
    """Return each part of *query* as an expression of its own in FTS5's query language."""
    searched = [column for column in table.weights if column not in _FILTERS]
    everywhere = f"{{{' '.join(searched)}}}"
    in_text = f"{{{' '.join(column for column in searched if column != 'terms')}}}"
    in_names = f"{{{' '.join(column for column in searched if column in _NAMES)}}}"
    return [
        *(f"{everywhere} : {_quoted(word)}" for word in dict.fromkeys(query.words)),
        *(f"{in_text} : {_quoted(' '.join(phrase))}" for phrase in dict.fromkeys(query.phrases)),
        *(f"{in_names} : {_quoted(' '.join(name))}" for name in dict.fromkeys(query.names) if in_names != "{}"),
        *(f"{{terms}} : {_quoted(term)}" for term in dict.fromkeys(query.terms)),
    ]


def of_types(types: Iterable[str], expression: str) -> str:
    """Return the expression that matches what *expression* does, among claims of *types*; no types means all."""
    kinds = any_of(f"{{type}} : {_quoted(kind)}" for kind in sorted(types))
    return f"({kinds}) AND ({expression})" if kinds else expression


def _quoted(text: str) -> str:
    """Return *text* as an FTS5 string; a NUL would end the expression, and separates words anyway."""
    return '"' + clean(text).replace("\0", " ").replace('"', '""') + '"'
