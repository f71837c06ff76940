"""The vector index port."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from pckc_domain.model.embedding import EVERYTHING, EmbeddingSpace, Vector, VectorFilter, VectorHit, VectorItem
from pckc_domain.model.scope import Scope


class VectorIndex(Protocol):
    """A rebuildable projection that finds near neighbours inside one scope."""

    @abstractmethod
    def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
        """
        Store *items*; an item with a known id replaces it. Idempotent.

        Raises:
            ConfigurationError: The scope's index holds another space; names ``pckc rebuild --vectors``.
            InvalidInputError: A vector's length is not ``space.dimensions``.
        """

    @abstractmethod
    def delete(self, scope: Scope, /, *, owners: Sequence[str]) -> None:
        """Forget every item of *owners*; unknown ones are fine."""

    @abstractmethod
    def search(
        self,
        scope: Scope,
        space: EmbeddingSpace,
        vector: Vector,
        /,
        *,
        partitions: frozenset[str],
        limit: int,
        where: VectorFilter = EVERYTHING,
    ) -> Sequence[VectorHit]:
        """
        Return up to *limit* nearest items of *partitions* (empty means all), nearest first, ties by id.

        *where* narrows them further, in an index that can: see `VectorFilter`.

        Raises:
            ConfigurationError: The scope's index holds another space.
        """

    @abstractmethod
    def count(self, scope: Scope, /, *, partitions: frozenset[str]) -> int:
        """Return the number of items in *partitions* (empty means all)."""

    @abstractmethod
    def clear(self, scope: Scope, /) -> None:
        """Forget every item of the scope and its space."""
