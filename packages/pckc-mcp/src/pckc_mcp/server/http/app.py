"""The whole application: MCP, REST and what operators ask, behind one guard."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus

import anyio.to_thread
import attrs
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST, jsonrpc_message_adapter
from pckc_domain.errors import NotFoundError, PckcError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pckc_mcp.config import HttpConfig
from pckc_mcp.server.app import build_server
from pckc_mcp.server.http import openapi, rest
from pckc_mcp.server.http.access import Access
from pckc_mcp.server.http.guard import TENANT, Guard, RateLimit, RefusedError
from pckc_mcp.server.http.metrics import Metrics
from pckc_mcp.server.http.operations import OPERATIONS
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.tool import MemoryTool

logger = logging.getLogger(__name__)

SESSION_IDLE_SECONDS = 1800.0
MOST_SESSIONS = 1_000
THREADS = 2
"""Short calls answered at once; Python computes one at a time, more would only keep each other waiting. Long calls have
threads of their own, and the others wait in order."""


@attrs.frozen
class Served:
    """
    One tenant's memory, as it is served.

    Attributes:
        memory: The project, opened by the first question.
        server: Its MCP server; a session of one tenant does not exist for another.
        tools: What answers REST, by name.
    """

    memory: Memory
    server: MCPServer[None]
    tools: Mapping[str, MemoryTool]

    @classmethod
    def of(cls, memory: Memory, tool_set: str, metrics: Metrics) -> "Served":
        """Return *memory* with the tools of *tool_set* on MCP, and everything that REST offers."""
        observe = metrics.observe_call
        tools = {one.tool.name: MemoryTool.of(one.tool, memory, observe) for one in OPERATIONS}
        return cls(memory, build_server(memory, tool_set, observe), tools)


def build_app(served: Mapping[str, Served], *, http: HttpConfig, access: Access, metrics: Metrics) -> ASGIApp:
    """Return the application that serves the memories of these tenants."""
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # the guard checks all paths alike
    for one in served.values():
        one.server.streamable_http_app(
            transport_security=unguarded,
            max_request_body_size=http.body_bytes,
            session_idle_timeout=SESSION_IDLE_SECONDS,
            max_sessions=MOST_SESSIONS,
        )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        async with AsyncExitStack() as stack:
            for one in served.values():
                await stack.enter_async_context(one.server.session_manager.run())
            yield

    described = openapi.description()

    async def describe(_: Request) -> Response:
        return rest.Answer(described)

    app = Starlette(
        routes=[
            Route("/mcp", _Mcp(served)),
            Route("/health", _health),
            Route("/ready", _Readiness(served).show),
            Route("/metrics", metrics.show),
            Route("/openapi.json", describe),
            *rest.routes({tenant: one.tools for tenant, one in served.items()}),
        ],
        exception_handlers={HTTPException: _http_error, Exception: _unexpected},
        lifespan=lifespan,
    )
    guarded = Guard.around(
        app,
        access=access,
        hosts=frozenset(http.hosts),
        body_bytes=http.body_bytes,
        limit=RateLimit(http.requests_per_second),
    )
    return metrics.counting(guarded, app.routes)


class _Mcp:
    """The MCP endpoint: each tenant has a server of its own."""

    def __init__(self, served: Mapping[str, Served]) -> None:
        self._served = served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method == "POST":
            try:
                body = await request.body()
            except ClientDisconnect:
                return
            if _is_no_message(body):
                await rest.Answer(_NO_MESSAGE, status_code=HTTPStatus.BAD_REQUEST)(scope, receive, send)
                return
            receive = _again(body, receive)
        await self._served[scope[TENANT]].server.session_manager.handle_request(scope, receive, send)


_NO_MESSAGE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {
        "code": INVALID_REQUEST,
        "message": "the body is no JSON-RPC message: send one object with jsonrpc, method, and an id to be answered",
    },
}


def _is_no_message(body: bytes) -> bool:
    """Return whether it is JSON that is no message: the SDK would answer with all that its validation tried."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        return False  # no JSON, which the SDK says shortly
    try:
        jsonrpc_message_adapter.validate_python(given, by_name=False)
    except ValueError:
        return True
    return False


def _again(body: bytes, receive: Receive) -> Receive:
    """Return *receive* with a body in front that was received already."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return messages.pop() if messages else await receive()

    return received


class _Readiness:
    """Whether every memory can be asked."""

    def __init__(self, served: Mapping[str, Served]) -> None:
        self._served = served

    async def show(self, _: Request) -> Response:
        """Answer 200 or 503; why not is in the log, since anybody may ask."""
        try:
            await anyio.to_thread.run_sync(self._read)
        except PckcError as error:
            logger.warning("not ready: %s %s", error.message, error.remedy)
            return rest.Answer({"status": "not ready", "code": error.code}, status_code=HTTPStatus.SERVICE_UNAVAILABLE)
        return rest.Answer({"status": "ready"})

    def _read(self) -> None:
        for one in self._served.values():
            engine = one.memory.engine
            with engine.canonical.reading(engine.scope) as work:
                work.manifest.checkouts()


async def _health(_: Request) -> Response:
    return rest.Answer({"status": "ok"})


async def _http_error(request: Request, error: Exception) -> Response:
    """Answer what Starlette refuses: an unknown path, another method."""
    assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
    status = HTTPStatus(error.status_code)
    if status == HTTPStatus.NOT_FOUND:
        return rest.answer_error(NotFoundError(f"no such path: {request.url.path[:100]}", remedy="see /openapi.json"))
    refused = rest.answer_error(
        RefusedError(status, "invalid_input", status.phrase.lower(), remedy="see /openapi.json")
    )
    refused.headers.update(error.headers or {})
    return refused


async def _unexpected(_: Request, error: Exception) -> Response:
    logger.error("a request failed", exc_info=error)
    return rest.answer_error(PckcError("PCKC failed unexpectedly", remedy="its log (stderr) has the reason"))
