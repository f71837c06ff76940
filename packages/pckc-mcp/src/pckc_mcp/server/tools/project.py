"""The project's own state: what is stored of its sessions and files, and bringing that up to date."""

from typing import Any

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Governance
from pckc_domain.model.passage import Passage, layer_of
from pckc_domain.model.progress import ProgressListener
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.policy.budget import DEFAULT_BUDGET_TOKENS
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING, inline, quote, since_text

from pckc_mcp.forms import Form, answer, bare_claim_form, bounds_text
from pckc_mcp.graph.freshness import freshen
from pckc_mcp.listing import walk_claims
from pckc_mcp.requests import claim_types, parse_offset, statuses
from pckc_mcp.server.arguments import (
    Anew,
    ClaimTypes,
    Cursor,
    Items,
    Limit,
    Sessions,
    Statuses,
    StoredPath,
    TokenBudget,
)
from pckc_mcp.server.declaration import WRITES, Declaration, Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.tools.context import context_build
from pckc_mcp.server.tools.reflection import reflect_and_write

LINE_CHARACTERS = 160
LIVING = frozenset({Governance.ACTIVE, Governance.PINNED})


def inspect_memory(
    memory: Memory,
    types: ClaimTypes = (),
    status: Statuses = (),
    sessions: Sessions = (),
    limit: Limit = 20,
    cursor: Cursor = "",
) -> Reply:
    """
    List claims without a question, newest first, page by page: what past sessions decided, fixed, asked for, with
    status. Use memory_search when there is a question.
    """
    where = ClaimFilter(
        types=claim_types(types), statuses=statuses(status), session_ids=frozenset(sessions), governance=LIVING,
        is_said=True,
    )  # fmt: skip
    engine = memory.engine
    with engine.canonical.reading(engine.scope) as work:
        found = sorted(walk_claims(work, where), key=lambda item: (item.claim.valid_from, item.claim.id), reverse=True)
    shown, more = _page(found, limit, cursor)
    results = [bare_claim_form(item) for item in shown]
    lines = [f"{len(found)} claims", *map(_claim_line, results)]
    return _quoted(lines, more, answer("memory", {}, total=len(found), results=results, next_cursor=more))


def inspect_knowledge(memory: Memory, path: StoredPath = "", limit: Limit = 20, cursor: Cursor = "") -> Reply:
    """
    List what is stored of the project's files, page by page: without a path or with a folder its files, with a file its
    passages, each layer with its lines.
    """
    engine = memory.engine
    with engine.canonical.reading(engine.scope) as work:
        entries = [entry for entry in work.manifest.entries(engine.checkout.id) if _is_below(entry.path, path)]
        exact = [entry for entry in entries if entry.path == path]
        stored = work.passages.of_documents([entry.document_id for entry in exact if entry.document_id])
    rows: list[Form]
    if exact:
        passages = sorted((one.passage for one in stored), key=lambda one: (one.start_line, one.end_line, one.id))
        rows = [_passage_row(path, one) for one in passages]
        lines = [
            f"{row['id']} {row['kind']} {row['start_line']}-{row['end_line']} {_first(row['text'])}" for row in rows
        ]
    else:
        rows = [{"path": entry.path, "bytes": entry.size_bytes, "skipped": entry.skipped} for entry in entries]
        lines = [f"{inline(row['path'])} {row['skipped'] or row['bytes']}" for row in rows]
    shown, more = _page(list(zip(rows, lines, strict=True)), limit, cursor)
    form = answer("knowledge", {}, total=len(rows), results=[row for row, _ in shown], next_cursor=more)
    return _quoted([f"{len(rows)} {'passages' if exact else 'files'}", *(line for _, line in shown)], more, form)


def _passage_row(path: str, passage: Passage) -> Form:
    return {
        "id": passage.id, "kind": str(layer_of(passage)), "path": path, "start_line": passage.start_line,
        "end_line": passage.end_line, "text": passage.text,
    }  # fmt: skip


