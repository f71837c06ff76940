"""
Full-text vectors and queries.

Words are cut and stemmed here, as every PCKC index does it, so that all stores find the same; PostgreSQL only keeps and
matches them. A vector holds the stems with their places: fields that name something have weight A, others D, and the
extra terms B, which phrases do not see. Lexemes that begin with ``=`` are whole extra terms, and those that begin with
``@`` say where the text belongs.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import attrs
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.analysis import stem_english, text_tokens

from pckc_adapters_postgres.connection import Connection
from pckc_adapters_postgres.values import clean

SHORTEST_STEMMED = 3
"""Shorter words are left alone, as SQLite's porter tokenizer does."""

LAST_PLACE = 16_000
"""PostgreSQL counts places up to 16,383; what stands behind is found, but not in phrases."""

LONGEST_WORD = 200
LONGEST_RUN = 40
"""Words of a phrase that are looked at."""

MOST_LEXEMES = 50_000

COUNTED = 3_000
"""Rows of a table in which matches are counted; in a larger one the planner's statistics estimate them."""

SELECTED_ROWS = 3_000
"""How many texts the selecting parts of a query may match together."""

_WEIGHTS = "'{1.0, 0.5, 1.0, 1.0}'"
"""Of D (text), B (extra terms), C and A, in PostgreSQL's order D, C, B, A."""


@attrs.frozen(kw_only=True)
class Field:
    """A text to index; *is_name* when it names what the whole speaks of."""

    text: str
    is_name: bool = False


def stems(text: str) -> list[str]:
    """Return the stems of the words of *text*, in order."""
    return [*map(_stem, text_tokens(clean(text)))]


def vector(fields: Iterable[Field], terms: str, marks: Iterable[str]) -> str:
    """Return a ``tsvector`` literal."""
    places: dict[str, list[str]] = {_quoted(f"@{mark}"): [] for mark in marks}
    place = 1
    for field in fields:
        weight = "A" if field.is_name else "D"
        for lexeme in map(_lexeme, text_tokens(clean(field.text))):
            at = f"{place if place < LAST_PLACE else LAST_PLACE}{weight}"
            if found := places.get(lexeme):
                found.append(at)
            else:
                places[lexeme] = [at]
            place += 1
        place += 2  # no phrase crosses from field to field
    for term in dict.fromkeys(clean(terms).split()):
        places.setdefault(_quoted(f"={term[:LONGEST_WORD]}"), [])
        for lexeme in _lexemes_of_term(term):
            places.setdefault(lexeme, []).append(f"{min(place, LAST_PLACE)}B")
            place += 2
    kept = islice(places.items(), MOST_LEXEMES)
    return " ".join([f"{lexeme}:{','.join(found[:255])}" if found else lexeme for lexeme, found in kept])


def _stem(token: str) -> str:
    token = token[:LONGEST_WORD]
    return token if len(token) < SHORTEST_STEMMED else stem_english(token)


@lru_cache(maxsize=65_536)
def _lexeme(token: str) -> str:
    return _quoted(_stem(token))


@lru_cache(maxsize=65_536)
def _lexemes_of_term(term: str) -> tuple[str, ...]:
    """Terms of code return again and again."""
    return tuple(map(_quoted, stems(term)))


def parts(query: LexicalQuery) -> list[str]:
    """Return each part of *query* as a ``tsquery`` literal; what holds no word gives none."""
    runs = [
        *(_run(stems(word), "") for word in query.words),
        *(_run(stems(" ".join(phrase)), "AD") for phrase in query.phrases),
        *(_run(stems(" ".join(name)), "A") for name in query.names),
        *(_quoted(f"={clean(term)[:LONGEST_WORD]}") for term in query.terms if term.strip()),
    ]
    return [run for run in dict.fromkeys(runs) if run]


