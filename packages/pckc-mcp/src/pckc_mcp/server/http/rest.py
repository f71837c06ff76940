"""REST: the use cases as plain requests with JSON."""

import json
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, NoReturn

import anyio
from pckc_domain.errors import InvalidInputError, PckcError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pckc_mcp.server.http.guard import TENANT, RefusedError
from pckc_mcp.server.http.operations import OPERATIONS, PREFIX, Operation
from pckc_mcp.server.tool import MemoryTool, error_form

STATUSES = {
    "invalid_input": HTTPStatus.BAD_REQUEST,
    "not_found": HTTPStatus.NOT_FOUND,
    "conflict": HTTPStatus.CONFLICT,
    "backend": HTTPStatus.SERVICE_UNAVAILABLE,
    "backend_unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Status of an error by its code; what is not listed is the server's own fault."""


UNREAD = Response(status_code=499)
"""The answer to a client that has gone."""


class Answer(JSONResponse):
    """JSON with escapes, so that lone surrogates in stored text can be sent."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json.dumps(content, separators=(",", ":")).encode()


def answer_error(error: PckcError) -> Response:
    """Return an error as an answer."""
    status = error.status if isinstance(error, RefusedError) else STATUSES.get(error.code)
    return Answer(error_form(error), status_code=status or HTTPStatus.INTERNAL_SERVER_ERROR)


def routes(tools: Mapping[str, Mapping[str, MemoryTool]]) -> list[Route]:
    """Return the routes of every operation; *tools* are by tenant and name."""
    return [
        Route(f"{PREFIX}{operation.path}", _endpoint(operation, tools), methods=[operation.method])
        for operation in OPERATIONS
    ]


def _endpoint(
    operation: Operation, tools: Mapping[str, Mapping[str, MemoryTool]]
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        tool = tools[request.scope[TENANT]][operation.tool.name]
        try:
            return await _while_connected(request, tool, await _arguments(request))
        except PckcError as error:
            return answer_error(error)
        except ClientDisconnect:
            return UNREAD

    return answer


async def _while_connected(request: Request, tool: MemoryTool, arguments: dict[str, Any]) -> Response:
    """Answer; when the client goes, a long call ends at its next step."""
    response = UNREAD
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_when_gone, request, tasks.cancel_scope)
        try:
            response = Answer((await tool.reply(arguments)).form)
        except PckcError as error:
            response = answer_error(error)
        tasks.cancel_scope.cancel()
    return response


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _arguments(request: Request) -> dict[str, Any]:
    """
    Return the arguments of a request.

    Raises:
        InvalidInputError: They are no JSON object, or one is given twice.
        RefusedError: The body is of another type.
    """
    given = dict(request.query_params) if request.method == "GET" else await _body(request)
    if request.method != "GET" and request.query_params:
        raise InvalidInputError("arguments belong into the JSON object", remedy="leave out what follows the `?`")
    if twice := given.keys() & request.path_params.keys():
        raise InvalidInputError(f"{min(twice)} is given twice", remedy="the address has it")
    return given | request.path_params


async def _body(request: Request) -> dict[str, Any]:
    body = await request.body()
    if not body:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "invalid_input", "the body must be JSON",
            remedy="send the header `Content-Type: application/json`",
        )  # fmt: skip
    try:
        given = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError("the body is no JSON", remedy="send a JSON object with the arguments") from error
    if not isinstance(given, dict):
        raise InvalidInputError("the body must be a JSON object", remedy='such as {"query": "…"}')
    return given


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
