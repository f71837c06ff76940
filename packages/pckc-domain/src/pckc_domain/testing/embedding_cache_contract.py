"""What every cache of embeddings must do."""

from array import array

import pytest

from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.model.identity import digest
from pckc_domain.model.scope import Scope
from pckc_domain.ports.embedding_cache import EmbeddingCache

SCOPE = Scope(tenant="team", project="p")
SPACE = EmbeddingSpace(model="m", dimensions=2)
ONE, OTHER = digest("one"), digest("other")


def vector(*components: float) -> Vector:
    """Return a vector."""
    return array("f", components)


class EmbeddingCacheContract:
    """Inherit it and provide the fixture *cache*: an empty one."""

    @pytest.fixture
    def cache(self) -> EmbeddingCache:
        """Return the cache under test."""
        raise NotImplementedError

    def test_what_was_put_is_there_bit_for_bit(self, cache: EmbeddingCache) -> None:
        kept = {ONE: vector(0.1, -0.0), OTHER: vector(float("inf"), 1e-45)}
        self._put(cache, SCOPE, SPACE, kept)
        found = cache.get(SCOPE, SPACE, [ONE, OTHER, digest("unknown")]).vectors
        assert {key: value.tobytes() for key, value in found.items()} == {
            key: value.tobytes() for key, value in kept.items()
        }
        assert set(cache.get(SCOPE, SPACE, [OTHER]).vectors) == {OTHER}

    def test_nothing_is_there_at_first(self, cache: EmbeddingCache) -> None:
        assert cache.get(SCOPE, SPACE, [ONE]).vectors == {}
        assert cache.get(SCOPE, SPACE, []).vectors == {}
        cache.clear(SCOPE)

    def test_the_last_one_counts(self, cache: EmbeddingCache) -> None:
        self._put(cache, SCOPE, SPACE, {ONE: vector(1, 0)})
        self._put(cache, SCOPE, SPACE, {ONE: vector(0, 1)})
        assert cache.get(SCOPE, SPACE, [ONE]).vectors == {ONE: vector(0, 1)}

    @pytest.mark.parametrize(
        "space",
        [EmbeddingSpace(model="n", dimensions=2), EmbeddingSpace(model="m", dimensions=3)],
    )
    def test_models_are_never_mixed(self, cache: EmbeddingCache, space: EmbeddingSpace) -> None:
        self._put(cache, SCOPE, SPACE, {ONE: vector(1, 0)})
        assert cache.get(SCOPE, space, [ONE]).vectors == {}
        self._put(cache, SCOPE, space, {ONE: vector(*[0.5] * space.dimensions)})
        assert cache.get(SCOPE, SPACE, [ONE]).vectors == {ONE: vector(1, 0)}

    @pytest.mark.parametrize("scope", [Scope(tenant="team", project="q"), Scope(tenant="others", project="p")])
    def test_scopes_share_nothing(self, cache: EmbeddingCache, scope: Scope) -> None:
        self._put(cache, SCOPE, SPACE, {ONE: vector(1, 0)})
        assert cache.get(scope, SPACE, [ONE]).vectors == {}
        cache.clear(scope)
        assert set(cache.get(SCOPE, SPACE, [ONE]).vectors) == {ONE}

    def test_a_cleared_scope_has_nothing_of_any_space(self, cache: EmbeddingCache) -> None:
        spaces = (SPACE, EmbeddingSpace(model="n", dimensions=2))
        for space in spaces:
            self._put(cache, SCOPE, space, {ONE: vector(1, 0)})
        cache.clear(SCOPE)
        assert [cache.get(SCOPE, space, [ONE]).vectors for space in spaces] == [{}, {}]
        self._put(cache, SCOPE, SPACE, {OTHER: vector(1, 0)})
        assert set(cache.get(SCOPE, SPACE, [ONE, OTHER]).vectors) == {OTHER}

    def test_what_was_embedded_while_the_scope_was_cleared_is_not_kept(self, cache: EmbeddingCache) -> None:
        self._put(cache, SCOPE, SPACE, {ONE: vector(1, 0)})
        before = cache.get(SCOPE, SPACE, [OTHER])
        cache.clear(SCOPE)
        cache.put(SCOPE, SPACE, {OTHER: vector(0, 1)}, era=before.era)
        assert cache.get(SCOPE, SPACE, [OTHER]).vectors == {}
        cache.put(SCOPE, SPACE, {OTHER: vector(0, 1)}, era=before.era)
        assert cache.get(SCOPE, SPACE, [OTHER]).vectors == {}

    @staticmethod
    def _put(cache: EmbeddingCache, scope: Scope, space: EmbeddingSpace, vectors: dict[str, Vector]) -> None:
        cache.put(scope, space, vectors, era=cache.get(scope, space, vectors).era)
