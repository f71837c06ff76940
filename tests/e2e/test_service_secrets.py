"""
Whatever goes wrong with a server: a clear error with a remedy, soon, and no secret in what is said or logged.

The program runs in this process, so that its logs at their most talkative are read as well.
"""

import gc
import io
import logging
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
from pckc_mcp import plugins
from pckc_mcp.cli.main import run

from . import sample
from .conftest import environ_at
from .hash_embedder import write_embedder
from .program import Repository

CANARY = "canary-correct-horse-battery"
VARIABLE = "ORDERS_LOGIN"

CANONICAL = """
[canonical]
backend = "postgres"
url = "postgresql://me:{canary}@127.0.0.1:{port}/orders"
password_variable = "ORDERS_LOGIN"
connect_timeout_seconds = 1
"""
QDRANT = """
[vector]
backend = "qdrant"
url = "http://me:{canary}@127.0.0.1:{port}"
api_key_variable = "ORDERS_LOGIN"
timeout_seconds = 1
"""
CHROMA = """
[vector]
backend = "chroma"
url = "http://me:{canary}@127.0.0.1:{port}"
token_variable = "ORDERS_LOGIN"
timeout_seconds = 1
"""
PGVECTOR = """
[vector]
backend = "pgvector"
url = "postgresql://me:{canary}@127.0.0.1:{port}/orders"
password_variable = "ORDERS_LOGIN"
connect_timeout_seconds = 1
"""
GRAPH = """
[graph_index]
backend = "memgraph"
url = "bolt://127.0.0.1:{port}"
user = "me"
password_variable = "ORDERS_LOGIN"
connect_timeout_seconds = 0.3
retry_seconds = 0.2
"""
PROJECTIONS = {"qdrant": QDRANT, "chroma": CHROMA, "pgvector": PGVECTOR, "memgraph": GRAPH}


class Said(NamedTuple):
    """What one run said: its code, its answer, its errors."""

    code: int
    out: str
    errors: str


def ask(*arguments: str) -> Said:
    """Run one command in this process."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        code = run(arguments)
    return Said(code, out.getvalue(), errors.getvalue())


def told_in(said: object, log: str) -> list[str]:
    """Return the lines that tell the password, of what commands said and of the log."""
    return [line for line in [*f"{said}".split("\\n"), *log.splitlines()] if CANARY in line]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with an indexed repository and a home, which this process is in."""
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "home" / "config" / "pckc").mkdir(parents=True)
    environ = environ_at(folder / "home") | {"PCKC_EMBEDDER": "hash", VARIABLE: CANARY}
    write_embedder(folder / "plugin")
    sample.fill(Repository(folder / "repo", environ))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        patch.syspath_prepend(folder / "plugin")
        plugins._entries.cache_clear()  # a process reads what is installed once
        patch.chdir(folder / "repo")
        assert ask("index").code == 0
        yield folder
    plugins._entries.cache_clear()


def configure(root: Path, config: str, port: int) -> None:
    """Let the person use this server."""
    text = config.format(canary=CANARY, port=port)
    (root / "home" / "config" / "pckc" / "pckc.toml").write_text(text, encoding="utf-8")


@contextmanager
def nobody() -> Iterator[int]:
    """Yield a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
    yield port


@contextmanager
def silent() -> Iterator[int]:
    """Yield the port of a server that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        yield one.getsockname()[1]


