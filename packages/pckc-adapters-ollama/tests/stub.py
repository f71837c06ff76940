"""A server that speaks as much of Ollama as PCKC asks for; its models are the embedded embedder and the rules."""

import json
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from pckc_domain.model.distillation import SourceChunk
from pckc_domain.ports.embedder import Embedder
from pckc_domain.usecases.rule_distiller import RuleDistiller

Body = dict[str, Any]
Fault = Callable[["Stub", BaseHTTPRequestHandler, Body], bool]
"""Answers a request in place of the models; ``False`` lets them answer."""

DIMENSIONS = 768
MODELS = ("embeddinggemma:latest", "reader:latest")


class Stub:
    """
    What the server knows and does.

    Args:
        embedder: Makes the vectors, which are padded to `DIMENSIONS` and three times too long.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self.requests: list[tuple[str, Body]] = []
        self.headers: list[dict[str, str]] = []
        self.fault: Fault | None = None
        self.said: list[str] = []
        self.stopped = Event()
        self.url = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        size = int(handler.headers.get("content-length") or 0)
        body: Body = json.loads(handler.rfile.read(size)) if size else {}
        self.requests.append((handler.path, body))
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        if self.fault is not None and self.fault(self, handler, body):
            return
        if handler.path == "/api/version":
            send(handler, {"version": "0.12.10"})
        elif handler.path == "/api/tags":
            send(handler, {"models": [{"model": name, "name": name} for name in MODELS]})
        elif f"{body['model']}:latest" not in MODELS:
            send(handler, {"error": f"model '{body['model']}' not found"}, status=404)
        elif handler.path == "/api/embed":
            send(handler, {"model": body["model"], "embeddings": self._vectors(body["input"])})
        else:
            content = self.said.pop(0) if self.said else json.dumps(_read(body))
            send(handler, {"model": body["model"], "message": {"role": "assistant", "content": content}, "done": True})

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        assert self._embedder is not None
        vectors = self._embedder.embed(texts)
        return [[3 * x for x in vector] + [0.0] * (DIMENSIONS - len(vector)) for vector in vectors]


def send(handler: BaseHTTPRequestHandler, content: object, *, status: int = 200) -> None:
    """Send *content* as JSON; a text as it is."""
    data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def _read(body: Body) -> Body:
    """Answer as a model that follows its instructions would: by the rules."""
    data = json.loads(body["messages"][1]["content"])
    if "claims" in body["format"]["properties"]:
        made = RuleDistiller().distil(
            SourceChunk(title=data["title"], place="", heading=data["heading"], text=data["text"])
        )
        wanted = body["format"]["properties"]["claims"]["items"]["properties"]["type"]["enum"]
        return {
            "claims": [
                {
                    "type": claim.type.value,
                    "text": claim.text,
                    "quote": " ".join(claim.quote.split()),  # models lay lines out anew
                    "subject": claim.subject,
                    "attribute": claim.attribute,
                    "value": "30 seconds" if claim.value == "30s" else claim.value,
                    "polarity": claim.polarity.value,
                    "confidence": claim.confidence,
                }
                for claim in made.claims
                if claim.type in wanted
            ]
        }
    judgement = RuleDistiller().judge(data["claim"], list(data["others"].values()))
    assert judgement is not None
    return {"verdict": judgement.kind.value, "against": 0 if judgement.against is None else judgement.against + 1}


@contextmanager
def serving(stub: Stub) -> Iterator[Stub]:
    """Serve *stub* on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stub.answer(self)

        def do_POST(self) -> None:
            stub.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that went away is what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()


def closed_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
