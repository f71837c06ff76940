"""Times as transcripts write them."""

import math
from datetime import UTC, datetime

# Seconds since 1970 stay below this until the year 5138; milliseconds were above it from 1973 on.
_FIRST_MILLISECONDS = 1e11


def moment(value: object) -> datetime | None:
    """
    Return an ISO-8601 text or a Unix time in seconds or milliseconds as aware UTC.

    A naive text is UTC. ``None`` for what is missing, empty, or no time at all.
    """
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value.strip())
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            return datetime.fromtimestamp(value / 1000 if abs(value) >= _FIRST_MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def is_naive(text: str) -> bool:
    """Say whether *text* is a time without its offset from UTC."""
    try:
        return datetime.fromisoformat(text.strip()).tzinfo is None
    except ValueError:
        return False
