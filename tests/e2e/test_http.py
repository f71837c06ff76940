"""``pckc serve --http`` as clients see it: a process of its own, asked over a socket."""

import json
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import attrs
import httpx2
import pytest
from mcp import Client
from mcp_types import TextContent
from pckc_mcp.server.tools import TOOL_SETS

from .program import PCKC, Program

ANNA, BORIS = "anna-0123456789abcdef", "boris-0123456789abcdef"
DEADLINE_SECONDS = 30
EVERYWHERE = "0.0.0.0"  # noqa: S104 - what the tests are about


@attrs.frozen(kw_only=True)
class Serving:
    """A running server: its process, and where it listens."""

    process: subprocess.Popen[str]
    url: str

    def post(self, path: str, body: Any, **headers: str) -> httpx2.Response:
        return httpx2.post(f"{self.url}{path}", json=body, headers=headers, timeout=DEADLINE_SECONDS)

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return httpx2.get(f"{self.url}{path}", headers=headers, timeout=DEADLINE_SECONDS)


@contextmanager
def serving(program: Program, *options: str, **environ: str) -> Iterator[Serving]:
    """Start a server on a free port; afterwards it must end by itself with code 0 when told to."""
    command = [PCKC, "serve", "--http", "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=program.folder, env={**program.environ, **environ}, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r"serving at (\S+),", line)
            assert found, line + process.stderr.read()
            yield Serving(process=process, url=found[1])
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                assert process.wait(DEADLINE_SECONDS) == 0
        finally:
            process.kill()


@pytest.fixture(scope="module")
def server(indexed: Program) -> Iterator[Serving]:
    """The shared repository, served to everybody on this machine."""
    with serving(indexed) as running:
        yield running


class TestOperators:
    def test_health_ready_and_metrics(self, server: Serving) -> None:
        assert server.get("/health").json() == {"status": "ok"}
        assert server.get("/ready").json() == {"status": "ready"}
        server.post("/api/v1/search", {"query": "port"})
        text = server.get("/metrics").text
        assert re.search(r'pckc_tool_calls_total{outcome="ok",tool="memory_search"} [1-9]', text)
        assert 'pckc_http_requests_total{path="/health",status="200"}' in text

    def test_a_broken_store_is_not_ready_but_alive(self, pckc: Program, tmp_path: Path) -> None:
        store = tmp_path / "broken.db"
        store.write_bytes(b"this is no database, but it is long enough to be taken for one" * 100)
        with serving(pckc, "--store", str(store)) as broken:
            assert broken.get("/health").status_code == 200
            ready = broken.get("/ready")
            assert ready.status_code == 503
            assert str(store) not in ready.text
            search = broken.post("/api/v1/search", {"query": "x"})
            assert search.status_code in (500, 503)
            assert str(store) in search.json()["error"]["message"]


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_both_protocol_eras(server: Serving, era: str) -> None:
    async def talk() -> None:
        async with Client(f"{server.url}/mcp", mode=era) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [one.name for one in TOOL_SETS["core"]]
            result = await client.call_tool("memory_search", {"query": "port"})
            assert not result.is_error
            assert result.structured_content is not None
            assert result.structured_content["schema"]["name"] == "pckc.search"
            refused = await client.call_tool("memory_search", {"query": "port", "verbose": True})
            assert refused.is_error
            (content,) = refused.content
            assert isinstance(content, TextContent)
            assert "unknown argument 'verbose'" in content.text

    anyio.run(talk)


class TestRest:
    def test_answers_as_the_tools_do(self, server: Serving, indexed: Program) -> None:
        found = server.post("/api/v1/search", {"query": "port", "limit": 3}).json()
        assert found["results"]
        first = found["results"][0]["id"]
        assert server.get(f"/api/v1/items/{first}").json()["id"] == first
        context = server.post("/api/v1/context", {"task": "port", "token_budget": 300}).json()
        assert context["tokens"] <= 300
        assert server.get("/api/v1/status").json()["state"] == "fresh"
        assert server.get("/api/v1/stats").json()["layers"]

    @pytest.mark.parametrize(
        ("path", "body", "status", "code"),
        [
            ("/api/v1/search", {}, 400, "invalid_input"),
            ("/api/v1/search", {"query": "x", "verbose": True}, 400, "invalid_input"),
            ("/api/v1/search", [], 400, "invalid_input"),
            ("/api/v1/search?limit=3", {"query": "x"}, 400, "invalid_input"),
            ("/api/v1/sessions/none/end", {}, 404, "not_found"),
            ("/api/v1/sessions/none/end", {"session_id": "other"}, 400, "invalid_input"),
            ("/api/v1/nothing", {}, 404, "not_found"),
            ("/api/v1/status", {}, 405, "invalid_input"),
        ],
    )
    def test_wrong_requests_are_answered(self, server: Serving, path: str, body: Any, status: int, code: str) -> None:
        answer = server.post(path, body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)

    @pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000, b'{"query": NaN}', b'{"limit": ' + b"9" * 9999])
    def test_what_is_no_json_is_refused(self, server: Serving, body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        answer = httpx2.post(f"{server.url}/api/v1/search", content=body, headers=headers)
        assert answer.status_code == 400
        assert httpx2.post(f"{server.url}/api/v1/search", content=b"query=x").status_code == 415

    def test_lone_surrogates_come_back(self, server: Serving) -> None:
        headers = {"Content-Type": "application/json"}
        body = b'{"task": "port \\ud800"}'
        answer = httpx2.post(f"{server.url}/api/v1/context", content=body, headers=headers)
        assert answer.status_code == 200
        assert "\\ud800" in answer.text


class TestTenants:
    @pytest.fixture
    def team(self, pckc: Program) -> Iterator[Serving]:
        """One project, two tenants; only the first has indexed it."""
        (pckc.folder / "pckc.toml").write_text(
            "".join(
                f'[[http.access]]\nvariable = "PCKC_{name}"\ntenant = "{tenant}"\n'
                for name, tenant in (("ANNA", "a"), ("BORIS", "b"))
            ),
            encoding="utf-8",
        )
        attrs.evolve(pckc, environ={**pckc.environ, "PCKC_TENANT": "a"})("index")
        with serving(pckc, "--host", EVERYWHERE, PCKC_ANNA=ANNA, PCKC_BORIS=BORIS) as running:
            yield attrs.evolve(running, url=running.url.replace(EVERYWHERE, "127.0.0.1"))

    def test_see_their_own_memory_only(self, team: Serving) -> None:
        question = {"query": "port"}
        assert team.post("/api/v1/search", question).status_code == 401
        anna = team.post("/api/v1/search", question, Authorization=f"Bearer {ANNA}").json()
        boris = team.post("/api/v1/search", question, Authorization=f"Bearer {BORIS}").json()
        assert anna["results"]
        assert boris["results"] == []
        assert ANNA not in team.get("/metrics", Authorization=f"Bearer {ANNA}").text

    def test_a_session_of_one_does_not_exist_for_another(self, team: Serving) -> None:
        first = {
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}
            },
        }  # fmt: skip
        accept = {"Accept": "application/json, text/event-stream"}
        opened = team.post("/mcp", first, Authorization=f"Bearer {ANNA}", **accept)
        assert opened.status_code == 200
        session = {"mcp-session-id": opened.headers["mcp-session-id"], **accept}
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert team.post("/mcp", ping, Authorization=f"Bearer {ANNA}", **session).status_code == 200
        assert team.post("/mcp", ping, Authorization=f"Bearer {BORIS}", **session).status_code == 404
        assert team.post("/mcp", ping, **session).status_code == 401

    def test_exposed_without_bearers_is_refused(self, indexed: Program) -> None:
        answer = indexed("serve", "--http", "--host", EVERYWHERE, "--port", "0", check=False)
        assert answer.code == 3
        assert "http.access" in answer.stderr


