"""
What is believed now, looked up by words, read fast.

Nothing heavy is imported, so that a hook of an agent host answers before its user notices. Nothing is
written, nothing is waited for: who cannot be answered at once gets an error.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pckc_domain.policy.remnants import without_spans

from pckc_adapters_sqlite.manifest_probe import APPLICATION_ID, SCHEMA_VERSION, connect_reading
from pckc_adapters_sqlite.shelf import LooseTexts, Part, Shelf

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
    SELECT e.key, e.id, ifnull(e.time, 0), e.speaker, e.text, 'session:' || e.session_id || '#' || e.seq,
        e.session_id, e.event_id, e.span_start
    FROM evidence_fts f CROSS JOIN evidence e ON e.key = f.rowid
    WHERE evidence_fts MATCH :match AND f.rank MATCH :rank AND e.scope_key = :scope
        AND e.kind IN ('prompt', 'annotation') AND e.speaker <> 'sub-agent' AND e.session_id <> :session
        AND trim(e.text) NOT LIKE '%?'
    ORDER BY f.rank LIMIT :limit
"""

_ASSERTED = """
    SELECT a.event_id, a.proof_source_ref FROM assertion a
    WHERE a.scope_key = :scope AND a.owner_id IN (SELECT value FROM json_each(:sessions))
        AND a.event_id IN (SELECT value FROM json_each(:events))
"""

_WRITTEN = """
    SELECT p.key, p.id, d.uri, p.start_line, p.end_line, p.text
    FROM knowledge_paragraphs_fts f
        CROSS JOIN passage p ON p.key = f.rowid CROSS JOIN document d ON d.key = p.document_key
    WHERE knowledge_paragraphs_fts MATCH :match AND f.rank MATCH :rank AND p.scope_key = :scope AND NOT p.is_stale
    ORDER BY f.rank LIMIT :limit
"""

LOOKED_AT = 2
"""Of so many times the texts that are asked for, those are passed over of which nothing is left."""


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
    """
    What a person said that no claim was made of: of *text* other sentences are left out.

    *time_us* is 0 when nobody knows when; *proof* is a locator of the whole.
    """

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


class SaidShelf(Shelf[SaidRow]):
    """What people said: of a text that claims were made of, what is left beside them is looked up and told."""

    def __init__(self, connection: sqlite3.Connection, values: Mapping[str, Any]) -> None:
        super().__init__(connection, "evidence", SaidRow, _SAID, values)
        self._cut: dict[int, str] = {}
        self._lookup: LooseTexts | None = None

    def best(self, counted: Sequence[tuple[int, Part]], /, *, limit: int) -> list[SaidRow]:
        """Return the best matches of parts, each with its count, as far as something is left of them."""
        found = self._found(counted, limit * LOOKED_AT)
        proofs = self._proofs({row[-3] for row in found}, {row[-2] for row in found}) if found else {}
        rows: list[SaidRow] = []
        self._cut, self._lookup = {}, None
        for *row, _, event_id, start in found:
            whole = SaidRow(*row)
            text = unclaimed(whole.text, whole.proof, start, proofs.get(event_id, ()))
            if text and text != whole.text:
                self._cut[whole.key] = text
            if text:
                rows.append(whole._replace(text=text))
            if len(rows) == limit:
                break
        return rows

    def among(self, part: Part, keys: Sequence[int], /) -> set[int]:
        """Return which of the texts with these *keys* match *part*, by what is left of them."""
        matching = super().among(part, keys)
        if matching.isdisjoint(self._cut):
            return matching
        if self._lookup is None:
            self._lookup = LooseTexts(self._connection, self._cut)
        return matching - self._cut.keys() | matching & self._lookup.among(part)

    def _proofs(self, sessions: Collection[str], events: Collection[str]) -> dict[str, list[str]]:
        """Return by event the locators of all that claims, of whatever standing, were made of."""
        values = {**self._values, "sessions": json.dumps([*sessions]), "events": json.dumps([*events])}
        locators: dict[str, list[str]] = {}
        for event_id, locator in self._connection.execute(_ASSERTED, values):
            locators.setdefault(event_id, []).append(locator)
        return locators


def unclaimed(text: str, event: str, start: int, proofs: Iterable[str]) -> str:
    """
    Return what is left of a text beside the claims of its event; ``""`` when no words are.

    Args:
        text: A passage of an event.
        event: Locator of that event.
        start: Where the passage begins in it.
        proofs: Locators of what claims were made of. One that is elsewhere was made of the event as a whole.
    """
    spans = []
    for proof in proofs:
        if not proof.startswith(f"{event}:"):
            return ""
        first, _, last = proof[len(event) + 1 :].partition("-")
        spans.append((int(first) - start, int(last) - start))
    return without_spans(text, spans)


class BeliefProbe:
    """
    What one scope holds now.

    Attributes:
        claims: What people, tools, tests, documents or the repository vouch for, and nothing has closed. Of what only
            the repository says, that counts which one of the asked branches sets; no branches means all.
        said: What people said in other sessions, questions left out, as far as no claim, of whatever standing, came of
            it: a sentence that one was made of hides itself, not the others.
        written: Paragraphs of files as they are now.
    """

    def __init__(self, connection: sqlite3.Connection, values: Mapping[str, Any]) -> None:
        self._connection = connection
        self._values = values
        self.claims = Shelf(connection, "claim", ClaimRow, _BEST, values)
        self.said = SaidShelf(connection, values)
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
