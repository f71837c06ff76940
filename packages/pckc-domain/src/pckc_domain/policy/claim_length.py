"""How long a claim may be that somebody hands over: it says one thing, and a longer text is a document."""

from pckc_domain.model.bounds import MAX_CLAIM_CHARACTERS, MAX_EXHIBIT_CHARACTERS, check_length
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import DistilledClaim
from pckc_domain.model.reflection import Reflection

AS_DOCUMENT = "state one thing in a claim; ingest a longer text as a document (`pckc ingest`, memory_ingest)"

_EXHIBITS = frozenset({ClaimType.CODE, ClaimType.TABLE})


def check_claim(claim: Reflection | DistilledClaim) -> None:
    """
    Refuse a claim that is too long to be one.

    Raises:
        InvalidInputError: A part of it has too many characters.
    """
    most = MAX_EXHIBIT_CHARACTERS if claim.type in _EXHIBITS else MAX_CLAIM_CHARACTERS
    check_length("the claim", claim.text, most, remedy=AS_DOCUMENT)
    check_length("the quote", claim.quote, MAX_EXHIBIT_CHARACTERS, remedy="quote the sentence that says so")
    for name in ("subject", "attribute", "value", "path"):
        part = getattr(claim, name, "")
        if part != claim.text:  # of a definition it may be both
            check_length(f"the claim's {name}", part, MAX_CLAIM_CHARACTERS, remedy=AS_DOCUMENT)
