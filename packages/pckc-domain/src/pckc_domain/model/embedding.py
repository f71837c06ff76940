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
    """

    id: str
    partition: str
    vector: Vector
    owner: str = ""


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
