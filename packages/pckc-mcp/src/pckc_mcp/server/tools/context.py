"""``retrieve_agent_context``: the compiled context of a task."""

from typing import Any

from pckc_domain.model.context import ContextPack
from pckc_domain.policy.budget import DEFAULT_BUDGET_TOKENS

from pckc_mcp.forms import agent_context_form
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
from pckc_mcp.server.notes import index_note

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
    engine = memory.engine
    pack = memory.compiler().compile(engine.scope, request, checkout_id=engine.checkout.id)
    note = index_note(pack.indexed_at)
    return Reply(text=f"{note}{pack.text}", form=_form(pack, response_format))


def _form(pack: ContextPack, response_format: ResponseFormat) -> dict[str, Any]:
    form = agent_context_form(pack)
    if response_format == "detailed":
        return form
    return {key: value for key, value in form.items() if key not in REPEATED}


RETRIEVE_AGENT_CONTEXT = Declaration(retrieve_agent_context, "Compile the context of a task")
