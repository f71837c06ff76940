"""The cache before the embedder: nothing is embedded twice, nothing is mixed up, a broken cache costs only time."""

from collections.abc import Collection, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.errors import BackendError
from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.model.scope import Scope
from pckc_domain.ports.embedding_cache import EmbeddingCache, Remembered
from pckc_domain.testing.embedding_cache_contract import EmbeddingCacheContract
from pckc_domain.testing.fakes import HashEmbedder
from pckc_domain.testing.memory.embedding_cache import MemoryEmbeddingCache
from pckc_domain.usecases.cached_embedder import CachedEmbedder

SCOPE = Scope(tenant="team", project="p")


class Counting(HashEmbedder):
    """Says what it was asked for."""

    def __init__(self, dimensions: int = 64) -> None:
        super().__init__(dimensions)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        self.asked += texts
        return super().embed(texts)


class Broken(EmbeddingCache):
    """A cache whose disk is full, or gone."""

    def __init__(self, *, can_read: bool) -> None:
        self._can_read = can_read

    def get(self, scope: Scope, space: EmbeddingSpace, digests: Collection[str], /) -> Remembered:
        if self._can_read:
            return Remembered(vectors={}, era=0)
        raise BackendError("gone")

    def put(self, scope: Scope, space: EmbeddingSpace, vectors: Mapping[str, Vector], /, *, era: int) -> None:
        raise BackendError("full")

    def clear(self, scope: Scope, /) -> None:
        raise BackendError("gone")


class TestMemoryCache(EmbeddingCacheContract):
    @pytest.fixture
    def cache(self) -> EmbeddingCache:
        return MemoryEmbeddingCache()


def test_each_text_is_embedded_once() -> None:
    cache, inner = MemoryEmbeddingCache(), Counting()
    CachedEmbedder(inner, cache, SCOPE).embed(["a", "b", "a"])
    CachedEmbedder(inner, cache, SCOPE).embed(["c", "b", ""])
    assert inner.asked == ["a", "b", "c", ""]


def test_another_model_embeds_anew() -> None:
    cache, small, large = MemoryEmbeddingCache(), Counting(8), Counting(16)
    CachedEmbedder(small, cache, SCOPE).embed(["a"])
    (vector,) = CachedEmbedder(large, cache, SCOPE).embed(["a"])
    assert len(vector) == 16
    assert large.asked == ["a"]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c d", "\ud800", ""]), max_size=4), max_size=5))
def test_answers_are_the_embedder_s_own(batches: list[list[str]]) -> None:
    cached = CachedEmbedder(HashEmbedder(), MemoryEmbeddingCache(), SCOPE)
    for texts in batches:
        assert list(cached.embed(texts)) == list(HashEmbedder().embed(texts))


@pytest.mark.parametrize("can_read", [True, False])
def test_a_broken_cache_costs_only_time(can_read: bool) -> None:
    cached = CachedEmbedder(HashEmbedder(), Broken(can_read=can_read), SCOPE)
    assert list(cached.embed(["a", "b"])) == list(HashEmbedder().embed(["a", "b"]))
