"""The real `pckc` with PostgreSQL as the truth and pgvector beside it: the same commands, and the same answers."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pckc_adapters_postgres.testing import server_url

from .conftest import environ_at
from .program import PCKC, Program, Repository

PASSWORD_VARIABLE = "ORDERS_LOGIN"
PASSWORD = "correct-horse-battery"
TRANSCRIPT = (
    {"role": "user", "text": "We use PostgreSQL 16 for the orders database. Never push to main directly."},
    {"role": "assistant", "text": "Decision: leases are renewed every 20 seconds."},
    {"role": "user", "text": "Decision: we chose leases over locks because workers die."},
)
CONFIG = """\
[canonical]
backend = "postgres"
url = "{url}"
schema = "{schema}"

[vector]
backend = "pgvector"
url = "{url}"
schema = "{schema}"
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Yield the url of a server with an owner's rights."""
    with server_url() as url:
        yield url


def schema_of(folder: Path) -> str:
    """Return the name of a schema for the test that has *folder*."""
    return f"pckc_e2e_{os.getpid()}_{abs(hash(folder)) % 10**9}"


@pytest.fixture
def profile(server: str, tmp_path: Path) -> Iterator[str]:
    """Yield the configuration of an empty store."""
    schema = schema_of(tmp_path)
    yield CONFIG.format(url=server, schema=schema)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'.encode())


@pytest.fixture
def shared(pckc: Program, environ: Mapping[str, str], profile: str) -> Program:
    """The program in the sample repository, with the configuration of a person who uses a server."""
    folder = Path(environ["XDG_CONFIG_HOME"]) / "pckc"
    folder.mkdir(parents=True)
    (folder / "pckc.toml").write_text(profile, encoding="utf-8")
    return pckc


def transcript(folder: Path) -> Path:
    """Write a session."""
    file = folder / "session.jsonl"
    lines = (
        {"session": "talk", "seq": seq, "time": f"2026-01-02T03:0{seq}:00Z", **said}
        for seq, said in enumerate(TRANSCRIPT)
    )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def answers(program: Program) -> dict[str, Any]:
    """Ask everything once, and return what does not depend on time, place or the order of equals."""
    found: dict[str, Any] = {}
    for layer in ("claims", "evidence", "symbols"):  # of passages, a search leaves out what repeats a better one
        for query in ("lease", "LEASE_SECONDS", "orders database"):
            form = program("search", "--json", "--layer", layer, "--limit", "50", query).json
            found[f"{layer} {query}"] = sorted(result["id"] for result in form["results"])
    for query in ("Планировщик", "signed token", "retry budget"):
        form = program("search", "--json", query).json
        found[f"best for {query}"] = form["results"][0]["id"]
    claims = program("claims", "--json").json["results"]
    found["claims"] = sorted((claim["id"], claim["status"], claim["text"]) for claim in claims)
    stats = program("stats", "--json").json
    for name in ("layers", "sessions", "events", "evidence", "claims", "graph", "coverage"):
        found[f"stats {name}"] = stats[name]
    graph = program("graph", "export", "--format", "json").json
    found["nodes"] = sorted(node["qualified_name"] for node in graph["nodes"])
    return found


def test_it_answers_as_with_a_file(shared: Program, tmp_path: Path) -> None:
    """Ids, counts, claims and graph are the same as those of SQLite."""
    said = transcript(tmp_path)
    seen = []
    for backend in ("postgres", "sqlite"):
        environ = {"PCKC_CANONICAL": backend, "PCKC_VECTOR": "sqlite"}
        program = Program(folder=shared.folder, environ={**shared.environ, **environ})
        program("index", "--json")
        assert program("import", "--json", str(said)).json["events"]
        seen.append(answers(program))
    assert seen[0] == seen[1]
    assert seen[0]["claims"]


def test_the_store_is_named_without_its_credentials(shared: Program) -> None:
    """Where it is, on which backend; nothing of the project is on this machine's disk."""
    ready = shared("init", "--json").json
    assert ready["backend"] == "postgres"
    assert "schema pckc_e2e_" in ready["store"]
    shared("index")
    stats = shared("stats", "--json").json
    assert (stats["backend"], stats["store"]) == ("postgres", ready["store"])
    assert stats["bytes_on_disk"] > 0
    assert not list(Path(shared.environ["XDG_DATA_HOME"]).rglob("store.db"))


