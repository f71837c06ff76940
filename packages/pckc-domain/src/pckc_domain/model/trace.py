"""Traces: an agent's own plans, actions, observations and reflections, apart from what is known."""

from datetime import datetime
from enum import StrEnum

import attrs


class TraceKind(StrEnum):
    """What an agent notes."""

    PLAN = "plan"
    ACTION = "action"
    OBSERVATION = "observation"
    REFLECTION = "reflection"


@attrs.frozen(kw_only=True)
class Trace:
    """
    One note of an agent; no search over knowledge answers it.

    Attributes:
        id: Hash of session, kind, text and time.
        kind: What it is.
        text: Redacted.
        session_id: The session it belongs to; ``""`` when none.
        at: When, aware UTC.
    """

    id: str
    kind: TraceKind
    text: str
    session_id: str = ""
    at: datetime
