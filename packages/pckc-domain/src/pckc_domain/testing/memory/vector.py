"""A vector index that compares with every item."""

from collections.abc import Sequence
from math import sqrt

from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.embedding import EVERYTHING, EmbeddingSpace, Vector, VectorFilter, VectorHit, VectorItem
from pckc_domain.model.scope import Scope
from pckc_domain.ports.vector import VectorIndex


class MemoryVectorIndex(VectorIndex):
    """Vectors that live as long as the process."""

    def __init__(self) -> None:
        self._spaces: dict[Scope, EmbeddingSpace] = {}
        self._items: dict[Scope, dict[str, VectorItem]] = {}

    def upsert(self, scope: Scope, space: EmbeddingSpace, items: Sequence[VectorItem], /) -> None:
        """See the port."""
        for item in items:
            _check_length(item.vector, space)
        self._check_space(scope, space)
        if items:
            self._spaces[scope] = space
            self._items.setdefault(scope, {}).update({item.id: item for item in items})

    def delete(self, scope: Scope, /, *, owners: Sequence[str]) -> None:
        """See the port."""
        items = self._items.get(scope, {})
        self._items[scope] = {id_: item for id_, item in items.items() if item.owner not in owners}

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
        """See the port."""
        _check_length(vector, space)
        self._check_space(scope, space)
        hits = [
            VectorHit(id=item.id, score=cosine(item.vector, vector), vector=item.vector)
            for item in self._among(scope, partitions)
            if where.accepts(item)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[: max(limit, 0)]

    def count(self, scope: Scope, /, *, partitions: frozenset[str]) -> int:
        """See the port."""
        return len(self._among(scope, partitions))

    def clear(self, scope: Scope, /) -> None:
        """See the port."""
        self._spaces.pop(scope, None)
        self._items.pop(scope, None)

    def _among(self, scope: Scope, partitions: frozenset[str]) -> list[VectorItem]:
        items = self._items.get(scope, {}).values()
        return [item for item in items if not partitions or item.partition in partitions]

    def _check_space(self, scope: Scope, space: EmbeddingSpace) -> None:
        known = self._spaces.get(scope, space)
        if known != space:
            raise ConfigurationError(
                f"the vector index holds {known.model}, not {space.model}", remedy="Run `pckc rebuild --vectors`."
            )


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of the angle between two vectors; 0 when one has no length."""
    lengths = sqrt(sum(x * x for x in one)) * sqrt(sum(x * x for x in other))
    return round(sum(x * y for x, y in zip(one, other, strict=True)) / lengths, 9) if lengths else 0.0


def _check_length(vector: Vector, space: EmbeddingSpace) -> None:
    if len(vector) != space.dimensions:
        raise InvalidInputError(f"a vector has {len(vector)} components, the space {space.model} {space.dimensions}")
