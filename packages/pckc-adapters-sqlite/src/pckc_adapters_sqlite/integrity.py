"""Whether a store is sound."""

from contextlib import suppress

from pckc_domain.errors import BackendError, BackendUnavailableError

from pckc_adapters_sqlite import fts
from pckc_adapters_sqlite.connection import Connections

MAX_PROBLEMS = 100


def problems(connections: Connections) -> tuple[str, ...]:
    """Return what is wrong with the file; when that is sound, with its references and search tables."""
    try:
        return tuple(_file_problems(connections) or _search_problems(connections))
    except BackendUnavailableError:
        raise
    except BackendError as error:  # too damaged for SQLite to check
        return (error.message,)


def _file_problems(connections: Connections) -> list[str]:
    with connections.reading() as connection:
        found = [text for (text,) in connection.rows(f"PRAGMA integrity_check({MAX_PROBLEMS})") if text != "ok"]
        if found:
            return found
        dangling = connection.rows("PRAGMA foreign_key_check")
        return [f"row {key} of {table} names no {parent}" for table, key, parent, _ in dangling]


def _search_problems(connections: Connections) -> list[str]:
    """Compare the search tables with the passages; SQLite counts that as writing, so a read-only store is not asked."""
    found = []
    with suppress(BackendUnavailableError), connections.writing() as connection:
        for table in fts.ALL_TABLES:
            try:
                connection.run(table.check)
            except BackendUnavailableError:
                raise
            except BackendError as error:
                found.append(f"{table.name} is not in step with its passages: {error}")
    return found
