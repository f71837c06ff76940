"""``pckc serve`` as a host sees it: a process spoken to through the SDK's client, or byte by byte."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent
from pckc_mcp.server.tools import TOOL_SETS

PCKC = Path(sys.executable).with_name("pckc")
DEADLINE_SECONDS = 60

RUNNER = '''"""Runs commands."""

import subprocess


def run(command):
    """Run a command; shell=False is enforced, the allowlist contains only safe commands."""
    return subprocess.run(command, shell=False, check=True)
'''


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The variables of a machine of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PCKC_")}
    return kept | {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@pytest.fixture
def project(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A git repository, indexed by the command line without vectors."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "runner.py").write_text(RUNNER, encoding="utf-8")
    (root / "README.md").write_text("# Service\n\nThe service must listen on port 8420.\n", encoding="utf-8")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=root, env=environment, check=True)
    subprocess.run([PCKC, "index", "--no-embed", "--quiet"], cwd=root, env=environment, check=True)
    return root


@pytest.fixture
def server(project: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A served project, spoken to by hand."""
    process = subprocess.Popen(
        [PCKC, "serve"], cwd=project, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        yield process
        process.kill()


def parameters(project: Path, environment: dict[str, str], *arguments: str) -> StdioServerParameters:
    return StdioServerParameters(command=str(PCKC), args=["serve", *arguments], cwd=project, env=environment)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("era", ["legacy", "auto", "2026-07-28"])
def test_both_protocol_eras(project: Path, environment: dict[str, str], era: str) -> None:
    async def talk() -> None:
        async with Client(parameters(project, environment), mode=era) as client:
            if era != "2026-07-28":  # a pinned version makes no handshake
                assert client.server_info is not None
                assert (client.server_info.name, client.server_info.version) == ("pckc", version("pckc-mcp"))
                assert "retrieve_agent_context" in (client.instructions or "")
            tools = [tool.name for tool in (await client.list_tools()).tools]
            assert tools == [declaration.name for declaration in TOOL_SETS["core"]]
            context = await client.call_tool("retrieve_agent_context", {"task": "How are commands run safely?"})
            assert not context.is_error
            assert any(line[:1] == ">" and "shell=False is enforced" in line for line in text_of(context).splitlines())
            assert context.structured_content is not None
            assert context.structured_content["multigranular_results_count"] > 0
            wrong = await client.call_tool("memory_search", {"query": "port", "verbose": True})
            assert wrong.is_error
            assert "unknown argument 'verbose'" in text_of(wrong)

    anyio.run(talk)


def test_store_option_and_tool_set(tmp_path: Path, project: Path, environment: dict[str, str]) -> None:
    store = tmp_path / "elsewhere.db"

    async def talk() -> tuple[list[str], CallToolResult]:
        server = parameters(project, environment | {"PCKC_TOOLS": "engine"}, "--store", str(store))
        async with Client(server) as client:
            return [tool.name for tool in (await client.list_tools()).tools], await client.call_tool("memory_status")

    tools, status = anyio.run(talk)
    assert tools == [declaration.name for declaration in TOOL_SETS["engine"]]
    assert status.structured_content is not None
    assert status.structured_content["store"] == str(store)
    assert status.structured_content["state"] == "missing"


def test_a_fresh_process_recalls_what_another_recorded(project: Path, environment: dict[str, str]) -> None:
    everything = environment | {"PCKC_TOOLS": "full"}

    async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is not None
        return result.structured_content

    async def record() -> None:
        async with Client(parameters(project, everything)) as client:
            session_id = (await answer(client, "session_start", host="dsh", source_id="s1"))["session_id"]
            for number, text in enumerate(("We decided to use DuckDB as the database.", "Never log the token.")):
                event = {"kind": "user", "text": text, "event_id": str(number)}
                await answer(client, "session_event_append", session_id=session_id, **event)
            assert len((await answer(client, "session_end", session_id=session_id))["admitted"]) >= 2

    async def recall() -> None:
        async with Client(parameters(project, everything), mode="2026-07-28") as client:
            (best, *_) = (await answer(client, "mem_search", query="which database"))["results"]
            assert best["text"] == "We decided to use DuckDB as the database."
            assert (await answer(client, "memory_get", id=best["id"]))["event_ids"] == ["0"]
            context = await client.call_tool("retrieve_agent_context", {"task": "Log in to the database"})
            assert "> Never log the token." in text_of(context)

    anyio.run(record)
    anyio.run(recall)


def test_vectors_catch_up_in_the_background(project: Path, environment: dict[str, str]) -> None:
    async def talk() -> dict[str, Any]:
        async with Client(parameters(project, environment)) as client:
            with anyio.fail_after(DEADLINE_SECONDS):
                while (vectors := await coverage(client))["behind"]:
                    await anyio.sleep(0.1)
            return vectors

    async def coverage(client: Client) -> dict[str, Any]:
        result = await client.call_tool("memory_stats")
        assert result.structured_content is not None
        vectors: dict[str, Any] = result.structured_content["coverage"]["vectors"]
        return vectors

    vectors = anyio.run(talk)
    assert vectors["indexed"] == vectors["total"] > 0


def test_faulty_configuration_is_an_answer(project: Path, environment: dict[str, str]) -> None:
    (project / "pckc.toml").write_text('tools = "everything"\n', encoding="utf-8")

    async def talk() -> CallToolResult:
        async with Client(parameters(project, environment)) as client:
            return await client.call_tool("memory_status")

    result = anyio.run(talk)
    assert result.is_error
    assert "everything" in text_of(result)


def ask(server: subprocess.Popen[str], number: int, method: str, **params: Any) -> dict[str, Any]:
    writer, reader = _pipes(server)
    writer.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    writer.flush()
    answer: dict[str, Any] = json.loads(reader.readline())
    assert answer["id"] == number
    return answer


def initialize(server: subprocess.Popen[str]) -> None:
    client = {"name": "test", "version": "1"}
    ask(server, 0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
    writer, _ = _pipes(server)
    writer.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')


def _pipes(server: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert server.stdin is not None
    assert server.stdout is not None
    return server.stdin, server.stdout


def test_end_of_input_ends_it(server: subprocess.Popen[str]) -> None:
    initialize(server)
    ask(server, 1, "tools/call", name="memory_search", arguments={"query": "port"})
    rest, log = server.communicate(timeout=DEADLINE_SECONDS)
    assert (server.returncode, rest) == (0, "")
    assert "Traceback" not in log


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_signal_ends_it(server: subprocess.Popen[str], name: str) -> None:
    initialize(server)
    ask(server, 1, "tools/call", name="memory_search", arguments={"query": "port"})
    server.send_signal(signal.Signals[name])
    assert server.wait(DEADLINE_SECONDS) == 0
    _, reader = _pipes(server)
    assert reader.read() == ""


def test_noise_on_the_wire_is_survived(server: subprocess.Popen[str]) -> None:
    initialize(server)
    writer, reader = _pipes(server)
    lone = {"name": "memory_search", "arguments": {"query": "\ud800"}}
    writer.write('this is no JSON\n\n{"jsonrpc": "2.0"}\n[1, 2]\n')
    writer.write(json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": lone}) + "\n")
    writer.write(json.dumps({"jsonrpc": "2.0", "id": 8, "method": "tools/list", "params": {}}) + "\n")
    writer.flush()
    while (answer := json.loads(reader.readline())).get("id") != 8:  # every line on stdout is JSON
        assert answer["jsonrpc"] == "2.0"
    assert answer["result"]["tools"]


def say(server: subprocess.Popen[str], line: str) -> dict[str, Any]:
    """Return what the server answers to a line that stands for itself."""
    writer, reader = _pipes(server)
    writer.write(f"{line}\n")
    writer.flush()
    ready, _, _ = select.select([reader], [], [], DEADLINE_SECONDS)
    assert ready, f"no answer to {line[:80]!r}"
    answer: dict[str, Any] = json.loads(reader.readline())
    return answer


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_half_a_character_is_answered(server: subprocess.Popen[str], era: str) -> None:
    """It is replaced wherever it stands, and the call is answered as any other."""
    meta = ""
    if era == "2025-11-25":
        initialize(server)
    else:
        fields = {"protocolVersion": era, "clientCapabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        meta = ',"_meta":' + json.dumps({f"io.modelcontextprotocol/{name}": value for name, value in fields.items()})
    answer = say(
        server,
        '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"memory_search",'
        r'"arguments":{"query":"port \ud83d \\ud83d é \ud83d\ude00 \udc00"}' + meta + "}}",
    )
    assert answer["id"] == 4
    assert not answer["result"].get("isError"), answer
    assert "8420" in json.dumps(answer["result"])


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        ("this is no JSON", None, -32700),
        ('{"jsonrpc":"2.0","id":5,', None, -32700),
        ('{"a":' * 9_000 + "1" + "}" * 9_000, None, -32700),
        ("[1]", None, -32600),
        ("5", None, -32600),
        ('{"jsonrpc":"2.0","id":4,"method":5}', 4, -32600),
        ('{"jsonrpc":"2.0","id":"x","method":"tools/list","params":[1]}', "x", -32600),
        ('{"id":6,"method":"tools/list"}', 6, -32600),
        ('{"jsonrpc":"2.0"}', None, -32600),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused(
    server: subprocess.Popen[str], line: str, number: int | str | None, code: int
) -> None:
    """With the code of JSON-RPC, and the id where it can be read; the next request is answered."""
    initialize(server)
    answer = say(server, line)
    assert (answer["id"], answer["error"]["code"]) == (number, code)
    assert ask(server, 9, "tools/list")["result"]["tools"]


def test_what_is_never_answered(server: subprocess.Popen[str]) -> None:
    """Blank lines, and answers that nobody understands."""
    initialize(server)
    writer, _ = _pipes(server)
    writer.write('\n  \n{"jsonrpc":"1.0","id":3,"result":{}}\n{"jsonrpc":"1.0","id":3,"error":{}}\n')
    assert ask(server, 9, "tools/list")["result"]["tools"]


def test_nothing_else_imports_the_sdk(project: Path, environment: dict[str, str]) -> None:
    script = (
        "import sys, pckc_mcp.cli.main as m; m.run(['search', 'port', '--json']); m.run(['context', 'port', '--json']);"
        "m.run(['stats', '--json']); m.run(['sync', '--json']);"
        "sys.exit(1 if {'mcp', 'mcp_types', 'dependency_injector', 'pydantic'} & set(sys.modules) else 0)"
    )
    subprocess.run(
        [sys.executable, "-c", script], cwd=project, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=60
    )


def test_a_server_starts_without_the_rules_of_what_it_may_be_asked_later(environment: dict[str, str]) -> None:
    """Those that read sessions and documents take 0.3 s to import: hosts wait for the start."""
    names = ("cli.commands.serve", "server.memory", "server.stdio", "server.app")
    heavy = ("keep_facts", "snowballstemmer", "policy.reading", "policy.reconcile", "fix_rules", "graph.linkers")
    imports = ", ".join(f"pckc_mcp.{name}" for name in names)
    script = f"import sys, {imports}; print([m for m in sys.modules if any(one in m for one in {heavy})])"
    given = {**environment, "PYTHONWARNINGS": "ignore"}
    told = subprocess.run([sys.executable, "-c", script], env=given, check=True, capture_output=True, timeout=60).stdout
    assert told.strip() == b"[]"