def refresh_project_knowledge(memory: Memory, from_scratch: Anew = False, *, progress: ProgressListener) -> Reply:
    """
    Bring the index and the code graph up to date with the work tree: only what changed is read. Long on a large
    project's first time; it tells its progress, and cancelled it keeps what it has done.
    """
    form = _refreshed(memory, progress, from_scratch=from_scratch)
    return Reply(text=_refreshed_text(form), form=form)


def seed_project_context(
    memory: Memory,
    items: Items = (),
    token_budget: TokenBudget = DEFAULT_BUDGET_TOKENS,
    *,
    progress: ProgressListener,
) -> Reply:
    """
    Prepare a project that the memory does not know yet: index its files, remember the items given (as
    reflect_and_write does), and answer an overview of it.
    """
    refreshed = _refreshed(memory, progress, from_scratch=False)
    written = reflect_and_write(memory, items) if items else None
    overview = context_build(
        memory, "get to know this project", intent="repository_onboarding", token_budget=token_budget
    )
    form = answer(
        "seed", {}, refresh=refreshed, reflection=written.form if written else None,
        context=overview.form,
    )  # fmt: skip
    texts = [_refreshed_text(refreshed), written.text if written else "", overview.text]
    return Reply(text="\n".join(text for text in texts if text), form=form)


def _refreshed(memory: Memory, progress: ProgressListener, *, from_scratch: bool) -> Form:
    engine = memory.engine
    report = engine.indexer().run(engine.scope, checkout=engine.checkout, progress=progress, from_scratch=from_scratch)
    graph = freshen(engine, progress, from_scratch=from_scratch) if engine.config.graph.enabled else None
    if report.indexed or report.removed:
        engine.claim_verifier().follow_code(engine.scope, progress=progress)
    return answer(
        "refresh",
        {"files": IndexCoverage(indexed=report.total, total=report.total + sum(report.skipped.values()))},
        indexed=report.indexed,
        unchanged=report.unchanged,
        removed=report.removed,
        skipped=dict(report.skipped),
        graph_files_read=graph.read if graph else 0,
    )


def _refreshed_text(form: Form) -> str:
    return (
        f"{form['indexed']} files read, {form['unchanged']} unchanged, {form['removed']} removed;"
        f" {form['graph_files_read']} read for the graph"
    )


def _is_below(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(f"{place.rstrip('/')}/")


def _page(found: list[Any], limit: int, cursor: str) -> tuple[list[Any], str]:
    """Return one page, and the cursor of the next; ``""`` behind the last."""
    start = parse_offset(cursor)
    if start > len(found):
        raise InvalidInputError("nothing is left behind this cursor", remedy="start again without one")
    end = start + limit
    return found[start:end], str(end) if end < len(found) else ""


def _claim_line(form: Form) -> str:
    standing = f"{form['type']} {form['status']}, {form['authority']}{inline(bounds_text(form))}"
    return f"{form['id']} {since_text(form['valid_from'][:10])} [{standing}] {_first(form['text'])}"


def _first(text: str) -> str:
    return quote(" ".join(text.split())[:LINE_CHARACTERS])


def _quoted(lines: list[str], more: str, form: Form) -> Reply:
    text = "\n".join([OPENING, NOTICE, *lines, CLOSING])
    return Reply(text=text + (f'\nMore: the same call with cursor "{more}".' if more else ""), form=form)


INSPECT_MEMORY = Declaration(inspect_memory, "List claims")
INSPECT_KNOWLEDGE = Declaration(inspect_knowledge, "List what is stored of files")
REFRESH_PROJECT_KNOWLEDGE = Declaration(refresh_project_knowledge, "Bring the index up to date", WRITES)
SEED_PROJECT_CONTEXT = Declaration(seed_project_context, "Prepare a new project", WRITES)
