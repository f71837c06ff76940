"""``pckc search``: one query, or a file of them."""

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pckc_domain.errors import InvalidInputError, PckcError
from pckc_domain.model.recall import SearchAnswer
from pckc_domain.usecases.recall import PassageSearch

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.engine import Engine, open_engine
from pckc_mcp.forms import search_form, symbol_of
from pckc_mcp.requests import search_request

BATCH_OPTIONS = ("layer", "type", "intent", "path", "limit")


def run(options: Namespace) -> int:
    """Search and print the results."""
    with_semantic = wants_semantic(options, in_batch=options.batch is not None)
    with open_engine(options.project, store=options.store, with_semantic=with_semantic) as engine:
        check_semantic(engine, options)
        searching = engine.search(engine.semantic)
        if options.batch:
            for line in _lines(options.batch):
                print_json(_answer_line(engine, searching, options, line))
            return 0
        request = search_request(
            options.query,
            layers=options.layer or (),
            types=options.type,
            intent=options.intent,
            paths=options.path,
            limit=options.limit,
        )
        found = searching.search(engine.scope, request, checkout_id=engine.checkout.id)
        if options.json:
            print_json(search_form(found))
        else:
            print_text(_text(found))
    return 0


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


def _lines(file: Path) -> Iterator[str]:
    try:
        with file.open(encoding="utf-8-sig") as stream:
            yield from (line for line in stream if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{file} cannot be read: {error}") from error


def _answer_line(engine: Engine, searching: PassageSearch, options: Namespace, line: str) -> dict[str, Any]:
    """Answer one line; a faulty one gets an error in its place, so that the order holds."""
    identity = None
    try:
        query = _query(line)
        identity = query.get("id")
        request = search_request(
            query["query"],
            layers=_names(query, "layer", options.layer or []),
            types=_names(query, "type", options.type),
            intent=query.get("intent", options.intent),
            paths=_names(query, "path", options.path),
            limit=query.get("limit", options.limit),
        )
        return {"id": identity, **search_form(searching.search(engine.scope, request, checkout_id=engine.checkout.id))}
    except PckcError as error:
        return {"id": identity, "error": {"code": error.code, "message": error.message, "remedy": error.remedy}}


def _query(line: str) -> dict[str, Any]:
    try:
        query = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"not a JSON object: {line[:60]!r}") from error
    if not isinstance(query, dict) or not isinstance(query.get("query"), str):
        raise InvalidInputError('a batch line needs a "query" text', remedy='{"id": "1", "query": "…"}')
    if unknown := sorted(query.keys() - {"id", "query", *BATCH_OPTIONS}):
        raise InvalidInputError(f"unknown key {unknown[0]!r}", remedy=f"known: id, query, {', '.join(BATCH_OPTIONS)}")
    return query


def _names(query: dict[str, Any], key: str, default: list[str]) -> list[str]:
    value = query.get(key, default)
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidInputError(f"{key} must be a text or a list of texts, not {value!r}")
    return names


def _text(found: SearchAnswer) -> str:
    lines = [f"{found.preference.reason} ({found.signals})"]
    if not found.is_complete:
        lines.append("the index is not complete: run `pckc index`")
    for number, result in enumerate(found.results, start=1):
        passage, document = result.stored.passage, result.stored.document
        symbol = f" {symbol_of(passage)}" if symbol_of(passage) else ""
        changed = " (changed since)" if result.is_changed else ""
        head = passage.text.strip().splitlines()[:6]
        lines.append(
            f"\n{number}. {document.uri}:{passage.start_line}-{passage.end_line}{symbol}"
            f"  [{result.layer} {result.score:.3f}]{changed}\n   {passage.id}"
        )
        lines.extend(f"   | {line[:160]}" for line in head)
    if not found.results:
        lines.append("nothing found")
    return "\n".join(lines)
