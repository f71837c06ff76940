"""
Serve over HTTP until a signal asks to stop.

Requests in flight may end, for as long as is configured; then the process ends without Python's own farewell, which
would wait for threads that nobody waits for.
"""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

import attrs
import uvicorn
from pckc_domain.errors import BackendUnavailableError

from pckc_mcp.config import Config, HttpConfig
from pckc_mcp.server.http.access import Access
from pckc_mcp.server.http.app import Served, build_app
from pckc_mcp.server.http.metrics import Metrics
from pckc_mcp.server.memory import Memory

logger = logging.getLogger(__name__)


def serve_http(config: Config, open_memory: Callable[[str], Memory], *, say: Callable[[str], None]) -> NoReturn:
    """
    Answer on the configured address; *open_memory* takes a tenant.

    Raises:
        ConfigurationError: Others could reach it without a bearer, or a bearer is not set.
        BackendUnavailableError: The address is taken, or not this machine's.
    """
    http = config.http
    access = Access.of_server(http, config.tenant, os.environ)
    listener = _listen(http)
    metrics = Metrics()
    memories = {tenant: open_memory(tenant) for tenant in sorted(access.served)}
    served = {tenant: Served.of(memory, config.tools, metrics) for tenant, memory in memories.items()}
    server = uvicorn.Server(
        uvicorn.Config(
            build_app(served, http=http, access=access, metrics=metrics),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=int(http.shutdown_seconds),
        )
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # uvicorn repeats the signal when it has ended
    say(f"serving at {_address(listener)}, MCP at {_address(listener)}/mcp")
    code = 0
    try:
        server.run(sockets=[listener])
    except Exception:
        logger.exception("the server failed")
        code = 1
    _end(memories, code)


def _end(memories: Mapping[str, Memory], code: int) -> NoReturn:
    for memory in memories.values():
        memory.close()
    sys.stderr.flush()
    os._exit(code)


def _listen(http: HttpConfig) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in http.host else socket.AF_INET
        return socket.create_server((http.host, http.port), family=family, backlog=512)
    except OSError as error:
        raise BackendUnavailableError(
            f"{http.host}:{http.port} cannot be listened on: {error.strerror or error}",
            remedy="end the other server, or choose another --port (0: a free one)",
        ) from error


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def configured(config: Config, *, host: str | None, port: int | None) -> Config:
    """Return *config* with what the command line says of the address."""
    http = config.http
    http = attrs.evolve(http, host=http.host if host is None else host, port=http.port if port is None else port)
    return attrs.evolve(config, http=http)
