"""Stores are copied, backed up and restored by the real program, from engine to engine."""

import gzip
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pckc_adapters_postgres.testing import server_url
from pckc_adapters_sqlite.backend import CANONICAL, SqliteSettings
from pckc_domain.ports.canonical import Canonical
from pckc_domain.testing.copying_contract import BOOK, fill_curated
from pckc_domain.testing.holdings import curated_of

from . import sample
from .conftest import environ_at
from .program import Program, Repository, kill
from .test_sessions import STORY, said, write

COUNTED = ("layers", "sessions", "events", "evidence", "claims", "distillations", "gaps", "traces", "graph")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Yield the url of a PostgreSQL with an owner's rights."""
    with server_url() as url:
        yield url


@pytest.fixture
def schema(server: str, tmp_path: Path) -> Iterator[str]:
    """Yield the name of a schema that is gone afterwards."""
    name = f"pckc_copies_{os.getpid()}"
    yield name
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{name}" CASCADE'.encode())


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program in an indexed repository, after a story and a decision; no test may change its store."""
    folder = tmp_path_factory.mktemp("copies")
    (folder / "home").mkdir()
    environ = environ_at(folder / "home")
    sample.fill(Repository(folder / "repo", environ))
    program = Program(folder=folder / "repo", environ=environ)
    program("index")
    program("import", write(folder / "story.jsonl", STORY))
    program("pin", program("claims", "--json").json["results"][0]["id"])
    with open_store(program) as store, store.writing(store.scopes()[0]) as work:
        fill_curated(work)
    return program


def open_store(program: Program, *store: str | Path) -> AbstractContextManager[Canonical]:
    """Open the program's store past the program."""
    return CANONICAL.open(SqliteSettings(path=Path(program("stats", "--json", *store).json["store"])))


def curated(program: Program, *store: str | Path) -> object:
    """Return all that is curated in a store, with the places of an ingested document's passages."""
    with open_store(program, *store) as opened:
        (scope,) = opened.scopes()
        with opened.reading(scope) as work:
            versions = work.documents.at(BOOK)
            return curated_of(opened, scope), versions, work.passages.of_documents([one.id for one in versions])


