"""The two encoders side by side, each text read mostly by the one that knows its language."""

from array import array
from collections.abc import Sequence
from math import sqrt

from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.ports.embedder import Embedder

from pckc_adapters_embedded.text import is_ascii_script

ENGLISH_SHARE = 0.75
"""What the English encoder has of the cosine of two texts in its script."""

OTHER_SHARE = 0.2
"""And of two texts in another script, of which it sees little more than names and numbers."""


class Blend(Embedder):
    """
    The vectors of both encoders end to end: its cosine is a weighted mean of theirs.

    Each covers what the other is blind to, at the cost of running both.

    Args:
        multilingual: Reads every language.
        english: Reads English.
    """

    def __init__(self, multilingual: Embedder, english: Embedder) -> None:
        self._multilingual = multilingual
        self._english = english

    @property
    def space(self) -> EmbeddingSpace:
        one, other = self._multilingual.space, self._english.space
        return EmbeddingSpace(
            model=f"{one.model} + {other.model}, by script", dimensions=one.dimensions + other.dimensions
        )

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        parts = zip(texts, self._multilingual.embed(texts), self._english.embed(texts), strict=True)
        return [_blended(text, multilingual, english) for text, multilingual, english in parts]


def _blended(text: str, multilingual: Vector, english: Vector) -> Vector:
    share = ENGLISH_SHARE if is_ascii_script(text) else OTHER_SHARE
    one, other = sqrt(1 - share), sqrt(share)
    return array("f", [*(one * x for x in multilingual), *(other * x for x in english)])
