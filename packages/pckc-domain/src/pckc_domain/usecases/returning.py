"""Claims that hold again, because what had ended or doubted them is gone."""

from collections.abc import Iterator, Sequence

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import VISIBLE, Claim
from pckc_domain.policy.validity import DOUBTED, is_sound
from pckc_domain.ports.canonical import UnitOfWork

PAGE = 500
_ENDED = ClaimFilter(is_open=False, governance=VISIBLE)
_DOUBTED = ClaimFilter(is_open=True, statuses=DOUBTED, governance=VISIBLE)


def unsound_claims(work: UnitOfWork) -> frozenset[str]:
    """Return the claims that something has ended or put in doubt."""
    return frozenset(claim_id for where in (_ENDED, _DOUBTED) for claim_id in _found(work, where))


def returned(work: UnitOfWork, unsound: frozenset[str]) -> tuple[Claim, ...]:
    """Return those of the *unsound* claims that hold now, oldest first, ties by id."""
    names = sorted(unsound)
    pages: Iterator[Sequence[str]] = (names[start : start + PAGE] for start in range(0, len(names), PAGE))
    sound = (stored.claim for page in pages for stored in work.claims.get(page) if is_sound(stored.claim))
    return tuple(sorted(sound, key=lambda claim: (claim.valid_from, claim.id)))


def _found(work: UnitOfWork, where: ClaimFilter) -> Iterator[str]:
    after = ""
    while page := work.claims.find(where=where, after=after, limit=PAGE):
        yield from (stored.claim.id for stored in page)
        after = page[-1].claim.id
