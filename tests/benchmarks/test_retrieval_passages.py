"""How well passages are found: nDCG@10 and recall@10 on the judged sets, beside a plain FTS5 OR-query."""

from pathlib import Path

import pytest
from pckc_mcp.plugins import installed
from pytest_benchmark.fixture import BenchmarkFixture

from ..judged.corpora import Ranking, indexed
from ..judged.judging import bug_reports, measure_files

pytestmark = pytest.mark.bench

HALVES = {"dev": "dev", "held_out": "held-out"}


@pytest.mark.parametrize("name", ["prose", "code"])
def test_retrieval(name: str, benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table of one set; the first line is the baseline."""
    embedder = "auto" if "use" in installed("embedder") else "none"
    with indexed(name, tmp_path, embedder=embedder) as corpus, corpus.plain_ranking() as plain:
        rankings: dict[str, Ranking] = {"plain FTS5": plain, "PCKC lexical": corpus.ranking(hybrid=False)}
        if corpus.engine.semantic is not None:
            rankings["PCKC hybrid"] = corpus.ranking(hybrid=True)
        lines = [
            f"{name}: nDCG@10 and recall@10, 30 questions each",
            " " * 14 + "".join(f"{half:>16}" for half in HALVES.values()),
        ]
        for label, ranking in rankings.items():
            cells = [corpus.measures(ranking, half) for half in HALVES]
            lines.append(f"{label:14}" + "".join(f"{cell!s:>16}" for cell in cells))
        benchmark.pedantic(lambda: corpus.measures(corpus.ranking(hybrid=False), "dev"), rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    with capsys.disabled():
        print("\n  " + "\n  ".join(lines))  # noqa: T201  # what the benchmark is for


def test_files_of_bug_reports(benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How well the files of bug reports are ranked: first right, one of five right, reciprocal rank."""
    with indexed("code", tmp_path, embedder="none") as corpus, corpus.plain_ranking() as plain:
        rankings = {"plain FTS5": lambda text: [span.path for span in plain(text)], "PCKC": corpus.files()}
        lines = [
            "files of bug reports: @1, @5, MRR, 20 reports each",
            " " * 14 + "".join(f"{half:>18}" for half in HALVES.values()),
        ]
        for label, ranking in rankings.items():
            cells = [measure_files([r for r in bug_reports() if r.half == half], ranking) for half in HALVES]
            lines.append(f"{label:14}" + "".join(f"{cell!s:>18}" for cell in cells))
        report = bug_reports()[0].text
        benchmark.pedantic(lambda: corpus.files()(report), rounds=20)  # type: ignore[no-untyped-call]  # no types for it
    with capsys.disabled():
        print("\n  " + "\n  ".join(lines))  # noqa: T201  # what the benchmark is for
