"""How the whole HTTP application refuses, whatever layer of it refuses."""

from typing import Any

import anyio
import httpx2
import pytest
from pckc_mcp.config import HttpConfig
from pckc_mcp.server.http.access import Access
from pckc_mcp.server.http.app import Served, build_app
from pckc_mcp.server.http.metrics import Metrics
from pckc_mcp.server.memory import Memory

JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def ask(memory: Memory, path: str, body: bytes, **headers: str) -> tuple[httpx2.Response, str]:
    """Return an answer and what the metrics say afterwards."""
    metrics = Metrics()
    served = {"local": Served.of(memory, "core", metrics)}
    http = HttpConfig(body_bytes=1024)
    app = build_app(served, http=http, access=Access.of([], "local", {}), metrics=metrics)

    async def talk() -> tuple[httpx2.Response, str]:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8730") as client:
            answer = await client.post(path, content=body, headers={**JSON, **headers})
            return answer, (await client.get("/metrics")).text

    return anyio.run(talk)


@pytest.mark.parametrize("path", ["/api/v1/search", "/mcp"])
def test_a_large_body_is_refused_in_json_and_booked_under_its_path(memory: Memory, path: str) -> None:
    answer, metrics = ask(memory, path, b"x" * 1025)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (413, "too_large")
    assert error["message"]
    assert error["remedy"]
    assert f'pckc_http_requests_total{{path="{path}",status="413"}} 1.0' in metrics


def test_a_foreign_page_is_told_what_to_do_and_booked(memory: Memory) -> None:
    answer, metrics = ask(memory, "/api/v1/search", b"{}", Origin="http://evil.example")
    assert answer.json()["error"]["remedy"]
    assert 'pckc_http_requests_total{path="/api/v1/search",status="403"} 1.0' in metrics


def test_a_path_that_no_route_has_is_booked_with_the_others(memory: Memory) -> None:
    _, metrics = ask(memory, "/secret-name", b"{}")
    assert "secret-name" not in metrics
    assert 'path="other",status="404"' in metrics


@pytest.mark.parametrize("body", [b"{}", b"[]", b"5", b'{"jsonrpc": "2.0", "method": 5}'])
def test_what_is_no_message_of_mcp_is_refused_in_plain_words(memory: Memory, body: bytes) -> None:
    answer, _ = ask(memory, "/mcp", body)
    form: dict[str, Any] = answer.json()
    assert answer.status_code == 400
    assert (form["jsonrpc"], form["id"], form["error"]["code"]) == ("2.0", None, -32600)
    assert "JSON-RPC" in form["error"]["message"]
    assert "pydantic" not in answer.text
