"""The common asks as prompts, with what the memory knows of them already inside."""

import functools
from collections.abc import Callable
from typing import Annotated

import anyio.to_thread
from mcp.server import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pckc_domain.errors import PckcError
from pckc_domain.policy.rendering import inline
from pydantic import Field

from pckc_mcp.server.memory import Memory
from pckc_mcp.server.tools.context import context_build
from pckc_mcp.server.tools.search import memory_search

REVIEW_TYPES = ("constraint", "decision", "bug")

Task = Annotated[str, Field(description="What is to be done, in your words")]
Topic = Annotated[str, Field(description="A topic, symbol, setting or path")]
File = Annotated[str, Field(description="Path from the project's root")]


def add_prompts(server: MCPServer[None], memory: Memory, *, writes: bool) -> None:
    """Give *server* the prompts; those that end in writing only where it has a tool for that."""

    @server.prompt(title="Start a task")
    async def start_task(task: Task) -> str:
        """Begin a task with what this project knows about it: rules, constraints, decisions, passages, gaps."""
        context = await _text(lambda: context_build(memory, task).text)
        return (
            f"Task: {task}\n\nThis is what the project's memory knows about it. Keep to its constraints and decisions,"
            f" say where the task goes against one, and read files only where it leaves a gap.\n\n{context}"
        )

    @server.prompt(title="What was decided")
    async def recall_decisions(topic: Topic) -> str:
        """Tell what was decided about a topic, why, and what stands against it."""
        found = await _text(
            lambda: (
                memory_search(memory, topic, layers=("claims",), types=REVIEW_TYPES, response_format="detailed").text
            )
        )
        return (
            f"What was decided about {inline(topic)}, why, and does it still hold? Answer from these claims and their"
            f" proofs, cite them, and name what is contested.\n\n{found}"
        )

    @server.prompt(title="Before changing a file")
    async def before_change(path: File) -> str:
        """List what to keep to before a file is changed: its constraints, decisions about it, past bugs."""
        context = await _text(lambda: context_build(memory, f"change {path}", intent="refactor", files=(path,)).text)
        return (
            f"I am about to change {inline(path)}. From what the memory knows, list what I must keep to, each with its"
            f" place, and what may break.\n\n{context}"
        )

    if writes:

        @server.prompt(title="Remember this session")
        def remember_session() -> str:
            """Write what this session decided, fixed and learned to the memory, with evidence."""
            return (
                "Go through this session and write what should be remembered with `reflect_and_write`: decisions with"
                " their reasons, constraints, bugs and their fixes, open tasks. One statement an item, in full, with"
                " subject, attribute and value where it has them, and the evidence that says so. Leave out guesses,"
                " secrets and what a file says anyway. Then tell me what was admitted, and what was not and why."
            )


async def _text(make: Callable[[], str]) -> str:
    try:
        return await anyio.to_thread.run_sync(functools.partial(make))
    except PckcError as error:
        raise MCPError(INVALID_PARAMS, f"{error.message}. {error.remedy}") from error
