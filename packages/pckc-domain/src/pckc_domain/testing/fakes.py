"""Stand-ins that do what they stand for, only simpler."""

import hashlib
from array import array
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import sqrt

from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.policy.analysis import stem_english, text_tokens
from pckc_domain.ports.clock import Clock
from pckc_domain.ports.embedder import Embedder


class FixedClock(Clock):
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 6, 26, 12, tzinfo=UTC)) -> None:  # frozen
        self._now = now

    def now(self) -> datetime:
        """See the port."""
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move the clock on."""
        self._now += by


class HashEmbedder(Embedder):
    """Bags of stemmed words, each hashed to a component and a sign: texts that share words are near each other."""

    def __init__(self, dimensions: int = 64) -> None:
        self._dimensions = dimensions

    @property
    def space(self) -> EmbeddingSpace:
        """See the port."""
        return EmbeddingSpace(model="hash", dimensions=self._dimensions)

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """See the port."""
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> Vector:
        components = [0.0] * self._dimensions
        for token in text_tokens(text) or [""]:
            hashed = int.from_bytes(hashlib.sha256(stem_english(token).encode("utf-8", "surrogatepass")).digest()[:8])
            components[hashed % self._dimensions] += 1.0 if hashed >> 63 else -1.0
        length = sqrt(sum(component * component for component in components)) or 1.0
        return array("f", (component / length for component in components))
