"""Any arguments to any tool, any request to REST: an answer or an error that says what to do, never a crash."""

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp_types import CallToolResult
from pckc_mcp.config import HttpConfig
from pckc_mcp.server.arguments import arguments_of, schema_of
from pckc_mcp.server.http.access import Access
from pckc_mcp.server.http.app import Served, build_app
from pckc_mcp.server.http.metrics import Metrics
from pckc_mcp.server.http.operations import OPERATIONS, PREFIX, Operation
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.tools import TOOL_SETS
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from .talk import index, serving, text_of

TOOLS = {declaration.name: schema_of(arguments_of(declaration.function)) for declaration in TOOL_SETS["full"]}
SECONDS = 60
"""Longer than any tool may take on so small a project."""

BEYOND_SCHEMAS = [positive_data_acceptance, negative_data_rejection]
"""A schema cannot say that a list must not be empty or which ids exist; ``null`` and wrong items are answered."""

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(("port", "runner.py", "run", "../../etc/passwd", "/etc/passwd", "7d", "0", "-1", "\0", "x" * 5000)),
    st.from_regex(r"(claim|pro|evidence|par|sum|gap)_[0-9a-f]{1,24}", fullmatch=True),
    st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:]{2,8}Z?)?", fullmatch=True),
)


def fitting(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that *schema* lets through."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "string":
            return TEXTS
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum"))
        case "number":
            return st.floats(allow_nan=False, allow_infinity=False)
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(fitting(schema["items"]), max_size=3)
        case _:
            parts = {name: fitting(part) for name, part in schema.get("properties", {}).items()}
            required = set(schema.get("required", ()))
            return st.fixed_dictionaries(
                {name: part for name, part in parts.items() if name in required},
                optional={name: part for name, part in parts.items() if name not in required},
            )


def calls() -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Return calls of any tool: most fit its schema, some have any value in a place, some an unknown name."""

    def of(name: str) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
        schema = TOOLS[name]
        fit = fitting(schema)
        spoiled = st.tuples(fit, st.dictionaries(st.sampled_from([*schema["properties"], "unknown"]), ANY, max_size=2))
        arguments = st.one_of(fit, fit, spoiled.map(lambda both: {**both[0], **both[1]}))
        return arguments.map(lambda given: (name, _harmless(given)))

    return st.sampled_from(sorted(TOOLS)).flatmap(of)


def _harmless(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments without addresses: what is asked for over a network is another test's."""
    return {name: value for name, value in arguments.items() if "://" not in str(value)}


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The memory of a small project that may be written to at will."""
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("fuzzed")
        for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            patch.setenv(name, str(root / name.lower()))
        project = root / "project"
        project.mkdir()
        (project / "runner.py").write_text("PORT = 8420\n\n\ndef run():\n    return run()\n", encoding="utf-8")
        (project / "pckc.toml").write_text('[embedder]\nbackend = "none"\n', encoding="utf-8")
        index(project)
        memory = Memory(project)
        yield memory
        memory.close()


def check(name: str, arguments: Mapping[str, Any], result: CallToolResult) -> None:
    """Assert that a model could go on from *result*."""
    text = text_of(result)
    assert "Traceback" not in text
    assert "failed unexpectedly" not in text, (name, arguments)
    assert "Error executing" not in text
    assert isinstance(result.structured_content, dict)
    if result.is_error:
        assert result.structured_content["error"]["code"] != "error", (name, arguments, text)
        assert text.strip()


@settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink)
)
@given(st.lists(calls(), min_size=1, max_size=12), st.sampled_from(("legacy", "2026-07-28")))
def test_any_call_is_answered(fuzzed: Memory, batch: list[tuple[str, dict[str, Any]]], era: str) -> None:
    async def ask() -> list[CallToolResult]:
        async with Client(serving(fuzzed, "full"), mode=era) as client:
            with anyio.fail_after(SECONDS):
                return [await client.call_tool(name, arguments) for name, arguments in batch]

    for (name, arguments), result in zip(batch, anyio.run(ask), strict=True):
        check(name, arguments, result)


@pytest.fixture(scope="module")
def described(fuzzed: Memory) -> Iterator[schemathesis.BaseSchema]:
    """The OpenAPI description that a server on this machine gives of itself."""
    metrics = Metrics()
    served = {"local": Served.of(fuzzed, "core", metrics)}
    http = HttpConfig(requests_per_second=100_000)
    app = build_app(served, http=http, access=Access.of([], "local", {}), metrics=metrics)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{listener.getsockname()[1]}/openapi.json")
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: f"{operation.method} {operation.path}")
def test_any_request_is_answered(
    described: schemathesis.BaseSchema, operation: Operation, mode: schemathesis.GenerationMode
) -> None:
    if operation.method == "GET" and mode is schemathesis.GenerationMode.NEGATIVE:
        pytest.skip("any text may stand in an address")
    requests = described[f"{PREFIX}{operation.path}"][operation.method].as_strategy(generation_mode=mode)

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
    @given(requests)
    def ask(case: schemathesis.Case) -> None:
        started = time.monotonic()
        response = case.call_and_validate(excluded_checks=BEYOND_SCHEMAS)
        assert response.status_code < 500, response.text
        assert "Traceback" not in response.text
        assert time.monotonic() - started < SECONDS

    ask()


def test_the_fuzz_writes_outside_of_nothing(fuzzed: Memory) -> None:
    root = fuzzed.engine.root
    assert {path.name for path in root.parent.iterdir()} <= {"project", "home", "xdg_data_home", "xdg_config_home"}
    assert Path(root, "runner.py").read_text(encoding="utf-8").startswith("PORT")