class TestLifetime:
    def test_two_servers_on_one_port(self, server: Serving, indexed: Program) -> None:
        port = server.url.rpartition(":")[2]
        answer = indexed("serve", "--http", "--port", port, check=False)
        assert answer.code == 4
        assert port in answer.stderr
        assert "--port" in answer.stderr
        assert server.get("/health").status_code == 200

    def test_open_streams_do_not_hold_up_the_end(self, pckc: Program) -> None:
        patient = "[http]\nshutdown_seconds = 3600\n"  # what requests in flight may take
        (pckc.folder / "pckc.toml").write_text(patient, encoding="utf-8")
        codes: list[int] = []
        with serving(pckc) as running:

            async def talk() -> None:
                async with Client(f"{running.url}/mcp", mode="legacy") as client:
                    await client.list_tools()
                    await anyio.sleep(0.3)  # until the client has opened its stream for notifications
                    running.process.send_signal(signal.SIGTERM)
                    codes.append(await anyio.to_thread.run_sync(running.process.wait, DEADLINE_SECONDS))

            with suppress(Exception):  # closing a session whose server has gone fails, in one way or another
                anyio.run(talk)
        assert codes == [0]

    def test_a_signal_in_the_middle_of_writes_loses_no_answered_one(self, pckc: Program) -> None:
        pckc("index")
        written: list[str] = []
        with serving(pckc) as running:
            session = running.post("/api/v1/sessions", {"host": "plain", "source_id": "s"}).json()["session_id"]

            def write(name: str) -> None:
                for number in range(10_000):
                    try:
                        body = {"kind": "user", "text": f"{name} {number}", "event_id": f"{name}-{number}"}
                        answer = running.post(f"/api/v1/sessions/{session}/events", body)
                    except httpx2.TransportError:
                        return
                    if answer.status_code != 200:
                        return
                    written.append(answer.json()["event_id"])

            threads = [threading.Thread(target=write, args=(f"w{number}",)) for number in range(3)]
            for thread in threads:
                thread.start()
            deadline = time.monotonic() + DEADLINE_SECONDS
            while len(written) < 20 and time.monotonic() < deadline:
                time.sleep(0.01)
            running.process.send_signal(signal.SIGTERM)
            assert running.process.wait(DEADLINE_SECONDS) == 0
            for thread in threads:
                thread.join(DEADLINE_SECONDS)
                assert not thread.is_alive()
        assert len(written) >= 20
        assert pckc("stats", "--json").json["events"]["total"] >= len(set(written))
        assert pckc("doctor", "--check", check=False).code in (0, 1)

    @pytest.mark.parametrize("path", [b"/api/v1/search", b"/mcp"])
    def test_a_client_that_goes_harms_nobody(self, indexed: Program, path: bytes) -> None:
        with serving(indexed) as server:
            self._go(server, path)

    def _go(self, server: Serving, path: bytes) -> None:
        host, port = server.url.removeprefix("http://").split(":")
        body = json.dumps({"query": "port " * 2000}).encode()
        head = (
            f"POST /api/v1/search HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode()
        for sent in (head, head + body[:50], head + body):
            for _ in range(5):
                with socket.create_connection((host, int(port))) as gone:
                    gone.sendall(sent.replace(b"/api/v1/search", path))
                    gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        assert server.post("/api/v1/search", {"query": "port"}).status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.stderr is not None
        assert "Traceback" not in server.process.stderr.read()
