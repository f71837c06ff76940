"""
Full-text vectors and queries.

Words are cut and stemmed here, as every PCKC index does it, so that all stores find the same; PostgreSQL only keeps and
matches them. A vector holds the stems with their places: fields that name something have weight A, others D, and the
extra terms B, which phrases do not see. Lexemes that begin with ``=`` are whole extra terms, and those that begin with
``@`` say where the text belongs.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from operator import add
from typing import Any

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
MOST_REPEATED = 2_000
"""Lexemes that a vector may have, repeated ones counted, for the server to merge them."""

COUNTED = 3_000
"""Rows of a table in which matches are counted; in a larger one the planner's statistics estimate them."""

SELECTED_ROWS = 3_000
"""How many texts the selecting parts of a query may match together."""

_WEIGHTS = "'{1.0, 0.5, 1.0, 1.0}'"
"""Of D (text), B (extra terms), C and A, in PostgreSQL's order D, C, B, A."""


_ALONE = "SELECT set_config('max_parallel_workers_per_gather', '0', true)"
"""A plan for several processes has another shape; and who searches is one of many."""


def stems(text: str) -> list[str]:
    """Return the stems of the words of *text*, in order."""
    return [*map(_stem, text_tokens(clean(text)))]


def vector(*, names: Iterable[str], texts: Iterable[str], terms: str, marks: Iterable[str]) -> str:
    """
    Return a ``tsvector`` literal of what a whole is named by, what else it says, its extra terms and where it belongs.

    A lexeme stands in a short one once for each of its places, which the server puts together.
    """
    lexemes = [_quoted(f"@{mark}") for mark in marks]
    places = [""] * len(lexemes)
    place = 1
    for weight, fields in (("A", names), ("", texts)):
        for field in fields:
            if words := text_tokens(clean(field)):
                lexemes += map(_lexeme, words)
                places += _places(weight, place, len(words))
                place += len(words) + 2  # no phrase crosses from field to field
    for term in dict.fromkeys(clean(terms).split()):
        whole, *parts = _lexemes_of_term(term)
        lexemes += (whole, *parts)
        places += ("", *_places("B", place, len(parts), step=2))
        place += 2 * len(parts)
    if len(lexemes) > MOST_REPEATED:
        lexemes, places = _merged(lexemes, places)
    return " ".join(map(add, lexemes, places))


def _merged(lexemes: Iterable[str], places: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the first lexemes, each with all its places: the server takes a megabyte of lexemes."""
    found: dict[str, list[str]] = {}
    for lexeme, place in zip(lexemes, places, strict=True):
        known = found.setdefault(lexeme, [])
        if place:
            known.append(place.replace(":", ",", bool(known)))
    kept = dict(islice(found.items(), MOST_LEXEMES))
    return list(kept), ["".join(known[:255]) for known in kept.values()]


def _places(weight: str, start: int, count: int, *, step: int = 1) -> list[str]:
    """Return *count* places, written as behind lexemes; past the last one, it again."""
    written = _written(weight)
    found = written[start : start + count * step : step]
    return found if len(found) == count else found + written[-1:] * (count - len(found))


@cache
def _written(weight: str) -> list[str]:
    """Places are the same from text to text: writing them once saves a third of a vector's time."""
    return [f":{place}{weight}" for place in range(LAST_PLACE + 1)]


def _stem(token: str) -> str:
    token = token[:LONGEST_WORD]
    return token if len(token) < SHORTEST_STEMMED else stem_english(token)


@lru_cache(maxsize=65_536)
def _lexeme(token: str) -> str:
    return _quoted(_stem(token))


@lru_cache(maxsize=65_536)
def _lexemes_of_term(term: str) -> tuple[str, ...]:
    """Return the whole term's lexeme and those of its words; terms of code return again and again."""
    return _quoted(f"={term[:LONGEST_WORD]}"), *map(_quoted, stems(term))


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
    connection.rows(_ALONE)
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
