"""Speed of the MCP server: starting, many sessions at once on one embedded store, searches over HTTP."""

import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import Tool
from pckc_mcp.server.arguments import arguments_of, schema_of
from pckc_mcp.server.tools import TOOL_SETS

pytestmark = pytest.mark.bench

PCKC = shutil.which("pckc", path=str(Path(sys.executable).parent)) or "pckc"
RUNS = 9
INITIALIZE_LIMIT_MS, LIST_LIMIT_MS, SEARCH_LIMIT_MS = 600.0, 1200.0, 1500.0
SESSIONS = 10
SESSION_SECONDS = 60.0
SEARCHES_PER_SECOND = 50
SEARCH_SECONDS = 20.0
HTTP_LIMIT_MS = 100.0

QUERIES = (
    "parse a date", "open a socket", "compile a regular expression", "read a zip file", "json decoder", "thread lock",
    "temporary directory", "random choice", "csv writer", "event loop",
)  # fmt: skip


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with a home of its own, where no model is loaded."""
    home = tmp_path_factory.mktemp("home")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PCKC_")}
    return kept | {
        "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config"),
        "PCKC_EMBEDDER": "none", "GIT_CONFIG_GLOBAL": os.devnull,
    }  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, environ: Mapping[str, str]) -> Path:
    """The standard library's own modules, without packages, indexed."""
    root = tmp_path_factory.mktemp("project")
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        shutil.copy(path, root)
    subprocess.run(["git", "init", "-q"], cwd=root, env=dict(environ), check=True)
    subprocess.run([PCKC, "index", "--no-embed", "--quiet"], cwd=root, env=dict(environ), check=True)
    return root


def report(capsys: pytest.CaptureFixture[str], *lines: str) -> None:
    """Print lines past pytest."""
    with capsys.disabled():
        print("\n" + "\n".join(f"  {line}" for line in lines))  # noqa: T201 - what the benchmark is for


def at(share: float, times: Sequence[float]) -> float:
    """Return a percentile in milliseconds."""
    return sorted(times)[min(len(times) - 1, math.ceil(share * len(times)) - 1)] * 1e3


def spread(times: Sequence[float]) -> str:
    """Return percentiles in words."""
    return f"p50 {at(0.5, times):.1f} ms, p95 {at(0.95, times):.1f} ms, p99 {at(0.99, times):.1f} ms"


def test_starting(project: Path, environ: Mapping[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """From spawning the process to its first answers, beside an interpreter that does nothing."""
    steps: dict[str, list[float]] = {"initialize": [], "tools/list": [], "first search": []}
    for _ in range(RUNS):
        for name, seconds in _started(project, environ).items():
            steps[name].append(seconds)
    bare = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], env=dict(environ), check=True)
        bare.append(time.perf_counter() - started)
    limits = zip(steps.items(), (INITIALIZE_LIMIT_MS, LIST_LIMIT_MS, SEARCH_LIMIT_MS), strict=True)
    report(
        capsys,
        *(f"spawn to {name}: median {statistics.median(times) * 1e3:.0f} ms (limit {limit:.0f})"
          for (name, times), limit in limits),
        f"python -c pass: median {statistics.median(bare) * 1e3:.0f} ms",
    )  # fmt: skip


def _started(project: Path, environ: Mapping[str, str]) -> dict[str, float]:
    """Return the seconds from spawning a server to each of its first answers, spoken to byte by byte."""
    first = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    search = {"name": "memory_search", "arguments": {"query": "parse a date"}}
    asked: list[tuple[str, str, dict[str, Any]]] = [
        ("initialize", "initialize", first), ("tools/list", "tools/list", {}), ("first search", "tools/call", search)
    ]  # fmt: skip
    started = time.perf_counter()
    process = subprocess.Popen(
        [PCKC, "serve"], cwd=project, env=dict(environ), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    seconds = {}
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, (name, method, params) in enumerate(asked):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message) + "\n")
            if method == "initialize":
                process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
            seconds[name] = time.perf_counter() - started
        process.stdin.close()
        process.wait()
    return seconds


