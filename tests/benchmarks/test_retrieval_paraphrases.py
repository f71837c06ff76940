"""How often an answer in other words is found: each embedder alone and in PCKC's search, beside words only."""

from pathlib import Path

import pytest
from pckc_domain.ports.embedder import Embedder
from pckc_mcp.config import Slot
from pckc_mcp.plugins import installed, open_backend
from pytest_benchmark.fixture import BenchmarkFixture

from ..paraphrases.paraphrasing import LANGUAGES, Ranking, by_pckc, by_vectors, measure

pytestmark = pytest.mark.bench

EMBEDDERS = ("use", "minilm", "blend")


@pytest.mark.parametrize("language", LANGUAGES)
def test_paraphrases(
    language: str, benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table of one language; the first line is the baseline."""
    names = [name for name in EMBEDDERS if name in installed("embedder")]
    lines = [f"{language}: recall@1 and recall@10 of 60 questions each", f"{'':22}{'tuning':>12}{'held-out':>12}"]
    with by_pckc(language, tmp_path / "none", embedder="none") as lexical:
        lines.append(_line("PCKC, words only", language, lexical))
        benchmark.pedantic(lambda: lexical("How are backups kept?"), rounds=20)  # type: ignore[no-untyped-call]  # no types for it
    for name in names:
        with open_backend("embedder", Slot(backend=name), {}) as opened:
            embedder: Embedder = opened
            lines.append(_line(f"{name}, vectors only", language, by_vectors(language, embedder)))
        with by_pckc(language, tmp_path / name, embedder=name) as hybrid:
            lines.append(_line(f"PCKC with {name}", language, hybrid))
    with capsys.disabled():
        print("\n  " + "\n  ".join(lines))  # noqa: T201  # what the benchmark is for


def _line(label: str, language: str, ranking: Ranking) -> str:
    halves = [measure(language, ranking, is_held_out=half) for half in (False, True)]
    return f"{label:22}" + "".join(f"{found!s:>12}" for found in halves)
