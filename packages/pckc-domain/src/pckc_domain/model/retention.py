"""How long what is no belief is kept, and why something has outlived its use."""

from enum import StrEnum

import attrs
from attrs import validators

CANDIDATE_DAYS = 30
"""How long a session's candidate is shown and kept unless configured otherwise."""

PROTECTED = frozenset({"constraint", "decision", "architecture", "security_rule"})
"""Types of claims and propositions that are kept for good unless configured otherwise."""


class Outlived(StrEnum):
    """Why something is of no use any more."""

    CANDIDATE = "candidate"
    STALE = "stale"
    SUPERSEDED = "superseded"
    VERSION = "stale version"


@attrs.frozen(kw_only=True)
class RetentionRules:
    """
    How long what is no belief is kept.

    Attributes:
        candidate_days: What a session's claim that nobody confirmed is shown and kept for, from when it was said.
        stale_days: What a claim without a proof, or a version of a file that no work tree holds, is kept for.
        superseded_days: What a claim that another one replaced is kept for.
        protected: Types of claims and propositions that are kept for good.
    """

    candidate_days: int = attrs.field(default=CANDIDATE_DAYS, validator=validators.ge(1))
    stale_days: int = attrs.field(default=180, validator=validators.ge(1))
    superseded_days: int = attrs.field(default=120, validator=validators.ge(1))
    protected: tuple[str, ...] = tuple(sorted(PROTECTED))

    def days(self, kind: Outlived) -> int:
        """Return how many days something of that kind is kept."""
        return {
            Outlived.CANDIDATE: self.candidate_days,
            Outlived.STALE: self.stale_days,
            Outlived.SUPERSEDED: self.superseded_days,
            Outlived.VERSION: self.stale_days,
        }[kind]
