"""How well the turns of conversations are found, beside a plain FTS5 OR-query, and how fast."""

import shutil
from collections.abc import Iterator
from math import nan
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
from pckc_domain.model.memory import MemoryRequest
from pckc_mcp.engine import Engine
from pckc_mcp.plugins import installed
from pytest_benchmark.fixture import BenchmarkFixture

from ..evaluation.retrieval import Asked, Measures, ask, ask_plainly, names, questions_of, remembered

pytestmark = pytest.mark.bench

SPLITS = ("dev", "dev2", "held_out")
COLUMNS = ("recall@1", "recall@5", "recall@10", "mrr", "new_before_old", "both_sides@10")
EMBEDDERS = ("none", *(name for name in ("use", "blend") if name in installed("embedder")))


@pytest.mark.parametrize("together", [False, True], ids=["a store each", "one store"])
def test_retrieval(
    together: bool, benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table; in one store every conversation is noise to the others, and their times do not fit together."""
    lines = [f"{'':24}{'n':>4}" + "".join(f"{column:>16}" for column in (*COLUMNS, "standing@10"))]
    timings: list[str] = []
    for split in SPLITS:
        groups = [names(split)] if together else [[name] for name in names(split)]
        found: dict[str, Asked] = {}
        for embedder in EMBEDDERS:
            for group in groups:
                folder = tmp_path / "store"
                folder.mkdir()
                questions = tuple(question for name in group for question in questions_of(name))
                with remembered(group, folder, embedder=embedder) as engine:
                    if embedder == "none":
                        found["baseline"] = found.get("baseline", Asked()) + ask_plainly(engine, questions)
                    found[embedder] = found.get(embedder, Asked()) + ask(engine, questions)
                    if together:
                        timings.append(f"{split} {embedder}: {_median_ms(engine, split):.0f} ms a search")
                shutil.rmtree(folder)
        lines += [_line(f"{split} {name}", asked.measures()) for name, asked in found.items()]
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    with capsys.disabled():
        print("\n  " + "\n  ".join([*lines, *timings]))  # noqa: T201  # what the benchmark is for


def _line(label: str, measures: Measures) -> str:
    whole, standing = measures["all"], measures.get("standing", {}).get("recall@10", nan)
    return f"{label:24}{whole['questions']:>4.0f}" + "".join(
        f"{value:>16.3f}" for value in (*(whole[column] for column in COLUMNS), standing)
    )


def _median_ms(engine: Engine, split: str) -> float:
    """Return the median time of a search, the model being warm."""
    search = engine.evidence_search(engine.semantic)
    times = []
    for question in _some_questions(split):
        started = perf_counter()
        search.search(engine.scope, MemoryRequest(query=question))
        times.append(perf_counter() - started)
    return 1000 * median(times)


def _some_questions(split: str) -> Iterator[str]:
    for name in names(split):
        yield from (question.question for question in questions_of(name)[:8])
