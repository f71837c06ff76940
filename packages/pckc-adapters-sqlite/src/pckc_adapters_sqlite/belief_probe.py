"""
What is believed now, looked up by words, read fast.

Only the standard library is imported, so that a hook of an agent host answers before its user notices. Nothing is
written, nothing is waited for: who cannot be answered at once gets an error.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pckc_adapters_sqlite.manifest_probe import APPLICATION_ID, SCHEMA_VERSION, connect_reading
from pckc_adapters_sqlite.selection import COMMON_ROWS, any_of, selective

RANKS = {
    "claim": "bm25(1.0, 2.0, 1.0, 1.0, 0.0, 0.5)",
    "evidence": "bm25(1.0, 0.5)",
    "knowledge_paragraphs": "bm25(1.0, 1.0, 2.0, 2.0, 0.5)",
}
"""The rank of each full-text table, by its view; a test keeps them those that searches use."""

_COLUMNS_OF = {
    "claim": "text subject attribute value",
    "evidence": "text",
    "knowledge_paragraphs": "content summary section_heading symbols",
}
"""Where words and phrases are looked for; extra terms have a column of their own, which words are looked for in too."""

_DURABLE = ("tool_verified", "user_confirmed", "repository_derived", "document_derived", "test_verified")
"""The authorities whose claims are belief; a test keeps them those of the gate."""

_COLUMNS = """
    c.key, c.id, c.type, c.status, c.status_reason, c.authority, c.is_standing, c.valid_from, c.text,
    c.session_id <> '', c.path || char(10) || c.subject || char(10) || c.attribute, ifnull(c.branch_name, ''),
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

_SAID = """
    SELECT e.key, e.id, ifnull(e.time, 0), e.speaker, e.text, 'session:' || e.session_id || '#' || e.seq
    FROM evidence_fts f CROSS JOIN evidence e ON e.key = f.rowid
    WHERE evidence_fts MATCH :match AND f.rank MATCH :rank AND e.scope_key = :scope
        AND e.kind IN ('prompt', 'annotation') AND e.speaker <> 'sub-agent' AND e.session_id <> :session
        AND trim(e.text) NOT LIKE '%?'
        AND NOT EXISTS (
            SELECT 1 FROM claim c
            WHERE c.scope_key = e.scope_key AND c.session_id = e.session_id AND c.event_id = e.event_id
        )
    ORDER BY f.rank LIMIT :limit
"""

_WRITTEN = """
    SELECT p.key, p.id, d.uri, p.start_line, p.end_line, p.text
    FROM knowledge_paragraphs_fts f
        CROSS JOIN passage p ON p.key = f.rowid CROSS JOIN document d ON d.key = p.document_key
    WHERE knowledge_paragraphs_fts MATCH :match AND f.rank MATCH :rank AND p.scope_key = :scope AND NOT p.is_stale
    ORDER BY f.rank LIMIT :limit
"""

_COUNT = "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)"

_AMONG = "SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid IN (SELECT value FROM json_each(?))"


class Part(NamedTuple):
    """What to look for: *kind* is word, phrase or term, as in `LexicalQuery`; *text* is plain words."""

    kind: str
    text: str


class ClaimRow(NamedTuple):
    """
    A claim that holds now.

    *valid_from_us* is in microseconds since 1970, UTC; *place* the setting of a file that it speaks of, when it is a
    fact of the repository; *proof* its first locator.
    """

    key: int
    id: str
    type: str
    status: str
    status_reason: str
    authority: str
    is_standing: int
    valid_from_us: int
    text: str
    is_said: int
    place: str
    branch: str
    proof: str


class SaidRow(NamedTuple):
    """What a person said that no claim was made of; *time_us* is 0 when nobody knows when, *proof* a locator."""

    key: int
    id: str
    time_us: int
    speaker: str
    text: str
    proof: str


class WrittenRow(NamedTuple):
    """A paragraph of a file."""

    key: int
    id: str
    uri: str
    start_line: int
    end_line: int
    text: str


RowT = TypeVar("RowT")


