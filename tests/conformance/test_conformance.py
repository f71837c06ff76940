"""The official suites and clients, in their real npm packages; run by ``make conformance``."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult
from pckc_mcp.server.arguments import arguments_of, schema_of
from pckc_mcp.server.tools import TOOL_SETS

from .node import MODULES, node_environment, node_for

HERE = Path(__file__).parent
PCKC = Path(sys.executable).with_name("pckc")
TIMEOUT_SECONDS = 300
FILES = 400

pytestmark = pytest.mark.conformance

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "memory_get": {"id": "pro_none"},
    "memory_get_batch": {"ids": ["pro_none"]},
    "reflect_and_write": {"items": [{"type": "fact", "text": "The limit is 5."}]},
    "memory_govern": {"id": "claim_none", "decision": "pin"},
    "knowledge_query": {"operation": "hub_nodes"},
    "knowledge_graph_export": {"format": "json", "layer": "session"},
    "session_event_append": {"session_id": "none", "kind": "user", "text": "hello"},
    "memory_ingest": {"text": "# Limits\n\nThe limit must never exceed 5.\n"},
}
"""Arguments of tools that a text for each required one would not fit."""

NAMING_NOTHING = {
    "memory_get", "memory_govern", "session_event_append", "session_end", "memory_get_gap", "memory_update_gap",
    "memory_delete_gap",
}  # fmt: skip
"""Tools that are called with the id of nothing here, and have to say so."""


@pytest.fixture(scope="session")
def node() -> str:
    """The Node to run with; without one, or without the packages, nothing here can be run."""
    return node_for(MODULES, node_environment())


@pytest.fixture(scope="session")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a machine of its own."""
    home = tmp_path_factory.mktemp("home")
    kept = {name: value for name, value in node_environment().items() if not name.startswith("PCKC_")}
    return kept | {
        "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config"),
        "MCP_CATALOG_PATH": str(home / "catalog.json"), "PCKC_EMBEDDER": "none", "GIT_CONFIG_GLOBAL": os.devnull,
    }  # fmt: skip


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, environ: Mapping[str, str]) -> Path:
    """A repository large enough for a graph to take its time, indexed."""
    root = tmp_path_factory.mktemp("project")
    (root / "README.md").write_text("# Service\n\nThe service must listen on port 8420.\n", encoding="utf-8")
    for number in range(FILES):
        text = "".join(f"def f{number}_{part}():\n    return f{number - 1}_{part}()\n\n\n" for part in range(20))
        (root / f"module_{number}.py").write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, env=dict(environ), check=True)
    subprocess.run([PCKC, "index", "--no-embed", "--quiet"], cwd=root, env=dict(environ), check=True)
    return root


