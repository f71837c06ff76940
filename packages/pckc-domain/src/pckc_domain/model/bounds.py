"""
How much is looked at of what somebody asks, and taken of what somebody hands over.

Nothing heavy is imported here: a hook of an agent host analyses a prompt in a process of its own.
"""

from pckc_domain.errors import InvalidInputError

MAX_QUERY_CHARACTERS = 20_000
"""What stands behind is not looked at."""

MAX_CLAIM_CHARACTERS = 4_000
"""Of what a claim that somebody hands over says, and of its subject, attribute, value and path: it says one thing."""

MAX_EXHIBIT_CHARACTERS = 20_000
"""Of a claim that is code or a table."""

MAX_NOTE_CHARACTERS = 20_000
"""Of a trace, an agent's own note."""

MAX_NAME_CHARACTERS = 500
"""Of what something is called: a session, an event, a text that is ingested."""

MAX_QUESTION_CHARACTERS = 1_000
"""Of the question of a gap."""

MAX_REASON_CHARACTERS = 4_000
"""Of why somebody asks or decides something."""


def query_head(text: str) -> str:
    """Return what is looked at of *text*, a query or a task."""
    return text[:MAX_QUERY_CHARACTERS]


def check_length(what: str, text: str, most: int, *, remedy: str) -> None:
    """
    Refuse a *text* that is longer than *most* characters.

    Raises:
        InvalidInputError: It is; the error calls it *what*.
    """
    if len(text) > most:
        raise InvalidInputError(f"{what} has {len(text)} characters; at most {most} are kept", remedy=remedy)
