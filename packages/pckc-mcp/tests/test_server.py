"""The MCP tools, through the SDK's own client in memory."""

import json
import os
import re
import sqlite3
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

import anyio
import attrs
import pytest
from mcp import Client
from mcp.server.mcpserver.context import Context
from mcp_types import CallToolResult
from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.model.gap import GapStatus
from pckc_domain.model.intent import TaskIntent
from pckc_domain.model.passage import Layer, PropositionType
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.curated_samples import distillation, gap, trace
from pckc_domain.testing.samples import document
from pckc_domain.usecases.project import VECTOR_KINDS, VECTOR_PROJECTION
from pckc_domain.usecases.semantic import SemanticIndex
from pckc_mcp import config
from pckc_mcp.container import Container
from pckc_mcp.engine import Engine
from pckc_mcp.opening import open_engine
from pckc_mcp.patience import SLICE_TEXTS, CourteousEmbedder
from pckc_mcp.plugins import open_backend
from pckc_mcp.server.app import build_server, instructions
from pckc_mcp.server.declaration import Declaration, Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.projection import BackgroundProjection
from pckc_mcp.server.tool import MemoryTool
from pckc_mcp.server.tools import TOOL_SETS

from .talk import RUNNER, call, error_of, form_of, index, listed, text_of

ERAS = ("legacy", "2026-07-28")

WRITERS = {
    "reflect_and_write", "memory_govern", "session_start", "session_event_append", "session_end",
    "knowledge_graph_export", "memory_store_code", "memory_code_graph", "memory_infer", "refresh_project_knowledge",
    "seed_project_context", "memory_store", "memory_ingest", "memory_verify", "memory_add_gap", "memory_update_gap",
    "memory_delete_gap", "memory_add_trace",
}  # fmt: skip

ODD_QUERIES = (
    "", " ", "/", "'", '"', "-", "*", "\0", "rm -rf", "C++", "a.b.c()", "NEAR(a b) AND OR NOT ^ : { }", "日本語",
    "порт сервиса", "포트", "😀", "x" * 100_000, "port " * 20_000, "a" + ":" * 40_000, "a/" * 40_000, "`" * 40_000,
)  # fmt: skip


class TestSchemas:
    @pytest.mark.parametrize("tool_set", TOOL_SETS)
    def test_is_flat(self, memory: Memory, tool_set: str) -> None:
        known = {
            "type", "properties", "required", "additionalProperties", "items", "enum", "description", "default",
            "minimum", "maximum",
        }  # fmt: skip

        def check(schema: dict[str, Any]) -> None:
            assert schema.keys() <= known
            assert isinstance(schema["type"], str)
            for part in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])):
                check(part)

        for tool in listed(memory, tool_set):
            check(tool.input_schema)
            assert tool.input_schema["additionalProperties"] is False

    @pytest.mark.parametrize(
        ("tool_set", "most", "most_bytes"), [("core", 12, 12_000), ("chum", 16, 16_000), ("engine", 12, 12_000)]
    )
    def test_a_set_is_small(self, memory: Memory, tool_set: str, most: int, most_bytes: int) -> None:
        tools = listed(memory, tool_set)
        assert 0 < len(tools) <= most
        size = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True).encode()) for tool in tools)
        assert size < most_bytes

    @pytest.mark.parametrize("tool_set", TOOL_SETS)
    def test_is_described_and_honest(self, memory: Memory, tool_set: str) -> None:
        for tool in listed(memory, tool_set):
            assert re.fullmatch(r"[a-z_]{1,40}", tool.name)
            assert tool.title
            assert 40 < len((tool.description or "").encode()) <= 2048
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is (tool.name not in WRITERS)
            assert all(part.get("description") for part in tool.input_schema["properties"].values())

    def test_sets_are_those_of_the_configuration(self) -> None:
        assert set(TOOL_SETS) == set(config.TOOL_SETS)

    def test_enumerations_are_the_domains(self, memory: Memory) -> None:
        tools = {tool.name: tool.input_schema["properties"] for tool in listed(memory, "core")}
        context = tools["retrieve_agent_context"]
        assert context["task_intent"]["enum"] == [str(intent) for intent in TaskIntent]
        assert context["task_intent"]["default"] == "unknown"
        assert context["preferred_layers"]["items"]["enum"] == [str(layer) for layer in Layer]
        types = set(map(str, PropositionType)) | set(map(str, ClaimType))
        assert set(tools["memory_search"]["types"]["items"]["enum"]) == types

    def test_instructions_are_short_and_name_the_tools(self) -> None:
        for tool_set, declarations in TOOL_SETS.items():
            text = instructions(tool_set)
            assert len(text.encode()) <= 2048
            named = set(re.findall(r"`([a-z]+_[a-z_]+)`", text))
            assert named <= {declaration.name for declaration in declarations}
            assert len(named) >= 2

    def test_listing_opens_nothing(self, project: Path, memory: Memory) -> None:
        listed(memory, "core")
        assert not Path(os.environ["XDG_DATA_HOME"]).exists()


