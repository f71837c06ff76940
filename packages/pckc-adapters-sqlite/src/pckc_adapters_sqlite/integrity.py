"""Whether a store is sound."""

from pckc_domain.errors import BackendError, BackendUnavailableError

from pckc_adapters_sqlite import fts
from pckc_adapters_sqlite.connection import Connections

MAX_PROBLEMS = 100


def problems(connections: Connections) -> tuple[str, ...]:
    """Return what is wrong with the file; when that is sound, with its references and search tables."""
    with connections.reading() as connection:
        found = [text for (text,) in connection.rows(f"PRAGMA integrity_check({MAX_PROBLEMS})") if text != "ok"]
        if not found:
            dangling = connection.rows("PRAGMA foreign_key_check")
            found = [f"row {key} of {table} names no {parent}" for table, key, parent, _ in dangling]
    return tuple(found or _search_problems(connections))


def _search_problems(connections: Connections) -> list[str]:
    """Compare the search tables with the passages; SQLite counts that as writing, so a read-only store is not asked."""
    found = []
    try:
        with connections.writing() as connection:
            for table in fts.TABLES.values():
                try:
                    connection.run(f"INSERT INTO {table.name} ({table.name}) VALUES ('integrity-check')")  # noqa: S608  # our names
                except BackendUnavailableError:
                    raise
                except BackendError as error:
                    found.append(f"{table.name} is not in step with its passages: {error}")
    except BackendUnavailableError:
        return found
    return found
