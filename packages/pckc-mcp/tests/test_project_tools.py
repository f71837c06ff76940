"""The tools that show and refresh what is stored of the project; progress and cancellation of long ones."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from pckc_domain.model.progress import Progress, ProgressListener
from pckc_mcp.server import calling
from pckc_mcp.server.arguments import arguments_of, schema_of
from pckc_mcp.server.calling import run_long, tell_nobody
from pckc_mcp.server.declaration import Reply
from pckc_mcp.server.memory import Memory
from pckc_mcp.server.tools.project import refresh_project_knowledge

from .talk import call, error_of, form_of, serving, text_of

ITEMS = [
    {"type": "fact", "text": f"The limit number {number} is {number}.", "subject": f"limit {number}"}
    for number in range(5)
]


def pages(memory: Memory, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        form = form_of(call(memory, tool, cursor=cursor, **arguments))
        found += form["results"]
        cursor = form["next_cursor"]
        if not cursor:
            assert len(found) == form["total"]
            return found


class TestInspect:
    def test_lists_claims_page_by_page(self, indexed: Memory) -> None:
        form_of(call(indexed, "reflect_and_write", items=ITEMS))
        whole = pages(indexed, "inspect_memory", limit=50)
        assert pages(indexed, "inspect_memory", limit=2) == whole
        assert {item["text"] for item in ITEMS} == {one["text"] for one in whole}
        assert pages(indexed, "inspect_memory", types=["bug"]) == []
        text = text_of(call(indexed, "inspect_memory", limit=2))
        assert "> The limit number" in text
        assert 'cursor "2"' in text

    def test_lists_files_then_the_passages_of_one(self, indexed: Memory) -> None:
        files = [one["path"] for one in pages(indexed, "inspect_knowledge", limit=1)]
        assert files == ["docs/deployment.md", "pckc.toml", "runner.py"]
        assert [one["path"] for one in pages(indexed, "inspect_knowledge", path="docs")] == ["docs/deployment.md"]
        passages = pages(indexed, "inspect_knowledge", path="runner.py", limit=3)
        assert {one["kind"] for one in passages} == {"chunk", "paragraph", "proposition", "summary"}
        assert pages(indexed, "inspect_knowledge", path="../etc/passwd") == []

    @pytest.mark.parametrize("tool", ["inspect_memory", "inspect_knowledge"])
    def test_refuses_a_foreign_cursor(self, indexed: Memory, tool: str) -> None:
        assert "cursor" in error_of(call(indexed, tool, cursor="999"))
        assert "cursor" in error_of(call(indexed, tool, cursor="x"))


class TestRefresh:
    def test_brings_the_index_up_to_date(self, project: Path, memory: Memory) -> None:
        first = form_of(call(memory, "refresh_project_knowledge"))
        assert first["indexed"] == 3
        (project / "new.py").write_text("PORT = 9\n", encoding="utf-8")
        second = form_of(call(memory, "refresh_project_knowledge"))
        assert second["indexed"] + second["unchanged"] == 4  # what was just written is not trusted to be unchanged
        assert form_of(call(memory, "memory_status"))["state"] == "fresh"

    def test_what_only_the_graph_led_to_is_answered_too(self, memory: Memory) -> None:
        form_of(call(memory, "refresh_project_knowledge"))
        for task in ("runner.py", "who calls run"):
            assert form_of(call(memory, "retrieve_agent_context", task=task))["multigranular_chunks"]

    def test_seeds_a_project(self, memory: Memory) -> None:
        result = call(memory, "seed_project_context", items=ITEMS[:1], token_budget=500)
        form = form_of(result)
        assert form["refresh"]["indexed"] == 3
        assert form["context"]["tokens"] <= 500
        assert form["reflection"] is not None
        assert form_of(call(memory, "inspect_memory"))["total"] == 1


class TestLong:
    """`run_long` with work that is told what to do; the tools share it."""

    def test_the_listener_is_no_argument(self) -> None:
        assert "progress" not in schema_of(arguments_of(refresh_project_knowledge))["properties"]

    @pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
    def test_progress_grows_over_stages(self, project: Path, memory: Memory, era: str) -> None:
        for number in range(300):
            (project / f"module_{number}.py").write_text(f"def f{number}():\n    return {number}\n", encoding="utf-8")
        told: list[float] = []

        async def note(done: float, total: float | None, message: str | None) -> None:
            assert message
            assert total is None or total >= done
            told.append(done)

        async def ask() -> None:
            async with Client(serving(memory, "engine"), mode=era) as client:
                form_of(await client.call_tool("refresh_project_knowledge", {}, progress_callback=note))

        anyio.run(ask)
        assert told
        assert told == sorted(set(told))

    def test_what_the_work_answers_or_raises_arrives(self) -> None:
        reply = Reply(text="done", form={})
        assert anyio.run(run_long, lambda _: reply, tell_nobody) is reply

        def fail(_: ProgressListener) -> Reply:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            anyio.run(run_long, fail, tell_nobody)

    def test_a_cancelled_call_ends_at_its_next_step(self) -> None:
        steps: list[int] = []

        def work(listen: ProgressListener) -> Reply:
            for number in range(10_000):
                anyio.from_thread.run(anyio.sleep, 0.01)
                listen(Progress(stage="work", done=number, total=10_000))
                steps.append(number)
            return Reply(text="all", form={})

        async def ask() -> None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run_long, work, tell_nobody)
                while not steps:
                    await anyio.sleep(0.01)
                tasks.cancel_scope.cancel()

        anyio.run(ask)
        assert 0 < len(steps) < 9_000

    def test_a_slow_listener_does_not_hold_up_the_work(self) -> None:
        async def never(*_: object) -> None:
            await anyio.sleep_forever()

        def work(listen: ProgressListener) -> Reply:
            for number in range(100):
                anyio.from_thread.run(anyio.sleep, calling.TELLING_SECONDS / 50)
                listen(Progress(stage="work", done=number, total=0))
            return Reply(text="all", form={})

        assert anyio.run(run_long, work, never).text == "all"

    @pytest.mark.parametrize("tool", ["refresh_project_knowledge", "memory_code_graph"])
    def test_a_cancelled_run_leaves_a_store_that_the_next_completes(
        self, project: Path, memory: Memory, tool: str
    ) -> None:
        for number in range(300):
            (project / f"module_{number}.py").write_text(f"def f{number}():\n    return {number}\n", encoding="utf-8")

        async def give_up() -> None:
            async with Client(serving(memory, "full"), mode="legacy") as client:
                with anyio.move_on_after(0.15):
                    await client.call_tool(tool, {})
                await client.call_tool("memory_stats", {})

        anyio.run(give_up)
        form_of(call(memory, tool))
        form_of(call(memory, "refresh_project_knowledge"))
        assert form_of(call(memory, "memory_status"))["state"] == "fresh"
        found = form_of(call(memory, "memory_search_code", query="f299"))
        assert found
        assert "f299" in str(found)
