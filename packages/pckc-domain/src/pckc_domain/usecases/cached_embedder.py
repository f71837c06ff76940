"""No text is embedded twice."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from pckc_domain.errors import BackendError
from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.model.identity import digest
from pckc_domain.model.scope import Scope
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.embedding_cache import EmbeddingCache, Remembered


class CachedEmbedder(Embedder):
    """
    Asks a cache first, and embeds each text that it does not know once.

    A cache that fails costs time and nothing else.

    Args:
        inner: The embedder that does the work.
        cache: What was embedded before.
        scope: Whose texts these are.
    """

    def __init__(self, inner: Embedder, cache: EmbeddingCache, scope: Scope) -> None:
        self._inner = inner
        self._cache = cache
        self._scope = scope

    @property
    def space(self) -> EmbeddingSpace:
        """The inner embedder's space."""
        return self._inner.space

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """Embed *texts* as the inner embedder does."""
        digests = [digest(text) for text in texts]
        by_digest = dict(zip(digests, texts, strict=True))
        known = self._known(by_digest)
        vectors = dict(known.vectors) if known else {}
        missing = {key: text for key, text in by_digest.items() if key not in vectors}
        if missing:
            made = dict(zip(missing, self._inner.embed(list(missing.values())), strict=True))
            vectors |= made
            if known:
                with suppress(BackendError):
                    self._cache.put(self._scope, self.space, made, era=known.era)
        return [vectors[key][:] for key in digests]  # the caller owns each of them

    def _known(self, by_digest: Mapping[str, str]) -> Remembered | None:
        try:
            return self._cache.get(self._scope, self.space, by_digest.keys()) if by_digest else None
        except BackendError:
            return None