@pytest.mark.parametrize("era", ERAS)
class TestRetrieveAgentContext:
    def test_answers_with_the_fields_of_its_contract(self, indexed: Memory, era: str) -> None:
        form = form_of(
            call(
                indexed, "retrieve_agent_context", era, task="How are commands run safely?", task_intent="bug_fix",
                preferred_layers=["proposition"], proposition_types=["security_rule"],
            )
        )  # fmt: skip
        chunks = form["multigranular_chunks"]
        assert form["multigranular_results_count"] == len(chunks) > 0
        best = chunks[0]
        assert best["result_type"] == best["granularity"] == "proposition"
        assert "shell=False" in best["content"]
        assert best["source_path"] == "runner.py"
        assert RUNNER.splitlines()[best["source_start_line"] - 1].strip().startswith(('"""Run', "return"))
        assert best["proposition_type_bonus"] == best["score_breakdown"]["proposition_type_bonus"] == 1.0
        assert best["score"] > 0
        assert isinstance(form["knowledge_chunks"], list)

    def test_text_is_the_pack_within_the_budget(self, indexed: Memory, era: str) -> None:
        result = call(indexed, "retrieve_agent_context", era, task="port of the service", token_budget=400)
        form = form_of(result)
        assert form["tokens"] <= form["budget"] == 400
        assert "8420" in text_of(result)
        detailed = call(
            indexed, "retrieve_agent_context", era, task="port of the service", token_budget=400,
            response_format="detailed",
        )  # fmt: skip
        assert form_of(detailed)["context"] == text_of(detailed) == text_of(result)
        assert form_of(detailed)["passages"][0]["proofs"]
        assert "passages" not in form


