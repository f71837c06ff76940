"""How much a word weighs against others in its slot, by whose it is."""

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.proof import AuthorityClass

STRENGTH = {
    AuthorityClass.REPOSITORY_DERIVED: 50,
    AuthorityClass.TEST_VERIFIED: 45,
    AuthorityClass.TOOL_VERIFIED: 40,
    AuthorityClass.USER_CONFIRMED: 35,
    AuthorityClass.DOCUMENT_DERIVED: 30,
    AuthorityClass.SESSION_DERIVED: 20,
    AuthorityClass.MODEL_INFERRED: 0,
}
USER_WILL_STRENGTH = 55
"""A user's explicit decision or constraint: above all but a test that refutes it."""

_WILL = frozenset({ClaimType.DECISION, ClaimType.CONSTRAINT})


def strength(authority: AuthorityClass, claim_type: ClaimType) -> int:
    """Return how much an assertion weighs against others in its slot."""
    if authority is AuthorityClass.USER_CONFIRMED and claim_type in _WILL:
        return USER_WILL_STRENGTH
    return STRENGTH[authority]
