"""What can go wrong does: a clear message and a remedy each time, never a traceback, and nothing is lost."""

import ctypes
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from .conftest import environ_at
from .program import Answer, Program, Repository, kill

FILES = 150
KILLS = 25
SOMEBODY = 65_534
QUERIES = ("sensor calibration drift", "worker number 17", "retry budget", "handle_reading_31")
TIMES = ("indexed_at", "valid_from", "observed_at")


def fill(repository: Repository) -> None:
    """Write and commit files in several languages, the same ones each time."""
    words = "sensor calibration drift lease worker queue retry budget reading harvest valve turbine mast ledger".split()
    dice = random.Random(7)  # noqa: S311 - no secret
    for number in range(FILES):
        some = [dice.choice(words) for _ in range(60)]
        if number % 3 == 0:
            body = f"# Note {number}\n\nThe {some[0]} must never exceed the {some[1]} of worker number {number}.\n"
            body += "".join(f"\n## {some[n]}\n\n{' '.join(some[n : n + 12])}.\n" for n in range(4))
            repository.write(f"docs/note {number}.md", body)
        else:
            body = f'"""Module {number}."""\n\nLIMIT_{number} = {number * 7}\n'
            for n in range(5):
                body += f"\n\ndef handle_{some[n]}_{number}(value: int) -> int:\n"
                body += f'    """Return the {" ".join(some[n : n + 6])}."""\n'
                body += f"    if value > LIMIT_{number}:\n        raise ValueError(value)\n    return value + {n}\n"
            repository.write(f"src/part{number % 5}/module_{number}.py", body)
    repository.commit("all")


def timeless(form: Any) -> Any:
    """Return *form* without times."""
    if isinstance(form, dict):
        return {key: timeless(value) for key, value in form.items() if key not in TIMES}
    return [timeless(item) for item in form] if isinstance(form, list) else form


def contents(store: Path) -> Any:
    """Return every document, passage and manifest row, read past the program; times and row numbers left out."""
    with sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True) as connection:
        columns = "id, layer, kind, start_line, end_line, digest, is_stale"
        held = {
            "documents": connection.execute(
                "SELECT id, uri, content_hash, is_stale FROM document ORDER BY id"
            ).fetchall(),
            "passages": connection.execute(f"SELECT {columns} FROM passage ORDER BY id").fetchall(),  # noqa: S608 - ours
            "manifest": connection.execute(
                "SELECT checkout_id, path, content_hash, document_id, skipped FROM manifest ORDER BY 1, 2"
            ).fetchall(),
        }
    connection.close()
    return held


def answers(program: Program, batch: Path) -> Any:
    """Return what the searches of *batch* and a context answer."""
    batch.write_text("".join(json.dumps({"id": q, "query": q, "limit": 20}) + "\n" for q in QUERIES), encoding="utf-8")
    found = [timeless(json.loads(line)) for line in program("search", "--batch", batch).stdout.splitlines()]
    return [*found, timeless(program("context", "fix the retry budget", "--json").json)]


NOTES_ON_NOTHING = ("pckc: never indexed: run `pckc index`\n", "pckc: nothing is indexed under docs/\n")
"""What readers say before the first document is stored."""

NOTE_ON_A_RUN = "pckc: the index is not complete: run `pckc index`\n"
"""What a reader says while an indexer has not ended."""


def store_of(program: Program, *arguments: str) -> Path:
    """Return the path of the store."""
    return Path(program("stats", "--json", *arguments).json["store"])


def assert_sound(program: Program) -> None:
    """Check the database, its references and its search tables."""
    answer = program("doctor", "--json", "--check", check=False)
    (check,) = [check for check in answer.json["checks"] if check["name"] == "store"]
    assert check["ok"], check["detail"]


def assert_explained(answer: Answer, *parts: str, codes: tuple[int, ...] = (3, 4)) -> None:
    """Check that a command failed with a message that holds *parts* and with something to do about it."""
    assert answer.code in codes, (answer.code, answer.stdout, answer.stderr)
    assert answer.stdout == ""
    assert answer.error["remedy"], answer.error
    for part in parts:
        assert part in answer.error["message"]


