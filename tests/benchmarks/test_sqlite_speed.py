"""Speed of the SQLite store and vector index, beside plain SQLite and plain numpy in the same process."""

import ast
import random
import re
import sqlite3
import statistics
import sysconfig
import time
import warnings
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from pckc_adapters_sqlite.backend import CANONICAL, VECTOR, SqliteSettings
from pckc_domain.model.embedding import EmbeddingSpace, VectorItem
from pckc_domain.model.passage import DocumentContent, Layer, PassageFilter, Proposition, PropositionType
from pckc_domain.model.query import LexicalQuery
from pckc_domain.policy.analysis import index_terms, text_tokens
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.samples import SCOPE, document, passages
from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.bench

PROPOSITIONS = 100_000
PASSAGES_A_DOCUMENT = 50
DOCUMENTS_A_COMMIT = 64
SEARCH_P50_LIMIT_MS = 10.0
SEARCH_RATIO_LIMIT = 2.0
"""Search may take so many times the plain FTS5 query of the same words."""

VECTORS = 100_000
SPACE = EmbeddingSpace(model="bench", dimensions=512)
VECTOR_P50_LIMIT_MS = 10.0
RECALL_LIMIT = 0.98

DICE = random.Random(20260626)  # noqa: S311  # no secret


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    """Sentences of the standard library's docstrings, then pairs of them up to the number wanted."""
    found: dict[str, None] = {}
    skipped = {"test", "tests", "idlelib", "lib2to3", "site-packages", "dist-packages"}
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        if skipped.isdisjoint(path.parts):
            found.update(dict.fromkeys(_sentences(path)))
    every = list(found)
    DICE.shuffle(every)
    while len(every) < PROPOSITIONS:
        every.append(f"{DICE.choice(every)} {DICE.choice(every)}")
    return every[:PROPOSITIONS]


def _sentences(path: Path) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(path.read_text("utf-8", errors="replace"))
        except (SyntaxError, ValueError):
            return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for sentence in re.split(r"(?<=[.!?])\s+|\n\n", ast.get_docstring(node) or ""):
                if 20 < len(sentence) < 400:
                    yield " ".join(sentence.split())


@pytest.fixture(scope="module")
def contents(sentences: Sequence[str]) -> list[DocumentContent]:
    """The sentences as propositions of documents."""
    made = []
    for start in range(0, len(sentences), PASSAGES_A_DOCUMENT):
        of = document(f"src/{start % 97}/module{start}.py")
        cut = [
            passages(of, text, terms=index_terms(text), type=DICE.choice(list(PropositionType)))[Layer.PROPOSITION]
            for text in dict.fromkeys(sentences[start : start + PASSAGES_A_DOCUMENT])
        ]
        made.append(DocumentContent(document=of, passages=tuple(cut)))
    return made


@pytest.fixture(scope="module")
def queries(sentences: Sequence[str]) -> list[list[str]]:
    """Runs of three to eight words from the sentences, common ones included."""
    runs: list[list[str]] = []
    while len(runs) < 100:
        words, length = text_tokens(DICE.choice(sentences)), DICE.randint(3, 8)
        if len(words) >= length:
            start = DICE.randrange(len(words) - length + 1)
            runs.append(list(dict.fromkeys(words[start : start + length])))
    return runs


@pytest.fixture(scope="module")
def store(contents: Sequence[DocumentContent], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Canonical]:
    """A store that holds everything."""
    with CANONICAL.open(SqliteSettings(path=tmp_path_factory.mktemp("store") / "store.db")) as opened:
        put(opened, contents)
        yield opened


def put(canonical: Canonical, contents: Sequence[DocumentContent]) -> None:
    """Store *contents* in commits of the size that an index run makes."""
    for start in range(0, len(contents), DOCUMENTS_A_COMMIT):
        with canonical.writing(SCOPE) as work:
            for content in contents[start : start + DOCUMENTS_A_COMMIT]:
                work.documents.put(content)


def plain_table(path: Path, contents: Sequence[DocumentContent]) -> sqlite3.Connection:
    """Return a plain FTS5 table with the same text, filled in one transaction."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE plain USING fts5(text, subject, type, terms, tokenize='porter unicode61')")
    rows = [
        (each.text, each.subject, each.type.value, each.terms)
        for content in contents
        for each in content.passages
        if isinstance(each, Proposition)
    ]
    with connection:
        connection.executemany("INSERT INTO plain VALUES (?, ?, ?, ?)", rows)
    return connection


def median_ms(act: Callable[[object], object], arguments: Sequence[object]) -> float:
    """Return the median time of one call, after a first one that warms up."""
    act(arguments[0])
    times = []
    for argument in arguments:
        start = time.perf_counter()
        act(argument)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Print a line past pytest."""
    with capsys.disabled():
        print(f"\n  {line}")  # noqa: T201  # what the benchmark is for


