"""``memory_search`` over everything, ``mem_search`` over claims: page by page."""

import re
from collections.abc import Collection
from typing import Any

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.bounds import query_head
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING, inline, quote, set_apart, since_text
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subgoals import stemmed_tokens

from pckc_mcp.forms import behind_text, bounds_text, evidence_text, finds_documents, passage_place, until_text
from pckc_mcp.searching import CLAIM_TYPES, SearchOptions
from pckc_mcp.server.arguments import (
    AsOf,
    ClaimTypes,
    Cursor,
    Intent,
    KnownAt,
    Limit,
    Paths,
    Query,
    ResponseFormat,
    SearchLayers,
    SearchTypes,
    Sessions,
    Statuses,
)
from pckc_mcp.server.declaration import Declaration, Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.notes import index_note, tree_note

LINE_CHARACTERS = 160
LEAD_CHARACTERS = 40
"""Shown before the first matching word of a line that is cut."""

LINES_READ = 200
"""Of a passage at most, to find the one that matches best."""

_WORD = re.compile(r"\w+")
CONCISE_KEYS = (
    "id", "kind", "type", "text", "score", "status", "path", "start_line", "end_line", "symbol", "session",
    "valid_from", "valid_to",
)  # fmt: skip


def memory_search(
    memory: Memory,
    query: Query,
    layers: SearchLayers = (),
    types: SearchTypes = (),
    intent: Intent = "unknown",
    paths: Paths = (),
    status: Statuses = (),
    sessions: Sessions = (),
    as_of: AsOf = "",
    known_at: KnownAt = "",
    limit: Limit = 10,
    cursor: Cursor = "",
    response_format: ResponseFormat = "concise",
) -> Reply:
    """
    Search the project's memory: claims (what was decided, fixed, asked for, with history and conflicts), evidence
    (verbatim words of past sessions), and passages of code and documents (propositions, paragraphs, summaries, chunks).

    A concise result is its id, place, [layer score], and below the lines of its text that match best. Ask again with
    detailed for full texts and proofs, or memory_get with an id. Any language, any characters; no query syntax.
    """
    options = SearchOptions(
        layers=layers, types=types, intent=intent, paths=paths, status=status, sessions=sessions, as_of=as_of,
        known_at=known_at, limit=limit, cursor=cursor,
    )  # fmt: skip
    return _answer(memory, query, options, response_format)


def mem_search(
    memory: Memory,
    query: Query,
    types: ClaimTypes = (),
    status: Statuses = (),
    sessions: Sessions = (),
    as_of: AsOf = "",
    known_at: KnownAt = "",
    limit: Limit = 10,
    cursor: Cursor = "",
    response_format: ResponseFormat = "concise",
) -> Reply:
    """
    Search claims: atomic, typed statements of past sessions, each with proofs. The current value of a topic comes
    first with what it replaced; both sides of a conflict come together. Every result has one of the types asked for.
    """
    if unknown := [name for name in types if name not in CLAIM_TYPES]:
        raise InvalidInputError(f"unknown type {unknown[0]!r}", remedy=f"one of: {', '.join(sorted(CLAIM_TYPES))}")
    options = SearchOptions(
        layers=("claims",), types=types, status=status, sessions=sessions, as_of=as_of, known_at=known_at, limit=limit,
        cursor=cursor,
    )  # fmt: skip
    return _answer(memory, query, options, response_format)


def _answer(memory: Memory, query: str, options: SearchOptions, response_format: str) -> Reply:
    form = memory.searching().answer(query, options)
    text = _text(form, query, response_format)
    if response_format == "concise":
        form["results"] = [_concise(result) for result in form["results"]]
    return Reply(text=text, form={**form, "next_cursor": form["next_cursor"] or ""})


def _concise(result: dict[str, Any]) -> dict[str, Any]:
    kept = {key: result[key] for key in CONCISE_KEYS}
    if result["kind"] == "claim":
        kept |= {key: [other["id"] for other in result[key]] for key in ("history", "conflicts")}
        kept |= {key: result[key] for key in ("authority", "polarity", "condition")}
    return kept


