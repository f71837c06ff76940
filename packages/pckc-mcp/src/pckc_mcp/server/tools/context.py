"""The compiled context of a task: as a text to work by, and as the pack with what proves what."""

from typing import TYPE_CHECKING, Any

from pckc_domain.model.context import ContextPack
from pckc_domain.policy.budget import DEFAULT_BUDGET_TOKENS
from pckc_domain.policy.rendering import CLOSING, NOTICE, OPENING, inline, quote, set_apart
from pckc_domain.ports.sources import TreeChanges

from pckc_mcp.forms import changes_form
from pckc_mcp.pack_forms import agent_context_form, pack_form, tells_documents
from pckc_mcp.requests import context_request
from pckc_mcp.server.arguments import (
    Files,
    Intent,
    Layers,
    ResponseFormat,
    Symbols,
    Task,
    TokenBudget,
    Types,
)
from pckc_mcp.server.declaration import Declaration, Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.notes import index_note, pack_text, tree_note

if TYPE_CHECKING:  # its rules would cost every start 40 ms
    from pckc_domain.usecases.compile import ContextRequest

REPEATED = ("context", "passages", "exclusions")
"""Keys that only a detailed answer has: the text again, the passages in full, and what was left out."""


def retrieve_agent_context(
    memory: Memory,
    task: Task,
    task_intent: Intent = "unknown",
    preferred_layers: Layers = (),
    proposition_types: Types = (),
    files: Files = (),
    symbols: Symbols = (),
    token_budget: TokenBudget = DEFAULT_BUDGET_TOKENS,
    response_format: ResponseFormat = "concise",
) -> Reply:
    """
    Call this first, before you read files: compiles what this project knows about a task within a token budget.

    The answer holds proven facts (rules, constraints, decisions, behaviour), the passages around them, what proves
    each sub-goal, and the gaps. Every item has its path and lines. Name files and symbols you already know of.
    """
    request = context_request(
        task,
        intent=task_intent,
        layers=preferred_layers,
        types=proposition_types,
        files=files,
        symbols=symbols,
        budget=token_budget,
    )
    pack, changes = compiled(memory, request)
    return Reply(text=pack_text(pack, changes), form=context_form(pack, changes, response_format))


def compiled(memory: Memory, request: "ContextRequest") -> tuple[ContextPack, TreeChanges | None]:
    """Compile a context; return it, and what of the work tree its index does not know."""
    engine = memory.engine
    engine.tree.begin()
    pack = memory.compiler().compile(engine.scope, request, checkout_id=engine.checkout.id)
    return pack, engine.tree.changes()


def context_form(pack: ContextPack, changes: TreeChanges | None, response_format: ResponseFormat) -> dict[str, Any]:
    """Return a pack's form; a concise one leaves out what the text says already."""
    form = agent_context_form(pack, changes)
    if response_format == "detailed":
        return form
    return {key: value for key, value in form.items() if key not in REPEATED}


def context_build(
    memory: Memory,
    task: Task,
    intent: Intent = "unknown",
    files: Files = (),
    symbols: Symbols = (),
    token_budget: TokenBudget = DEFAULT_BUDGET_TOKENS,
) -> Reply:
    """
    Build the context of a task, ready to read: current claims, facts and passages within the token budget, each with
    its place, and the gaps.
    """
    request = context_request(task, intent=intent, files=files, symbols=symbols, budget=token_budget)
    pack, changes = compiled(memory, request)
    form = {key: value for key, value in pack_form(pack, changes).items() if key in BUILT}
    return Reply(text=pack_text(pack, changes), form={**form, "context": pack.text})


def context_compile(
    memory: Memory,
    task: Task,
    intent: Intent = "unknown",
    files: Files = (),
    symbols: Symbols = (),
    token_budget: TokenBudget = DEFAULT_BUDGET_TOKENS,
) -> Reply:
    """
    Compile the proofs of a task: for each sub-goal the claims and passages that cover it and by which proofs, both
    sides of conflicts, gaps, what was left out and why, and a hash of it all.
    """
    request = context_request(task, intent=intent, files=files, symbols=symbols, budget=token_budget)
    pack, changes = compiled(memory, request)
    note = index_note(pack.indexed_at, has_documents=tells_documents(pack)) + tree_note(changes_form(changes))
    return Reply(text=f"{note}{_proof_text(pack)}", form=pack_form(pack, changes))


BUILT = (
    "schema", "coverage", "task", "intent", "gaps", "tokens", "budget", "hash", "indexed_at", "is_complete", "changes",
)  # fmt: skip


def _proof_text(pack: ContextPack) -> str:
    lines = [OPENING, NOTICE]
    for goal in pack.subgoals:
        covered = ", ".join(goal.covered_by) or "nothing: a gap"
        lines += [f"{goal.subgoal.kind}: {covered}", quote(goal.subgoal.goal)]
    for item in pack.claims:
        claim = item.result.claim
        own, foreign = set_apart(proof.source_ref for proof in item.result.proofs)
        head = f"{claim.id} {claim.type} {claim.status}, {claim.authority}; {', '.join(own) or 'cited'}"
        lines += [head, *foreign, quote(claim.text)]
    for said in pack.evidence:
        lines += [f"{said.result.evidence.id} said, not checked", quote(said.text)]
    for conflict in pack.conflicts:
        lines.append(f"conflict of {', '.join(claim.id for claim in conflict.claims)}: {inline(conflict.reason)}")
    lines += [f"{len(pack.passages)} passages, {pack.tokens} of {pack.budget} tokens, hash {pack.hash}", CLOSING]
    return "\n".join(lines)


CONTEXT_BUILD = Declaration(context_build, "Build the context of a task")
CONTEXT_COMPILE = Declaration(context_compile, "Compile the proofs of a task")
RETRIEVE_AGENT_CONTEXT = Declaration(retrieve_agent_context, "Compile the context of a task")
