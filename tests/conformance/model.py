"""A model that dsh can talk to: it does what a test scripted, and keeps what it was asked."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import attrs

Request = Mapping[str, Any]
"""The body of a request to /chat/completions: ``messages``, ``tools`` and more."""

Script = Callable[[Request], tuple[str, Mapping[str, Any]] | str]
"""Says what is answered to a request: the name and arguments of a tool to call, or a text."""


@attrs.frozen
class Model:
    """Where it listens, and the requests that came from agents, in order."""

    url: str
    asked: list[Request]


@contextmanager
def model(script: Script) -> Iterator[Model]:
    """Serve on a port of this machine while the block runs."""
    asked: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer: tuple[str, Mapping[str, Any]] | str = "A title"
            if request.get("tools"):
                asked.append(request)
                answer = script(request)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for choice in _choices(answer):
                chunk = {"id": "1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Model(f"http://127.0.0.1:{server.server_port}", asked)
        server.shutdown()


def _choices(answer: tuple[str, Mapping[str, Any]] | str) -> Iterator[dict[str, Any]]:
    if isinstance(answer, str):
        yield {"index": 0, "delta": {"role": "assistant", "content": answer}, "finish_reason": None}
        yield {"index": 0, "delta": {}, "finish_reason": "stop"}
        return
    name, arguments = answer
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
    yield {"index": 0, "delta": {"role": "assistant", "tool_calls": calls}, "finish_reason": None}
    yield {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