def _text(form: dict[str, Any], query: str, response_format: str) -> str:
    head = _note(form)
    how = f"{inline(form['reason'] or 'memory')} ({inline(form['signals'])})"
    if not form["results"]:
        return f"{head}Nothing found. {how}"
    wanted = stemmed_tokens([query_head(query)]) - STOP_WORDS
    shown = [_short(result, wanted) if response_format == "concise" else _block(result) for result in form["results"]]
    blocks = [OPENING, NOTICE, how, *shown, CLOSING]
    more = form["next_cursor"]
    return head + "\n".join(blocks) + (f'\nMore: the same call with cursor "{more}".' if more else "")


def _note(form: dict[str, Any]) -> str:
    """Return what the indexes lack; passages were searched when there is an intent."""
    note = "".join(f"{one}.\n" for one in form["notes"])
    if changed := tree_note(form["changes"]):
        note += changed
    elif form["intent"] is not None and not form["is_complete"]:
        note += index_note(form["indexed_at"], is_complete=False, has_documents=finds_documents(form))
    if behind := form["coverage"].get("evidence", {}).get("behind"):
        note += f"{behind} sessions are not read to their end yet: end them, or run `pckc import`.\n"
    if late := behind_text(form["coverage"]):
        note += f"{late}: what changed last is found by its words.\n"
    return note


def _short(result: dict[str, Any], wanted: Collection[str]) -> str:
    head, foreign = _heading(result)
    return "\n".join([head, *foreign, quote(_matching(result["text"], wanted)), *_around(result)])


def _matching(text: str, wanted: Collection[str]) -> str:
    """Return the line of *text* with most of the *wanted* words, cut to begin near the first of them."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    best = max(lines[:LINES_READ], key=lambda line: len(stemmed_tokens([line]).intersection(wanted)))
    if len(best) <= LINE_CHARACTERS:
        return best
    places = [found.start() for found in _WORD.finditer(best) if not stemmed_tokens([found[0]]).isdisjoint(wanted)]
    start = max(0, min(places[0] - LEAD_CHARACTERS, len(best) - LINE_CHARACTERS)) if places else 0
    return ("…" if start else "") + best[start : start + LINE_CHARACTERS]


def _block(result: dict[str, Any]) -> str:
    head, foreign = _heading(result)
    proofs, cited = set_apart(proof["source_ref"] for proof in result["proofs"])
    lines = [
        f"\n{head} proof {' '.join(proofs) or 'cited'}",
        *foreign,
        *(line for line in cited if line not in foreign),
    ]
    return "\n".join([*lines, quote(result["text"]), *_around(result)])


def _around(result: dict[str, Any]) -> list[str]:
    """Return what a claim replaced and what stands against it, each with its words on a line below."""
    lines = []
    for old in result["history"][:3]:
        lines += [f"  before, until {old['valid_to'] or 'now'}: {old['id']}", _first(old)]
    for other in result["conflicts"]:
        lines += [f"  against it: {other['id']}", _first(other)]
    return lines


def _first(claim: dict[str, Any]) -> str:
    return quote(" ".join(claim["text"].split())[:LINE_CHARACTERS])


def _heading(result: dict[str, Any]) -> tuple[str, list[str]]:
    """Return what a result is, without its text, and quoted lines of where it stands."""
    match result["kind"]:
        case "claim":
            since = f"{since_text(result['valid_from'][:10])}{until_text(result)}"
            standing = f"{result['type']} {result['status']}, {result['authority']}{inline(bounds_text(result))}"
            return f"{result['id']} {since} [{standing}]", []
        case "evidence":
            who = inline(result["speaker"])[:40] if result["speaker"] else result["type"]
            return f"{result['id']} {result['valid_from'] or 'no time'} [{evidence_text(result)}, {who}]", []
        case kind:
            changed = " changed since" if result["status"] == "stale" else ""
            place, foreign = passage_place(result)
            return f"{result['id']} {place} [{kind} {result['score']:.2f}{changed}]", foreign


MEMORY_SEARCH = Declaration(memory_search, "Search the memory")
MEM_SEARCH = Declaration(mem_search, "Search claims")
