"""Files that are new, old, foreign, damaged or full, and what raw SQL finds in them."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import attrs
import pytest
from pckc_adapters_sqlite import manifest_probe, migrations
from pckc_adapters_sqlite.backend import CANONICAL, EMBEDDING_CACHE, VECTOR, EmbeddingCacheSettings, SqliteSettings
from pckc_adapters_sqlite.connection import Connection, Connections, close_to_others
from pckc_adapters_sqlite.outbox import UNCLAIMED_DELETIONS
from pckc_domain.errors import BackendError, BackendUnavailableError, ConfigurationError, ConflictError
from pckc_domain.model.gap import GapPriority
from pckc_domain.model.outbox import OutboxKind, OutboxOperation
from pckc_domain.model.passage import DocumentContent, Layer
from pckc_domain.model.trace import TraceKind
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.curated_samples import distillation, gap, trace, verdict
from pckc_domain.testing.samples import SCOPE, TIME, checkout, content, document, entry, passages
from pckc_domain.testing.vector_contract import SPACE, items


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


def reopen(path: Path) -> None:
    """Open and close the store."""
    with CANONICAL.open(SqliteSettings(path=path)):
        pass


class TestPrivacy:
    """What agents were told is nobody else's to read."""

    @pytest.fixture(autouse=True)
    def open_umask(self) -> Iterator[None]:
        """Let the process make files that everybody may read."""
        before = os.umask(0o022)
        yield
        os.umask(before)

    def test_files_and_new_folders_are_their_owner_s(self, tmp_path: Path) -> None:
        """The log and the shared memory, made by SQLite, follow."""
        top = tmp_path / "data"
        settings = SqliteSettings(path=top / "pckc" / "store.db")
        cache = EmbeddingCacheSettings(path=top / "cache" / "embeddings.db")
        with CANONICAL.open(settings) as store, EMBEDDING_CACHE.open(cache) as embeddings:
            with store.writing(SCOPE) as work:
                work.gaps.put(gap("g"))
            assert not embeddings.get(SCOPE, SPACE, ["0" * 64]).vectors
            modes = {each: stat.S_IMODE(each.stat().st_mode) for each in (top, *top.rglob("*"))}
        assert {each.name for each in modes} >= {"store.db", "store.db-wal", "store.db-shm", "embeddings.db"}
        assert all(mode == (0o700 if each.is_dir() else 0o600) for each, mode in modes.items()), modes

    def test_what_was_there_stays_as_its_owner_wants_it(self, tmp_path: Path) -> None:
        """A folder that is shared on purpose, and a store in it that a group may read."""
        path = tmp_path / "store.db"
        reopen(path)
        path.chmod(0o640)
        tmp_path.chmod(0o755)
        reopen(path)
        assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(tmp_path.stat().st_mode)) == (0o640, 0o755)

    @pytest.mark.parametrize("mode", [0o644, 0o664, 0o666])
    def test_files_that_everybody_may_read_are_closed(self, tmp_path: Path, mode: int) -> None:
        """As earlier versions made them, with what SQLite laid beside them, read or written."""
        settings = SqliteSettings(path=tmp_path / "store.db")
        cache = EmbeddingCacheSettings(path=tmp_path / "embeddings.db")
        with CANONICAL.open(settings) as kept, EMBEDDING_CACHE.open(cache) as embeddings:
            assert not embeddings.get(SCOPE, SPACE, ["0" * 64]).vectors
            with kept.writing(SCOPE) as work:  # so that there is a log
                work.gaps.put(gap("g"))
            for each in tmp_path.iterdir():
                each.chmod(mode)
            with CANONICAL.open(settings) as store, EMBEDDING_CACHE.open(cache) as again:
                with store.reading(SCOPE) as work:
                    assert work.gaps.find(limit=1)
                assert not again.get(SCOPE, SPACE, ["0" * 64]).vectors
                modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
        assert set(modes.values()) == {0o600}, modes
        assert "store.db-wal" in modes

    def test_what_is_no_file_stays_as_it_is(self, tmp_path: Path) -> None:
        """A device or a pipe is for everybody: root closed /dev/null once, when it was named as a store."""
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        pipe.chmod(0o666)
        close_to_others(pipe)
        assert stat.S_IMODE(pipe.stat().st_mode) == 0o666

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
    def test_another_s_file_stays_as_it_is(self, tmp_path: Path) -> None:
        """It can be used, and is not this user's to close."""
        path = tmp_path / "store.db"
        reopen(path)
        os.chown(path, 12345, -1)
        path.chmod(0o666)
        reopen(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o666


class TestContent:
    """What raw SQL reads back."""

    def test_rows_hold_what_was_put(self, store: Canonical, path: Path) -> None:
        """Documents, passages and search tables, field by field where it matters."""
        of = document()
        cut = passages(of, "Readers must retry", terms="terma termb", heading="Policy")
        with store.writing(SCOPE) as work:
            work.documents.put(DocumentContent(document=of, passages=tuple(cut.values())))
        assert raw(path, "SELECT id, uri, indexed_at, is_stale, commit_sha FROM document") == [
            (of.id, of.uri, round(of.indexed_at.timestamp() * 1e6), 0, "abc")
        ]
        assert raw(path, "SELECT layer, text, terms, heading FROM passage ORDER BY layer") == [
            (layer.value, "Readers must retry", "terma termb", "" if layer is Layer.SUMMARY else "Policy")
            for layer in sorted(Layer)
        ]
        for table, column in (
            ("knowledge_chunks_fts", "content"),
            ("knowledge_paragraphs_fts", "content"),
            ("knowledge_propositions_fts", "proposition_text"),
            ("knowledge_summaries_fts", "summary_text"),
        ):
            sql = f"SELECT {column}, terms FROM {table} WHERE {table} MATCH 'retries'"  # noqa: S608  # names from above
            assert raw(path, sql) == [("Readers must retry", "terma termb")]

    def test_rows_hold_what_is_curated(self, store: Canonical, path: Path) -> None:
        """Places, distillations, verdicts, gaps and traces."""
        of, now = document("file:///a.pdf"), round(TIME.timestamp() * 1e6)
        placed = [attrs.evolve(one, place="page=3") for one in passages(of, "Readers must retry").values()]
        with store.writing(SCOPE) as work:
            work.documents.put(DocumentContent(document=of, passages=tuple(placed)))
            work.distillations.put([distillation("owner", of, error="no JSON", attempts=2, refused=1)])
            work.verdicts.put([verdict("b", "a", similarity=0.5, reason="Same slot.")])
            work.gaps.put(gap("g", question="Где?", priority=GapPriority.HIGH, closed_by=("b", "a")))
            work.traces.add([trace("t", TraceKind.PLAN, text="Ищу.", session_id="s")])
        assert raw(path, "SELECT DISTINCT place FROM passage") == [("page=3",)]
        columns = "owner_id, uri, document_id, passage_id, distiller, attempts, error, refused, is_done, at"
        assert raw(path, f"SELECT {columns} FROM distillation") == [  # noqa: S608 - our names
            ("owner", of.uri, of.id, "psg_owner", "rules", 2, "no JSON", 1, 0, now)
        ]
        assert raw(path, "SELECT claim_id, other_id, method, kind, similarity, reason, at FROM verdict") == [
            ("b", "a", "rules", "contradicts", 0.5, "Same slot.", now)
        ]
        assert raw(path, "SELECT id, question, priority, status, raised_by, closed_by, created_at FROM gap") == [
            ("g", "Где?", "high", "open", "agent", '["b", "a"]', now)
        ]
        assert raw(path, "SELECT id, kind, session_id, at, text FROM trace") == [("t", "plan", "s", now, "Ищу.")]

    def test_erasing_leaves_no_row(self, store: Canonical, path: Path) -> None:
        """Nor a search entry; only the queue knows that there was something."""
        of = document()
        with store.writing(SCOPE) as work:
            work.documents.put(content(of, "secretword here"))
            work.manifest.put("co_one", [entry(of)])
            work.manifest.remove("co_one", [of.uri])
        for table in ("document", "passage", "manifest"):
            assert raw(path, f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608  # names from above
        raw(path, "CREATE VIRTUAL TABLE terms USING fts5vocab(knowledge_chunks_fts, row)")
        assert raw(path, "SELECT term FROM terms") == []
        assert raw(path, "SELECT entity_id, operation FROM outbox") == [(of.id, "delete")]

    def test_a_passage_id_used_twice_is_a_conflict(self, store: Canonical) -> None:
        """And the transaction leaves nothing behind."""
        of = document()
        passage = passages(of, "text")[Layer.CHUNK]
        with pytest.raises(ConflictError), store.writing(SCOPE) as work:
            work.documents.put(DocumentContent(document=of, passages=(passage, passage)))
        with store.reading(SCOPE) as work:
            assert work.documents.get([of.id]) == []

    def test_deletions_nobody_waits_for_do_not_pile_up(self, store: Canonical, path: Path) -> None:
        """Without a projection the newest ones are kept, with one all of them."""
        ids = [f"doc_{i}" for i in range(UNCLAIMED_DELETIONS + 500)]
        with store.writing(SCOPE) as work:
            work.outbox.append(OutboxKind.DOCUMENT, ids, OutboxOperation.DELETE)
            assert work.outbox.lag("vector") == UNCLAIMED_DELETIONS
            work.outbox.advance("vector", 1)
            work.outbox.append(OutboxKind.DOCUMENT, ["more"], OutboxOperation.DELETE)
            assert work.outbox.lag("vector") == UNCLAIMED_DELETIONS + 1
            work.outbox.advance("vector", work.outbox.pending("vector", limit=20_000)[-1].seq)
        assert raw(path, "SELECT count(*) FROM outbox") == [(0,)]

    def test_an_index_larger_than_a_block_is_cleared(self, path: Path) -> None:
        """Codes of a block that is no longer stored are not searched."""
        with VECTOR.open(SqliteSettings(path=path)) as index:
            index.upsert(SCOPE, SPACE, items(2500))
            vector = items(1)[0].vector
            assert len(index.search(SCOPE, SPACE, vector, partitions=frozenset(), limit=3000)) == 2500
            index.clear(SCOPE)
            index.upsert(SCOPE, SPACE, items(3))
            assert len(index.search(SCOPE, SPACE, vector, partitions=frozenset(), limit=3000)) == 3
            index.delete(SCOPE, owners=["item-0"])
            index.upsert(SCOPE, SPACE, items(2000))
            assert raw(path, "SELECT count(*), max(slot) FROM vector_item") == [(2000, 1999)]


class TestMigrations:
    """Which files are opened."""

    def test_a_store_records_its_migrations(self, store: Canonical, path: Path) -> None:
        """Number and hash of each, and who it belongs to."""
        known = [(each.number, each.sha256) for each in migrations.migrations()]
        assert raw(path, "SELECT number, sha256 FROM migration ORDER BY number") == known
        assert [number for number, _ in known] == list(range(1, len(known) + 1))
        assert raw(path, "PRAGMA application_id") == [(migrations.APPLICATION_ID,)]
        assert raw(path, "PRAGMA user_version") == [(migrations.newest(),)]
        assert raw(path, "PRAGMA journal_mode") == [("wal",)]
        assert store.info().schema_version == migrations.newest()

    def test_an_older_store_is_brought_up(self, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its content stays; a migration that fails leaves the older store as it was."""
        folder = tmp_path / "migrations"
        folder.mkdir()
        for file in migrations.FOLDER.glob("*.sql"):
            (folder / file.name).write_bytes(file.read_bytes())
        with CANONICAL.open(SqliteSettings(path=path)) as store, store.writing(SCOPE) as work:
            work.documents.put(content(document(), "text"))
        number = migrations.newest() + 1
        broken = folder / f"{number:04d}_more.sql"
        monkeypatch.setattr(migrations, "FOLDER", folder)
        try:
            broken.write_text("CREATE TABLE more (x);\nCREATE TABLE more (x);\n")
            migrations.migrations.cache_clear()
            with pytest.raises(BackendError):
                reopen(path)
            assert raw(path, "SELECT count(*) FROM sqlite_master WHERE name = 'more'") == [(0,)]
            broken.write_text("-- semicolons; in comments\nCREATE TABLE more (x);\nINSERT INTO more VALUES ('a;b');\n")
            migrations.migrations.cache_clear()
            reopen(path)
        finally:
            monkeypatch.undo()
            migrations.migrations.cache_clear()
        assert raw(path, "SELECT x FROM more") == [("a;b",)]
        assert raw(path, "PRAGMA user_version") == [(number,)]
        with pytest.raises(ConfigurationError, match="newer version") as raised:
            reopen(path)
        assert "Upgrade" in raised.value.remedy

    def test_a_changed_migration_is_refused(self, path: Path) -> None:
        """The schema may not be what this version expects."""
        reopen(path)
        raw(path, "UPDATE migration SET sha256 = 'x' WHERE number = 1")
        with pytest.raises(ConfigurationError, match="migration 1"):
            reopen(path)

    def test_a_foreign_database_is_left_alone(self, path: Path) -> None:
        """Not a byte of it is changed."""
        raw(path, "CREATE TABLE theirs (x)")
        before = path.read_bytes()
        with pytest.raises(ConfigurationError, match="no PCKC store"):
            reopen(path)
        assert path.read_bytes() == before

    def test_a_file_that_is_no_database_is_left_alone(self, path: Path) -> None:
        """The error names it and what to do."""
        path.write_text("notes " * 1000)
        with pytest.raises(ConfigurationError, match="not an SQLite database") as raised:
            reopen(path)
        assert str(path) in raised.value.message
        assert raised.value.remedy
        assert path.read_text() == "notes " * 1000

    def test_a_folder_is_no_store(self, tmp_path: Path) -> None:
        """Nor can one be made where a file is in the way."""
        with pytest.raises(BackendUnavailableError):
            reopen(tmp_path)


class TestTrouble:
    """A store that breaks while it is used."""

    def test_damage_is_reported(self, path: Path) -> None:
        """By the check, and as an error that names the way back when the damaged part is read."""
        versions = [document(version=version) for version in range(40)]
        with CANONICAL.open(SqliteSettings(path=path)) as store, store.writing(SCOPE) as work:
            for version in versions:
                work.documents.put(content(version, *(f"some text {i}" for i in range(20))))
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(size // 2)
            file.write(b"\xff" * (size // 3))
        with CANONICAL.open(SqliteSettings(path=path)) as store:
            assert store.info(check=True).problems
            with store.reading(SCOPE) as work, pytest.raises(BackendError, match="damaged") as raised:
                work.passages.of_documents([version.id for version in versions])
        assert "backup" in raised.value.remedy

    def test_damaged_names_are_damage(self, path: Path) -> None:
        """SQLite quotes them as they are, and Python cannot decode what it says."""
        reopen(path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(
                "UPDATE sqlite_master SET name = CAST(x'AABB' AS TEXT), sql = 'CREATE nothing' WHERE name = 'passage'"
            )
        with pytest.raises(BackendError, match="damaged") as raised:
            reopen(path)
        assert "backup" in raised.value.remedy
        assert manifest_probe.read_manifest(str(path), "co_1") is None

    def test_a_damaged_text_is_damage(self, path: Path) -> None:
        """Bytes of a column that are no text are the store's fault, not the caller's."""
        with CANONICAL.open(SqliteSettings(path=path)) as store:
            with store.writing(SCOPE) as work:
                work.documents.put(content(document(version=1), "kept"))
            raw(path, "UPDATE document SET uri = CAST(x'FFFE' AS TEXT)")
            with store.reading(SCOPE) as work, pytest.raises(BackendError, match="damaged") as raised:
                work.documents.get([document(version=1).id])
        assert "backup" in raised.value.remedy

    def test_a_full_disk_keeps_what_was_committed(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The failed transaction leaves nothing, and the store can be used and emptied."""
        plain = Connections.writer

        def small(self: Connections) -> Connection:
            connection = plain(self)
            connection.run("PRAGMA max_page_count = 150")
            return connection

        def fill(store: Canonical) -> None:
            with store.writing(SCOPE) as work:
                for version in range(2, 300):
                    work.documents.put(content(document(version=version), "filler " * 500))

        monkeypatch.setattr(Connections, "writer", small)
        with CANONICAL.open(SqliteSettings(path=path)) as store:
            with store.writing(SCOPE) as work:
                work.documents.put(content(document(version=1), "kept"))
            with pytest.raises(BackendUnavailableError, match="no space") as raised:
                fill(store)
            assert raised.value.remedy
            with store.reading(SCOPE) as work:
                assert len(work.documents.at(document().uri)) == 1
            with store.writing(SCOPE) as work:
                work.documents.remove([document(version=1).id])


class TestManifestProbe:
    """The fast way to a manifest."""

    def test_it_reads_what_the_port_wrote(self, store: Canonical, path: Path) -> None:
        """Paths, sizes and times, and what is known of the checkout."""
        with store.writing(SCOPE) as work:
            work.manifest.record(checkout())
            work.manifest.put("co_one", [entry(document("b.py")), entry(document("a.py"))])
        read = manifest_probe.read_manifest(str(path), "co_one")
        assert read is not None
        meta, entries = read
        assert entries == [("a.py", 101, 1_000_000_007), ("b.py", 101, 1_000_000_007)]
        assert (meta.root, meta.recipe, meta.branch_name) == ("/trees/co_one", "sample", "main")
        assert migrations.newest() == manifest_probe.SCHEMA_VERSION

    def test_anything_unusual_is_left_to_others(self, store: Canonical, path: Path, tmp_path: Path) -> None:
        """No store, another version, an unknown or unfinished checkout."""
        with store.writing(SCOPE) as work:
            work.manifest.record(checkout(is_complete=False))
            work.manifest.record(checkout("co_two"))
        assert manifest_probe.read_manifest(str(path), "co_one") is None
        assert manifest_probe.read_manifest(str(path), "co_unknown") is None
        assert manifest_probe.read_manifest(str(tmp_path / "nothing.db"), "co_two") is None
        assert not (tmp_path / "nothing.db").exists()
        assert manifest_probe.read_manifest(str(path), "co_two") is not None
        raw(path, "PRAGMA user_version = 999")
        assert manifest_probe.read_manifest(str(path), "co_two") is None
        (tmp_path / "text.db").write_text("no database " * 100)
        assert manifest_probe.read_manifest(str(tmp_path / "text.db"), "co_two") is None
