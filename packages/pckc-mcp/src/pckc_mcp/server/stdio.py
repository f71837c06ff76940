"""
Serve over standard input and output.

While the SDK serves, descriptor 0 is empty and descriptor 1 is stderr, so nothing but the protocol reaches the wire.
A line that is no message is answered here: the SDK drops it, and its host would wait for ever.
The process ends without Python's own farewell: it would flush stray output to the wire, and wait for the thread that
reads standard input and cannot be woken.
"""

import logging
import os
import signal
import sys
from typing import NoReturn

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared._context_streams import ContextReceiveStream, ContextSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from pckc_mcp.server.app import build_server
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.unread import mended, refusal

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
    sdk = server._lowlevel_server  # the SDK offers no other way to stand between its reader and itself
    messages_in, messages = anyio.create_memory_object_stream[SessionMessage | Exception]()
    async with anyio.create_task_group() as tasks, stdio_server() as (wire, answers):
        tasks.start_soon(_end_on_signal, memory)
        tasks.start_soon(_pass_on, wire, messages_in, answers.clone())
        await sdk.run(messages, answers, sdk.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _pass_on(
    wire: ContextReceiveStream[SessionMessage | Exception],
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    answers: ContextSendStream[SessionMessage],
) -> None:
    """Hand on what the wire brings; what is no message is mended or refused."""
    async with wire, messages, answers:
        async for read in wire:
            if not isinstance(read, ValidationError):
                await messages.send(read)
            elif message := mended(read):
                await messages.send(message)
            elif answer := refusal(read):
                await answers.send(SessionMessage(answer))


async def _end_on_signal(memory: Memory) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            _end(memory, 0)


def _end(memory: Memory, code: int) -> NoReturn:
    memory.close()
    sys.stderr.flush()
    os._exit(code)
