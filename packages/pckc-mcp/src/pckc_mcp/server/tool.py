"""A declared tool as the SDK serves it: arguments checked, on a worker thread, errors that say what to do."""

import functools
import logging
from typing import Any

import anyio.to_thread
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import CallToolResult, TextContent
from pckc_domain.errors import PckcError
from pydantic import ValidationError

from pckc_mcp.server.arguments import arguments_of, refusal, schema_of
from pckc_mcp.server.declaration import Declaration
from pckc_mcp.server.memory import Memory

logger = logging.getLogger(__name__)


class MemoryTool(Tool):
    """
    A tool that answers from a memory.

    The SDK's own way would drop unknown arguments, show the model "Error executing tool X" and repeat every result as
    indented JSON.
    """

    @classmethod
    def of(cls, declaration: Declaration, memory: Memory) -> "MemoryTool":
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
        )

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],  # noqa: ARG002 - the SDK's signature
        convert_result: bool = False,  # noqa: ARG002 - the SDK's signature
    ) -> CallToolResult:
        """Answer a call; a failure is an answer too."""
        try:
            checked = self.fn_metadata.validate_arguments(arguments)
            reply = await anyio.to_thread.run_sync(functools.partial(self.fn, **checked))
        except ValidationError as error:
            return _failure(refusal(error, self.fn_metadata.arg_model))
        except PckcError as error:
            return _failure(error)
        except Exception:
            logger.exception("%s failed", self.name)
            return _failure(
                PckcError("PCKC failed unexpectedly", remedy="its log (stderr) has the reason; run `pckc doctor`")
            )
        return CallToolResult(content=[TextContent(type="text", text=reply.text)], structured_content=reply.form)


def _failure(error: PckcError) -> CallToolResult:
    text = f"{error.message}\n{error.remedy}" if error.remedy else error.message
    form = {"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=form, is_error=True)
