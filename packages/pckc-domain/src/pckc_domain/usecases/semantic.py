"""The vectors that searches ask beside words: optional, and never what an answer depends on."""

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import attrs

from pckc_domain.errors import BackendError, ConfigurationError
from pckc_domain.model.embedding import Vector
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import UnitOfWork
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.usecases.project import VECTOR_KINDS, VECTOR_PROJECTION

NO_PARTITION = frozenset({"none"})
"""Matches no item: asking for it tells whether the index holds the embedder's space."""

EMPTY_INDEX = "lexical only: the vector index is empty; `pckc doctor` and memory_status tell how much is missing"


@attrs.frozen(kw_only=True)
class SemanticIndex:
    """
    An embedder and the vector index it fills.

    Attributes:
        embedder: The embedder.
        vectors: The index.
        projection: Name of the projection that feeds the index.
    """

    embedder: Embedder
    vectors: VectorIndex
    projection: str = VECTOR_PROJECTION

    def behind(self, work: UnitOfWork) -> int:
        """Return how many changes the index has not seen."""
        return work.outbox.lag(self.projection, kinds=VECTOR_KINDS)

    def count(self, scope: Scope, *, partitions: frozenset[str]) -> int:
        """Return how many vectors there are; none while the index cannot be reached."""
        try:
            return self.vectors.count(scope, partitions=partitions)
        except (BackendError, ConfigurationError):
            return 0


def embed_query(
    semantic: SemanticIndex | None, scope: Scope, query: str, why_lexical: str
) -> tuple[Vector | None, str]:
    """
    Return the query's vector and "hybrid", or ``None`` and "lexical only" with the reason.

    An embedder that fails, is late, or is not the one that filled the scope's index degrades the answer, no more.
    """
    if semantic is None:
        return None, f"lexical only: {why_lexical}"
    if not query.strip():
        return None, "lexical only: the query is empty"
    try:
        vector = semantic.embedder.embed([query])[0]
        semantic.vectors.search(scope, semantic.embedder.space, vector, partitions=NO_PARTITION, limit=1)
        return vector, "hybrid"
    except (BackendError, ConfigurationError) as error:
        return None, f"lexical only: {error.message}"


def signals_of(signals: str, *, indexed: int, is_wanted: bool) -> str:
    """Return what an answer came from: an index that holds nothing of what it should has added nothing."""
    return EMPTY_INDEX if signals == "hybrid" and is_wanted and not indexed else signals


P = ParamSpec("P")
T = TypeVar("T")


class _Search(Protocol):
    _semantic: SemanticIndex | None
    _why_lexical: str


S = TypeVar("S", bound=_Search)


def lexical_when_vectors_fail(search: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let *search* answer again without vectors when their index fails in the middle of it, and say why."""

    @wraps(search)
    def answer(self: S, /, *given: P.args, **named: P.kwargs) -> T:
        try:
            return search(self, *given, **named)
        except (BackendError, ConfigurationError) as error:
            if self._semantic is None:
                raise
            lexical = copy(self)
            lexical._semantic, lexical._why_lexical = None, error.message
            return search(lexical, *given, **named)

    return answer
