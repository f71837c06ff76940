"""Curated knowledge: store and ingest claims, and check them against each other."""

import time
from typing import Any

from pckc_domain.errors import InvalidInputError, PckcError
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.reflection import Outcome
from pckc_domain.policy.budget import DEFAULT_BUDGET_TOKENS
from pckc_domain.policy.rendering import inline, quote, set_apart

from pckc_mcp.cli.output import counted
from pckc_mcp.curated_forms import check_form, gap_form, ingested_form, verdict_text
from pckc_mcp.forms import Form, answer
from pckc_mcp.indexing import EmbedBudget, embed_and_compare
from pckc_mcp.ingesting import Ingested, Ingesting, Text
from pckc_mcp.requests import context_request, one_of
from pckc_mcp.server.arguments import (
    CheckedIds,
    CheckLimit,
    ClaimContent,
    ClaimQuote,
    ClaimSource,
    ClaimSubject,
    ClaimText,
    ClaimTypeName,
    RaisesGaps,
    Snippet,
    SourceName,
    SourceText,
    SourceTitle,
    Task,
    TokenBudget,
)
from pckc_mcp.server.declaration import READS, WRITES, Declaration, Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.notes import pack_text
from pckc_mcp.server.tools.context import compiled, context_form
from pckc_mcp.storing import store_claim

FETCHES = WRITES.model_copy(update={"open_world_hint": True})
"""Adds to what is stored, and reads a page of the web when an address is named."""

COMPARE_SECONDS = 2.0
"""How long the answer of an ingest waits for its claims to be compared."""

LOOK_SECONDS = 0.05
"""How often it looks while the background is at it."""


def memory_get_context(
    memory: Memory,
    query: Task,
    token_budget: TokenBudget = DEFAULT_BUDGET_TOKENS,
    raise_gaps: RaisesGaps = False,
) -> Reply:
    """Gather what is known about a question before you answer it: proven claims, passages around them, and gaps."""
    engine = memory.engine
    request = context_request(query, budget=token_budget)
    pack, changes = compiled(memory, request)
    raised = engine.gap_keeper().raise_from(engine.scope, pack) if raise_gaps else ()
    lines = [f"gap registered: {gap.id}" for gap in raised]
    form = context_form(pack, changes, "concise") | {"raised_gaps": [gap_form(gap) for gap in raised]}
    return Reply(text="\n".join([pack_text(pack, changes), *lines]), form=form)


def memory_store(
    memory: Memory,
    claim: ClaimText,
    type: ClaimTypeName = "text",
    content: ClaimContent = "",
    subject: ClaimSubject = "",
    source: ClaimSource = "",
    quote: ClaimQuote = "",
) -> Reply:
    """
    Store one typed claim. One that is known already only gains a proof.

    Name the source and quote its words, and the claim carries that citation; without them it is your own word, a
    candidate. A logical_rule has its JSON as content: {"if": KIND or [KIND, ...], "then": KIND}.
    """
    stored = store_claim(
        memory.engine,
        one_of(ClaimType, type, "type"),
        claim,
        content=content,
        subject=subject,
        source=source,
        quoted=quote,
    )
    if stored["id"]:
        memory.engine.gap_keeper().close_answered(memory.engine.scope, [stored["id"]])
    form = answer("stored_claim", {}, **stored)
    state = "rejected" if stored["outcome"] == Outcome.REJECTED else f"{stored['outcome']} {stored['id']}"
    return Reply(text=f"{state}: {inline(stored['reason'])}", form=form)


