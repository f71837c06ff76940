"""Lines that the SDK's reader takes for no message, and would drop without a word."""

import json
import re
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

_SURROGATES = re.compile("[\ud800-\udfff]")


def mended(error: ValidationError) -> SessionMessage | None:
    """Return the message that is one once half characters in it are replaced by U+FFFD; ``None`` when there is none."""
    line = _line(error)
    if line is None:
        return None
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
        return SessionMessage(jsonrpc_message_adapter.validate_json(_SURROGATES.sub("\ufffd", text), by_name=False))
    except (ValueError, RecursionError):  # a ValidationError is a ValueError
        return None


def refusal(error: ValidationError) -> JSONRPCError | None:
    """Return what JSON-RPC answers to such a line; ``None`` for what is never answered: blank lines and answers."""
    line = _line(error)
    if line is not None and not line.strip():
        return None
    try:
        request = _request(error) if line is None else json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "Parse error: the line is not JSON")
    if not isinstance(request, dict):
        return _error(None, INVALID_REQUEST, "Invalid request: the line is no JSON object")
    if "method" not in request and request.keys() & {"result", "error"}:
        return None
    number = request.get("id")
    is_id = isinstance(number, (str, int)) and not isinstance(number, bool)
    return _error(number if is_id else None, INVALID_REQUEST, "Invalid request: the line is no JSON-RPC 2.0 message")


def _line(error: ValidationError) -> str | None:
    """Return the line that was refused as JSON; ``None`` when it was refused as a message."""
    first = error.errors(include_url=False)[0]
    return str(first["input"]) if first["type"] == "json_invalid" else None


def _request(error: ValidationError) -> Any:
    """Return the object that was refused as a message: it lacks what makes it one of another kind."""
    whole = (each["input"] for each in error.errors(include_url=False) if each["type"] in ("missing", "model_type"))
    return next(whole, None)


def _error(number: str | int | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))
