"""How far projections are: what was set aside, who works, and which of two indexes serves."""

from datetime import datetime

import attrs

from pckc_domain.model.outbox import OutboxEntry
from pckc_domain.model.scope import Scope

MOST_ERROR_CHARACTERS = 300

_SEPARATOR = "\x1f"
"""No project's name has it, so that no project can be taken for another one's second index."""


@attrs.frozen(kw_only=True)
class SetAside:
    """
    A change that a projection could not take in, so that what is behind it need not wait.

    Attributes:
        projection: Name of the projection's cursor.
        entry: The change.
        tries: How often it was tried.
        error: What went wrong the last time, at most `MOST_ERROR_CHARACTERS` characters.
    """

    projection: str
    entry: OutboxEntry
    tries: int
    error: str


@attrs.frozen(kw_only=True)
class Lease:
    """The right of *holder* to work alone, until *until*."""

    holder: str
    until: datetime


@attrs.frozen(kw_only=True)
class Generations:
    """Which of a projection's two indexes (0 or 1) serves, and which one is being built, if any."""

    serving: int = 0
    building: int | None = None


def building_cursor(projection: str) -> str:
    """Return the name of the cursor that the index being built is fed by."""
    return f"{projection}~next"


def generation_scope(scope: Scope, generation: int) -> Scope:
    """Return the scope under which an index keeps a generation of *scope*."""
    if not generation:
        return scope
    return attrs.evolve(scope, project=f"{scope.project}{_SEPARATOR}{generation}")


def probe_scope(scope: Scope) -> Scope:
    """Return the scope under which an index is tried out."""
    return attrs.evolve(scope, project=f"{scope.project}{_SEPARATOR}probe")
