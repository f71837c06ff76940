"""The port of what was embedded before."""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Protocol

import attrs

from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.model.scope import Scope


@attrs.frozen(kw_only=True)
class Remembered:
    """
    What a cache knows.

    Attributes:
        vectors: The vectors it has, by the digest of their texts.
        era: What `EmbeddingCache.put` has to be given; another one once the scope was cleared.
    """

    vectors: Mapping[str, Vector]
    era: int


class EmbeddingCache(Protocol):
    """
    Vectors of texts by the digest of each text: no text, and nothing that must be there.

    It may drop whatever it has at any time. Scopes and spaces share nothing.
    """

    @abstractmethod
    def get(self, scope: Scope, space: EmbeddingSpace, digests: Collection[str], /) -> Remembered:
        """Return what is known of *digests* (SHA-256, hex)."""

    @abstractmethod
    def put(self, scope: Scope, space: EmbeddingSpace, vectors: Mapping[str, Vector], /, *, era: int) -> None:
        """
        Keep *vectors* by digest, dropping others when they are too many.

        Does nothing when the scope was cleared after *era*: one of the texts may be what was forgotten.
        """

    @abstractmethod
    def clear(self, scope: Scope, /) -> None:
        """
        Forget all of *scope*, of every space, so that no byte of it remains.

        Raises:
            BackendError: Something may remain.
        """
