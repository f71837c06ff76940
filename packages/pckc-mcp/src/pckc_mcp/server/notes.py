"""What every answer says of the index it comes from."""

from datetime import datetime

NEVER = "This project has not been indexed yet: run `pckc index` in it, then ask again.\n"
UNFINISHED = "The index is not complete, its last run did not finish: run `pckc sync`.\n"


def index_note(indexed_at: datetime | None, *, is_complete: bool = True) -> str:
    """Return a line on what is missing; ``""`` when nothing is."""
    if indexed_at is None:
        return NEVER
    return "" if is_complete else UNFINISHED
