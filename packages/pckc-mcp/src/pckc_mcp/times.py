"""Instants as people write them."""

import re
from datetime import UTC, datetime, timedelta

from pckc_domain.errors import InvalidInputError

_AGO = re.compile(r"(\d+)\s*([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_time(text: str, *, now: datetime | None = None) -> datetime:
    """
    Read an ISO 8601 date or time (naive means UTC), or an age such as ``7d``.

    Raises:
        InvalidInputError: It is neither.
    """
    if match := _AGO.fullmatch(text.strip()):
        age = timedelta(**{_UNITS[match[2]]: int(match[1])})
        return (now or datetime.now(UTC)) - age
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidInputError(
            f"{text!r} is no time", remedy="write it as 2026-04-01, 2026-04-01T12:00:00Z or 7d"
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
