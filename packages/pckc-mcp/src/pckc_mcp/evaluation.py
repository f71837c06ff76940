"""Measures of retrieval over events, and the plain full-text search they are compared with."""

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.progress import Progress, ProgressListener

from pckc_mcp.engine import Engine
from pckc_mcp.requests import memory_request

DEPTH = 50
"""How many events are ranked for a question."""

CUTS = (1, 5, 10)
PAIR = ("old", "new", "a", "b")
COLUMNS = ("questions", *(f"recall@{cut}" for cut in CUTS), "mrr", "new_before_old", "both_sides@10")
EXAMPLE = '{"id": "1", "question": "…", "evidence_ids": ["…"], "pair": {"old": [], "new": []}}'


@attrs.frozen(kw_only=True)
class Question:
    """
    A question with known evidence.

    Attributes:
        id: Its id.
        question: In words.
        evidence_ids: Ids of the events that answer it, as the transcripts or PCKC call them.
        kind: Group to report it under; ``""`` when none.
        old: Events that state the value before it changed.
        new: Events that state the value now.
        a: Events of one side of a conflict.
        b: Events of the other side.
    """

    id: str
    question: str
    evidence_ids: tuple[str, ...]
    kind: str = ""
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()

    @classmethod
    def read(cls, line: str, number: int) -> "Question":
        """
        Read one line.

        Raises:
            InvalidInputError: It is no question; names the line.
        """
        record = _record(line, number)
        pair = record.get("pair") or {}
        if not isinstance(pair, dict):
            raise _no_question(number, "its pair is no object")
        if missing := [key for key in ("id", "question", "evidence_ids") if key not in record]:
            raise _no_question(number, f"it has no {missing[0]}")
        lists = {"evidence_ids": record["evidence_ids"], **{side: pair.get(side) or () for side in PAIR}}
        if wrong := [name for name, ids in lists.items() if not isinstance(ids, list | tuple)]:
            raise _no_question(number, f"its {wrong[0]} is no list")
        return cls(
            id=str(record["id"]),
            question=str(record["question"]),
            kind=str(record.get("kind") or ""),
            **{name: tuple(map(str, ids)) for name, ids in lists.items()},
        )

    @property
    def named_ids(self) -> frozenset[str]:
        """All the events it names."""
        return frozenset((*self.evidence_ids, *self.old, *self.new, *self.a, *self.b))

    def with_events(self, events: Mapping[str, str]) -> "Question":
        """Return it with every id that *events* knows replaced, such as that of a piece of evidence by its event's."""

        def named(ids: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(events.get(identity, identity) for identity in ids)

        return attrs.evolve(
            self,
            evidence_ids=named(self.evidence_ids),
            old=named(self.old),
            new=named(self.new),
            a=named(self.a),
            b=named(self.b),
        )


def _record(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _no_question(number, "it is no JSON") from error
    if not isinstance(record, dict):
        raise _no_question(number, "it is no JSON object")
    return record


def _no_question(number: int, why: str) -> InvalidInputError:
    return InvalidInputError(f"line {number} is no question: {why}", remedy=f"a line is like {EXAMPLE}")


@attrs.frozen(kw_only=True)
class Ranking:
    """The ranked event ids of every question, by question id."""

    name: str
    ranked: Mapping[str, Sequence[str]]


def rank_events(engine: Engine, questions: Sequence[Question], progress: ProgressListener) -> dict[str, list[str]]:
    """Return the events that PCKC finds for every question, best first, by question id."""
    search = engine.evidence_search(engine.semantic)
    ranked = {}
    for done, question in enumerate(questions, start=1):
        found = search.search(engine.scope, memory_request(question.question, limit=DEPTH))
        ranked[question.id] = [result.source_id for result in found.results]
        progress(Progress(stage="asking", done=done, total=len(questions)))
    return ranked


class Baseline:
    """A plain FTS5 OR-query over the same events: default tokenizer, every word of the question, BM25."""

    def __init__(self, events: Iterable[tuple[str, str]]) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE event USING fts5 (id UNINDEXED, text)")
        rows = ((event, text.encode("utf-8", "replace").decode()) for event, text in events)
        self._connection.executemany("INSERT INTO event (id, text) VALUES (?, ?)", rows)

    def rank(self, question: str) -> list[str]:
        """Return the ids of the events that match any word, best first."""
        words = dict.fromkeys(re.findall(r"\w+", question.lower()))
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        rows = self._connection.execute(
            "SELECT id FROM event WHERE event MATCH ? ORDER BY rank, rowid LIMIT ?", (query, DEPTH)
        )
        return [row[0] for row in rows]


def measure(questions: Sequence[Question], ranked: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Return the measures over all questions and by kind."""
    groups: dict[str, list[Question]] = {"all": list(questions)}
    for question in questions:
        if question.kind:
            groups.setdefault(question.kind, []).append(question)
    return {name: _measures(group, ranked) for name, group in groups.items()}


def _measures(questions: Sequence[Question], ranked: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """
    Return recall@k (share of a question's evidence among the first k), MRR, and the two pair measures.

    new_before_old: share of the updated questions where the first new event stands before the first old one within the
    ranked depth; both_sides@10: share of the conflict questions with an event of each side among the first ten.
    """
    asked = [question for question in questions if question.evidence_ids]
    measures: dict[str, float] = {"questions": float(len(questions))}
    if asked:
        for cut in CUTS:
            measures[f"recall@{cut}"] = _mean(_recall(question, ranked[question.id][:cut]) for question in asked)
        measures["mrr"] = _mean(_reciprocal_rank(question, ranked[question.id]) for question in asked)
    if updated := [question for question in questions if question.old and question.new]:
        measures["new_before_old"] = _mean(_new_before_old(question, ranked[question.id]) for question in updated)
    if conflicts := [question for question in questions if question.a and question.b]:
        measures["both_sides@10"] = _mean(_both_sides(question, ranked[question.id][:10]) for question in conflicts)
    return {name: round(value, 4) for name, value in measures.items()}


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def _recall(question: Question, found: Sequence[str]) -> float:
    return len(set(question.evidence_ids) & set(found)) / len(set(question.evidence_ids))


def _reciprocal_rank(question: Question, found: Sequence[str]) -> float:
    first = _first(found, question.evidence_ids)
    return 1 / (first + 1) if first is not None else 0.0


def _new_before_old(question: Question, found: Sequence[str]) -> float:
    new, old = _first(found, question.new), _first(found, question.old)
    return float(new is not None and (old is None or new < old))


def _both_sides(question: Question, found: Sequence[str]) -> float:
    return float(bool(set(question.a) & set(found)) and bool(set(question.b) & set(found)))


def _first(found: Sequence[str], wanted: Iterable[str]) -> int | None:
    places = [place for place, event in enumerate(found) if event in set(wanted)]
    return min(places, default=None)
