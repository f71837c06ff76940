"""Speed of whole passage searches, beside plain FTS5 and a plain scan of vectors in the same process."""

import random
import re
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import attrs
import numpy as np
import pytest
from pckc_adapters_sqlite.backend import VECTOR, SqliteSettings
from pckc_domain.model.embedding import EmbeddingSpace, Vector, VectorItem
from pckc_domain.model.passage import DocumentContent, Layer, Proposition
from pckc_domain.model.recall import SearchRequest
from pckc_domain.policy.embedded_text import passage_partition
from pckc_domain.ports.canonical import Canonical
from pckc_domain.ports.embedder import Embedder
from pckc_domain.testing.samples import SCOPE
from pckc_domain.usecases.recall_passages import PassageSearch
from pckc_domain.usecases.semantic import SemanticIndex
from pytest_benchmark.fixture import BenchmarkFixture

from .test_sqlite_speed import (  # fixtures among them: the same 100,000 propositions
    contents as contents,
)
from .test_sqlite_speed import median_ms, plain_table, report
from .test_sqlite_speed import queries as queries
from .test_sqlite_speed import sentences as sentences
from .test_sqlite_speed import store as store

pytestmark = pytest.mark.bench

LEXICAL_P50_LIMIT_MS = 10.0
HYBRID_P50_LIMIT_MS = 25.0
RATIO_LIMIT = 2.0
"""A search may take so many times the plain query of the same words (and the plain scan)."""

SPACE = EmbeddingSpace(model="words", dimensions=512)


@attrs.frozen
class WordEmbedder(Embedder):
    """Sums a random direction for each word: near texts share words, and embedding costs next to nothing."""

    space: EmbeddingSpace = SPACE

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """See the port."""
        return [array("f", _unit(text).tobytes()) for text in texts]


@lru_cache(maxsize=100_000)
def _direction(word: str) -> "np.typing.NDArray[np.float32]":
    return np.random.default_rng(random.Random(word).getrandbits(32)).standard_normal(SPACE.dimensions, np.float32)  # noqa: S311  # no secret


def _unit(text: str) -> "np.typing.NDArray[np.float32]":
    words = re.findall(r"\w+", text.lower()) or [""]
    total = np.sum([_direction(word) for word in words], axis=0, dtype=np.float32)
    unit: np.typing.NDArray[np.float32] = total / np.linalg.norm(total)
    return unit


@pytest.fixture(scope="module")
def semantic(contents: Sequence[DocumentContent], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SemanticIndex]:
    """Vectors of all propositions."""
    embedder = WordEmbedder()
    with VECTOR.open(SqliteSettings(path=tmp_path_factory.mktemp("vectors") / "store.db")) as vectors:
        for content in contents:
            found = [passage for passage in content.passages if isinstance(passage, Proposition)]
            made = embedder.embed([passage.text for passage in found])
            vectors.upsert(
                SCOPE,
                SPACE,
                [
                    VectorItem(
                        id=passage.id, partition=passage_partition(Layer.PROPOSITION, passage.type), vector=vector
                    )
                    for passage, vector in zip(found, made, strict=True)
                ],
            )
        yield SemanticIndex(embedder=embedder, vectors=vectors)


@pytest.mark.parametrize("kind", ["lexical", "hybrid"])
def test_search(
    kind: str,
    benchmark: BenchmarkFixture,
    store: Canonical,
    contents: Sequence[DocumentContent],
    queries: Sequence[list[str]],
    semantic: SemanticIndex,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The median of the whole use case: routing, candidates, scores, proofs, coverage of the index."""
    searching = PassageSearch(store, semantic=semantic if kind == "hybrid" else None)
    asked = [" ".join(words) for words in queries]

    def search(query: object) -> object:
        return searching.search(SCOPE, SearchRequest(query=str(query), preferred_layers=(Layer.PROPOSITION,)))

    connection = plain_table(tmp_path / "plain.db", contents)

    def plain(query: object) -> object:
        match = " OR ".join(f'"{word}"' for word in str(query).split())
        sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 10"
        return connection.execute(sql, (match,)).fetchall()

    matrix = np.array([_unit(each.text) for content in contents for each in content.passages])

    def scan(query: object) -> object:
        return np.argpartition(-(matrix @ _unit(str(query))), 10)[:10]

    ours, text, vectors = median_ms(search, asked), median_ms(plain, asked), median_ms(scan, asked)
    connection.close()
    benchmark.pedantic(lambda: [search(query) for query in asked], rounds=1)  # type: ignore[no-untyped-call]  # no types for it
    baseline = text + (vectors if kind == "hybrid" else 0.0)
    limit = HYBRID_P50_LIMIT_MS if kind == "hybrid" else LEXICAL_P50_LIMIT_MS
    beside = f"plain FTS5 {text:.2f} ms" + (f" and plain scan {vectors:.2f} ms" if kind == "hybrid" else "")
    report(
        capsys,
        f"{kind} search over {matrix.shape[0]:,} propositions: p50 {ours:.2f} ms (limit {limit:.0f}), {beside}, "
        f"ratio {ours / baseline:.2f} (limit {RATIO_LIMIT:.0f})",
    )
