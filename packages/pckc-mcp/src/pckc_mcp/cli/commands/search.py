"""``pckc search``: one query, or a file of them."""

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
from pckc_domain.errors import InvalidInputError, PckcError
from pckc_domain.policy.rendering import inline, since_text

from pckc_mcp.cli.output import note, print_json, print_text, quoted
from pckc_mcp.cli.places import prefixes
from pckc_mcp.engine import Engine
from pckc_mcp.forms import (
    Form,
    behind_text,
    bounds_text,
    changes_text,
    evidence_text,
    finds_documents,
    passage_place,
    until_text,
)
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.opening import open_engine
from pckc_mcp.searching import Searching, SearchOptions

BATCH_LISTS = {"layer": "layers", "type": "types", "path": "paths", "status": "status", "session": "sessions"}
BATCH_TEXTS = ("intent", "as_of", "known_at", "cursor")
BATCH_EXAMPLE = '{"id": "1", "query": "…"}'


def run(options: Namespace) -> int:
    """Search and print the results."""
    if options.batch and options.query:
        raise InvalidInputError("a query and --batch together", remedy="put the query into the batch, or leave one out")
    with_semantic = wants_semantic(options, in_batch=options.batch is not None)
    with open_engine(options.project, store=options.store, with_semantic=with_semantic) as engine:
        take_in_if_possible(engine)
        check_semantic(engine, options)
        searching = Searching(engine, engine.semantic)
        asked = _options(options, prefixes(engine, options.path, quiet=options.quiet))
        if options.batch:
            failed = 0
            for line in _batch(options.batch):
                form = _answer_line(searching, asked, line)
                failed += "error" in form
                print_json(form)
            return 1 if failed else 0
        if not (options.query.strip() or options.quiet):
            note('pckc: empty query: say what to look for, such as `pckc search "token budget"`')
        form = searching.answer(options.query, asked)
        if options.json:
            print_json(form)
        else:
            print_text("\n".join([*([] if options.quiet else _notes(form)), *_lines(form)]))
    return 0


def _options(options: Namespace, paths: Sequence[str]) -> SearchOptions:
    return SearchOptions(
        layers=options.layer or (),
        types=options.type,
        intent=options.intent,
        paths=paths,
        status=options.status,
        sessions=options.session,
        as_of=options.as_of,
        known_at=options.known_at,
        limit=options.limit,
        cursor=options.cursor,
    )


def wants_semantic(options: Namespace, *, in_batch: bool) -> bool:
    """Return whether to open the embedder: bulk work waits for its model, a lone query does not."""
    return options.semantic == "always" or (options.semantic == "auto" and in_batch)


def check_semantic(engine: Engine, options: Namespace) -> None:
    """
    Refuse ``--semantic always`` where nothing can embed.

    Raises:
        InvalidInputError: No embedder is installed.
    """
    if engine.semantic is None and options.semantic == "always":
        raise InvalidInputError(
            f"--semantic always: {engine.why_no_embedder}", remedy="install the extra pckc-mcp[embedded]"
        )


def _batch(file: Path) -> Iterator[str]:
    """Yield the lines of a file, or of stdin when it is called ``-``."""
    try:
        source = sys.stdin.fileno() if str(file) == "-" else file
        with open(source, encoding="utf-8-sig", closefd=source is file) as stream:
            yield from (line for line in stream if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{file} cannot be read: {error}") from error


def _answer_line(searching: Searching, asked: SearchOptions, line: str) -> Form:
    """Answer one line; a faulty one gets an error in its place, so that the order holds."""
    identity = None
    try:
        query = _object(line)
        identity = query.get("id")
        _check(query)
        changes: dict[str, Any] = {field: _names(query, key) for key, field in BATCH_LISTS.items() if key in query}
        changes |= {key: _text_of(query, key) for key in BATCH_TEXTS if key in query}
        options = attrs.evolve(asked, **changes, limit=query.get("limit", asked.limit))
        return {"id": identity, **searching.answer(query["query"], options)}
    except PckcError as error:
        return {"id": identity, "error": {"code": error.code, "message": error.message, "remedy": error.remedy}}


def _object(line: str) -> dict[str, Any]:
    try:
        query = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"not a JSON object: {line[:60]!r}", remedy=BATCH_EXAMPLE) from error
    if not isinstance(query, dict):
        raise InvalidInputError(f"not a JSON object: {line[:60]!r}", remedy=BATCH_EXAMPLE)
    return query


def _check(query: dict[str, Any]) -> None:
    if not isinstance(query.get("query"), str):
        raise InvalidInputError('a batch line needs a "query" text', remedy=BATCH_EXAMPLE)
    known = {"id": "", "query": "", "limit": "", **BATCH_LISTS, **dict.fromkeys(BATCH_TEXTS)}
    if unknown := sorted(query.keys() - known):
        raise InvalidInputError(f"unknown key {unknown[0]!r}", remedy=f"known: {', '.join(known)}")


def _text_of(query: dict[str, Any], key: str) -> str:
    if not isinstance(query[key], str):
        raise InvalidInputError(f"{key} must be a text, not {query[key]!r}")
    return str(query[key])


def _names(query: dict[str, Any], key: str) -> list[str]:
    value = query[key]
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidInputError(f"{key} must be a text or a list of texts, not {value!r}")
    return names


def _notes(form: Form) -> list[str]:
    notes = [f"{form['reason'] or 'memory'} ({form['signals']})", *form["notes"]]
    if changed := changes_text(form["changes"]):
        notes.append(f"{changed}: run `pckc sync`")
    elif form["is_complete"] is False and not (form["indexed_at"] is None and finds_documents(form)):
        notes.append("the index is not complete: run `pckc index`")
    if behind := behind_text(form["coverage"]):
        notes.append(f"{behind}: what changed last is found by its words")
    return notes


def _lines(form: Form) -> list[str]:
    lines = []
    for number, result in enumerate(form["results"], start=1):
        head, foreign = _head(result)
        lines += ["", f"{number}. {head}", f"   {result['id']}", *(f"   {line}" for line in foreign)]
        shown = "\n".join(line[:160] for line in result["text"].strip().splitlines()[:6])
        lines.append(quoted(shown, indent="   "))
        for claim in result["history"][:2]:
            lines += [
                f"   before: {claim['id']} (until {claim['valid_to']})",
                quoted(claim["text"], most=120, indent="   "),
            ]
        for claim in result["conflicts"]:
            lines += [f"   against: {claim['id']}", quoted(claim["text"], most=120, indent="   ")]
    if not form["results"]:
        lines.append("nothing found")
    return lines


def _head(result: Form) -> tuple[str, list[str]]:
    """Return what a result is, and quoted lines of where it stands when a document from outside says that."""
    if result["kind"] == "claim":
        since = f"{since_text(result['valid_from'][:10])}{until_text(result)}{inline(bounds_text(result))}"
        return f"{result['type']} {result['status']}, {result['authority']}, {since}", []
    if result["kind"] == "evidence":
        who = f"{inline(result['speaker'] or result['type'])} in {inline(result['session'])}"
        return f"{who}, {result['valid_from'] or 'no time'}  [{evidence_text(result)}]", []
    place, foreign = passage_place(result)
    symbol = f" {inline(result['symbol'])}" if result["symbol"] and not foreign else ""
    changed = " (changed since)" if result["status"] == "stale" else ""
    return f"{place}{symbol}  [{result['kind']} {result['score']:.3f}]{changed}", foreign
