"""Several embedders side by side."""

from array import array
from collections.abc import Sequence
from math import sqrt

from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.ports.embedder import Embedder


class Blend(Embedder):
    """
    The vectors of *parts* laid end to end: its cosine is the mean of theirs.

    Each part covers what another is blind to, at the cost of running both.
    """

    def __init__(self, *parts: Embedder) -> None:
        self._parts = parts
        self._scale = 1 / sqrt(len(parts))

    @property
    def space(self) -> EmbeddingSpace:
        spaces = [part.space for part in self._parts]
        return EmbeddingSpace(
            model=" + ".join(space.model for space in spaces),
            dimensions=sum(space.dimensions for space in spaces),
        )

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        vectors = zip(*(part.embed(texts) for part in self._parts), strict=True)
        return [array("f", (x * self._scale for vector in row for x in vector)) for row in vectors]