@pytest.fixture(scope="session")
def url(project: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """Where PCKC's HTTP server with the fixtures of the suites listens."""
    process = subprocess.Popen(
        [sys.executable, HERE / "serving.py", project, "core"], env=dict(environ), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def run(node: str, environ: Mapping[str, str], script: Path, *arguments: str, cwd: Path | None = None) -> str:
    """Run a script of a package and return what it printed; it must end with 0."""
    done = subprocess.run(
        [node, script, *arguments], env=dict(environ), cwd=cwd, capture_output=True, text=True,
        timeout=TIMEOUT_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize(
    ("package", "options"),
    [
        ("conformance-0.1", []),
        ("conformance-0.2", ["--requirements", "2025-11-25"]),
        ("conformance-0.2", ["--requirements", "2026-07-28"]),
    ],
    ids=["0.1.16", "0.2.0-alpha.12 2025-11-25", "0.2.0-alpha.12 2026-07-28"],
)
def test_every_required_scenario_passes(
    node: str, environ: Mapping[str, str], url: str, tmp_path: Path, package: str, options: Sequence[str]
) -> None:
    script = MODULES / package / "dist" / "index.js"
    said = run(node, environ, script, "server", "--url", url, *options, "-o", str(tmp_path / "results"))
    summary = said[said.rindex("=== SUMMARY") :]
    print(f"\n{package} {' '.join(options)}\n{summary}")  # noqa: T201 - the table is what this is run for
    optional = set(re.findall(r"^  [✓✗] (\S+) \(", summary, re.MULTILINE))
    rows = re.findall(r"^([✓✗]) (\S+): (\d+) passed, (\d+) failed", summary, re.MULTILINE)
    assert len(rows) >= 25
    assert [name for mark, name, _, failed in rows if (mark == "✗" or failed != "0") and name not in optional] == []


@pytest.mark.parametrize("tool_set", TOOL_SETS)
def test_the_inspector_lists_strictly(node: str, environ: Mapping[str, str], project: Path, tool_set: str) -> None:
    folder = MODULES / "@modelcontextprotocol" / "inspector"
    script = folder / json.loads((folder / "package.json").read_text(encoding="utf-8"))["bin"]["mcp-inspector"]
    server = ["--cli", "-e", f"PCKC_TOOLS={tool_set}", *_passed(environ), str(PCKC), "serve"]
    said = run(node, environ, script, *server, "--method", "tools/list", "--strict", cwd=project)
    listed = json.loads(said[said.index("{") :])["tools"]
    size = len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode())
    print(f"\n{tool_set}: {len(listed)} tools, {size:,} bytes")  # noqa: T201 - the table is what this is run for
    assert [tool["name"] for tool in listed] == [declaration.name for declaration in TOOL_SETS[tool_set]]


def _passed(environ: Mapping[str, str]) -> list[str]:
    names = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "PCKC_EMBEDDER", "PYTHONPATH")
    return [part for name in names if name in environ for part in ("-e", f"{name}={environ[name]}")]


class Bridge:
    """dsh's client bridge with one row of a profile."""

    def __init__(self, node: str, environ: Mapping[str, str], project: Path) -> None:
        self._node, self._environ, self._project = node, environ, project

    def row(self, tool_set: str, **settings: Any) -> dict[str, Any]:
        names = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "PCKC_EMBEDDER", "PYTHONPATH")
        passed = {name: self._environ[name] for name in names if name in self._environ}
        return {
            "serverName": "pckc", "transport": "stdio", "command": str(PCKC), "args": ["serve"],
            "env": {**passed, "PCKC_TOOLS": tool_set}, "cwd": str(self._project), **settings,
        }  # fmt: skip

    def ask(
        self, row: Mapping[str, Any], *calls: Mapping[str, Any]
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the tools that dsh's model would see, and the answers to *calls*."""
        script = HERE / "dsh_bridge.mjs"
        said = run(self._node, self._environ, script, json.dumps({"row": row, "calls": calls}), cwd=HERE)
        answer = json.loads(said.splitlines()[-1])
        return answer["schemas"], answer["answers"]


@pytest.fixture(scope="session")
def dsh(node: str, environ: Mapping[str, str], project: Path) -> Bridge:
    """The bridge, in the indexed project."""
    return Bridge(node, environ, project)


def _call(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    wanted = schema.get("required", ())
    given = ARGUMENTS.get(name) or {one: _value(schema["properties"][one]) for one in wanted}
    return {"name": name, "arguments": dict(given)}


def _value(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "port", "integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}[schema["type"]]


@pytest.mark.parametrize("tool_set", TOOL_SETS)
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_the_python_client_lists_and_calls_every_tool(
    environ: Mapping[str, str], project: Path, era: str, tool_set: str
) -> None:
    tools = {one.name: schema_of(arguments_of(one.function)) for one in TOOL_SETS[tool_set]}
    server = StdioServerParameters(
        command=str(PCKC), args=["serve"], cwd=project, env={**environ, "PCKC_TOOLS": tool_set}
    )

    async def talk() -> tuple[list[str], dict[str, CallToolResult]]:
        async with Client(server, mode=era) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            calls = (_call(name, schema) for name, schema in tools.items())
            return listed, {one["name"]: await client.call_tool(one["name"], one["arguments"]) for one in calls}

    listed, answers = anyio.run(talk)
    assert listed == list(tools)
    assert {name for name, answer in answers.items() if answer.is_error} <= NAMING_NOTHING
    assert all(answer.structured_content for answer in answers.values() if not answer.is_error)


class TestDsh:
    @pytest.mark.parametrize("tool_set", TOOL_SETS)
    def test_lists_and_calls_every_tool(self, dsh: Bridge, tool_set: str) -> None:
        tools = {one.name: schema_of(arguments_of(one.function)) for one in TOOL_SETS[tool_set]}
        schemas, answers = dsh.ask(dsh.row(tool_set), *(_call(name, schema) for name, schema in tools.items()))
        assert [schema["name"] for schema in schemas] == [f"mcp__pckc__{name}" for name in tools]
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", schema["name"]) for schema in schemas)
        assert [schema["parameters"]["properties"].keys() for schema in schemas] == [
            schema["properties"].keys() for schema in tools.values()
        ]
        for answer in answers:
            text = f"{answer['text']}{answer['error']}"
            assert text, answer
            assert "Traceback" not in text
            assert "failed unexpectedly" not in text, answer
        failed = {answer["name"] for answer in answers if answer["isError"]}
        assert failed <= NAMING_NOTHING

    def test_errors_tell_the_model_what_to_do(self, dsh: Bridge) -> None:
        wrong = {"name": "memory_search", "arguments": {"query": "port", "verbose": True}}
        _, (answer,) = dsh.ask(dsh.row("core"), wrong)
        assert answer["isError"]
        assert "verbose" in answer["text"] + answer["error"]

    def test_a_call_that_times_out_leaves_a_server_that_answers(self, dsh: Bridge) -> None:
        graph = {"name": "memory_code_graph", "arguments": {"from_scratch": True}}
        stats = {"name": "memory_stats", "arguments": {}}
        _, answers = dsh.ask(dsh.row("full", toolCallTimeoutMs=1500), graph, stats)
        assert answers[0]["isError"]
        assert not answers[1]["isError"], answers

    def test_a_cancelled_call_leaves_a_server_that_answers(self, dsh: Bridge) -> None:
        graph = {"name": "memory_code_graph", "arguments": {"from_scratch": True}, "abortAfterMs": 300}
        stats = {"name": "memory_stats", "arguments": {}}
        _, answers = dsh.ask(dsh.row("full"), graph, stats, {**graph, "abortAfterMs": 60_000})
        assert answers[0]["isError"]
        assert "abort" in answers[0]["text"].lower(), answers[0]
        assert not answers[1]["isError"], answers
        assert not answers[2]["isError"], answers

    def test_what_one_process_records_another_recalls(self, dsh: Bridge) -> None:
        start = {"name": "session_start", "arguments": {"host": "dsh", "source_id": "bridge"}}
        _, (started,) = dsh.ask(dsh.row("chum"), start)
        session = started["value"]["structuredContent"]["session_id"]
        said = {"session_id": session, "kind": "user", "text": "We decided to use PostgreSQL because of replication."}
        append = {"name": "session_event_append", "arguments": said}
        end = {"name": "session_end", "arguments": {"session_id": session}}
        dsh.ask(dsh.row("chum"), append, end)
        _, (found,) = dsh.ask(dsh.row("core"), {"name": "memory_search", "arguments": {"query": "PostgreSQL"}})
        assert "> We decided to use PostgreSQL" in found["text"]

    def test_over_http(self, dsh: Bridge, url: str) -> None:
        row = {"serverName": "pckc", "transport": "streamable-http", "url": url, "headers": {}}
        schemas, (answer,) = dsh.ask(row, {"name": "memory_search", "arguments": {"query": "port"}})
        assert "mcp__pckc__memory_search" in {schema["name"] for schema in schemas}
        assert "8420" in answer["text"]
