"""
How much is looked at of what somebody asks.

Nothing heavy is imported here: a hook of an agent host analyses a prompt in a process of its own.
"""

MAX_QUERY_CHARACTERS = 20_000
"""What stands behind is not looked at."""


def query_head(text: str) -> str:
    """Return what is looked at of *text*, a query or a task."""
    return text[:MAX_QUERY_CHARACTERS]
