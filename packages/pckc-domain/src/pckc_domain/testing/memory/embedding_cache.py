"""A cache of embeddings that lives as long as the process."""

from collections.abc import Collection, Mapping

from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.model.scope import Scope
from pckc_domain.ports.embedding_cache import EmbeddingCache, Remembered


class MemoryEmbeddingCache(EmbeddingCache):
    """Keeps all that it is given."""

    def __init__(self) -> None:
        self._vectors: dict[tuple[Scope, EmbeddingSpace], dict[str, Vector]] = {}
        self._eras: dict[Scope, int] = {}

    def get(self, scope: Scope, space: EmbeddingSpace, digests: Collection[str], /) -> Remembered:
        """See the port."""
        known = self._vectors.get((scope, space), {})
        return Remembered(
            vectors={key: known[key] for key in digests if key in known}, era=self._eras.setdefault(scope, 0)
        )

    def put(self, scope: Scope, space: EmbeddingSpace, vectors: Mapping[str, Vector], /, *, era: int) -> None:
        """See the port."""
        if era == self._eras.get(scope):
            kept = {key: vector[:] for key, vector in vectors.items()}
            self._vectors.setdefault((scope, space), {}).update(kept)

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        self._vectors = {key: kept for key, kept in self._vectors.items() if key[0] != scope}
        self._eras[scope] = self._eras.get(scope, 0) + 1
