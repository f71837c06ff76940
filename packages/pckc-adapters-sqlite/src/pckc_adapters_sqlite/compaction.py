"""Giving disk space back, and with it the last traces of what was erased."""

from pckc_domain.errors import BackendUnavailableError

from pckc_adapters_sqlite import fts
from pckc_adapters_sqlite.connection import Connections


def compact(connections: Connections) -> None:
    """
    Merge the search tables, whose old parts keep words of erased texts, and write the file anew.

    Raises:
        BackendUnavailableError: Someone kept reading or writing.
    """
    with connections.writing() as connection:
        for table in fts.ALL_TABLES:
            connection.run(f"INSERT INTO {table.name} ({table.name}) VALUES ('optimize')")  # noqa: S608  # our names
    writer = connections.writer()
    try:
        writer.run("PRAGMA temp_store = FILE")  # the copy may be larger than memory
        connections.retry(lambda: writer.run("VACUUM"))
        if writer.value("PRAGMA wal_checkpoint(TRUNCATE)"):
            raise BackendUnavailableError(
                f"erased text may remain in the store's log while others read: {connections.path}-wal",
                remedy="Close the other programs that use the store, and try again.",
            )
    finally:
        writer.close()
