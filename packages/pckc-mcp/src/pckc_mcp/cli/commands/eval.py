"""``pckc eval retrieval``: measure how well evidence is found, beside a plain full-text OR-query."""

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.recall import IndexCoverage

from pckc_mcp.cli.output import print_json, print_text, progress_bar
from pckc_mcp.engine import Engine
from pckc_mcp.evaluation import COLUMNS, EXAMPLE, Baseline, Question, Ranking, measure, rank_events
from pckc_mcp.forms import answer
from pckc_mcp.opening import open_engine
from pckc_mcp.system_errors import remedy_of


def run(options: Namespace) -> int:
    """Rank the events for every question, and print the measures by kind."""
    questions = list(_questions(options.questions))
    if not questions:
        raise InvalidInputError(f"{options.questions} holds no question", remedy=f"a line is like {EXAMPLE}")
    with_semantic = options.semantic != "never"
    with (
        open_engine(options.project, store=options.store, with_semantic=with_semantic) as engine,
        progress_bar(quiet=options.quiet) as progress,
    ):
        questions, unknown = _resolved(engine, questions)
        if (projector := engine.projector()) is not None:
            projector.run(engine.scope, progress=progress)
        ranking = Ranking(name="pckc", ranked=rank_events(engine, questions, progress))
        rankings = [ranking]
        if options.baseline:
            baseline = Baseline(stored_events(engine))
            rankings.append(
                Ranking(name="baseline", ranked={item.id: baseline.rank(item.question) for item in questions})
            )
        why = engine.why_no_embedder if with_semantic else "--semantic never"
        signals = "hybrid" if engine.semantic else f"lexical only: {why}"
    if options.dump:
        _dump(options.dump, questions, rankings)
    form = answer(
        "eval",
        {"questions": IndexCoverage(indexed=len(questions), total=len(questions))},
        signals=signals,
        unknown_ids=unknown,
        measures={item.name: measure(questions, item.ranked) for item in rankings},
    )
    if options.json:
        print_json(form)
    else:
        print_text(_text(form))
    return 0


def _questions(file: Path) -> Iterator[Question]:
    try:
        with file.open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield Question.read(line, number)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{file} cannot be read: {error}") from error


def _resolved(engine: Engine, questions: list[Question]) -> tuple[list[Question], int]:
    """Return the questions with the transcripts' ids, and how many of the ids they name nothing stored has."""
    known = {event for event, _ in stored_events(engine)}
    unsettled = sorted({id for question in questions for id in question.named_ids} - known)
    with engine.canonical.reading(engine.scope) as work:
        found = work.evidence.get(unsettled)
    events = {evidence.id: evidence.source_id or evidence.event_id for evidence in found}
    return [question.with_events(events) for question in questions], len(unsettled) - len(events)


def stored_events(engine: Engine) -> Iterator[tuple[str, str]]:
    """Yield the transcripts' own id and the text of every stored event that has a text."""
    after = ""
    with engine.canonical.reading(engine.scope) as work:
        while page := work.sessions.find(after=after, limit=100):
            for session in page:
                for event in work.sessions.events(session.id):
                    if event.text:
                        yield event.source_id or event.id, event.text
            after = page[-1].id


def _dump(file: Path, questions: list[Question], rankings: list[Ranking]) -> None:
    try:
        with file.open("w", encoding="utf-8") as stream:
            for question in questions:
                ranked = {item.name: item.ranked[question.id] for item in rankings}
                stream.write(json.dumps({"id": question.id, **ranked}, ensure_ascii=False) + "\n")
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be written: {error.strerror}", remedy=remedy_of(error)) from error


def _text(form: dict[str, Any]) -> str:
    lines = [form["signals"]]
    if form["unknown_ids"]:
        lines.append(f"{form['unknown_ids']} ids of the questions are stored nowhere: they count as not found")
    for name, kinds in form["measures"].items():
        named = {column for measures in kinds.values() for column in measures}
        columns = [column for column in COLUMNS if column in named]
        lines.append(f"\n{name:12}" + "".join(f"{column:>18}" for column in columns))
        for kind, measures in kinds.items():
            lines.append(f"{kind:12}" + "".join(f"{_number(measures, column):>18}" for column in columns))
    return "\n".join(lines)


def _number(measures: dict[str, float], column: str) -> str:
    if column not in measures:
        return "-"
    return f"{measures[column]:.0f}" if column == "questions" else f"{measures[column]:.3f}"
