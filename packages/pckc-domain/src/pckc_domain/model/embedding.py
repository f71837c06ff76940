"""Embedding spaces and vectors."""

from array import array
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import attrs

if TYPE_CHECKING:
    Vector: TypeAlias = array[float]
else:
    Vector = array  # before Python 3.12 it cannot be subscripted at run time
"""float32 components (``array('f')``), unit length for the cosine metric."""


class Metric(StrEnum):
    """How vectors of a space are compared."""

    COSINE = "cosine"


@attrs.frozen(kw_only=True)
class EmbeddingSpace:
    """What makes vectors comparable; stored with an index and never mixed."""

    model: str
    dimensions: int
    metric: Metric = Metric.COSINE


@attrs.frozen(kw_only=True)
class VectorItem:
    """
    A vector to store.

    Attributes:
        id: Id of the thing embedded.
        partition: Its typed partition, such as ``paragraph``, ``proposition`` or ``claim:bug``.
        vector: Its embedding.
        owner: Id that groups items for deletion, such as the document's.
        branch: Branch it comes from; ``""`` for none.
        status: What is known of it, such as a claim's status; ``""`` for none.
        valid_from: When it began to hold, seconds since 1970 in UTC; ``None`` when nothing is known of that.
        valid_to: When it stopped; ``None`` while it holds.
    """

    id: str
    partition: str
    vector: Vector
    owner: str = ""
    branch: str = ""
    status: str = ""
    valid_from: float | None = None
    valid_to: float | None = None


@attrs.frozen(kw_only=True)
class VectorFilter:
    """
    Which items a search need not answer; nothing given leaves out none.

    An index that keeps these things of its items filters inside the query, before the limit. One that does not answers
    more than was asked for: whoever asks looks at what the store says of each.

    Attributes:
        branches: Keep items of these branches; ``""`` stands for items without one. Empty means all.
        statuses: Keep items with one of these. Empty means all.
        valid_at: Keep items that held at this instant, seconds since 1970 in UTC: ``valid_from <= t < valid_to``.
    """

    branches: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    valid_at: float | None = None

    def accepts(self, item: VectorItem) -> bool:
        """Return whether *item* is one of those asked for."""
        return (
            (not self.branches or item.branch in self.branches)
            and (not self.statuses or item.status in self.statuses)
            and (self.valid_at is None or _held(item, self.valid_at))
        )


EVERYTHING = VectorFilter()
"""Leaves out nothing."""


def _held(item: VectorItem, at: float) -> bool:
    has_begun = item.valid_from is None or item.valid_from <= at
    return has_begun and (item.valid_to is None or at < item.valid_to)


@attrs.frozen(kw_only=True)
class VectorHit:
    """
    A near neighbour.

    Attributes:
        id: Id of the thing found.
        score: The cosine; higher is better.
        vector: Its embedding, to look for its own neighbours; ``None`` when the index does not hand it out.
    """

    id: str
    score: float
    vector: Vector | None = attrs.field(default=None, eq=False, repr=False)
