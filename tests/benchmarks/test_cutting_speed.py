"""Speed of cutting the standard library's sources, beside a plain ``ast.parse`` loop."""

import ast
import sysconfig
import time
import warnings
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pckc_domain.model.document import Document
from pckc_domain.policy.cutting.code_outline import outline
from pckc_domain.policy.cutting.code_statements import code_candidates
from pckc_domain.policy.cutting.cut import cut
from pckc_domain.policy.cutting.extraction import select
from pckc_domain.policy.cutting.masking import mask
from pckc_domain.policy.cutting.segmentation import segment_code
from pckc_domain.policy.cutting.source_text import SourceText
from pckc_domain.policy.document_kinds import classify
from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.bench

MEDIAN_LIMIT_MS = 1.0
"""Median time a file to find its paragraphs and propositions."""

P99_LIMIT_MS = 10.0
"""99th percentile of the same."""

REPETITIONS = 3
"""The best of so many runs counts for each file: other processes only ever slow one down."""


@pytest.fixture(scope="module")
def sources() -> list[str]:
    """All modules of the standard library but its tests and idlelib."""
    root = Path(sysconfig.get_paths()["stdlib"])
    skipped = {"test", "tests", "idlelib", "site-packages", "dist-packages"}
    paths = sorted(path for path in root.rglob("*.py") if skipped.isdisjoint(path.parts))
    return [path.read_text(encoding="utf-8", errors="replace") for path in paths]


def paragraphs_and_propositions(text: str) -> None:
    masked = mask(SourceText(text), "python")
    definitions = outline(masked, "python")
    segment_code(masked.source, definitions)
    select(code_candidates(masked, definitions, language="python", module="module", is_test=False))


def syntax_tree(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return  # lib2to3 and others ship broken sources on purpose


def whole_cut(text: str) -> None:
    kind, source, language = classify("module.py")
    document = Document(
        id="doc", uri="module.py", kind=kind, source=source, language=language, content_hash="", blob_hash="",
        size_bytes=0, indexed_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    cut(document, text)


def milliseconds(work: Callable[[str], None], sources: Sequence[str]) -> list[float]:
    """Return the best time of each source, ascending."""
    times = []
    for text in sources:
        best = float("inf")
        for _ in range(REPETITIONS):
            started = time.perf_counter()
            work(text)
            best = min(best, time.perf_counter() - started)
        times.append(best * 1_000)
    return sorted(times)


@pytest.mark.parametrize("work", [paragraphs_and_propositions, whole_cut, syntax_tree])
def test_speed_per_file(
    work: Callable[[str], None],
    sources: list[str],
    benchmark: BenchmarkFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    times = benchmark.pedantic(milliseconds, args=(work, sources), rounds=1)  # type: ignore[no-untyped-call]  # the plug-in has no types for it
    count = len(times)
    megabytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in sources) / 1e6
    figures = {
        "median_ms": times[count // 2],
        "p90_ms": times[count * 90 // 100],
        "p99_ms": times[count * 99 // 100],
        "mb_per_s": megabytes / sum(times) * 1_000,
    }
    benchmark.extra_info.update(figures)
    limits = (
        f" (limits: median {MEDIAN_LIMIT_MS} ms, p99 {P99_LIMIT_MS} ms)" if work is paragraphs_and_propositions else ""
    )
    with capsys.disabled():
        shown = ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
        print(f"\n{work.__name__}: {count} files, {megabytes:.1f} MB, {shown}{limits}")  # noqa: T201 - it is the result
    assert count > 100