def test_ten_sessions_on_one_store(
    project: Path, environ: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten servers of one project, each with a client that records and searches: no error, and nothing is lost."""
    full = dict(environ) | {"PCKC_TOOLS": "full"}
    reads: list[float] = []
    writes: list[float] = []
    written: list[str] = []
    errors: list[str] = []

    async def call(client: Client, tool: str, arguments: dict[str, Any], times: list[float]) -> dict[str, Any]:
        started = time.perf_counter()
        result = await client.call_tool(tool, arguments)
        times.append(time.perf_counter() - started)
        if result.is_error:
            errors.append(str(result.content))
        return dict(result.structured_content or {})

    async def work(number: int) -> None:
        server = StdioServerParameters(command=PCKC, args=["serve"], cwd=project, env=full)
        async with Client(server, mode="legacy" if number % 2 else "2026-07-28") as client:
            start = {"host": "plain", "source_id": f"bench-{number}"}
            session = (await call(client, "session_start", start, []))["session_id"]
            end = time.monotonic() + SESSION_SECONDS
            turn = 0
            while time.monotonic() < end:
                turn += 1
                name = f"{number}-{turn}"
                event = {"session_id": session, "kind": "user", "text": f"Step {name} is done.", "event_id": name}
                await call(client, "session_event_append", event, writes)
                written.append(name)
                await call(client, "memory_search", {"query": QUERIES[turn % len(QUERIES)]}, reads)

    async def all_of_them() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(SESSIONS):
                tasks.start_soon(work, number)

    anyio.run(all_of_them)
    done = subprocess.run([PCKC, "stats", "--json"], cwd=project, env=full, check=True, capture_output=True, text=True)
    stored = json.loads(done.stdout)["events"]["total"]
    report(
        capsys,
        f"{SESSIONS} MCP sessions, {SESSION_SECONDS:.0f} s on {os.cpu_count()} cores: {len(errors)} errors,"
        f" {len(written)} events written, {stored} stored",
        f"searches ({len(reads)}): {spread(reads)}",
        f"writes ({len(writes)}): {spread(writes)}",
    )
    assert errors == []
    assert stored == len(written)


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """Return what a process has computed so far: unlike waiting, it does not grow with what else the machine does."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(project: Path, environ: Mapping[str, str]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve over HTTP on a free port."""
    command = [PCKC, "serve", "--http", "--port", "0"]
    process = subprocess.Popen(command, cwd=project, env=dict(environ), stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stderr is not None
        found = re.search(r"serving at (\S+),", process.stderr.readline())
        assert found
        yield found[1], process
        process.send_signal(signal.SIGTERM)


def test_searches_over_http(project: Path, environ: Mapping[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Searches at a fixed rate, whether the earlier ones are answered or not; late starts count as waiting."""
    times: list[float] = []
    health: list[float] = []
    failed: list[int] = []

    async def ask(http: httpx2.AsyncClient, number: int, due: float) -> None:
        body = {"query": QUERIES[number % len(QUERIES)], "limit": 10}
        answer = await http.post("/api/v1/search", json=body)
        times.append(time.perf_counter() - due)
        if answer.status_code != 200:
            failed.append(answer.status_code)

    async def load(url: str) -> None:
        limits = httpx2.Limits(max_connections=64, max_keepalive_connections=64)
        async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=30) as http:
            for number, _ in enumerate(QUERIES):
                await ask(http, number, time.perf_counter())
            times.clear()
            for _ in range(100):
                started = time.perf_counter()
                await http.get("/health")
                health.append(time.perf_counter() - started)
            start = time.perf_counter()
            async with anyio.create_task_group() as tasks:
                for number in range(int(SEARCHES_PER_SECOND * SEARCH_SECONDS)):
                    due = start + number / SEARCHES_PER_SECOND
                    await anyio.sleep(max(0.0, due - time.perf_counter()))
                    tasks.start_soon(ask, http, number, due)

    with serving(project, environ) as (url, process):
        before = cpu_seconds(process)
        anyio.run(load, url)
        cpu = (cpu_seconds(process) - before) / len(times)
    report(
        capsys,
        f"the server computed {cpu * 1e3:.1f} ms a search: {cpu * SEARCHES_PER_SECOND:.0%} of one core at this rate;"
        f" load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        f"{SEARCHES_PER_SECOND} searches/s over HTTP for {SEARCH_SECONDS:.0f} s: {spread(times)}"
        f" (limit p95 {HTTP_LIMIT_MS:.0f}), {len(failed)} failed",
        f"GET /health beside it: {spread(health)}",
    )
    assert failed == []


def test_size_of_the_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    """What each tool set costs a model, as it is listed."""
    lines = []
    for name, tools in TOOL_SETS.items():
        listed = [
            Tool(
                name=one.name, title=one.title, description=one.description, annotations=one.hints,
                input_schema=schema_of(arguments_of(one.function)),
            )
            for one in tools
        ]  # fmt: skip
        size = sum(len(one.model_dump_json(by_alias=True, exclude_none=True).encode()) for one in listed)
        lines.append(f"tool set {name}: {len(tools)} tools, {size} bytes of schema")
    report(capsys, *lines)
