"""
The score of claims.

score = .32 lexical + .30 semantic + .12 session relevance + .10 graph proximity + .06 recency + .05 importance
+ .05 confidence, each in 0..1; signals that nothing measured are left out and the rest renormalised. Bounded
adjustments for authority, verification, governance, conflict and branch are added on top.
"""

from collections.abc import Mapping
from datetime import datetime

import attrs

from pckc_domain.model.claim import Claim, ClaimStatus, Governance
from pckc_domain.model.proof import AuthorityClass

RECENCY_HALF_LIFE_DAYS = 90.0


@attrs.frozen(kw_only=True)
class ClaimWeights:
    """Weights of the claim score; they sum to 1."""

    lexical: float = 0.32
    semantic: float = 0.30
    session_relevance: float = 0.12
    graph_proximity: float = 0.10
    recency: float = 0.06
    importance: float = 0.05
    confidence: float = 0.05


@attrs.frozen(kw_only=True)
class ClaimSignals:
    """What a claim is scored by, each in 0..1; ``None`` when nothing measured it."""

    lexical: float | None
    semantic: float | None
    session_relevance: float | None
    graph_proximity: float | None
    recency: float
    importance: float
    confidence: float


AUTHORITY_ADJUSTMENT = {
    AuthorityClass.REPOSITORY_DERIVED: 0.03,
    AuthorityClass.TEST_VERIFIED: 0.03,
    AuthorityClass.TOOL_VERIFIED: 0.02,
    AuthorityClass.USER_CONFIRMED: 0.03,
    AuthorityClass.DOCUMENT_DERIVED: 0.0,
    AuthorityClass.SESSION_DERIVED: 0.0,
    AuthorityClass.MODEL_INFERRED: -0.05,
}
STATUS_ADJUSTMENT = {
    ClaimStatus.VERIFIED: 0.02,
    ClaimStatus.CANDIDATE: -0.15,
    ClaimStatus.CONTESTED: -0.02,
    ClaimStatus.STALE: -0.05,
}
"""A candidate is nobody's word yet: of two claims that fit about equally well, the verified one comes first."""
GOVERNANCE_ADJUSTMENT = {
    Governance.ACTIVE: 0.0,
    Governance.PINNED: 0.05,
    Governance.ARCHIVED: -0.05,
    Governance.REJECTED: -0.10,
}
BRANCH_ADJUSTMENT = 0.05
"""Times the branch score less one: a claim of another branch loses this at most."""


def recency_of(claim: Claim, newest: datetime) -> float:
    """Return 1.0 for the newest instant, halved every 90 days before it."""
    age_days = max(0.0, (newest - claim.valid_from).total_seconds() / 86_400)
    return float(0.5 ** (age_days / RECENCY_HALF_LIFE_DAYS))


def score_claim(
    claim: Claim, signals: ClaimSignals, weights: ClaimWeights, *, branch_score: float
) -> tuple[float, Mapping[str, float]]:
    """Return the score and its breakdown: every measured signal, every adjustment."""
    measured = {name: value for name, value in attrs.asdict(signals).items() if value is not None}
    weighed = {name: getattr(weights, name) for name in measured}
    base = sum(weighed[name] * value for name, value in measured.items()) / (sum(weighed.values()) or 1.0)
    adjustments = {
        "authority_adjustment": AUTHORITY_ADJUSTMENT[claim.authority],
        "verification_adjustment": STATUS_ADJUSTMENT[claim.status],
        "governance_adjustment": GOVERNANCE_ADJUSTMENT[claim.governance],
        "branch_adjustment": BRANCH_ADJUSTMENT * (branch_score - 1),
    }
    breakdown = {**measured, "base": base, **adjustments}
    return base + sum(adjustments.values()), {name: round(value, 6) for name, value in breakdown.items()}
