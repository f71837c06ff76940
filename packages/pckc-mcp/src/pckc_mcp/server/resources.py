"""``memory://project/current/…``: pages that a host may show or put before its model."""

from collections.abc import Callable
from functools import partial

import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import Resource
from pckc_domain.errors import NotFoundError, PckcError
from pydantic import Field

from pckc_mcp.server.memory import Memory
from pckc_mcp.server.reports import REPORTS
from pckc_mcp.server.tools.items import memory_get

PLACE = "memory://project/current/"


class ReportResource(Resource):
    """A page, made anew each time it is read."""

    make: Callable[[], str] = Field(exclude=True)

    async def read(self) -> str:
        """
        Return the page.

        Raises:
            ResourceError: It cannot be made; says why and what to do.
        """
        return await _made(self.make)


async def _made(make: Callable[[], str]) -> str:
    try:
        return await anyio.to_thread.run_sync(make)
    except NotFoundError as error:
        raise ResourceNotFoundError(error.message) from error
    except PckcError as error:
        raise ResourceError(f"{error.message}. {error.remedy}") from error


def add_resources(server: MCPServer[None], memory: Memory) -> None:
    """Give *server* the pages of *memory*, and every stored item by its id."""
    for report in REPORTS:
        server.add_resource(
            ReportResource(
                uri=f"{PLACE}{report.name}",
                name=report.name,
                title=report.title,
                description=report.description,
                mime_type="text/markdown",
                make=partial(report.text, memory),
            )
        )

    @server.resource(f"{PLACE}items/{{id}}", name="item", title="Item", mime_type="text/markdown")
    async def item(id: str) -> str:
        """Everything stored of one claim, passage or piece of evidence."""
        return await _made(lambda: memory_get(memory, id).text)
