"""``memory_search``: passages that answer a query, page by page."""

from typing import Any

import attrs
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.recall import PassageResult, SearchAnswer
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING, quote

from pckc_mcp.forms import search_form
from pckc_mcp.requests import search_request
from pckc_mcp.server.arguments import Cursor, Intent, Layers, Limit, Paths, Query, ResponseFormat, Types
from pckc_mcp.server.declaration import Declaration, Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.notes import index_note

REACH = 50
"""Results that paging can reach. Every page is cut from one ranking of this length, so that pages never overlap."""

LINE_CHARACTERS = 160
CONCISE_KEYS = ("id", "kind", "type", "text", "score", "status", "path", "start_line", "end_line", "symbol")


def memory_search(
    memory: Memory,
    query: Query,
    layers: Layers = (),
    types: Types = (),
    intent: Intent = "unknown",
    paths: Paths = (),
    limit: Limit = 10,
    cursor: Cursor = "",
    response_format: ResponseFormat = "concise",
) -> Reply:
    """
    Search the project's memory: facts and rules (propositions), functions and sections (paragraphs), overviews
    (summaries) and surrounding code (chunks).

    A concise result is one line: id, path:lines, [layer score], the first line of its text. Ask again with detailed
    for full texts and proofs. Any language, any characters; no query syntax.
    """
    start = _start(cursor)
    request = search_request(query, layers=layers, types=types, intent=intent, paths=paths, limit=REACH)
    engine = memory.engine
    found = memory.search().search(engine.scope, request, checkout_id=engine.checkout.id)
    page = found.results[start : start + limit]
    more = str(start + limit) if start + limit < len(found.results) else ""
    return Reply(
        text=_text(found, page, more, response_format),
        form=_form(found, page, more, response_format),
    )


def _start(cursor: str) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and int(cursor[:3]) <= REACH):
        raise InvalidInputError(
            f"{cursor[:40]!r} is no cursor", remedy="pass the next_cursor of the previous page, or leave it out"
        )
    return int(cursor[:3])


def _text(found: SearchAnswer, page: tuple[PassageResult, ...], more: str, response_format: str) -> str:
    head = index_note(found.indexed_at, is_complete=found.is_complete)
    if not page:
        return f"{head}Nothing found. {found.preference.reason} ({found.signals})"
    line = _line if response_format == "concise" else _block
    blocks = [OPENING, NOTICE, f"{found.preference.reason} ({found.signals})", *map(line, page), CLOSING]
    tail = f'\nMore: the same call with cursor "{more}".' if more else ""
    return head + "\n".join(blocks) + tail


def _line(result: PassageResult) -> str:
    text = result.stored.passage.text.strip()
    first = quote(text[: LINE_CHARACTERS + 1].splitlines()[0] if text else "")
    return f"{_heading(result)} {first[: LINE_CHARACTERS + 2]}"


def _block(result: PassageResult) -> str:
    return f"\n{_heading(result)} proof {result.proof.source_ref}\n{quote(result.stored.passage.text)}"


def _heading(result: PassageResult) -> str:
    passage, document = result.stored.passage, result.stored.document
    changed = " changed since" if result.is_changed else ""
    place = f"{document.uri}:{passage.start_line}-{passage.end_line}"
    return f"{passage.id} {place} [{result.layer} {result.score:.2f}{changed}]"


def _form(found: SearchAnswer, page: tuple[PassageResult, ...], more: str, response_format: str) -> dict[str, Any]:
    form = search_form(attrs.evolve(found, results=page))
    if response_format == "concise":
        form["results"] = [{key: result[key] for key in CONCISE_KEYS} for result in form["results"]]
    return {**form, "next_cursor": more}


MEMORY_SEARCH = Declaration(memory_search, "Search the memory")