@pytest.fixture(scope="module")
def archive(told: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of its store."""
    file = tmp_path_factory.mktemp("archive") / "one.pckc.gz"
    told("backup", file)
    return file


@pytest.fixture(scope="module")
def first(told: Program) -> dict[str, Any]:
    """What its store answers."""
    return asked(told)


def config(folder: Path, name: str, text: str) -> Path:
    """Write a configuration that names a store."""
    file = folder / f"{name}.toml"
    file.write_text(f"[canonical]\n{text}\n", encoding="utf-8")
    return file


def sqlite_at(folder: Path, name: str) -> Path:
    """Return a configuration of a store in a file."""
    return config(folder, name, f'backend = "sqlite"\npath = "{folder / name}.db"')


def asked(program: Program, *store: str | Path) -> dict[str, Any]:
    """Return what a store answers."""
    stats = program("stats", "--json", *store).json
    claims = program("claims", "--all", "--json", *store).json["results"]
    return {
        "counts": {
            name: stats[name] for name in ("layers", "sessions", "events", "evidence", "claims", "gaps", "graph")
        },
        "claims": claims,
        "why": [program("why", claim["id"], "--json", *store).json for claim in claims[:2]],
        "history": program("history", claims[0]["id"], "--json", *store).json,
        "graph": program("graph", "callers", "LeaseExpiredError", "--json", *store).json["results"],
        "found": [hit["id"] for hit in program("search", "lease", "--json", *store).json["results"]],
        "synced": program("sync", "--json", *store).json["indexed"],
    }


def test_a_store_goes_to_a_server_and_back(
    told: Program, first: dict[str, Any], tmp_path: Path, server: str, schema: str
) -> None:
    """SQLite to PostgreSQL to SQLite: the last store answers as the first, and needs no new index run."""
    there = config(tmp_path, "there", f'backend = "postgres"\nurl = "{server}"\nschema = "{schema}"')
    copied = told("migrate", "--to", there, "--json").json
    assert "schema" in copied["place"]
    back = told("migrate", "--from", there, "--to", sqlite_at(tmp_path, "back"), "--json").json
    assert back["projects"] == copied["projects"]
    assert asked(told, "--store", tmp_path / "back.db") == first
    assert curated(told, "--store", tmp_path / "back.db") == curated(told)
    assert first["synced"] == 0
    again = told("migrate", "--to", there, "--json").json
    assert [one["was_there"] for one in again["projects"]] == [True]


def test_an_archive_restores_on_either_engine(
    told: Program, archive: Path, first: dict[str, Any], tmp_path: Path, server: str, schema: str
) -> None:
    """A backup of the file restores on the server, and the server's backup is the same text."""
    assert archive.stat().st_mode & 0o077 == 0
    other = tmp_path / "two.pckc.gz"
    (tmp_path / "pckc").mkdir()
    there = config(tmp_path, "pckc/pckc", f'backend = "postgres"\nurl = "{server}"\nschema = "{schema}"')
    on_server = {"XDG_CONFIG_HOME": str(there.parent.parent)}
    assert told("restore", archive, "--json", environ=on_server).json["place"].startswith("postgres")
    told("backup", other, environ=on_server)
    assert gzip.decompress(other.read_bytes()) == gzip.decompress(archive.read_bytes())
    told("restore", other, "--store", tmp_path / "third.db")
    assert asked(told, "--store", tmp_path / "third.db") == first


def test_an_export_is_the_backup_in_plain_lines(
    told: Program, archive: Path, first: dict[str, Any], tmp_path: Path
) -> None:
    """One format: whatever wrote it, whatever its name, either command reads it."""
    plain, packed = tmp_path / "one.jsonl", tmp_path / "one.jsonl.gz"
    assert told("export", plain, "--json").json["bytes"] == plain.stat().st_size
    told("export", packed)
    assert plain.read_bytes() == gzip.decompress(packed.read_bytes()) == gzip.decompress(archive.read_bytes())
    assert plain.stat().st_mode & 0o077 == 0
    told("import-archive", plain, "--store", tmp_path / "plain.db")
    told("restore", packed, "--store", tmp_path / "packed.db")
    again = tmp_path / "again.jsonl"
    told("export", again, "--store", tmp_path / "plain.db")
    assert again.read_bytes() == plain.read_bytes()
    assert asked(told, "--store", tmp_path / "plain.db") == asked(told, "--store", tmp_path / "packed.db") == first


def test_damage_has_a_place(told: Program, archive: Path, tmp_path: Path) -> None:
    """The line is named, and nothing was written; an archive of a later version is told from a damaged one."""
    lines = gzip.decompress(archive.read_bytes()).decode().splitlines(keepends=True)
    store, file = tmp_path / "new.db", tmp_path / "broken.jsonl"
    half = len(lines) // 2
    cases = {
        f"behind line {half}": lines[:half],
        f"line {half + 1}": [*lines[:half], lines[half].replace("a", "b", 1), *lines[half + 1 :]],
        f"at line {half + 1}": [*lines[:half], lines[half][: len(lines[half]) // 2]],
        "newer version": [lines[0].replace("3", "4", 1), *lines[1:]],
    }
    for place, broken in cases.items():
        file.write_text("".join(broken), encoding="utf-8")
        refused = told("import-archive", file, "--store", store, "--json", check=False)
        assert place in refused.error["message"]
        assert refused.error["remedy"]
        assert not store.exists()


def test_what_is_there_is_not_overwritten(told: Program, archive: Path, tmp_path: Path) -> None:
    """Neither an archive, nor a store that holds something else."""
    assert told("backup", archive, "--json", check=False).error["code"] == "invalid_input"
    store = ("--store", tmp_path / "mine.db")
    told("import", write(tmp_path / "more.jsonl", [said("third", 0, "Never deploy on a Friday.")]), *store)
    [mine] = told("claims", "--json", *store).json["results"]
    refused = told("restore", archive, "--json", *store, check=False)
    assert refused.error["code"] == "conflict"
    assert "--merge" in refused.error["remedy"]
    assert told("claims", "--json", *store).json["results"] == [mine]
    told("restore", archive, "--merge", *store)
    held = {claim["id"] for claim in told("claims", "--all", "--json", *store).json["results"]}
    assert held == {mine["id"], *(claim["id"] for claim in told("claims", "--all", "--json").json["results"])}


def test_an_archive_that_cannot_be_written_is_told(told: Program, tmp_path: Path) -> None:
    """Also when what was begun cannot be taken away either, as on a file system that became read-only."""
    refused = told("backup", tmp_path / ("x" * 250), "--json", check=False)
    assert refused.code == 4
    assert "cannot be written" in refused.error["message"]
    assert refused.error["remedy"] == "use a shorter name"


def test_a_damaged_archive_changes_nothing(told: Program, archive: Path, tmp_path: Path) -> None:
    """Cut short or with another byte: it is refused before anything is written."""
    damaged, store, whole = tmp_path / "damaged.gz", tmp_path / "new.db", archive.read_bytes()
    for at in (0, len(whole) // 2, len(whole) - 1):
        for content in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]):
            damaged.write_bytes(content)
            answer = told("restore", damaged, "--store", store, "--json", check=False)
            assert answer.error["code"] == "invalid_input", answer
    assert not store.exists()


def test_a_killed_restore_leaves_nothing(told: Program, archive: Path, first: dict[str, Any], tmp_path: Path) -> None:
    """At whatever moment it is killed: the project is not there, and the next run restores it whole."""
    store = tmp_path / "new.db"
    for delay in (0.3, 0.5):
        process = told.start("restore", archive, "--store", store)
        time.sleep(delay)
        kill(process)
        if store.exists():
            held = told("stats", "--store", store, "--json").json["claims"]["total"]
            assert held in (0, first["counts"]["claims"]["total"])
    told("restore", archive, "--store", store)
    assert asked(told, "--store", store) == first


def test_a_store_is_not_copied_onto_itself(told: Program, tmp_path: Path) -> None:
    """Nor is a configuration taken that names none."""
    same = config(tmp_path, "same", f'backend = "sqlite"\npath = "{told("stats", "--json").json["store"]}"')
    assert "itself" in told("migrate", "--to", same, "--json", check=False).error["message"]
    nameless = config(tmp_path, "nameless", 'backend = "sqlite"')
    assert "path" in told("migrate", "--to", nameless, "--json", check=False).error["remedy"]
    assert told("migrate", "--to", tmp_path / "nothing.toml", "--json", check=False).error["code"] == "not_found"
    assert told("migrate", "--to", sqlite_at(tmp_path, "x"), "--this-project", "--json").json["projects"]
