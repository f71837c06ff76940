"""Walking through all claims that a filter lets through, whatever their number."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pckc_domain.model.belief import ClaimFilter, StoredClaim

if TYPE_CHECKING:
    from pckc_domain.ports.canonical import UnitOfWork

PAGE = 500


def walk_claims(work: "UnitOfWork", where: ClaimFilter) -> Iterator[StoredClaim]:
    """Yield every claim that *where* lets through, by id."""
    after = ""
    while page := work.claims.find(where=where, after=after, limit=PAGE):
        yield from page
        after = page[-1].claim.id
