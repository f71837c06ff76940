"""
Serve over standard input and output.

While the SDK serves, descriptor 0 is empty and descriptor 1 is stderr, so nothing but the protocol reaches the wire.
The process ends without Python's own farewell: it would flush stray output to the wire, and wait for the thread that
reads standard input and cannot be woken.
"""

import logging
import os
import signal
import sys
from typing import NoReturn

import anyio
from mcp.server import MCPServer

from pckc_mcp.server.app import build_server
from pckc_mcp.server.memory import Memory

logger = logging.getLogger(__name__)


def serve(memory: Memory, tool_set: str) -> NoReturn:
    """Answer until the input ends or a signal asks to stop; exit code 1 when the server itself failed."""
    code = 0
    try:
        anyio.run(_serve, build_server(memory, tool_set), memory)
    except* (BrokenPipeError, KeyboardInterrupt):
        pass  # the host has gone
    except* Exception:
        logger.exception("the server failed")
        code = 1
    _end(memory, code)


async def _serve(server: MCPServer[None], memory: Memory) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, memory)
        await server.run_stdio_async()
        tasks.cancel_scope.cancel()


async def _end_on_signal(memory: Memory) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            _end(memory, 0)


def _end(memory: Memory, code: int) -> NoReturn:
    memory.close()
    sys.stderr.flush()
    os._exit(code)
