"""Completions of what prompts and resources ask for: paths, topics, ids."""

from collections.abc import Iterable, Sequence

import anyio.to_thread
from mcp.server import MCPServer
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)
from pckc_domain.errors import PckcError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Governance

from pckc_mcp.server.memory import Memory

MOST_VALUES = 100
"""Most values that the protocol allows in one answer."""

MOST_CLAIMS = 2_000


def add_completions(server: MCPServer[None], memory: Memory) -> None:
    """Let *server* complete the arguments it knows values for."""
    known = {"path": _paths, "topic": _topics, "id": _ids}

    async def complete(
        ref: PromptReference | ResourceTemplateReference,  # noqa: ARG001 - equal names mean the same everywhere
        argument: CompletionArgument,
        context: CompletionContext | None,  # noqa: ARG001 - no argument depends on another
    ) -> Completion | None:
        if (values := known.get(argument.name)) is None:
            return None
        try:
            found = best(await anyio.to_thread.run_sync(values, memory), argument.value)
        except PckcError:  # a store that cannot be read has nothing to propose; a call says why
            return None
        return Completion(values=list(found[:MOST_VALUES]), total=len(found), has_more=len(found) > MOST_VALUES)

    server.completion()(complete)  # type: ignore[no-untyped-call]  # the SDK leaves the decorator without types


def best(values: Iterable[str], typed: str) -> Sequence[str]:
    """Return the values that hold what was typed: those that begin with it first, then the shorter ones."""
    wanted = typed.casefold()
    matching = {value for value in values if wanted in value.casefold()}
    return sorted(matching, key=lambda value: (not value.casefold().startswith(wanted), len(value), value))


def _paths(memory: Memory) -> list[str]:
    engine = memory.engine
    with engine.canonical.reading(engine.scope) as work:
        return [entry.path for entry in work.manifest.entries(engine.checkout.id)]


def _topics(memory: Memory) -> list[str]:
    engine = memory.engine
    with engine.canonical.reading(engine.scope) as work:
        found = work.claims.find(where=_CURRENT, limit=MOST_CLAIMS)
    return [item.claim.subject for item in found if item.claim.subject]


def _ids(memory: Memory) -> list[str]:
    engine = memory.engine
    with engine.canonical.reading(engine.scope) as work:
        return [item.claim.id for item in work.claims.find(where=_CURRENT, limit=MOST_CLAIMS)]


_CURRENT = ClaimFilter(governance=frozenset({Governance.ACTIVE, Governance.PINNED}), is_open=True, is_said=True)
