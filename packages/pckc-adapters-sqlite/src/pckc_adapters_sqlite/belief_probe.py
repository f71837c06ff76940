"""
What is believed now, looked up by words, read fast.

Only the standard library is imported, so that a hook of an agent host answers before its user notices. Nothing is
written, nothing is waited for: who cannot be answered at once gets an error.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pckc_adapters_sqlite.manifest_probe import APPLICATION_ID, SCHEMA_VERSION, connect_reading
from pckc_adapters_sqlite.selection import COMMON_ROWS, any_of, selective

RANK = "bm25(1.0, 2.0, 1.0, 1.0, 0.0, 0.5)"
"""The rank of the claims' full-text table; a test keeps it the one that searches use."""

_COLUMNS_OF = {
    "word": "{text subject attribute value terms}",
    "phrase": "{text subject attribute value}",
    "term": "{terms}",
}
"""Where a part of a query is looked for, by its kind, as in other searches."""

_DURABLE = ("tool_verified", "user_confirmed", "repository_derived", "document_derived", "test_verified")
"""The authorities whose claims are belief; a test keeps them those of the gate."""

_COLUMNS = """
    c.key, c.id, c.type, c.status, c.status_reason, c.authority, c.is_standing, c.valid_from, c.text, c.path,
    c.session_id <> '',
    coalesce((SELECT p.source_ref FROM proof p WHERE p.claim_key = c.key ORDER BY p.key LIMIT 1), '')
"""

_USABLE = f"""
    c.scope_key = :scope AND c.governance IN ('active', 'pinned') AND c.stale_reason = ''
    AND c.status IN ('verified', 'contested') AND c.authority IN {_DURABLE}
    AND c.valid_from <= :now AND (c.valid_to IS NULL OR c.valid_to > :now)
    AND (c.session_id <> '' OR :branches = '[]'
        OR ifnull(c.branch_name, '') IN (SELECT value FROM json_each(:branches)))
"""  # noqa: S608 - what is put together here are constants of this module

_BEST = f"""
    SELECT {_COLUMNS} FROM claim_fts f CROSS JOIN claim c ON c.key = f.rowid
    WHERE claim_fts MATCH :match AND f.rank MATCH :rank AND {_USABLE} ORDER BY f.rank LIMIT :limit
"""  # noqa: S608 - what is put together here are constants of this module

_STANDING = f"""
    SELECT {_COLUMNS} FROM claim c INDEXED BY claim_standing WHERE c.is_standing AND {_USABLE}
    ORDER BY c.governance <> 'pinned', c.valid_from DESC, c.id LIMIT :limit
"""  # noqa: S608 - what is put together here are constants of this module

_COUNT = "SELECT count(*) FROM (SELECT 1 FROM claim_fts WHERE claim_fts MATCH ? LIMIT ?)"

_AMONG = "SELECT rowid FROM claim_fts WHERE claim_fts MATCH ? AND rowid IN (SELECT value FROM json_each(?))"


class Part(NamedTuple):
    """What to look for: *kind* is word, phrase or term, as in `LexicalQuery`; *text* is plain words."""

    kind: str
    text: str


class ClaimRow(NamedTuple):
    """A claim that holds now; *valid_from_us* is in microseconds since 1970, UTC, *proof* its first locator."""

    key: int
    id: str
    type: str
    status: str
    status_reason: str
    authority: str
    is_standing: int
    valid_from_us: int
    text: str
    path: str
    is_said: int
    proof: str


class BeliefProbe:
    """
    The current claims of one scope: what people, tools, tests or the repository vouch for, and nothing has closed.

    Of what only the repository says, that counts which one of *branches* sets; no branches means all.
    """

    def __init__(self, connection: sqlite3.Connection, scope_key: int, *, branches: str, now_us: int) -> None:
        self._connection = connection
        self._values = {"scope": scope_key, "branches": branches, "now": now_us}

    def size(self) -> int:
        """Return about how many claims the store holds, closed ones included."""
        (highest,) = self._connection.execute("SELECT coalesce(max(key), 0) FROM claim").fetchone()
        return int(highest)

    def count(self, part: Part) -> int:
        """Return how many claims match *part*, current or not, at most `COMMON_ROWS`."""
        (count,) = self._connection.execute(_COUNT, (_expression(part), COMMON_ROWS)).fetchone()
        return int(count)

    def best(self, counted: Sequence[tuple[int, Part]], *, limit: int) -> list[ClaimRow]:
        """Return the best matches of parts, each with its count; many that hold common words alone are passed over."""
        parts = [(count, _expression(part)) for count, part in counted if count]
        if not parts:
            return []
        match = selective(parts) or any_of(expression for _, expression in parts)
        return self._rows(_BEST, match=match, rank=RANK, limit=limit)

    def among(self, part: Part, keys: Sequence[int]) -> set[int]:
        """Return which of the claims with these *keys* match *part*."""
        found = self._connection.execute(_AMONG, (_expression(part), str([*keys])))
        return {key for (key,) in found}

    def standing(self, *, limit: int) -> list[ClaimRow]:
        """Return standing rules, pinned ones first, then the newest."""
        return self._rows(_STANDING, limit=limit)

    def _rows(self, sql: str, **values: Any) -> list[ClaimRow]:
        return [ClaimRow._make(row) for row in self._connection.execute(sql, {**self._values, **values})]


@contextmanager
def open_beliefs(path: str, *, tenant: str, project: str, branches: str, now_us: int) -> Iterator[BeliefProbe | None]:
    """
    Open the store at *path* for reading; ``None`` when it is of another schema or does not know the *project*.

    Args:
        path: Of the store's file.
        tenant: Whose project it is.
        project: Identity of the project.
        branches: Names of branches whose facts count, as a JSON array.
        now_us: The instant at which claims must hold, in microseconds since 1970, UTC.

    Raises:
        sqlite3.Error: There is no such store, it is damaged, or held by another process.
    """
    with closing(connect_reading(path)) as connection:
        scope_key = _scope_key(connection, tenant, project)
        yield BeliefProbe(connection, scope_key, branches=branches, now_us=now_us) if scope_key is not None else None


def is_writable(path: str) -> bool:
    """Return whether the store at *path* could be written now, without waiting for another process."""
    try:
        uri = f"{Path(path).absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=0.1, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error:
        return False
    return True


def _scope_key(connection: sqlite3.Connection, tenant: str, project: str) -> int | None:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if (application_id, version) != (APPLICATION_ID, SCHEMA_VERSION):
        return None
    found = connection.execute("SELECT key FROM scope WHERE tenant = ? AND project = ?", (tenant, project)).fetchone()
    return None if found is None else int(found[0])


def _expression(part: Part) -> str:
    return f"{_COLUMNS_OF[part.kind]} : " + '"' + part.text.replace('"', '""') + '"'
