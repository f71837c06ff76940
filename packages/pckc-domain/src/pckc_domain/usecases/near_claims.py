"""The claims that say what is nearest to what a claim says: by meaning where there is an embedder, else by words."""

from collections.abc import Mapping, Sequence

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
BESIDE = 200
"""Claims that are compared among each other directly; more of them are found in the index, once they are there."""


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

    def of(self, scope: Scope, claims: Sequence[StoredClaim], *, limit: int, is_same_type: bool = False) -> Neighbours:
        """
        Return up to *limit* neighbours of each of *claims*: claims that stand, of any slot but its own.

        *is_same_type* keeps those that assert the same kind of thing.
        """
        vectors, why = self._vectors(claims)
        with self._canonical.reading(scope) as work:
            found: dict[str, tuple[NearClaim, ...]] = {}
            for number, stored in enumerate(claims):
                types = frozenset({stored.claim.type}) if is_same_type else frozenset(ClaimType)
                if vectors:
                    near, why = self._by_meaning(work, scope, number, claims, vectors, types)
                else:
                    near = _by_words(work, stored, types)
                others = [
                    one for one in near if one.stored.claim.id != stored.claim.id and one.stored.slot != stored.slot
                ]
                found[stored.claim.id] = tuple(
                    one for one in others if stands(one.stored.claim) and not is_ceased(one.stored.claim)
                )[:limit]
        return Neighbours(by_claim=found, why_lexical=why)

    def _vectors(self, claims: Sequence[StoredClaim]) -> tuple[Sequence[Vector], str]:
        if self._semantic is None:
            return (), self._why_lexical or "no embedder is installed"
        try:
            return self._semantic.embedder.embed([claim_text(stored.claim) for stored in claims]), ""
        except (BackendError, ConfigurationError) as error:
            return (), error.message

    def _by_meaning(
        self,
        work: UnitOfWork,
        scope: Scope,
        number: int,
        claims: Sequence[StoredClaim],
        vectors: Sequence[Vector],
        types: frozenset[ClaimType],
    ) -> tuple[list[NearClaim], str]:
        """Return the indexed neighbours, and those among *claims* themselves, which the index may not hold yet."""
        if self._semantic is None:
            return [], self._why_lexical
        own = vectors[number]
        beside = zip(claims, vectors, strict=True) if len(claims) <= BESIDE else ()
        cosines = {stored.claim.id: _cosine(own, vector) for stored, vector in beside if stored.claim.type in types}
        why = ""
        try:
            hits = self._semantic.vectors.search(
                scope,
                self._semantic.embedder.space,
                own,
                partitions=frozenset(map(claim_partition, types)),
                limit=POOL,
            )
            cosines = {hit.id: hit.score for hit in hits} | cosines
        except (BackendError, ConfigurationError) as error:
            why = error.message
        best = sorted(cosines, key=lambda claim_id: (-cosines[claim_id], claim_id))[:POOL]
        near = [NearClaim(stored=stored, similarity=cosines[stored.claim.id]) for stored in work.claims.get(best)]
        return near, why


def _by_words(work: UnitOfWork, stored: StoredClaim, types: frozenset[ClaimType]) -> list[NearClaim]:
    query = analyze_query(stored.claim.text)
    if query.is_empty:
        return []
    where = ClaimFilter(types=types, governance=VISIBLE, is_open=True)
    hits = work.claims.search(query, where=where, limit=POOL)
    return [NearClaim(stored=hit.stored, similarity=None) for hit in hits]


def _cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two unit vectors."""
    return sum(map(float.__mul__, one, other))
