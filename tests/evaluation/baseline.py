"""
A plain full-text baseline over the evaluation set, and the measures both it and PCKC are judged by.

``python tests/evaluation/baseline.py`` prints the table. Each conversation is a store of its own: one FTS5 table with
the ``unicode61`` tokenizer over single turns, all words of the question quoted and OR-ed, ranked by bm25.
"""

import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DEPTH = 50
"""Ranks looked at; what is found deeper counts as not found."""

Record = dict[str, Any]
"""One JSON line."""


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """One transcript with its questions; *name* is ``<split>_<id>_<class>_<language>``."""

    name: str
    turns: Sequence[Record]
    questions: Sequence[Record]

    @property
    def split(self) -> str:
        """``dev``, ``dev2`` or ``held_out``."""
        return self.name.rsplit("_", 3)[0]

    @property
    def kind(self) -> str:
        """``people``, ``assistant`` or ``coding``."""
        return self.name.rsplit("_", 2)[1]

    @property
    def language(self) -> str:
        """``en`` or ``ru``."""
        return self.name.rsplit("_", 1)[1]


@dataclass(frozen=True, kw_only=True)
class Score:
    """The measures of one question, each from 0 to 1; None where a measure does not apply."""

    recall_1: float
    recall_5: float
    recall_10: float
    reciprocal_rank: float
    new_before_old: float | None
    both_sides_10: float | None


def conversations() -> list[Conversation]:
    """Return the whole set in order of name."""
    return [
        Conversation(name=path.stem, turns=_lines(path), questions=_lines(HERE / "questions" / path.name))
        for path in sorted((HERE / "transcripts").glob("*.jsonl"))
    ]


def ranked(conversation: Conversation) -> dict[str, list[str]]:
    """Return the baseline's ranked turn ids of each question, best first, at most `DEPTH`."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE VIRTUAL TABLE turn USING fts5(id UNINDEXED, text, tokenize='unicode61')")
        base.executemany("INSERT INTO turn VALUES (?, ?)", [(turn["id"], turn["text"]) for turn in conversation.turns])
        return {
            question["id"]: [
                row[0]
                for row in base.execute(
                    "SELECT id FROM turn WHERE turn MATCH ? ORDER BY rank, rowid LIMIT ?",
                    (" OR ".join(f'"{word}"' for word in re.findall(r"\w+", question["question"])), DEPTH),
                )
            ]
            for question in conversation.questions
        }


def score(question: Record, ids: Sequence[str]) -> Score:
    """Judge the ranked *ids* given as an answer to *question*."""
    place = {turn: rank for rank, turn in reversed(list(enumerate(ids[:DEPTH], 1)))}
    evidence = question["evidence_ids"]
    pair = question.get("pair", {})

    def best(side: str) -> float:
        return min((place[turn] for turn in pair[side] if turn in place), default=float("inf"))

    def recall(limit: int) -> float:
        return sum(place.get(turn, DEPTH + 1) <= limit for turn in evidence) / len(evidence)

    return Score(
        recall_1=recall(1),
        recall_5=recall(5),
        recall_10=recall(10),
        reciprocal_rank=max((1 / place[turn] for turn in evidence if turn in place), default=0.0),
        new_before_old=float(best("new") < best("old")) if "old" in pair else None,
        both_sides_10=float(max(best("a"), best("b")) <= 10) if "a" in pair else None,
    )


def table() -> str:
    """Return the baseline's measures by split, class, language and kind of question as aligned text."""
    rows = []
    for conversation in conversations():
        answers = ranked(conversation)
        rows += [
            (conversation, question, score(question, answers[question["id"]])) for question in conversation.questions
        ]
    groupings: list[Callable[[Conversation, Record], str]] = [
        lambda _c, _q: "all",
        lambda c, _q: f"split {c.split}",
        lambda c, _q: f"class {c.kind}",
        lambda c, _q: f"language {c.language}",
        lambda _c, q: f"kind {q['kind']}",
    ]
    lines = [
        f"{'':<20}{'n':>5}" + "".join(f"{name:>9}" for name in ("R@1", "R@5", "R@10", "MRR", "new<old", "both@10"))
    ]
    for group in groupings:
        for label in sorted({group(c, q) for c, q, _ in rows}):
            lines.append(_line(label, [s for c, q, s in rows if group(c, q) == label]))
    return "\n".join(lines)


def _line(label: str, scores: Sequence[Score]) -> str:
    columns = (
        _mean(s.recall_1 for s in scores),
        _mean(s.recall_5 for s in scores),
        _mean(s.recall_10 for s in scores),
        _mean(s.reciprocal_rank for s in scores),
        _mean(s.new_before_old for s in scores),
        _mean(s.both_sides_10 for s in scores),
    )
    return f"{label:<20}{len(scores):>5}" + "".join(f"{column:>9}" for column in columns)


def _mean(values: Iterable[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.3f}" if known else "-"


def _lines(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