@contextmanager
def repeating(status: int) -> Iterator[int]:
    """Yield the port of a server that answers each request with *status* and what it was sent, secrets included."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            said = f'{{"error": "{CANARY}", "message": "{CANARY} {self.path}"}}'.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - names that http.server looks for

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def refusing() -> Iterator[int]:
    """Yield the port of a server that knows nobody."""
    with repeating(401) as port:
        yield port


@contextmanager
def broken() -> Iterator[int]:
    """Yield the port of a server that fails."""
    with repeating(500) as port:
        yield port


@contextmanager
def old() -> Iterator[int]:
    """Yield the port of a server that does not know what it is asked."""
    with repeating(404) as port:
        yield port


COMMANDS = {
    "search": ("search", "--json", "--semantic", "always", "lease"),
    "callers": ("graph", "callers", "LeaseExpiredError", "--json"),
    "stats": ("stats", "--json"),
    "index": ("index",),
    "worker": ("worker", "--once", "--json"),
    "doctor": ("doctor",),
}
"""What is asked while a projection fails; of one that keeps each waiting, only some."""

TAIL = "canary-se"
UNREADABLE = {
    "slash": f"{TAIL}/{CANARY}@",
    "number and slash": f"12/{CANARY}@",
    "at": f"{TAIL}@{CANARY}@",
    "question": f"{TAIL}?{CANARY}@",
    "hash": f"{TAIL}#{CANARY}@",
    "percent": f"{CANARY}%zz/@",
}
"""Passwords that shift the parts of a url."""


def urls_of(config: str) -> list[str]:
    """Return configurations whose url has such a password, or a key behind a question mark."""
    given = config.replace("ORDERS_LOGIN", "PATH")
    return [
        *(given.replace("{canary}@", password) for password in UNREADABLE.values()),
        given.replace("{port}", "{port}/?api_key={canary}", 1).replace("{canary}@", "@", 1),
        given.replace("{port}", "{port}/x?password={canary}", 1).replace("me:{canary}@", "", 1),
    ]


@pytest.mark.parametrize("backend", ["canonical", "pgvector", "qdrant", "chroma"])
def test_a_password_that_shifts_the_url(root: Path, caplog: pytest.LogCaptureFixture, backend: str) -> None:
    """Neither errors nor the doctor take a part of it for a host or a database, and there is a remedy."""
    caplog.set_level(logging.DEBUG)
    for config in urls_of(CANONICAL if backend == "canonical" else PROJECTIONS[backend]):
        configure(root, config, 9)
        for arguments in (COMMANDS["search"], ("worker", "--once"), ("doctor",), ("stats",)):
            said = ask(*arguments)
            assert told_in(said, caplog.text) == [], config
            assert TAIL not in f"{said}{caplog.text}", config
            assert said.code or arguments[0] in ("search", "stats")
        assert "cannot be reached" in ask("doctor").out or "percent-encoded" in ask("doctor").out


@pytest.mark.parametrize("url", UNREADABLE.values(), ids=UNREADABLE)
def test_an_owners_url_is_not_told(
    root: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Nor the one in a variable."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("ORDERS_ADMIN", f"postgresql://me:{url}127.0.0.1:9/orders")
    configure(root, CANONICAL.replace("{canary}", "", 1) + 'admin_url_variable = "ORDERS_ADMIN"\n', 9)
    for arguments in (("search", "lease"), ("doctor",)):
        said = ask(*arguments)
        assert said.code
        assert told_in(said, caplog.text) == []
        assert TAIL not in f"{said}{caplog.text}"


@pytest.mark.parametrize("backend", ["canonical", *PROJECTIONS])
def test_a_variable_that_is_not_set(root: Path, monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    """It is named, and nobody signs in without a password instead."""
    configure(root, CANONICAL if backend == "canonical" else PROJECTIONS[backend], 9)
    for value in ("", None):
        if value is None:
            monkeypatch.delenv(VARIABLE)
        else:
            monkeypatch.setenv(VARIABLE, value)
        said = ask("doctor")
        assert said.code == 1
        assert f"{VARIABLE} is not set" in said.out


@pytest.fixture(autouse=True)
def abandoned() -> Iterator[None]:
    """Clients of services that cannot be made leave connections open, which end with a command's process: not here."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


Fault = Callable[[], AbstractContextManager[int]]
SPEECHLESS: tuple[Fault, ...] = (nobody, silent)
OF_HTTP: tuple[Fault, ...] = (refusing, broken, old)
CASES = [(backend, fault) for backend in PROJECTIONS for fault in SPEECHLESS]
CASES += [(backend, fault) for backend in ("qdrant", "chroma") for fault in OF_HTTP]


@pytest.mark.parametrize(("backend", "fault"), CASES, ids=lambda case: getattr(case, "__name__", case))
def test_a_projection_that_fails(root: Path, caplog: pytest.LogCaptureFixture, backend: str, fault: Fault) -> None:
    """Answers come and say what is missing; what is to be done waits; the doctor has a remedy."""
    caplog.set_level(logging.DEBUG)
    asked = {name: each for name, each in COMMANDS.items() if fault is not silent or name in ("search", "doctor")}
    with fault() as port:
        configure(root, PROJECTIONS[backend], port)
        said = {name: ask(*arguments) for name, arguments in asked.items()}
    assert [name for name in said.keys() - {"worker", "doctor"} if said[name].code] == [], said
    assert said["doctor"].code == 1
    failed = next(line for line in said["doctor"].out.splitlines() if line.startswith("FAIL"))
    assert f"127.0.0.1:{port}" in failed
    assert "->" in said["doctor"].out.partition(failed)[2].splitlines()[1], said["doctor"].out
    if backend != "memgraph":
        assert f"127.0.0.1:{port}" in said["search"].out
    elif "callers" in said:
        assert "changes behind" in said["callers"].out
    if "worker" in said:
        assert said["worker"].code in (3, 4)
        assert f"127.0.0.1:{port}" in said["worker"].out
    assert told_in(said, caplog.text) == []


@pytest.mark.parametrize("fault", SPEECHLESS, ids=lambda fault: str(fault.__name__))
def test_a_store_that_fails(root: Path, caplog: pytest.LogCaptureFixture, fault: Fault) -> None:
    """There is no answer without it: each command says why and what to do."""
    caplog.set_level(logging.DEBUG)
    with fault() as port:
        configure(root, CANONICAL, port)
        for arguments in (("search", "lease"), ("worker", "--once")):
            said = ask(*arguments, "--json")
            assert said.code in (3, 4)
            assert f"127.0.0.1:{port}/orders" in said.errors
            assert '"remedy": ""' not in said.errors
            assert told_in(said, caplog.text) == []
        said = ask("doctor")
    assert f"127.0.0.1:{port}/orders" in said.out
    assert told_in(said, caplog.text) == []
