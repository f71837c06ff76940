"""
What a checkout held when it was last indexed, read fast.

Only the standard library is imported, so that a command that finds nothing changed need not load PCKC at all.
"""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

SCHEMA_VERSION = 8
"""The migration this module was written for; a test keeps it at the newest."""

APPLICATION_ID = 0x50434B43

_CHECKOUT = """
    SELECT scope_key, project, root, branch_name, source_revision, commit_sha, indexed_at, recipe, is_complete
    FROM checkout WHERE id = ?
"""

_SKIPPED = """
    SELECT skipped, count(*) FROM manifest
    WHERE scope_key = ? AND checkout_id = ? AND skipped != '' GROUP BY skipped ORDER BY skipped
"""

_ENTRIES = "SELECT path, size_bytes, mtime_ns FROM manifest WHERE scope_key = ? AND checkout_id = ? ORDER BY path"


_GRAPH = """
    SELECT key, state FROM graph
    WHERE scope_key = ? AND checkout_id = ? AND layer = 'repository' AND state <> ''
"""

_GRAPH_FILES = "SELECT skipped, count(*) FROM graph_file WHERE graph_key = ? GROUP BY skipped ORDER BY skipped"


class GraphMeta(NamedTuple):
    """
    What the store says of a checkout's graph.

    *updated_at_us* is when it was found to equal the tree; *files* counts its files, *skipped* those left out by
    reason.
    """

    recipe: str
    is_complete: bool
    updated_at_us: int
    files: int
    skipped: dict[str, int]


class CheckoutMeta(NamedTuple):
    """
    What the store says of a checkout.

    *indexed_at_us* is in microseconds since 1970, UTC; *skipped* counts the entries that were left out, by reason;
    *graph* is ``None`` while there is none.
    """

    project: str
    root: str
    branch_name: str | None
    source_revision: str | None
    commit_sha: str | None
    indexed_at_us: int | None
    recipe: str
    skipped: dict[str, int]
    graph: GraphMeta | None


def read_manifest(path: str, checkout_id: str) -> tuple[CheckoutMeta, list[tuple[str, int, int]]] | None:
    """
    Return the checkout's description and its (path, size in bytes, mtime in ns), by path.

    ``None`` when anything is unusual: no store, another schema, an unknown, ambiguous or incomplete checkout.
    """
    try:
        with closing(connect_reading(path)) as connection:
            return _read(connection, checkout_id)
    except (sqlite3.Error, UnicodeDecodeError):  # the latter when names in a damaged store are no text
        return None


def connect_reading(path: str) -> sqlite3.Connection:
    """
    Return a connection to the store at *path* inside a read transaction; nothing is ever written or waited for.

    Raises:
        sqlite3.Error: There is no such store, or it cannot be read now.
    """
    uri = f"{Path(path).absolute().as_uri()}?mode=ro{_immutable(path)}"
    connection = sqlite3.connect(uri, uri=True, timeout=0.1, isolation_level=None)
    try:
        connection.execute("BEGIN")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _immutable(path: str) -> str:
    """SQLite cannot read a store in a folder that cannot be written, unless told that nobody changes it."""
    wal = Path(f"{path}-wal")
    is_writable = os.access(Path(path).parent, os.W_OK)
    return "" if is_writable or (wal.exists() and wal.stat().st_size) else "&immutable=1"


def _read(connection: sqlite3.Connection, checkout_id: str) -> tuple[CheckoutMeta, list[tuple[str, int, int]]] | None:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if (application_id, version) != (APPLICATION_ID, SCHEMA_VERSION):
        return None
    checkouts = connection.execute(_CHECKOUT, (checkout_id,)).fetchall()
    if len(checkouts) != 1 or not checkouts[0][-1]:
        return None
    scope_key, *meta, _ = checkouts[0]
    key = (scope_key, checkout_id)
    skipped = dict(connection.execute(_SKIPPED, key).fetchall())
    graph = _read_graph(connection, key)
    return CheckoutMeta._make([*meta, skipped, graph]), connection.execute(_ENTRIES, key).fetchall()


def _read_graph(connection: sqlite3.Connection, key: tuple[int, str]) -> GraphMeta | None:
    found = connection.execute(_GRAPH, key).fetchone()
    if found is None:
        return None
    state = json.loads(found[1])
    counts = dict(connection.execute(_GRAPH_FILES, found[:1]).fetchall())
    files = sum(counts.values())
    counts.pop("", None)
    return GraphMeta(state["recipe"], state["is_complete"], state["updated_at"], files, counts)
