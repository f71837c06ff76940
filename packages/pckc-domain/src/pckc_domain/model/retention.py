"""How long what is no belief is kept, and why something has outlived its use."""

from enum import StrEnum

import attrs
from attrs import validators

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.passage import PropositionType

CANDIDATE_DAYS = 30
"""How long a session's candidate is shown and kept unless configured otherwise."""

TYPES = tuple(sorted({*map(str, ClaimType), *map(str, PropositionType)}))
"""What can be protected."""

PROTECTED = frozenset({"constraint", "decision", "architecture", "security_rule"})
"""Types of claims and propositions that are kept for good unless configured otherwise."""


class Outlived(StrEnum):
    """Why something is of no use any more."""

    CANDIDATE = "candidate"
    STALE = "stale"
    SUPERSEDED = "superseded"
    VERSION = "stale version"


def _are_types(_: object, attribute: "attrs.Attribute[tuple[str, ...]]", names: tuple[str, ...]) -> None:
    """Refuse a name that protects nothing: what it was meant for would be erased."""
    if unknown := [name for name in names if name not in TYPES]:
        raise InvalidInputError(
            f"{attribute.name}: {str(unknown[0])[:40]!r} is no type of claims or propositions",
            remedy=f"one of: {', '.join(TYPES)}",
        )


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
    protected: tuple[str, ...] = attrs.field(default=tuple(sorted(PROTECTED)), validator=_are_types)

    def days(self, kind: Outlived) -> int:
        """Return how many days something of that kind is kept."""
        return {
            Outlived.CANDIDATE: self.candidate_days,
            Outlived.STALE: self.stale_days,
            Outlived.SUPERSEDED: self.superseded_days,
            Outlived.VERSION: self.stale_days,
        }[kind]