def test_insert(
    benchmark: BenchmarkFixture,
    contents: Sequence[DocumentContent],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rows a second, with documents, indexes, queue and search table, beside one bare executemany into FTS5."""
    start = time.perf_counter()
    plain_table(tmp_path / "plain.db", contents).close()
    plain = time.perf_counter() - start
    with CANONICAL.open(SqliteSettings(path=tmp_path / "store.db")) as opened:
        start = time.perf_counter()
        benchmark.pedantic(put, args=(opened, contents), rounds=1)  # type: ignore[no-untyped-call]  # no types for it
        taken = time.perf_counter() - start
    count = sum(len(content.passages) for content in contents)
    report(capsys, f"insert: {count / taken:,.0f} rows/s, bare FTS5 {count / plain:,.0f} rows/s")


@pytest.mark.parametrize("filtered", [False, True], ids=["all", "two types in one checkout"])
def test_search(
    benchmark: BenchmarkFixture,
    store: Canonical,
    contents: Sequence[DocumentContent],
    queries: Sequence[list[str]],
    filtered: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The median search beside the plain FTS5 OR-query of the same words."""
    types = frozenset({PropositionType.CONSTRAINT, PropositionType.RISK})
    where = PassageFilter(types=types, checkout="co_one") if filtered else PassageFilter()

    def search(words: object) -> object:
        with store.reading(SCOPE) as work:
            query = LexicalQuery(words=tuple(words))  # type: ignore[arg-type]  # a list of words
            return work.passages.search(Layer.PROPOSITION, query, where=where, limit=10)

    connection = plain_table(tmp_path / "plain.db", contents)

    def plain(words: object) -> object:
        match = " OR ".join(f'"{word}"' for word in words)  # type: ignore[attr-defined]  # a list of words
        sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 10"
        return connection.execute(sql, (match,)).fetchall()

    ours, theirs = median_ms(search, queries), median_ms(plain, queries)
    connection.close()
    benchmark.pedantic(lambda: [search(words) for words in queries], rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    report(
        capsys,
        f"search: p50 {ours:.2f} ms (limit {SEARCH_P50_LIMIT_MS}), plain FTS5 {theirs:.2f} ms, "
        f"ratio {ours / theirs:.2f} (limit {SEARCH_RATIO_LIMIT})",
    )


@pytest.fixture(scope="module")
def points() -> "np.typing.NDArray[np.float32]":
    """Unit vectors around 2,000 centres, as sentences lie around topics, and 100 more to ask for."""
    generator = np.random.default_rng(7)
    centres = generator.standard_normal((2000, SPACE.dimensions), np.float32)
    chosen = centres[generator.integers(0, len(centres), VECTORS + 100)]
    made = chosen + np.float32(0.8) * generator.standard_normal(chosen.shape, np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


@pytest.fixture(scope="module")
def vector_path(points: "np.typing.NDArray[np.float32]", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vector index that holds them."""
    path = tmp_path_factory.mktemp("vectors") / "store.db"
    with VECTOR.open(SqliteSettings(path=path)) as index:
        for start in range(0, VECTORS, 1000):
            index.upsert(
                SCOPE,
                SPACE,
                [
                    VectorItem(id=f"{i:06d}", partition=("even", "odd")[i % 2], vector=array("f", points[i].tobytes()))
                    for i in range(start, start + 1000)
                ],
            )
    return path


@pytest.mark.parametrize("partitions", [frozenset(), frozenset({"odd"})], ids=["all", "one partition"])
def test_vector_search(
    benchmark: BenchmarkFixture,
    vector_path: Path,
    points: "np.typing.NDArray[np.float32]",
    partitions: frozenset[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The median search and its recall beside a scan of the whole matrix in memory."""
    stored, asked = points[:VECTORS], points[VECTORS:]
    allowed = np.arange(VECTORS) % 2 == 1 if partitions else np.ones(VECTORS, bool)

    def scan(vector: "np.typing.NDArray[np.float32]") -> set[str]:
        scores = np.where(allowed, stored @ vector, -2)
        return {f"{i:06d}" for i in np.argpartition(-scores, 10)[:10]}

    def search(index: VectorIndex, vector: "np.typing.NDArray[np.float32]") -> set[str]:
        hits = index.search(SCOPE, SPACE, array("f", vector.tobytes()), partitions=partitions, limit=10)
        return {hit.id for hit in hits}

    start = time.perf_counter()
    with VECTOR.open(SqliteSettings(path=vector_path)) as index:
        search(index, asked[0])
        first = (time.perf_counter() - start) * 1e3
        recall = statistics.mean(len(search(index, vector) & scan(vector)) / 10 for vector in asked)
        ours = median_ms(lambda vector: search(index, vector), list(asked))  # type: ignore[arg-type]  # a row
        theirs = median_ms(scan, list(asked))  # type: ignore[arg-type]  # a row
        benchmark.pedantic(lambda: [search(index, vector) for vector in asked], rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    report(
        capsys,
        f"vectors: p50 {ours:.2f} ms (limit {VECTOR_P50_LIMIT_MS}), numpy scan {theirs:.2f} ms, "
        f"opening and first search {first:.0f} ms, recall@10 {recall:.3f} (limit {RECALL_LIMIT})",
    )
    assert recall >= RECALL_LIMIT