class World:
    """One generated repository; every program has a home, and so a store, of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = Repository(folder / "repo", environ_at(folder))
        fill(self.repository)
        self._homes = 0
        self.undisturbed = self.program()
        started = time.monotonic()
        self.undisturbed.finish(self.undisturbed.start("index", "--quiet"))  # as those are started that are killed
        self.seconds = time.monotonic() - started
        self.store = store_of(self.undisturbed)
        self.contents = contents(self.store)
        self.answers = answers(self.undisturbed, folder / "batch.jsonl")

    def program(self) -> Program:
        """Return the program in a new home."""
        self._homes += 1
        home = self.folder / f"home{self._homes}"
        home.mkdir()
        return Program(folder=self.repository.root, environ=environ_at(home))


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The generated repository, and what an undisturbed index of it holds; tests must not change its files."""
    return World(tmp_path_factory.mktemp("world"))


class TestKilled:
    """`kill -9` at any moment, then index again."""

    def test_in_the_midst_of_an_index(self, world: World) -> None:
        """
        One store is killed again and again, at points spread over the whole run and each time further.

        An index from scratch reads everything again, so that every run has work to be killed at.
        """
        dice = random.Random(11)  # noqa: S311 - no secret
        program = world.program()
        interrupted = 0
        seconds = world.seconds
        for number in range(KILLS):
            process = program.start("index", "--quiet", *(["--from-scratch"] if number % 2 else []))
            time.sleep(seconds * (number + dice.random()) / KILLS)
            if process.poll() is None:
                interrupted += 1
            else:
                seconds *= 0.7  # it was faster than the run that was measured
            kill(process)
        assert interrupted > KILLS // 2
        program("index", "--quiet")
        assert contents(store_of(program)) == world.contents
        assert answers(program, world.folder / "killed.jsonl") == world.answers
        assert_sound(program)

    @pytest.mark.parametrize("share", [0.35, 0.6, 0.85])
    def test_once(self, world: World, share: float) -> None:
        """What was committed before is there at once, and whole."""
        program = world.program()
        process = program.start("index", "--quiet")
        time.sleep(world.seconds * share)
        kill(process)
        form = program("search", "sensor calibration drift", "--json").json
        known = {row[0] for row in world.contents["passages"]}
        assert {result["id"] for result in form["results"]} <= known
        form = program("index", "--json").json
        assert form["indexed"] + form["unchanged"] == FILES
        assert contents(store_of(program)) == world.contents

    def test_interrupted_by_the_user(self, world: World) -> None:
        program = world.program()
        # Python's own walk of a folder may be interrupted before it knows what it opened
        lenient = {"PYTHONWARNINGS": "error,ignore::ResourceWarning"}
        process = program.start("index", "--json", prepare=_hear_interrupts, environ=lenient)
        while not list(Path(program.environ["XDG_DATA_HOME"]).rglob("store.db-wal")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        answer = program.finish(process, check=False)
        assert answer.code in (130, -signal.SIGINT)
        assert "Traceback" not in answer.stderr
        program("index", "--quiet")
        assert contents(store_of(program)) == world.contents


def _hear_interrupts() -> None:
    """Whoever started these tests in the background has told all that they start to ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class TestTogether:
    def test_two_indexers_and_five_readers(self, world: World) -> None:
        program = world.program()
        program("init")
        indexers = [["index", "--json"], ["index", "--json", "--from-scratch"]]
        readers = [
            ["search", QUERIES[0], "--json"],
            ["search", QUERIES[1], "--json", "--layer", "all"],
            ["context", "fix the retry budget", "--json"],
            ["stats", "--json"],
            ["verify", "--json", "--path", "docs/"],
        ]
        for answer in program.together([*indexers, *readers]):
            assert answer.json["coverage"]
            assert answer.stderr in ("", NOTE_ON_A_RUN, *NOTES_ON_NOTHING)
        for answer in program.together([*reversed(indexers), *readers]):
            assert answer.stderr in ("", NOTE_ON_A_RUN)
        assert contents(store_of(program)) == world.contents
        assert answers(program, world.folder / "together.jsonl") == world.answers
        assert_sound(program)

    def test_the_first_two_create_the_store_at_once(self, world: World) -> None:
        program = world.program()
        program.together([["index", "--quiet"], ["sync", "--quiet"], ["stats"], ["init"]])
        assert contents(store_of(program)) == world.contents


class TestDisk:
    def test_a_full_disk(self, world: World) -> None:
        """The limit on file sizes ends every write beyond it, as a full disk does."""

        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

        program = world.program()
        answer = program("index", "--json", check=False, prepare=limit)
        assert_explained(answer, "store")
        program("search", QUERIES[0], "--json", check=False)
        program("index", "--quiet")
        assert contents(store_of(program)) == world.contents
        assert_sound(program)

    def test_a_store_that_may_not_grow(self, pckc: Program, repository: Repository) -> None:
        pckc("index")
        before = contents(store_of(pckc))
        for number in range(40):
            repository.write(f"docs/more{number}.md", f"# More {number}\n\n" + "The mast carries a lantern. " * 400)

        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

        assert_explained(pckc("sync", "--json", check=False, prepare=limit), "store")
        assert pckc("search", "lease", "--json").json["results"]
        kept = {row[0] for row in contents(store_of(pckc))["documents"]}
        assert {row[0] for row in before["documents"]} <= kept
        assert pckc("sync", "--json").json["indexed"] > 0

    def test_a_folder_for_data_that_cannot_be_made(self, pckc: Program, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("no folder", encoding="utf-8")
        for command in (["index"], ["search", "x"], ["sync"]):
            answer = pckc(*command, "--json", check=False, environ={"XDG_DATA_HOME": str(tmp_path / "file" / "x")})
            assert_explained(answer, str(tmp_path / "file"))
        assert_explained(pckc("index", "--json", "--store", "/proc/none/store.db", check=False))
        assert_explained(pckc("index", "--json", "--store", tmp_path, check=False))
        assert_explained(pckc("index", "--json", "--store", "/dev/null", check=False))


def without_privileges() -> None:
    """Give up root's right to read and write everything, for the program that is started next."""
    drop_from_bounding_set = 24
    for read_and_write_anything in (1, 2):
        ctypes.CDLL(None).prctl(drop_from_bounding_set, read_and_write_anything, 0, 0, 0)


@pytest.fixture
def bound(pckc: Program, tmp_path: Path) -> Program:
    """The program in an indexed project; `run_bound` runs it as one whom permissions bind."""
    closed = tmp_path / "closed"
    closed.write_text("x", encoding="utf-8")
    closed.chmod(0)
    if subprocess.run(["cat", str(closed)], preexec_fn=without_privileges, capture_output=True).returncode == 0:
        pytest.skip("permissions bind nobody here")
    pckc("index")
    return pckc


def run_bound(program: Program, *arguments: str) -> Answer:
    """Run a command without privileges."""
    return program(*arguments, "--json", check=False, prepare=without_privileges)


class TestPermissions:
    @pytest.mark.parametrize("closed", ["store", "folder", "both"])
    def test_a_read_only_store_answers(self, bound: Program, repository: Repository, closed: str) -> None:
        store = store_of(bound)
        expected = bound("search", "lease", "--json").json
        if closed != "folder":
            store.chmod(0o444)
        if closed != "store":
            store.parent.chmod(0o555)
        try:
            assert run_bound(bound, "search", "lease").json == expected
            assert run_bound(bound, "stats").json["is_complete"]
            assert run_bound(bound, "sync").json["indexed"] == 0
            repository.write("docs/new.md", "# New\n\nSomething new.\n")
            assert_explained(run_bound(bound, "index"), "cannot be written")
            assert run_bound(bound, "search", "lease").json["results"]
            [failed] = [check for check in run_bound(bound, "doctor").json["checks"] if not check["ok"]]
            assert failed["name"] == "store place"
            assert "cannot be written" in failed["detail"]
        finally:
            store.parent.chmod(0o755)
            store.chmod(0o644)
        assert bound("sync", "--json").json["indexed"] == 1

    def test_a_store_that_cannot_be_read(self, bound: Program) -> None:
        store = store_of(bound)
        store.chmod(0)
        assert_explained(run_bound(bound, "search", "lease"), str(store))
        store.chmod(0o644)
        store.parent.chmod(0)
        for command in (["search", "lease"], ["index"]):
            assert_explained(run_bound(bound, *command), str(store))
        store.parent.chmod(0o755)
        assert run_bound(bound, "search", "lease").json["results"]

    def test_a_configuration_that_cannot_be_read(self, bound: Program, repository: Repository) -> None:
        repository.write("pckc.toml", "").chmod(0)
        assert_explained(run_bound(bound, "search", "lease"), "pckc.toml cannot be read", codes=(3,))

    def test_a_file_that_cannot_be_read(self, bound: Program, repository: Repository) -> None:
        (repository.root / "docs" / "latin1.txt").chmod(0)
        form = run_bound(bound, "index", "--from-scratch").json
        assert form["skipped"]["unreadable"] == 1
        assert form["indexed"] == 13
        (repository.root / "docs" / "latin1.txt").chmod(0o644)
        assert bound("sync", "--json").json["indexed"] == 1

    def test_a_repository_that_git_does_not_trust(self, pckc: Program, repository: Repository) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root can give files away")
        for folder in (repository.root, repository.root / ".git"):
            os.chown(folder, SOMEBODY, SOMEBODY)
        answer = pckc("search", "lease", "--json", check=False)
        assert_explained(answer, "does not trust", codes=(3,))
        assert "safe.directory" in answer.error["remedy"]


class TestDamage:
    def damage(self, program: Program, change: Callable[[Path], object]) -> Path:
        store = store_of(program)
        with sqlite3.connect(store) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        for suffix in ("-wal", "-shm"):
            store.with_name(store.name + suffix).unlink(missing_ok=True)
        change(store)
        return store

    def overwrite(self, store: Path) -> None:
        with store.open("r+b") as file:
            for offset in range(8192, store.stat().st_size, 12_288):
                file.seek(offset)
                file.write(b"\xa5" * 2_000)

    def cut(self, store: Path) -> None:
        with store.open("r+b") as file:
            file.truncate(store.stat().st_size // 3)

    def replace(self, store: Path) -> None:
        store.write_text("this is a text file, not a database\n" * 400, encoding="utf-8")

    def renumber(self, store: Path) -> None:
        with sqlite3.connect(store) as connection:
            connection.execute("INSERT INTO migration VALUES (99, 'x', 0)")
            connection.execute("PRAGMA user_version = 99")
        connection.close()

    def foreign(self, store: Path) -> None:
        store.unlink()
        with sqlite3.connect(store) as connection:
            connection.execute("CREATE TABLE notes (text TEXT)")
        connection.close()

    @pytest.mark.parametrize(
        ("change", "part"),
        [
            ("overwrite", "damaged"),
            ("cut", ""),
            ("replace", "not an SQLite"),
            ("renumber", "newer"),
            ("foreign", "no PCKC"),
        ],
    )
    def test_a_store_that_cannot_be_used(self, pckc: Program, change: str, part: str) -> None:
        pckc("index")
        store = self.damage(pckc, getattr(self, change))
        before = store.read_bytes()
        failed = 0
        commands = [["search", "lease owner"], ["index", "--from-scratch"], ["verify"], ["context", "lease"]]
        for answer in pckc.together([[*command, "--json"] for command in commands], check=False):
            if answer.code not in (0, 1):
                assert_explained(answer, str(store), part)
                failed += 1
        assert failed >= 2
        doctor = pckc("doctor", "--json", "--check", check=False)
        assert doctor.code == 1
        assert any(check["name"] == "store" and not check["ok"] and check["remedy"] for check in doctor.json["checks"])
        names = [check["name"] for check in doctor.json["checks"]]
        assert len(names) == len(set(names))
        if change != "overwrite":
            assert store.read_bytes() == before, "what PCKC cannot read it does not touch"
        store.unlink()
        for suffix in ("-wal", "-shm"):
            store.with_name(store.name + suffix).unlink(missing_ok=True)
        assert pckc("index", "--json").json["indexed"] == 14

    def test_an_empty_file_is_a_store_to_be(self, pckc: Program) -> None:
        pckc("index")
        self.damage(pckc, lambda store: store.write_bytes(b""))
        assert pckc("sync", "--json").json["indexed"] == 14

    def test_an_empty_file_that_may_only_be_searched(self, pckc: Program, tmp_path: Path) -> None:
        store = tmp_path / "empty.db"
        store.write_bytes(b"")
        form = pckc("search", "lease", "--json", "--store", store).json
        assert (form["results"], form["is_complete"]) == ([], False)


class TestGit:
    def without_git(self, tmp_path: Path) -> Mapping[str, str]:
        """Return an environment whose PATH has everything but git."""
        empty = tmp_path / "bin"
        empty.mkdir(exist_ok=True)
        for tool in ("env", "sh"):
            found = shutil.which(tool)
            if found and not (empty / tool).exists():
                (empty / tool).symlink_to(found)
        return {"PATH": str(empty)}

    def test_no_git(self, repository: Repository, environ: dict[str, str], tmp_path: Path) -> None:
        program = Program(folder=repository.root, environ={**environ, **self.without_git(tmp_path)})
        form = program("index", "--json").json
        assert (form["indexed"], form["branch"]) == (14, None)
        assert program("search", "lease", "--json").json["results"]
        assert program("sync", "--json").json["unchanged"] == 14
        doctor = program("doctor", "--json", check=False)
        (git,) = [check for check in doctor.json["checks"] if check["name"] == "git"]
        assert (git["ok"], git["remedy"]) == (False, "install git")

    def test_git_is_lost_after_the_index(self, pckc: Program, tmp_path: Path) -> None:
        """Without git the project has another name: the answer must not look as if nothing were known."""
        pckc("index")
        answer = pckc("search", "lease", "--json", environ=self.without_git(tmp_path))
        assert answer.json["results"] or "git" in answer.stderr

    def test_no_commits(self, environ: dict[str, str], tmp_path: Path) -> None:
        repository = Repository(tmp_path / "new", environ)
        repository.write("a.md", "# Airships\n\nAirships are moored at the mast.\n")
        program = Program(folder=repository.root, environ=environ)
        form = program("index", "--json").json
        assert (form["indexed"], form["branch"]) == (1, "main")
        result = program("search", "airships", "--json").json["results"][0]
        assert result["commit"] is None
        assert program("verify", "--json").json["counts"].keys() == {"live"}

    def test_an_empty_repository(self, environ: dict[str, str], tmp_path: Path) -> None:
        repository = Repository(tmp_path / "empty", environ)
        program = Program(folder=repository.root, environ=environ)
        assert program("index", "--json").json["indexed"] == 0
        assert program("sync", "--json").json["indexed"] == 0
        form = program("search", "anything", "--json").json
        assert (form["results"], form["is_complete"]) == ([], True)
        assert program("context", "anything", "--json").json["gaps"] is not None
        assert program("verify").code == 0
        assert program("doctor").code == 0

    def test_a_detached_head(self, pckc: Program, repository: Repository) -> None:
        repository.git("checkout", "--quiet", "--detach")
        form = pckc("index", "--json").json
        assert (form["indexed"], form["branch"]) == (14, None)
        result = pckc("search", "lease", "--json").json["results"][0]
        assert (result["branch"], result["commit"]) == (None, repository.git("rev-parse", "HEAD"))
        assert pckc("sync", "--json").json["unchanged"] == 14

    def test_a_broken_repository(self, pckc: Program, repository: Repository) -> None:
        pckc("index")
        (repository.root / ".git" / "index").write_bytes(b"rubbish")
        answer = pckc("sync", "--json", check=False)
        assert_explained(answer, "Git failed", codes=(4,)) if answer.error["remedy"] else None
        assert pckc("search", "lease", "--json").json["results"]

    def test_a_bare_repository(self, environ: dict[str, str], tmp_path: Path) -> None:
        Repository(tmp_path / "x", environ).git("init", "--quiet", "--bare", str(tmp_path / "bare.git"))
        program = Program(folder=tmp_path / "bare.git", environ=environ)
        assert_explained(program("index", "--json", check=False), "bare", codes=(3,))


class TestMovingFiles:
    def test_files_that_change_while_they_are_read(self, pckc: Program, repository: Repository) -> None:
        """A writer replaces files all along; afterwards the index holds what is there."""
        stop = threading.Event()
        paths = [f"docs/moving{number}.md" for number in range(6)]

        def churn() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                file = repository.root / paths[number % len(paths)]
                if number % 5 == 0:
                    file.unlink(missing_ok=True)
                else:
                    file.write_text(
                        f"# Moving {number}\n\nThe lantern was lit {number} times.\n" * (number % 40 + 1),
                        encoding="utf-8",
                    )

        writer = threading.Thread(target=churn)
        writer.start()
        try:
            for command in (["index"], ["sync"], ["index", "--from-scratch"], ["verify"], ["search", "lantern"]):
                answer = pckc(*command, "--json", check=False)
                assert answer.code in (0, 1), answer.stderr
        finally:
            stop.set()
            writer.join()
        for path in paths:
            repository.write(path, f"# Settled\n\nThe lantern at {path} is out for good.\n")
        assert pckc("sync", "--json").json["indexed"] == len(paths)
        form = pckc(
            "search", "lantern", "--json", "--layer", "paragraph", "--path", "docs/moving", "--limit", "50"
        ).json
        assert all("out for good" in result["text"] for result in form["results"])
        assert pckc("verify", "--json").json["counts"].keys() == {"live"}


class TestConfiguration:
    @pytest.mark.parametrize(
        ("text", "parts", "remedy"),
        [
            ("nonsense = 1", ["nonsense"], "canonical"),
            ("[canonical]\nbackend = 'oracle'", ["canonical", "oracle"], "sqlite"),
            ("[embedder]\nbackend = 'oracle'", ["embedder", "oracle"], "use"),
            ("[canonical]\ncolour = 'red'", ["colour"], "path"),
            ("[canonical]\nbusy_timeout_seconds = 'long'", ["busy_timeout_seconds"], "correct"),
            ("[canonical]\nbusy_timeout_seconds = -1", ["busy_timeout_seconds"], "0 or more"),
            ("[canonical]\npath = 5", ["path"], "correct"),
            ("[canonical]\nbackend = 5", ["backend"], ""),
            ("canonical = 'sqlite'", ["canonical"], "backend"),
            ("[source]\nmax_file_bytes = 'big'", ["max_file_bytes"], "correct"),
            ("[source]\nmax_file_bytes = true", ["max_file_bytes"], "correct"),
            ("[source]\nignore = 'docs'", ["ignore"], "correct"),
            ("[source]\nignore = [1]", ["ignore"], "correct"),
            ("[search]\nnonsense = 1", ["nonsense"], "weights"),
            ("[search.weights]\nnonsense = 1.0", ["nonsense"], "relevance"),
            ("[search.weights]\nlexical = 'much'", ["lexical"], "relevance"),
            ("search = 3", ["search"], ""),
            ("tools = 'nonsense'", ["nonsense"], "core"),
            ("tools = 5", ["tool set 5"], "core"),
            ("[canonical", ["TOML"], "mend"),
            (b"\xff\xfe", ["TOML"], "mend"),
        ],
    )
    def test_a_faulty_file(
        self, indexed: Program, tmp_path: Path, text: str | bytes, parts: list[str], remedy: str
    ) -> None:
        config = tmp_path / "config" / "pckc" / "pckc.toml"
        config.parent.mkdir(parents=True)
        config.write_bytes(text if isinstance(text, bytes) else text.encode())
        environ = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "PCKC_EMBEDDER": ""}
        answer = indexed("search", "lease", "--json", "--semantic", "always", check=False, environ=environ)
        assert answer.code == 3, answer.stderr
        for part in parts:
            assert part in answer.error["message"] + answer.error["remedy"]
        assert remedy in answer.error["remedy"]
        assert (
            str(config) in answer.error["message"]
            or "installed" in answer.error["remedy"]
            or "tool set" in answer.error["message"]
        )
        doctor = indexed("doctor", "--json", check=False, environ=environ)
        assert doctor.code == 1

    @pytest.mark.parametrize("text", ["[tool.pckc]\nnonsense = 1\n", "[tool.pckc.canonical]\nbackend = 5\n"])
    def test_a_faulty_pyproject(self, pckc: Program, repository: Repository, text: str) -> None:
        repository.write("pyproject.toml", text)
        assert_explained(pckc("search", "lease", "--json", check=False), "pyproject.toml", codes=(3,))

    @pytest.mark.parametrize(
        "text", ["# [tool.pckc] is not there\n", "[tool]\nx = '[tool.pckc'\n", "tool = 3 # [tool.pckc\n"]
    )
    def test_a_pyproject_that_only_mentions_it(self, pckc: Program, repository: Repository, text: str) -> None:
        repository.write("pyproject.toml", text)
        pckc("stats")

    def test_the_nearest_wins(self, pckc: Program, repository: Repository, tmp_path: Path) -> None:
        home = Path(pckc.environ["XDG_CONFIG_HOME"]) / "pckc" / "pckc.toml"
        home.parent.mkdir(parents=True)
        places = []
        for number, file in enumerate((home, repository.root / "pyproject.toml", repository.root / "pckc.toml")):
            places.append(tmp_path / f"{number}.db")
            table = "tool.pckc.canonical" if file.name == "pyproject.toml" else "canonical"
            file.write_text(f"[{table}]\npath = '{places[-1]}'\n", encoding="utf-8")
            assert store_of(pckc) == places[-1]
        pckc("init", "--store", str(tmp_path / "named.db"))
        assert store_of(pckc, "--store", str(tmp_path / "named.db")) == tmp_path / "named.db"

    @pytest.mark.parametrize(
        "variable", ["PCKC_CANONICAL", "PCKC_VECTOR", "PCKC_EMBEDDER", "PCKC_CODE_PARSER", "PCKC_TOOLS"]
    )
    def test_a_faulty_variable(self, indexed: Program, variable: str) -> None:
        environ = {"PCKC_EMBEDDER": "auto", variable: "nonsense"}
        answer = indexed("search", "x", "--json", "--semantic", "always", check=False, environ=environ)
        assert_explained(answer, "nonsense", codes=(3,))

    def test_a_folder_where_the_file_should_be(self, pckc: Program, repository: Repository) -> None:
        (repository.root / "pckc.toml").mkdir()
        assert_explained(pckc("stats", "--json", check=False), "cannot be read", codes=(3,))


def test_the_current_folder_is_gone(indexed: Program, tmp_path: Path) -> None:
    """Whatever is asked, the answer says so; named projects can be asked from there."""
    gone = tmp_path / "gone"

    def leave() -> None:
        gone.mkdir()
        os.chdir(gone)
        gone.rmdir()

    for command in (["search", "x"], ["doctor"], ["sync"], ["setup", "claude", "--project"]):
        answer = indexed(*command, "--json", check=False, prepare=leave)
        assert_explained(answer, "current folder")
        assert "--project" in answer.error["remedy"]
    assert indexed("search", "x", "--project", indexed.folder, prepare=leave).code == 0
