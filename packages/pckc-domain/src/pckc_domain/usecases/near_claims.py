"""The claims that say what is nearest to what a claim says: by meaning where there is an embedder, else by words."""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from pckc_domain.errors import BackendError, ConfigurationError
from pckc_domain.model.belief import ClaimFilter, StoredClaim
from pckc_domain.model.claim import VISIBLE, ClaimType
from pckc_domain.model.embedding import Vector
from pckc_domain.model.scope import Scope
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.curation import is_ceased
from pckc_domain.policy.embedded_text import claim_partition, claim_text
from pckc_domain.policy.verdicts import stands
from pckc_domain.ports.canonical import Canonical, UnitOfWork
from pckc_domain.usecases.semantic import SemanticIndex

POOL = 20
AT_ONCE = 200
"""Claims whose neighbours are looked for at once."""


@attrs.frozen(kw_only=True)
class NearClaim:
    """A claim near another; *similarity* is the cosine of the two texts, ``None`` when none was computed."""

    stored: StoredClaim
    similarity: float | None


@attrs.frozen(kw_only=True)
class Neighbours:
    """
    What is near some claims.

    Attributes:
        by_claim: The nearest claims of each, nearest first, ties by id.
        why_lexical: Why meanings were not compared; ``""`` when they were.
    """

    by_claim: Mapping[str, tuple[NearClaim, ...]]
    why_lexical: str = ""


class NearClaims:
    """Finds neighbours of claims, also of those that no index holds yet."""

    def __init__(self, canonical: Canonical, *, semantic: SemanticIndex | None, why_lexical: str = "") -> None:
        self._canonical = canonical
        self._semantic = semantic
        self._why_lexical = why_lexical

    @property
    def is_semantic(self) -> bool:
        """Whether meanings can be compared."""
        return self._semantic is not None

    def of(self, scope: Scope, claims: Sequence[StoredClaim], *, limit: int) -> Neighbours:
        """
        Return up to *limit* neighbours of each of *claims*: claims that stand, of any slot but its own.

        Where meanings cannot be compared, words are. *claims* are `AT_ONCE` at most.
        """
        try:
            return Neighbours(by_claim=self.by_meaning(scope, claims, limit=limit))
        except (BackendError, ConfigurationError) as error:
            why = error.message
        with self._canonical.reading(scope) as work:
            found = {one.claim.id: _others(one, _by_words(work, one), limit) for one in claims}
        return Neighbours(by_claim=found, why_lexical=why)

    def by_meaning(
        self, scope: Scope, claims: Sequence[StoredClaim], *, limit: int, is_same_type: bool = False
    ) -> Mapping[str, tuple[NearClaim, ...]]:
        """
        Return the neighbours of each of *claims* by its id, as `of` does.

        *is_same_type* keeps those that assert the same kind of thing.

        Raises:
            BackendError: The embedder or the index cannot be asked now.
            ConfigurationError: There is none, or the index holds another embedder's vectors.
        """
        if self._semantic is None:
            raise ConfigurationError(self._why_lexical or "no embedder is installed")
        vectors = self._semantic.embedder.embed([claim_text(one.claim) for one in claims])
        indexed = [
            self._indexed(self._semantic, scope, vector, {one.claim.type} if is_same_type else ClaimType)
            for one, vector in zip(claims, vectors, strict=True)
        ]
        probed = list(zip(claims, vectors, indexed, strict=True))
        # what the index holds is found by its own vector; the rest is compared directly
        new = [(one, vector) for one, vector, hits in probed if one.claim.id not in hits]
        found: dict[str, tuple[NearClaim, ...]] = {}
        with self._canonical.reading(scope) as work:
            for one, vector, hits in probed:
                beside = {
                    other.claim.id: _cosine(vector, its)
                    for other, its in new
                    if not is_same_type or other.claim.type is one.claim.type
                }
                found[one.claim.id] = _others(one, _best(work, hits | beside), limit)
        return found

    @staticmethod
    def _indexed(semantic: SemanticIndex, scope: Scope, vector: Vector, types: Iterable[ClaimType]) -> dict[str, float]:
        partitions = frozenset(map(claim_partition, types))
        space = semantic.embedder.space
        hits = semantic.vectors.search(scope, space, vector, partitions=partitions, limit=POOL)
        return {hit.id: hit.score for hit in hits}


def _best(work: UnitOfWork, cosines: Mapping[str, float]) -> list[NearClaim]:
    best = sorted(cosines, key=lambda claim_id: (-cosines[claim_id], claim_id))[:POOL]
    return [NearClaim(stored=stored, similarity=cosines[stored.claim.id]) for stored in work.claims.get(best)]


def _others(one: StoredClaim, near: Iterable[NearClaim], limit: int) -> tuple[NearClaim, ...]:
    """Return the first *limit* of *near* that stand and are not of *one*'s slot."""
    others = [each for each in near if each.stored.claim.id != one.claim.id and each.stored.slot != one.slot]
    return tuple(each for each in others if stands(each.stored.claim) and not is_ceased(each.stored.claim))[:limit]


def _by_words(work: UnitOfWork, stored: StoredClaim) -> list[NearClaim]:
    query = analyze_query(stored.claim.text)
    if query.is_empty:
        return []
    where = ClaimFilter(governance=VISIBLE, is_open=True)
    hits = work.claims.search(query, where=where, limit=POOL)
    return [NearClaim(stored=hit.stored, similarity=None) for hit in hits]


def _cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two unit vectors."""
    return sum(map(float.__mul__, one, other))