def search(
    connection: Connection,
    table: str,
    query: LexicalQuery,
    *,
    marks: Sequence[str],
    condition: str,
    values: Mapping[str, Any],
    limit: int,
    joined: str = "",
) -> list[tuple[int, str, float]]:
    """
    Return key, id and score of the *limit* best matches of *query* among the rows ``t`` of *table* with all *marks*.

    A row scores ``ln(1 + n / m)`` for each part that m of n rows hold, a little more where it holds the part often and
    is short. Like in the other stores, the rarest parts select when there are many matches.
    """
    found = parts(query)
    if not found or limit < 1:
        return []
    mark = " & ".join(_quoted(f"@{mark}") for mark in marks)
    total, counts = _frequencies(connection, table, mark, found)
    weights = {part: math.log1p(max(total, *counts.values()) / max(count, 1)) for part, count in counts.items()}
    scored = " + ".join(
        f"CASE WHEN t.words @@ %(part{i})s::tsquery THEN %(weight{i})s::float8 "
        f"* (1 + ts_rank({_WEIGHTS}, t.words, %(part{i})s::tsquery, 1)) ELSE 0 END"
        for i in range(len(found))
    )
    sql = f"""
        SELECT t.key, t.id, ({scored})::float8 AS score FROM {table} t {joined}
        WHERE true {condition} ORDER BY score DESC, t.id LIMIT %(limit)s
    """  # noqa: S608 - put together from constants
    bound: dict[str, Any] = {**values, "limit": limit}
    bound |= {f"part{i}": part for i, part in enumerate(found)}
    bound |= {f"weight{i}": weights[part] for i, part in enumerate(found)}
    ranked: list[tuple[int, str, float]] = []
    for selection in (_selective(counts), " | ".join(f"({part})" for part in found)):
        if selection is None:
            continue
        with connection.searching(words=f"{mark} & ({selection})"):
            ranked = [(key, id_, score) for key, id_, score in connection.rows(sql, bound)]
        if len(ranked) >= limit:
            break
    return ranked


def _frequencies(
    connection: Connection, table: str, mark: str, found: Sequence[str]
) -> tuple[float, Mapping[str, float]]:
    """Return how many rows *table* has, and how many match each part: counted while they are few, else estimated."""
    names = [f"{mark} & ({part})" for part in found]
    asked = " UNION ALL ".join([f"SELECT 1 FROM {table} WHERE words @@ %s::tsquery"] * len(names))  # noqa: S608
    plan = connection.value(f"EXPLAIN (FORMAT JSON) SELECT 1 FROM {table} UNION ALL {asked}", names)  # noqa: S608
    total, *estimates = (float(each["Plan Rows"]) for each in plan[0]["Plan"]["Plans"])
    if total > COUNTED:
        return total, dict(zip(found, estimates, strict=True))
    counted = ", ".join(["count(*) FILTER (WHERE words @@ %s::tsquery)"] * len(names))
    ((total, *counts),) = connection.rows(f"SELECT count(*), {counted} FROM {table}", names)  # noqa: S608 - our names
    return float(total), dict(zip(found, map(float, counts), strict=True))


def _selective(counts: Mapping[str, float]) -> str | None:
    """Return a query that matches few rows, the best ones among them; ``None`` when all parts are needed anyway."""
    ordered = sorted(counts, key=lambda part: (counts[part], part))
    chosen, total = [], 0.0
    for part in ordered:
        total += counts[part]
        if total > SELECTED_ROWS:
            break
        chosen.append(part)
    if len(chosen) == len(ordered) or len(ordered) == 1:
        return None
    if chosen:
        return " | ".join(f"({part})" for part in chosen)
    return " & ".join(f"({part})" for part in ordered[:2])


def _run(run: Sequence[str], weights: str) -> str:
    suffix = f":{weights}" if weights else ""
    return " <-> ".join(f"{_quoted(stem)}{suffix}" for stem in run[:LONGEST_RUN])


def _quoted(lexeme: str) -> str:
    if lexeme.isalnum():
        return lexeme
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