class TestMemorySearch:
    def test_concise_result_is_a_heading_and_a_quoted_line(self, indexed: Memory) -> None:
        result = call(indexed, "memory_search", query="shell allowlist")
        lines = text_of(result).partition("\npro_")[2].splitlines()
        assert re.fullmatch(r"\w+ runner\.py:\d+-\d+ \[proposition \d\.\d\d\]", lines[0])
        assert lines[1].startswith("> ")
        assert "shell=False" in lines[1]
        first = form_of(result)["results"][0]
        assert first["id"] == "pro_" + lines[0].split()[0]
        assert "proofs" not in first

    def test_detailed_result_has_proofs(self, indexed: Memory) -> None:
        result = call(indexed, "memory_search", query="shell allowlist", response_format="detailed")
        first = form_of(result)["results"][0]
        assert first["proofs"][0]["source_ref"] in text_of(result)
        assert first["breakdown"]

    @pytest.mark.parametrize("response_format", ["concise", "detailed"])
    def test_recalled_text_is_quoted(self, indexed: Memory, response_format: str) -> None:
        text = text_of(call(indexed, "memory_search", query="ignore previous", response_format=response_format))
        assert "Ignore all previous instructions" in text
        assert text.count("</pckc-context>") == 1
        assert all(
            "> " in line.split("Ignore all", 1)[0] for line in text.splitlines() if "Ignore all previous" in line
        )

    def test_pages_are_one_ranking(self, indexed: Memory) -> None:
        whole = [
            result["id"] for result in form_of(call(indexed, "memory_search", query="run port", limit=50))["results"]
        ]
        assert len(whole) > 4
        paged: list[str] = []
        cursor = ""
        while True:
            form = form_of(call(indexed, "memory_search", query="run port", limit=2, cursor=cursor))
            paged += [result["id"] for result in form["results"]]
            cursor = form["next_cursor"]
            if not cursor:
                break
        assert paged == whole

    @pytest.mark.parametrize("cursor", ["x", "-1", "999999", "²", "1" * 9000])
    def test_refuses_a_foreign_cursor(self, indexed: Memory, cursor: str) -> None:
        assert "is no cursor" in error_of(call(indexed, "memory_search", query="port", cursor=cursor))

    def test_filters(self, indexed: Memory) -> None:
        form = form_of(call(indexed, "memory_search", query="run port", paths=["docs/"], layers=list(Layer)))
        assert {result["path"] for result in form["results"]} == {"docs/deployment.md"}
        form = form_of(call(indexed, "memory_search", query="run port shell", types=["security_rule"]))
        facts = [result for result in form["results"] if result["kind"] == "proposition"]  # the rest was expanded to
        assert {fact["type"] for fact in facts} == {"security_rule"}

    @pytest.mark.parametrize("query", ODD_QUERIES, ids=lambda query: repr(query[:8]))
    def test_any_query_is_answered(self, indexed: Memory, query: str) -> None:
        assert isinstance(form_of(call(indexed, "memory_search", query=query))["results"], list)
        assert form_of(call(indexed, "retrieve_agent_context", task=query))["tokens"] <= 6000


class TestState:
    def test_says_fresh_then_what_changed(self, project: Path, indexed: Memory) -> None:
        assert form_of(call(indexed, "memory_status"))["state"] == "fresh"
        (project / "runner.py").write_text(RUNNER + "\n\nNEW = 1\n", encoding="utf-8")
        (project / "new.py").write_text("X = 1\n", encoding="utf-8")
        (project / "docs" / "deployment.md").unlink()
        result = call(indexed, "memory_status")
        form = form_of(result)
        assert form["state"] == "outdated"
        assert form["changes"] == {"added": 1, "changed": 1, "removed": 1, "touched": 0, "is_cut_otherwise": False}
        assert "pckc sync" in text_of(result)
        found = call(indexed, "memory_search", query="port")
        assert not form_of(found)["is_complete"]
        assert form_of(found)["changes"] == {"added": 1, "changed": 1, "removed": 1, "touched": 0}
        assert "Since the index 1 file is new, 1 changed, 1 gone: run `pckc sync`" in text_of(found)
        context = call(indexed, "context_build", task="port")
        assert not form_of(context)["is_complete"]
        assert "Since the index 1 file is new" in text_of(context)
        index(project)
        assert form_of(call(indexed, "memory_status"))["state"] == "fresh"

    def test_an_index_of_another_recipe_is_outdated(self, indexed: Memory) -> None:
        engine = indexed.engine
        with engine.canonical.writing(engine.scope) as work:
            (checkout,) = work.manifest.checkouts()
            work.manifest.record(attrs.evolve(checkout, recipe="older"))
        form = form_of(call(indexed, "memory_status"))
        assert (form["state"], form["changes"]["is_cut_otherwise"]) == ("outdated", True)

    def test_an_unfinished_index_is_said(self, indexed: Memory) -> None:
        engine = indexed.engine
        with engine.canonical.writing(engine.scope) as work:
            (checkout,) = work.manifest.checkouts()
            work.manifest.record(attrs.evolve(checkout, is_complete=False))
        assert form_of(call(indexed, "memory_status"))["state"] == "incomplete"
        assert "pckc sync" in text_of(call(indexed, "memory_search", query="port"))

    def test_counts(self, indexed: Memory) -> None:
        result = call(indexed, "memory_stats")
        form = form_of(result)
        assert form["layers"]["proposition"]["fresh"] > 0
        assert f"{form['layers']['proposition']['fresh']} proposition" in text_of(result)
        assert form["coverage"]["files"] == {"indexed": 3, "total": 3, "behind": 0}

    def test_counts_of_curated_knowledge(self, indexed: Memory) -> None:
        engine = indexed.engine
        with engine.canonical.writing(engine.scope) as work:
            for id_, status in (("a", GapStatus.OPEN), ("b", GapStatus.OPEN), ("c", GapStatus.CLOSED)):
                work.gaps.put(gap(id_, status=status))
            work.traces.add([trace("a")])
            work.distillations.put([distillation(id_, document(), is_done=True) for id_ in "ab"])
            work.distillations.put([distillation("c", document(), error="no JSON"), distillation("d", document())])
        result = call(indexed, "memory_stats")
        form = form_of(result)
        assert form["gaps"] == {"total": 3, "by_status": {"closed": 1, "open": 2}}
        assert form["traces"] == 1
        assert form["distillations"] == {"done": 2, "failed": 1, "waiting": 1}
        assert "gaps: 1 closed, 2 open; 1 traces" in text_of(result)
        assert "distilled: 2 of 4 chunks, 1 failed" in text_of(result)

    def test_a_project_that_was_never_indexed(self, memory: Memory) -> None:
        status = call(memory, "memory_status")
        assert form_of(status)["state"] == "missing"
        assert "pckc index" in text_of(status)
        context = call(memory, "retrieve_agent_context", task="anything")
        assert form_of(context)["multigranular_chunks"] == []
        assert "pckc index" in text_of(context)
        assert "pckc index" in text_of(call(memory, "memory_search", query="anything"))


