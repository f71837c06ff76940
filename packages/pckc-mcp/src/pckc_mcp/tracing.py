"""
Traces of the use cases, when they are asked for: one span for each call, with its name and whether it failed.

Spans are put around what the composition hands out, so that no use case knows of them. Nothing of OpenTelemetry is
imported while `PCKC_TRACES` is not set, and nothing happens where it is not installed.
"""

import importlib.util
import os
import sys
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import attrs
from pckc_domain.errors import ConfigurationError

from pckc_mcp.engine import Engine

VARIABLE = "PCKC_TRACES"
EXPORTERS = ("otlp", "console", "global")
"""To a collector by the usual ``OTEL_*`` variables, to stderr, or to what the embedding program has set up."""

OTLP_SECONDS = 3.0
"""How long a collector may keep the end of a command waiting."""

USE_CASES = (
    "indexer", "verifier", "projector", "search", "compiler", "symbol_search", "importer", "deriver", "recorder",
    "reflector", "claim_search", "evidence_search", "claim_verifier", "ingester", "cross_checker", "comparison",
    "gap_keeper", "tracer", "governor", "symbol_explainer", "graph_sync", "session_graph", "eraser", "retention",
)  # fmt: skip
"""Methods of the engine that hand out a use case."""


def why_no_traces() -> str:
    """Return why nothing is traced; ``""`` when it is."""
    if not os.environ.get(VARIABLE):
        return f"{VARIABLE} is not set"
    is_there = importlib.util.find_spec("opentelemetry") and importlib.util.find_spec("opentelemetry.sdk")
    return "" if is_there else "OpenTelemetry is not installed (the extra pckc-mcp[otel])"


def traced(engine: Engine) -> Engine:
    """
    Return *engine* with spans around its use cases, or as it is when nothing is traced.

    Raises:
        ConfigurationError: The exporter is not known.
    """
    if why_no_traces():
        return engine
    fields = {field.name: getattr(engine, field.name) for field in attrs.fields(Engine)}
    return _traced_class()(**fields)


@cache
def _traced_class() -> type[Engine]:
    tracer = _tracer(os.environ[VARIABLE])
    return type("TracedEngine", (Engine,), {name: _handing_out(getattr(Engine, name), tracer) for name in USE_CASES})


def _handing_out(factory: Callable[..., Any], tracer: Any) -> Callable[..., Any]:
    @wraps(factory)
    def hand_out(*given: Any, **named: Any) -> Any:
        use_case = factory(*given, **named)
        return None if use_case is None else _Traced(use_case, tracer)

    return hand_out


class _Traced:
    """A use case, each call of which is a span."""

    def __init__(self, inner: Any, tracer: Any) -> None:
        self._inner = inner
        self._tracer = tracer

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name.startswith("_") or not callable(found):
            return found
        return self._in_span(found, f"{type(self._inner).__name__}.{name}")

    def _in_span(self, call: Callable[..., Any], name: str) -> Callable[..., Any]:
        from opentelemetry.trace import StatusCode

        @wraps(call)
        def answer(*given: Any, **named: Any) -> Any:
            with self._tracer.start_as_current_span(
                name, record_exception=False, set_status_on_exception=False
            ) as span:  # what an exception says may quote a text
                try:
                    return call(*given, **named)
                except BaseException as error:
                    span.set_attribute("error.type", type(error).__name__)
                    span.set_status(StatusCode.ERROR)
                    raise

        return answer


def _tracer(exporter: str) -> Any:
    from opentelemetry import trace

    if exporter == "global":
        return trace.get_tracer("pckc")
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "pckc"}))
    if exporter == "console":
        lines = ConsoleSpanExporter(out=sys.stderr, formatter=lambda span: f"{span.to_json(indent=None)}\n")
        provider.add_span_processor(SimpleSpanProcessor(lines))
    elif exporter == "otlp":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=OTLP_SECONDS)))
    else:
        raise ConfigurationError(
            f"{VARIABLE} cannot be {exporter!r}", remedy=f"one of: {', '.join(EXPORTERS)}; leave it out for no traces"
        )
    return provider.get_tracer("pckc")