def test_sync_follows_the_server(shared: Program, repository: Repository) -> None:
    """What changed is read, what did not is not; nothing is answered from a file that an earlier profile left."""
    local = Program(folder=shared.folder, environ={**shared.environ, "PCKC_CANONICAL": "sqlite"})
    local("index")
    assert shared("sync", "--json").json["indexed"]
    assert shared("sync", "--json").json["indexed"] == 0
    repository.replace("src/harvester/leases.py", "MAX_RETRIES = 7", "MAX_RETRIES = 9")
    assert shared("sync", "--json").json["indexed"] == 1
    found = shared("search", "--json", "MAX_RETRIES").json["results"]
    assert any("`MAX_RETRIES` = 9" in result["text"] for result in found)


def test_two_machines_share_a_project(shared: Program, tmp_path: Path, profile: str) -> None:
    """A second home with a clone of its own finds what the first one remembered."""
    shared("import", "--json", str(transcript(tmp_path)))
    home = tmp_path / "second"
    home.mkdir()
    environ = environ_at(home)
    clone = Repository(home / "clone", environ, with_git=False)
    clone.git("clone", "--quiet", str(shared.folder), ".")
    (home / "config" / "pckc").mkdir(parents=True)
    (home / "config" / "pckc" / "pckc.toml").write_text(profile, encoding="utf-8")
    second = Program(folder=clone.root, environ=environ)
    here, there = (program("claims", "--json").json["results"] for program in (shared, second))
    assert here == there != []


def test_several_processes_import_at_once(shared: Program, tmp_path: Path) -> None:
    """Each session once."""
    for number in range(6):
        line = {"session": f"talk{number}", "seq": 0, "role": "user", "time": "2026-01-02T03:04:05Z"}
        text = {"text": f"Decision: the service number {number} listens on port 90{number}0."}
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(line | text) + "\n", encoding="utf-8")
    files = [str(tmp_path / f"{number}.jsonl") for number in range(6)]
    shared("import", "--json", "--concurrency", "2", *files)
    stats = shared("stats", "--json").json
    assert (stats["sessions"]["total"], stats["events"]["total"]) == (6, 6)
    assert stats["claims"]["total"] == 6


def test_a_prompt_is_answered_from_the_server(shared: Program, tmp_path: Path) -> None:
    """With the claim that it asks for and its proof, what was said beside it, and the rules at a session's start."""
    said = ["The gateway listens on port 8421. We ship to Hetzner.", "Never deploy on a Friday."]
    line = {"session": "talk", "role": "user", "time": "2026-01-02T03:04:05Z"}
    lines = [json.dumps({**line, "seq": seq, "text": text}) for seq, text in enumerate(said)]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shared("import", str(tmp_path / "talk.jsonl"))

    def told(event: str, **data: str) -> str:
        payload = {"session_id": "s", "cwd": str(shared.folder), "hook_event_name": event, **data}
        written, environ = json.dumps(payload).encode(), dict(shared.environ)
        for _ in range(10):
            run = subprocess.run([PCKC, "hook", event], env=environ, input=written, capture_output=True, check=True)
            if b"given up" not in run.stderr:  # as on a machine that is busy
                break
        assert run.stderr == b""
        return str(json.loads(run.stdout)["hookSpecificOutput"]["additionalContext"]) if run.stdout else ""

    assert "> Never deploy on a Friday." in told("SessionStart", source="startup")
    answer = told("UserPromptSubmit", prompt="which port does the gateway listen on?")
    assert "> The gateway listens on port 8421." in answer
    assert "session:" in answer
    assert "said by the user on 2026-01-02" in (besides := told("UserPromptSubmit", prompt="do we ship to Hetzner?"))
    assert "> We ship to Hetzner." in besides
    assert told("UserPromptSubmit", prompt="what about the colour of the sky?") == ""


def test_what_is_forgotten_is_gone_from_the_tables(shared: Program, tmp_path: Path, server: str) -> None:
    """The project's rows, read past PCKC."""
    shared("index")
    shared("import", str(transcript(tmp_path)))
    schema = schema_of(tmp_path)
    with psycopg.connect(server) as connection:
        counts = [_rows(connection, schema)]
        shared("forget", "--all", "--yes")
        counts.append(_rows(connection, schema))
    assert counts[0]["passage"] > 0
    assert counts[0]["claim"] > 0
    left = {table: count for table, count in counts[1].items() if count}
    assert left.keys() <= {"migration", "scope", "checkout", "outbox", "projection"}


def _rows(connection: "psycopg.Connection[Any]", schema: str) -> dict[str, int]:
    tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)).fetchall()
    counted = {}
    for (table,) in tables:
        count = f'SELECT count(*) FROM "{schema}"."{table}"'  # noqa: S608 - our names
        row = connection.execute(count.encode()).fetchone()
        assert row
        counted[table] = row[0]
    connection.commit()
    return counted


