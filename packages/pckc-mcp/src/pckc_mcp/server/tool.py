"""A declared tool as the SDK serves it: arguments checked, on a worker thread, errors that say what to do."""

import functools
import inspect
import logging
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import anyio.to_thread
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import CallToolResult, TextContent
from pckc_domain.errors import PckcError
from pydantic import Field, ValidationError

from pckc_mcp.server.arguments import PROGRESS, arguments_of, refusal, schema_of
from pckc_mcp.server.calling import CalledOffError, Tell, run_long, tell_nobody
from pckc_mcp.server.declaration import Declaration, Reply
from pckc_mcp.server.memory import Memory

logger = logging.getLogger(__name__)

Observer: TypeAlias = Callable[[str, str, float], None]
"""Takes a tool's name, ``ok`` or the code of its error, and the seconds it took."""


def observe_nothing(tool: str, outcome: str, seconds: float) -> None:
    """Count nothing."""


class MemoryTool(Tool):
    """
    A tool that answers from a memory.

    The SDK's own way would drop unknown arguments, show the model "Error executing tool X" and repeat every result as
    indented JSON.
    """

    is_long: bool = False
    observe: Observer = Field(default=observe_nothing, exclude=True)

    @classmethod
    def of(cls, declaration: Declaration, memory: Memory, observe: Observer = observe_nothing) -> "MemoryTool":
        """Return the tool that *declaration* makes of *memory*."""
        model = arguments_of(declaration.function)
        return cls(
            fn=functools.partial(declaration.function, memory),
            name=declaration.name,
            title=declaration.title,
            description=declaration.description,
            parameters=schema_of(model),
            fn_metadata=FuncMetadata(arg_model=model),
            is_async=False,
            context_kwarg=None,
            annotations=declaration.hints,
            is_long=PROGRESS in inspect.signature(declaration.function).parameters,
            observe=observe,
        )

    async def reply(self, arguments: dict[str, Any], tell: Tell = tell_nobody) -> Reply:
        """
        Answer a call.

        Raises:
            PckcError: What is wrong, with what to do about it; whatever else goes wrong is logged and becomes one.
        """
        started = time.perf_counter()
        outcome = "cancelled"
        try:
            reply = await self._answer(arguments, tell)
            outcome = "ok"
        except PckcError as error:
            outcome = error.code
            raise
        finally:
            self.observe(self.name, outcome, time.perf_counter() - started)
        return reply

    async def _answer(self, arguments: dict[str, Any], tell: Tell) -> Reply:
        try:
            work = functools.partial(self.fn, **self.fn_metadata.validate_arguments(arguments))
            if not self.is_long:
                return await anyio.to_thread.run_sync(work)
            return await run_long(lambda listen: work(**{PROGRESS: listen}), tell)
        except ValidationError as error:
            raise refusal(error, self.fn_metadata.arg_model) from error
        except PckcError:
            raise
        except CalledOffError as error:
            raise PckcError("the call was cancelled", remedy="call again to go on from what was committed") from error
        except Exception as error:
            logger.exception("%s failed", self.name)
            remedy = "its log (stderr) has the reason; run `pckc doctor`"
            raise PckcError("PCKC failed unexpectedly", remedy=remedy) from error

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: ARG002 - the SDK's signature
    ) -> CallToolResult:
        """Answer a call; a failure is an answer too."""
        try:
            reply = await self.reply(arguments, context.report_progress)
        except PckcError as error:
            return _failure(error)
        return CallToolResult(content=[TextContent(type="text", text=reply.text)], structured_content=reply.form)


def error_form(error: PckcError) -> dict[str, Any]:
    """Return an error as an object."""
    return {"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}


def _failure(error: PckcError) -> CallToolResult:
    text = f"{error.message}\n{error.remedy}" if error.remedy else error.message
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=list(content), structured_content=error_form(error), is_error=True)