def memory_ingest(
    memory: Memory,
    source: SourceName = "",
    text: SourceText = "",
    title: SourceTitle = "",
    snippet: Snippet = "",
) -> Reply:
    """
    Read a page of the web, a PDF, an EPUB, a Markdown or text file, or the text you give, into claims with citations.

    What is known already gains a proof; what a new version says no longer turns stale; gaps that it answers are
    closed. A page that refuses robots can be kept by its snippet.
    """
    if bool(source.strip()) == bool(text.strip()):
        raise InvalidInputError("name a source or give a text, one of the two", remedy="source=ADDRESS or text=WORDS")
    given = source.strip() or Text(text=text, name=title, title=title)
    ingesting = Ingesting(memory.engine)
    (done,) = ingesting.run([given], snippet=snippet)
    closed = ingesting.close_gaps([done])
    done = _compared(memory, ingesting, done)
    form = answer("ingest", {}, documents=[ingested_form(done)], closed_gaps=[gap_form(gap) for gap in closed])
    if done.failure is not None:
        raise done.failure
    return Reply(text=_ingested_text(form), form=form)


def memory_verify(memory: Memory, ids: CheckedIds = (), limit: CheckLimit = 20) -> Reply:
    """
    Check claims against the claims nearest to them: new, duplicate, corroborated by another document or contradicted.

    Contradicted ones turn contested on both sides, duplicates stale; what another document confirms is verified.
    """
    engine = memory.engine
    checker = engine.cross_checker()
    report = checker.check(engine.scope, ids) if ids else checker.check_candidates(engine.scope, limit=limit)
    form = answer("cross_check", {}, **check_form(report))
    return Reply(text=_checked_text(form), form=form)


def _compared(memory: Memory, ingesting: Ingesting, done: Ingested) -> Ingested:
    """Compare the claims, as long as an agent can wait; the background, which may be at it, does what is left."""
    budget = EmbedBudget(COMPARE_SECONDS)
    (result,) = ingesting.compared([done])
    while result.uncompared and not budget.is_spent():
        try:
            if not embed_and_compare(memory.engine, is_enough=budget.is_spent):
                time.sleep(LOOK_SECONDS)
        except PckcError:  # the background tries again, and tells
            break
        (result,) = ingesting.compared([done])
    memory.wake()
    return result


def _ingested_text(form: Form) -> str:
    (document,) = form["documents"]
    _, at = set_apart([document["uri"]])
    if document["unchanged"]:
        return "\n".join(["unchanged: nothing to do", *at])
    lines = [
        f"{counted(document['passages'], 'passage')}, {counted(len(document['claims']), 'claim')},"
        f" {document['duplicates']} said elsewhere already, {document['ceased']} said no longer",
        *at,
    ]
    if document["uncompared"]:
        lines.append(f"{counted(document['uncompared'], 'claim')} not compared yet: the server goes on")
    if document["failed"] or document["stopped"]:
        why = document["stopped"] or document["failed"][0]["error"]
        lines.append(f"not distilled: {len(document['failed']) + document['pending']} chunks; {inline(why)}")
    lines += [quote(f"note: {note}") for note in document["notes"]]
    lines += [f"gap closed: {gap['id']} by {', '.join(gap['closed_by'])}" for gap in form["closed_gaps"]]
    return "\n".join(lines)


def _checked_text(form: Form) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in form["counts"].items())
    lines = [f"{counted(len(form['checked']), 'claim')} judged by {form['method']}: {counts}"]
    lines += [f"note: {inline(note)}" for note in form["notes"]]
    for one in form["checked"]:
        lines.append(f"{one['id']}: {one['before']} -> {one['status']}; {_verdicts_text(one)}")
        lines.append(quote(one["text"][:300]))
    return "\n".join(lines)


def _verdicts_text(one: dict[str, Any]) -> str:
    return "; ".join(
        f"{verdict_text(verdict, one['id'])} {inline(verdict['reason'])}".strip() for verdict in one["verdicts"]
    )


MEMORY_GET_CONTEXT = Declaration(memory_get_context, "Gather what is known", READS)
MEMORY_STORE = Declaration(memory_store, "Store a claim", WRITES)
MEMORY_INGEST = Declaration(memory_ingest, "Ingest a document", FETCHES)
MEMORY_VERIFY = Declaration(memory_verify, "Check claims against each other", WRITES)