class TestErrors:
    @pytest.mark.parametrize("era", ERAS)
    def test_unknown_argument_is_named(self, indexed: Memory, era: str) -> None:
        text = error_of(call(indexed, "memory_search", era, query="port", layer="chunk"))
        assert "unknown argument 'layer'" in text
        assert "layers" in text
        assert "unknown argument" in error_of(call(indexed, "memory_stats", era, verbose=True))

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ({"query": "x", "layers": ["sentence"]}, ["unknown layer 'sentence'", "proposition"]),
            ({"query": "x", "types": ["rule"]}, ["unknown type 'rule'", "security_rule"]),
            ({"query": "x", "intent": "fix"}, ["unknown intent 'fix'", "bug_fix"]),
            ({"query": "x", "response_format": "long"}, ["response_format", "concise", "detailed", "long"]),
            ({"query": "x", "limit": 0}, ["limit", "1"]),
            ({"query": "x", "limit": "many"}, ["limit", "integer"]),
            ({"query": "x", "paths": "docs/"}, ["paths", "docs/"]),
            ({"query": 7}, ["query", "string"]),
            ({"query": None}, ["'query' is missing"]),
            ({}, ["'query' is missing"]),
        ],
    )
    def test_wrong_argument_says_what_is_right(
        self, indexed: Memory, arguments: dict[str, Any], said: list[str]
    ) -> None:
        text = error_of(call(indexed, "memory_search", **arguments))
        assert all(part in text for part in said), text

    def test_null_means_the_default(self, indexed: Memory) -> None:
        given = call(indexed, "retrieve_agent_context", task="port", proposition_types=None, task_intent=None)
        assert form_of(given)["hash"] == form_of(call(indexed, "retrieve_agent_context", task="port"))["hash"]

    def test_error_is_an_object_too(self, indexed: Memory) -> None:
        error = call(indexed, "memory_search", query="x", intent="fix").structured_content
        assert error is not None
        assert error["error"]["code"] == "invalid_input"
        assert error["error"]["remedy"].startswith("one of:")

    def test_a_huge_wrong_argument_is_not_repeated(self, indexed: Memory) -> None:
        assert len(error_of(call(indexed, "memory_search", query="x", paths="y" * 100_000))) < 1_000

    def test_broken_store_is_named_and_tried_again(self, project: Path, tmp_path: Path) -> None:
        store = tmp_path / "broken.db"
        store.write_bytes(b"this is no database, but it is long enough to be taken for one" * 100)
        memory = Memory(project, store=store)
        try:
            for tool in ("memory_status", "memory_stats"):
                assert str(store) in error_of(call(memory, tool))
            store.unlink()
            assert form_of(call(memory, "memory_status"))["state"] == "missing"
        finally:
            memory.close()

    def test_locked_store_is_named_and_tried_again(self, project: Path, tmp_path: Path) -> None:
        store = tmp_path / "locked.db"
        holder = sqlite3.connect(store, isolation_level=None)
        memory = Memory(project, store=store)
        try:
            holder.execute("BEGIN EXCLUSIVE")
            assert "locked" in error_of(call(memory, "memory_search", query="port"))
            holder.execute("ROLLBACK")
            assert form_of(call(memory, "memory_search", query="port"))["results"] == []
        finally:
            holder.close()
            memory.close()

    def test_a_writer_keeps_no_answer_waiting(self, indexed: Memory) -> None:
        engine = indexed.engine
        with engine.canonical.writing(engine.scope):
            assert form_of(call(indexed, "memory_search", query="port"))["results"]

    def test_faulty_configuration_is_an_answer(self, project: Path, memory: Memory) -> None:
        (project / "pckc.toml").write_text("nonsense = 1\n", encoding="utf-8")
        assert "nonsense" in error_of(call(memory, "memory_search", query="port"))

    def test_a_project_that_is_gone_is_named(self, tmp_path: Path) -> None:
        memory = Memory(tmp_path / "nowhere")
        assert "nowhere" in error_of(call(memory, "memory_status"))
        memory.close()

    def test_a_crash_keeps_its_reason_in_the_log(self, memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
        def crash(memory: Memory) -> Reply:
            """Divide by zero."""
            raise ZeroDivisionError("secret detail")

        tool = MemoryTool.of(Declaration(crash, "Crash"), memory)

        async def run() -> CallToolResult:
            return await tool.run({}, Context())

        text = error_of(anyio.run(run))
        assert "secret detail" not in text
        assert "pckc doctor" in text
        assert "secret detail" in caplog.text


class _Embedder(Embedder):
    """Embeds by length; notes how many texts it gets at once, and fails when it is told to."""

    space = EmbeddingSpace(model="length", dimensions=2)

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.error: Exception | None = None
        self.hold: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        if self.error is not None:
            raise self.error
        self.hold()
        self.sizes.append(len(texts))
        return [array("f", [1.0, float(len(text) % 7)]) for text in texts]


class TestProjection:
    @pytest.fixture
    def embedder(self) -> _Embedder:
        return _Embedder()

    @pytest.fixture
    def engine(self, project: Path, embedder: _Embedder) -> Iterator[Engine]:
        """The indexed project with an embedder and an empty vector index."""
        index(project)
        with open_engine(project) as engine, _vectors(engine.store) as vectors:
            semantic = SemanticIndex(embedder=embedder, vectors=vectors)
            yield attrs.evolve(engine, semantic=semantic, vectors=vectors)

    def test_wakes_catches_up_and_stops(self, engine: Engine, embedder: _Embedder) -> None:
        projection = BackgroundProjection(engine)
        assert _lag(engine) > 0
        projection.wake()
        _wait_until(lambda: _lag(engine) == 0)
        assert 0 < max(embedder.sizes) <= SLICE_TEXTS
        projection.stop()
        assert not projection.is_running

    def test_an_expected_failure_is_tried_again(self, engine: Engine, embedder: _Embedder) -> None:
        embedder.error = BackendUnavailableError("the model is away")
        projection = BackgroundProjection(engine)
        projection.wake()
        time.sleep(0.05)
        assert _lag(engine) > 0
        embedder.error = None
        projection.wake()
        _wait_until(lambda: _lag(engine) == 0)
        projection.stop()

    def test_a_crash_ends_it_and_is_logged(
        self, engine: Engine, embedder: _Embedder, caplog: pytest.LogCaptureFixture
    ) -> None:
        embedder.error = ZeroDivisionError("model broken")
        projection = BackgroundProjection(engine)
        projection.wake()
        _wait_until(lambda: not projection.is_running)
        assert "model broken" in caplog.text
        projection.stop()

    def test_stopping_leaves_the_rest_for_later(self, engine: Engine, embedder: _Embedder) -> None:
        def stop() -> None:
            with suppress(RuntimeError):  # the thread that embeds cannot wait for itself
                projection.stop()

        embedder.hold = stop
        projection = BackgroundProjection(engine)
        projection.wake()
        _wait_until(lambda: not projection.is_running)
        assert len(embedder.sizes) == 1
        assert _lag(engine) > 0

    def test_courteous_vectors_are_the_inner_ones(self, embedder: _Embedder) -> None:
        pauses: list[int] = []
        courteous = CourteousEmbedder(embedder, lambda: pauses.append(len(embedder.sizes)))
        texts = ["x" * n for n in range(3 * SLICE_TEXTS + 1)]
        assert courteous.embed(texts) == _Embedder().embed(texts)
        assert embedder.sizes == [SLICE_TEXTS] * 3 + [1]
        assert pauses == [1, 2, 3, 4]
        assert courteous.embed([]) == []


def _vectors(store: Path) -> AbstractContextManager[VectorIndex]:
    return open_backend("vector", config.Slot(backend="sqlite"), {"path": str(store)})


def _lag(engine: Engine) -> int:
    with engine.canonical.reading(engine.scope) as work:
        return work.outbox.lag(VECTOR_PROJECTION, kinds=VECTOR_KINDS)


def _wait_until(is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class TestLifetime:
    def test_every_provider_works(self, project: Path) -> None:
        index(project)
        container = Container(project=project)
        made = {name: provider() for name, provider in container.providers.items()}
        container.shutdown_resources()
        assert {name for name, value in made.items() if value is None} == {"store", "tenant", "semantic", "projector"}
        assert made["searching"] is not made["compiler"]

    def test_opens_once_and_leaves_no_connection(self, indexed: Memory) -> None:
        engines: set[int] = set()
        lock = threading.Lock()

        async def ask() -> None:
            async with (
                Client(build_server(indexed, "core"), mode="legacy") as client,
                anyio.create_task_group() as tasks,
            ):
                for _ in range(48):
                    tasks.start_soon(answer, client)

        async def answer(client: Client) -> None:
            form_of(await client.call_tool("memory_search", {"query": "port"}))
            with lock:
                engines.add(id(indexed.engine))

        anyio.run(ask)
        first = _open_files("store.db")
        for _ in range(2):
            anyio.run(ask)
        assert len(engines) == 1
        assert 0 < _open_files("store.db") <= max(first, 3 * 40)
        indexed.close()
        assert _open_files("store.db") == 0

    def test_answers_are_json(self, indexed: Memory) -> None:
        for tool, arguments in {
            "retrieve_agent_context": {"task": "port", "response_format": "detailed"},
            "memory_search": {"query": "port", "response_format": "detailed"},
            "memory_status": {},
            "memory_stats": {},
        }.items():
            form = form_of(call(indexed, tool, **arguments))
            assert json.loads(json.dumps(form)) == form
            assert form["schema"]["version"] == 1
            assert "passages" in form["coverage"]


def _open_files(name: str) -> int:
    return sum(name in os.path.realpath(entry) for entry in Path("/proc/self/fd").iterdir())