def test_doctor_tells_what_is_reachable(shared: Program, profile: str) -> None:
    """With the server, and without one: then what to do, and no secret anywhere."""
    shared("index")
    checks = {check["name"]: check for check in shared("doctor", "--check", "--json").json["checks"]}
    assert checks["store"]["ok"]
    assert "schema" in checks["store"]["detail"]
    file = Path(shared.environ["XDG_CONFIG_HOME"]) / "pckc" / "pckc.toml"
    nowhere = f'[canonical]\nbackend = "postgres"\nurl = "postgresql://me:{PASSWORD}@127.0.0.1:9/orders"\n'
    file.write_text(nowhere + f'password_variable = "{PASSWORD_VARIABLE}"\n', encoding="utf-8")
    environ = {PASSWORD_VARIABLE: PASSWORD}
    for command in (("doctor", "--json"), ("doctor",), ("search", "lease"), ("index",), ("stats", "--json")):
        answer = shared(*command, check=False, environ=environ)
        assert answer.code != 0
        said = answer.stdout + answer.stderr
        assert "127.0.0.1:9/orders" in said
        assert "cannot be reached" in said
        assert PASSWORD not in said


def test_a_path_does_not_go_with_a_server(shared: Program, tmp_path: Path) -> None:
    """--store names a file: it would not be used."""
    refused = shared("index", "--json", "--store", str(tmp_path / "store.db"), check=False)
    assert refused.error["code"] == "configuration"
    assert "--store" in refused.error["remedy"]


def test_a_tenant_is_walked_by_what_walks_the_store(shared: Program, tmp_path: Path, profile: str) -> None:
    """A backup, a worker and a migration cover the tenant that is set, and say so; others only when they are named."""
    shared("import", "--json", str(transcript(tmp_path)))
    blue = Program(folder=shared.folder, environ={**shared.environ, "PCKC_TENANT": "blue"})
    blue("import", "--json", str(transcript(tmp_path)))
    done = blue("worker", "--once", "--json").json
    assert done["tenants"] == ["blue"]
    backup = blue("backup", "--json", str(tmp_path / "blue.pckc")).json
    assert (backup["tenants"], len(backup["projects"])) == (["blue"], 1)
    (tmp_path / "server.toml").write_text(profile, encoding="utf-8")
    file = tmp_path / "file.toml"
    file.write_text(f'[canonical]\nbackend = "sqlite"\npath = "{tmp_path / "copy.db"}"\n', encoding="utf-8")
    for arguments in (("--to", str(file)), ("--from", str(tmp_path / "server.toml"), "--to", str(file))):
        copied = blue("migrate", "--json", *arguments).json
        assert [each["tenant"] for each in copied["projects"]] == ["blue"]
    config = Path(shared.environ["XDG_CONFIG_HOME"]) / "pckc" / "pckc.toml"
    config.write_text(profile.replace("[vector]", 'tenants = ["local"]\n\n[vector]', 1), encoding="utf-8")
    assert blue("backup", "--json", str(tmp_path / "both.pckc")).json["tenants"] == ["blue", "local"]
    assert "blue, local" in blue("backup", str(tmp_path / "text.pckc")).stdout


def test_a_worker_waits_for_a_store_that_is_down(shared: Program, tmp_path: Path, server: str) -> None:
    """Started before its store, it says so once, and works when the store is there; with --once it fails."""
    shared("index")
    settings = Path(shared.environ["XDG_CONFIG_HOME"]) / "pckc" / "pckc.toml"
    there = settings.read_text(encoding="utf-8")
    settings.write_text(there.replace(server, "postgresql://me@127.0.0.1:9/orders"), encoding="utf-8")
    assert shared("worker", "--once", check=False).code == 4
    said = tmp_path / "said.txt"
    with said.open("wb") as output:
        worker = shared.start("worker", "--poll", "0.1", output=output)
        try:
            until(lambda: "store waits: PostgreSQL at 127.0.0.1:9/orders" in said.read_text(encoding="utf-8"))
            settings.write_text(there, encoding="utf-8")
            until(lambda: "pckc: working at" in said.read_text(encoding="utf-8"))
            assert said.read_text(encoding="utf-8").count("store waits") == 1
        finally:
            worker.terminate()
            assert worker.wait(60) == 0


def until(condition: Callable[[], bool]) -> None:
    """Wait for *condition*."""
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it never came true")
