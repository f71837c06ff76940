"""Whether the nearest by meaning tells that nothing answers, and how often an answer says that it is only near."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from pckc_domain.policy.embedded_text import EVIDENCE_PARTITIONS
from pckc_domain.usecases.semantic import SemanticIndex
from pckc_mcp.engine import Engine
from pckc_mcp.plugins import installed
from pckc_mcp.searching import NEAREST, Searching, SearchOptions
from pytest_benchmark.fixture import BenchmarkFixture

from ..evaluation.retrieval import names, questions_of, remembered

pytestmark = pytest.mark.bench

OFF_TOPIC = (Path(__file__).parent / "off_topic.txt").read_text(encoding="utf-8").splitlines()
SPLITS = {"tuning": ("dev", "dev2"), "held-out": ("held_out",)}
EMBEDDERS = tuple(name for name in ("use", "blend") if name in installed("embedder"))
KEPT = 0.95
ALL = 10_000
SIGNS = ("nearest", "over the mean", "in deviations")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_off_topic(
    language: str, benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table of one language: 20 questions that nothing answers are asked of each conversation beside its own."""
    lines = [
        f"{language}: off-topic questions that pass a floor which {KEPT:.0%} of the real ones pass; said to be near"
    ]
    off = [query for query in OFF_TOPIC if query.isascii() is (language == "en")]
    for name in EMBEDDERS:
        for split, parts in SPLITS.items():
            own, other = _Asked(), _Asked()
            for stem in (stem for part in parts for stem in names(part) if stem.endswith(language)):
                folder = tmp_path / f"{name}-{stem}"
                folder.mkdir()
                with remembered([stem], folder, embedder=name) as engine:
                    own.ask(engine, [question.question for question in questions_of(stem)])
                    other.ask(engine, off)
            passing = ", ".join(f"{sign} {_passing(own.signs[sign], other.signs[sign]):.2f}" for sign in SIGNS)
            lines.append(f"{name} {split}: {passing}; said of real {own.said:.2f}, of off-topic {other.said:.2f}")
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    with capsys.disabled():
        print("\n  " + "\n  ".join(lines))  # noqa: T201  # what the benchmark is for


class _Asked:
    """What was seen of questions of one sort."""

    def __init__(self) -> None:
        self.signs: Mapping[str, list[float]] = {sign: [] for sign in SIGNS}
        self._said: list[bool] = []

    @property
    def said(self) -> float:
        return fmean(self._said)

    def ask(self, engine: Engine, queries: Sequence[str]) -> None:
        semantic = engine.semantic
        assert semantic is not None
        searching = Searching(engine, semantic)
        for query in queries:
            cosines = _cosines(engine, semantic, query)
            over = cosines[0] - fmean(cosines)
            for sign, value in zip(SIGNS, (cosines[0], over, over / pstdev(cosines)), strict=True):
                self.signs[sign].append(value)
            self._said.append(NEAREST in searching.find(query, SearchOptions()).notes)


def _cosines(engine: Engine, semantic: SemanticIndex, query: str) -> list[float]:
    """Return the likeness of *query* to all that was said, nearest first."""
    embedder = semantic.embedder
    (vector,) = embedder.embed([query])
    hits = semantic.vectors.search(engine.scope, embedder.space, vector, partitions=EVIDENCE_PARTITIONS, limit=ALL)
    return [hit.score for hit in hits]


def _passing(own: Sequence[float], other: Sequence[float]) -> float:
    """Return the share of *other* that reaches what the share `KEPT` of *own* reaches."""
    floor = sorted(own)[int((1 - KEPT) * len(own))]
    return sum(value >= floor for value in other) / len(other)
