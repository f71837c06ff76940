"""The embedder: ``/api/embed``."""

from array import array
from collections.abc import Sequence
from math import isfinite, sqrt

from pckc_domain.errors import BackendError, ConfigurationError
from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.service import Service

from pckc_adapters_ollama.client import Ollama, UnusableError

MAX_CHARACTERS = 8_000
"""About what the default model's 2,048 tokens hold; Ollama cuts off what a model cannot read."""

BLANK = "(blank)"
"""Sent for a text without a character: models give nothing for nothing."""


class OllamaEmbedder(Embedder, Service):
    """
    Vectors of a model that Ollama runs, brought to unit length.

    Args:
        ollama: The model.
        dimensions: That its vectors must have.
        batch: Texts of one request.
    """

    def __init__(self, ollama: Ollama, *, dimensions: int, batch: int) -> None:
        self._ollama = ollama
        self._space = EmbeddingSpace(model=f"ollama/{ollama.model}", dimensions=dimensions)
        self._batch = batch

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        readable = [_readable(text) for text in texts]
        vectors: list[Vector] = []
        for start in range(0, len(readable), self._batch):
            vectors += self._embed(readable[start : start + self._batch])
        return vectors

    def describe(self) -> str:
        return self._ollama.describe()

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        try:
            rows = self._ollama.embed(texts)
        except UnusableError as error:
            raise ConfigurationError(error.message, remedy=error.remedy) from error
        if len(rows) != len(texts):
            raise BackendError(f"Ollama gave {len(rows)} vectors for {len(texts)} texts")
        return [self._unit(row) for row in rows]

    def _unit(self, row: Sequence[float]) -> Vector:
        if len(row) != self._space.dimensions:
            raise ConfigurationError(
                f"the model {self._ollama.model} gives {len(row)} dimensions, not {self._space.dimensions}",
                remedy=f"set dimensions = {len(row)}, then run `pckc rebuild --vectors`",
            )
        length = sqrt(sum(x * x for x in row))
        if not length or not isfinite(length):
            raise BackendError(f"the model {self._ollama.model} gave a vector without a direction")
        return array("f", (x / length for x in row))


def _readable(text: str) -> str:
    head = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    return head if head.strip() else BLANK
