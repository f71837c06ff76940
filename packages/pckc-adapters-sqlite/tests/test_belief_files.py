"""What raw SQL and raw bytes of the file tell of the session side."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from pckc_adapters_sqlite.backend import CANONICAL, SqliteSettings
from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import Beliefs, ClaimType
from pckc_domain.model.query import LexicalQuery
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.transcripts import TranscriptPosition
from pckc_domain.testing.belief_samples import (
    act,
    assertion,
    claim,
    episode,
    event,
    evidence,
    link,
    proof,
    rejection,
    session,
)
from pckc_domain.testing.samples import SCOPE, TIME

ONE, TWO = session("one"), session("two", started_at=None)
CANARY = "zyxcanary"
MICROSECONDS = round(TIME.timestamp() * 1e6)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the store is."""
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[Canonical]:
    """Yield an empty store."""
    with CANONICAL.open(SqliteSettings(path=path)) as store:
        yield store


def raw(path: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    """Run *sql* past the adapter."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(sql, values).fetchall()


def holders(path: Path) -> set[str]:
    """Return the store's files that hold the canary, in any spelling."""
    return {file.name for file in path.parent.iterdir() if CANARY.encode() in file.read_bytes().lower()}


def plant(store: Canonical, word: str, count: int) -> None:
    """Store a session that says *word* wherever text may be, and settle what it asserts."""
    events = [event(ONE, seq, f"{word} {seq} said {'so ' * 40}", speaker=word, path=word) for seq in range(count)]
    claims = [claim(f"{word} {seq}", subject=word, attribute=word, value=word, terms=word) for seq in range(count)]
    with store.writing(SCOPE) as work:
        work.sessions.put(session("one", title=word, cwd=word), events)
        work.evidence.replace(ONE.id, [episode(ONE)], [evidence(each, episode(ONE), terms=word) for each in events])
        work.assertions.replace(ONE.id, {"slot": [assertion(each) for each in claims]})
        work.rejections.replace(ONE.id, [rejection(ONE, excerpt=word)])
        work.claims.settle({"slot": Beliefs(claims=tuple(claims), proofs=tuple(map(proof, claims)))})
        work.claims.note_check(claims[0].id, stale_reason=word)
        work.proofs.attach([proof(claims[0], "attached", excerpt=word)])
        work.governance.append(act(claims[0], reason=word))


def erase(store: Canonical) -> None:
    """Remove the session and settle what it asserted."""
    with store.writing(SCOPE) as work:
        for slot in work.sessions.remove([ONE.id]):
            work.claims.settle({slot: Beliefs()})


class TestRows:
    """What raw SQL reads back."""

    def test_events_hold_what_was_put(self, store: Canonical, path: Path) -> None:
        """Times in microseconds, or NULL; flags as integers; the session by key."""
        with store.writing(SCOPE) as work:
            work.sessions.put(ONE, [event(ONE, 3, "text", exit_code=2, is_sidechain=True)])
            work.sessions.put(TWO, [event(TWO, 0, "untimed", time=None)])
        assert raw(
            path,
            "SELECT s.source_id, s.started_at, s.is_underived, e.seq, e.kind, e.time, e.text, e.exit_code, "
            "e.is_sidechain, e.is_replay FROM event e JOIN session s ON s.key = e.session_key ORDER BY s.source_id",
        ) == [
            ("one", MICROSECONDS, 1, 3, "prompt", MICROSECONDS + 180_000_000, "text", 2, 1, 0),
            ("two", None, 1, 0, "prompt", None, "untimed", None, 0, 0),
        ]

    def test_claims_hold_what_was_settled(self, store: Canonical, path: Path) -> None:
        """A check stands beside the status that was settled."""
        old = claim("Use Postgres.", valid_to=TIME + timedelta(seconds=1), subject="database")
        new = claim("Use SQLite.", type=ClaimType.OPEN_QUESTION)
        beliefs = Beliefs(claims=(old, new), proofs=(proof(old),), links=(link(new, old),))
        with store.writing(SCOPE) as work:
            work.claims.settle({"slot": beliefs})
            work.claims.note_check(old.id, stale_reason="gone")
            work.proofs.attach([proof(old, excerpt="attached")])
        assert raw(path, "SELECT id, slot, status, stale_reason, valid_from, valid_to FROM claim ORDER BY text") == [
            (old.id, "slot", "verified", "gone", MICROSECONDS, MICROSECONDS + 1_000_000),
            (new.id, "slot", "verified", "", MICROSECONDS, None),
        ]
        assert raw(path, "SELECT is_attached, excerpt FROM proof ORDER BY is_attached") == [
            (0, "Use Postgres."),
            (1, "attached"),
        ]
        assert raw(
            path,
            "SELECT s.id, t.id, l.kind, l.confidence, l.slot FROM link l "
            "JOIN claim s ON s.key = l.source_key JOIN claim t ON t.key = l.target_key",
        ) == [(new.id, old.id, "supersedes", 0.625, "slot")]
        sql = "SELECT text FROM claim_fts WHERE claim_fts MATCH ?"
        assert raw(path, sql, "subject : databases") == [("Use Postgres.",)]
        assert raw(path, sql, 'type : "open_question"') == [("Use SQLite.",)]

    def test_deriving_again_touches_only_what_changed(self, store: Canonical, path: Path) -> None:
        """Rows that stay keep their keys, so a growing session costs what it gained."""
        events = [event(ONE, seq, f"text {seq}") for seq in range(4)]
        claims = [claim(f"text {seq}") for seq in range(4)]
        keys = []
        for count in (3, 4):
            with store.writing(SCOPE) as work:
                found = [evidence(each, episode(ONE)) for each in events[:count]]
                work.evidence.replace(ONE.id, [episode(ONE)], found)
                work.assertions.replace(ONE.id, {"slot": [assertion(each) for each in claims[:count]]})
                work.rejections.replace(ONE.id, [rejection(ONE, seq) for seq in range(count)])
                work.claims.settle(
                    {"slot": Beliefs(claims=tuple(claims[:count]), proofs=tuple(map(proof, claims[:count])))}
                )
            keys.append(
                [
                    raw(path, f"SELECT key FROM {table} ORDER BY key")  # noqa: S608  # names from here
                    for table in ("evidence", "assertion", "rejection", "claim", "proof")
                ]
            )
        before, after = keys
        assert [len(each) for each in before] == [3] * 5
        assert [each[:3] for each in after] == before

    def test_erasing_leaves_no_row(self, store: Canonical, path: Path) -> None:
        """Nor a search entry."""
        plant(store, CANARY, 3)
        erase(store)
        for table in (
            "session",
            "event",
            "episode",
            "evidence",
            "assertion",
            "rejection",
            "claim",
            "proof",
            "link",
            "governance_act",
        ):
            assert raw(path, f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608  # names from above
        for table in ("evidence_fts", "claim_fts"):
            raw(path, f"CREATE VIRTUAL TABLE terms_of_{table} USING fts5vocab({table}, row)")
            assert raw(path, f"SELECT term FROM terms_of_{table}") == []  # noqa: S608  # names from above
        assert store.info(check=True).problems == ()

    def test_a_damaged_search_table_is_noticed(self, store: Canonical, path: Path) -> None:
        """The integrity check compares it with the claims."""
        plant(store, "word", 1)
        raw(path, "INSERT INTO claim_fts (claim_fts) VALUES ('delete-all')")
        assert [problem for problem in store.info(check=True).problems if problem.startswith("claim_fts")]


class TestBytes:
    """What is erased is not in the file any more."""

    @pytest.mark.parametrize("count", [1, 400])
    def test_compacting_leaves_no_erased_text(self, store: Canonical, path: Path, count: int) -> None:
        """Neither in the file nor in its log, while a neighbour stays."""
        kept = claim("Neighbours remain.", session_id=TWO.id)
        with store.writing(SCOPE) as work:
            work.claims.settle({"other": Beliefs(claims=(kept,))})
        plant(store, CANARY.title(), count)
        assert holders(path)
        erase(store)
        store.compact()
        assert holders(path) == set()
        with store.reading(SCOPE) as work:
            hits = work.claims.search(LexicalQuery(words=("neighbour",)), where=ClaimFilter(), limit=9)
            assert [hit.stored.claim for hit in hits] == [kept]

    def test_erasing_within_one_commit_leaves_no_text(self, store: Canonical, path: Path) -> None:
        """Also when text was indexed and erased before anything was written."""
        plant(store, "other", 1)
        claims = [claim(f"{CANARY} {number}") for number in range(300)]
        with store.writing(SCOPE) as work:
            work.claims.settle({"slot": Beliefs(claims=tuple(claims))})
            work.claims.settle({"slot": Beliefs()})
        store.compact()
        assert holders(path) == set()

    def test_space_comes_back(self, store: Canonical) -> None:
        """The file shrinks to about what it was."""
        store.compact()
        empty = store.info().size_bytes
        plant(store, "word", 400)
        erase(store)
        assert store.info().size_bytes > 1.5 * empty
        store.compact()
        assert store.info().size_bytes < 1.1 * empty

    def test_a_reader_in_the_way_is_named(self, path: Path) -> None:
        """The log cannot be emptied under an open snapshot, and that is said; the next attempt succeeds."""
        with CANONICAL.open(SqliteSettings(path=path, busy_timeout_seconds=0.1)) as store:
            plant(store, CANARY, 1)
            with store.reading(SCOPE):
                erase(store)
                with pytest.raises(BackendUnavailableError, match="log"):
                    store.compact()
            store.compact()
            assert holders(path) == set()

    def test_positions_are_forgotten(self, store: Canonical, path: Path) -> None:
        """Paths are text too."""
        with store.writing(SCOPE) as work:
            work.imports.remember(f"/{CANARY}", TranscriptPosition(state=CANARY))
        with store.writing(SCOPE) as work:
            work.imports.forget()
        store.compact()
        assert holders(path) == set()