class Shelf(Generic[RowT]):
    """Texts of one kind, looked up by the parts of a query."""

    def __init__(
        self, connection: sqlite3.Connection, view: str, row: Callable[..., RowT], sql: str, values: Mapping[str, Any]
    ) -> None:
        self._connection = connection
        self._view = view
        self._row = row
        self._sql = sql
        self._values = values

    def size(self) -> int:
        """Return about how many texts the store holds, old ones included."""
        (highest,) = self._connection.execute(f"SELECT coalesce(max(id), 0) FROM {self._view}_fts_docsize").fetchone()  # noqa: S608 - a name of this module
        return int(highest)

    def count(self, part: Part, /) -> int:
        """Return how many texts match *part*, old ones included, at most `COMMON_ROWS`."""
        sql = _COUNT.format(table=f"{self._view}_fts")
        (count,) = self._connection.execute(sql, (self._expression(part), COMMON_ROWS)).fetchone()
        return int(count)

    def best(self, counted: Sequence[tuple[int, Part]], /, *, limit: int) -> list[RowT]:
        """Return the best matches of parts, each with its count; many that hold common words alone are passed over."""
        parts = [(count, self._expression(part)) for count, part in counted if count]
        if not parts:
            return []
        match = selective(parts) or any_of(expression for _, expression in parts)
        values = {**self._values, "match": match, "rank": RANKS[self._view], "limit": limit}
        return [self._row(*row) for row in self._connection.execute(self._sql, values)]

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the texts with these *keys* match *part*."""
        sql = _AMONG.format(table=f"{self._view}_fts")
        found = self._connection.execute(sql, (self._expression(part), str([*keys])))
        return {key for (key,) in found}

    def _expression(self, part: Part) -> str:
        columns = _COLUMNS_OF[self._view]
        where = {"word": f"{columns} terms", "phrase": columns, "term": "terms"}[part.kind]
        return f"{{{where}}} : " + '"' + part.text.replace('"', '""') + '"'


class BeliefProbe:
    """
    What one scope holds now.

    Attributes:
        claims: What people, tools, tests, documents or the repository vouch for, and nothing has closed. Of what only
            the repository says, that counts which one of the asked branches sets; no branches means all.
        said: What people said in other sessions, questions left out, as far as no claim, of whatever standing, came of
            it.
        written: Paragraphs of files as they are now.
    """

    def __init__(self, connection: sqlite3.Connection, values: Mapping[str, Any]) -> None:
        self._connection = connection
        self._values = values
        self.claims = Shelf(connection, "claim", ClaimRow, _BEST, values)
        self.said = Shelf(connection, "evidence", SaidRow, _SAID, values)
        self.written = Shelf(connection, "knowledge_paragraphs", WrittenRow, _WRITTEN, values)

    def standing(self, *, limit: int) -> list[ClaimRow]:
        """Return standing rules, pinned ones first, then the newest."""
        rows = self._connection.execute(_STANDING, {**self._values, "limit": limit})
        return [ClaimRow._make(row) for row in rows]


@contextmanager
def open_beliefs(
    path: str, *, tenant: str, project: str, branches: str, now_us: int, session: str = ""
) -> Iterator[BeliefProbe | None]:
    """
    Open the store at *path* for reading; ``None`` when it is of another schema or does not know the *project*.

    Args:
        path: Of the store's file.
        tenant: Whose project it is.
        project: Identity of the project.
        branches: Names of branches whose facts count, as a JSON array.
        session: Id of the session that asks, which knows what was said in it.
        now_us: The instant at which claims must hold, in microseconds since 1970, UTC.

    Raises:
        sqlite3.Error: There is no such store, it is damaged, or held by another process.
    """
    with closing(connect_reading(path)) as connection:
        scope_key = _scope_key(connection, tenant, project)
        values = {"scope": scope_key, "branches": branches, "now": now_us, "session": session}
        yield BeliefProbe(connection, values) if scope_key is not None else None


def is_writable(path: str) -> bool:
    """Return whether the store at *path* could be written now, without waiting for another process."""
    try:
        uri = f"{Path(path).absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=0.1, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except (sqlite3.Error, UnicodeDecodeError):  # the latter when names in a damaged store are no text
        return False
    return True


def _scope_key(connection: sqlite3.Connection, tenant: str, project: str) -> int | None:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if (application_id, version) != (APPLICATION_ID, SCHEMA_VERSION):
        return None
    found = connection.execute("SELECT key FROM scope WHERE tenant = ? AND project = ?", (tenant, project)).fetchone()
    return None if found is None else int(found[0])
