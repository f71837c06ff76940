"""What a tool is: a function of the memory and its arguments, with what a host is told of it."""

import inspect
from collections.abc import Callable
from typing import Any

import attrs
from mcp_types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
"""Changes nothing that is stored or on disk, and asks no one outside."""

WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
"""Adds to what is stored; the same call again changes nothing."""

ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
"""Adds to what is stored, again with each call that does not name what it adds."""

DECIDES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False)
"""Changes what is answered from now on; it can be undone."""


@attrs.frozen(kw_only=True)
class Reply:
    """
    What a tool answers.

    Attributes:
        text: For the model; recalled text is quoted.
        form: The same for programs.
    """

    text: str
    form: dict[str, Any]


@attrs.frozen
class Declaration:
    """
    A tool as its module declares it.

    Attributes:
        function: Takes a `Memory`, then the tool's arguments; its docstring is what the model is told.
        title: For people.
        hints: What calling it does.
    """

    function: Callable[..., Reply]
    title: str
    hints: ToolAnnotations = READS

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def description(self) -> str:
        """The function's docstring."""
        return inspect.getdoc(self.function) or ""
