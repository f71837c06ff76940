"""What the server counts, in the text format that Prometheus reads."""

from collections.abc import Sequence

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counters of one server; queries, texts and tenants are never among the labels."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "pckc_http_requests", "Requests answered.", ("path", "status"), registry=self._registry
        )
        self._in_flight = Gauge("pckc_http_requests_in_flight", "Requests being answered.", registry=self._registry)
        self._calls = Counter("pckc_tool_calls", "Tool calls answered.", ("tool", "outcome"), registry=self._registry)
        self._seconds = Histogram(
            "pckc_tool_seconds", "How long tools took.", ("tool",), buckets=SECONDS, registry=self._registry
        )

    def observe_call(self, tool: str, outcome: str, seconds: float) -> None:
        """Count a tool call."""
        self._calls.labels(tool, outcome).inc()
        self._seconds.labels(tool).observe(seconds)

    async def show(self, _: Request) -> Response:
        """Answer everything counted."""
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)

    def counting(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> ASGIApp:
        """Return *app* with its requests counted, each under the one of *routes* that it is for."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            status = 0

            async def watched(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            self._in_flight.inc()
            try:
                await app(scope, receive, watched)
            finally:
                self._in_flight.dec()
                self._requests.labels(_template(scope, routes), str(status)).inc()

        return counted


def _template(scope: Scope, routes: Sequence[BaseRoute]) -> str:
    """
    Return the route's path: the asked one would give every caller a label of its own.

    What was refused before it was routed is booked all the same.
    """
    route = scope.get("route") or next((one for one in routes if one.matches(scope)[0] is not Match.NONE), None)
    return str(getattr(route, "path", "other"))
