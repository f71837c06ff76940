"""
Which claims of one scope and type are one claim, and which of two is kept.

Equal texts are one. Others are one when their cosine reaches a threshold and they differ in no amount, denial,
opposite, name or role: a vector hardly tells 30 seconds from 60. Tables, code and rules are one only when equal.
"""

from pckc_domain.model.claim import Claim, ClaimStatus, ClaimType, Governance
from pckc_domain.model.identity import digest, normalize
from pckc_domain.policy.judging.judge import differs_in_substance
from pckc_domain.policy.strength import strength

DUPLICATE_COSINE = 0.90
"""
Cosine from which on two texts may be one claim.

On the 106 labelled pairs of the embedders' tests (`measure_duplicates.py`) the rule merges nothing wrongly from 0.80 on
with `use` and `blend`, and one pair at 0.90 with `minilm`; at 0.90 it finds 67, 81 and 89% of the same. A wrong merge
loses a claim, a missed one only keeps two: so the default stays clear of the border. The cosine alone is wrong one time
in three.
"""

_EXACT = frozenset({ClaimType.CODE, ClaimType.TABLE, ClaimType.LOGICAL_RULE})


def content_hash(type: ClaimType, text: str) -> str:
    """Return what claims of equal content share: letter case and white space count in code, tables and rules alone."""
    return digest(f"{type.value}\x00{text.strip() if type in _EXACT else normalize(text)}")


def is_duplicate(type: ClaimType, one: str, other: str, cosine: float, *, threshold: float = DUPLICATE_COSINE) -> bool:
    """Return whether two texts of one scope and type are one claim."""
    if content_hash(type, one) == content_hash(type, other):
        return True
    return type not in _EXACT and cosine >= threshold and not differs_in_substance(one, other)


def better_proven(one: Claim, one_proofs: int, other: Claim, other_proofs: int) -> Claim:
    """
    Return which of two duplicates is kept, whatever their order; the proofs of the other are added to it.

    What a person pinned comes first, then the stronger authority, a verified status, more proofs, the higher
    confidence, the older claim, the lower id.

    Args:
        one: A claim.
        one_proofs: Number of its proofs.
        other: Another claim.
        other_proofs: Number of the other's proofs.
    """
    return min(((one, one_proofs), (other, other_proofs)), key=lambda pair: _standing(*pair))[0]


def _standing(claim: Claim, proofs: int) -> tuple[bool, int, bool, int, float, float, str]:
    return (
        claim.governance is not Governance.PINNED,
        -strength(claim.authority, claim.type),
        claim.status is not ClaimStatus.VERIFIED,
        -proofs,
        -claim.confidence,
        claim.valid_from.timestamp(),
        claim.id,
    )
