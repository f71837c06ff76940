"""What queries over sessions and claims may answer, and what they find."""

from datetime import datetime

import attrs

from pckc_domain.model.claim import Claim, ClaimStatus, ClaimType, Governance
from pckc_domain.model.session import EventKind, Evidence


@attrs.frozen(kw_only=True)
class ClaimFilter:
    """
    Which claims a query may answer; applied inside the query, before any limit. Empty means all.

    Attributes:
        types: Keep claims of these types.
        statuses: Keep claims with one of these statuses.
        governance: Keep claims with one of these governance states.
        slots: Keep claims of these slots.
        session_ids: Keep claims that come from these sessions.
        branches: Keep claims of these branches; ``""`` stands for claims without a branch.
        valid_at: Keep claims that held at this instant: ``valid_from <= t < valid_to``.
        is_open: Keep claims that still hold (``True``), that do not (``False``), or both (``None``).
        is_standing: Keep standing rules only.
        is_said: Keep claims that a session or document makes (``True``), the repository alone (``False``), or both.
        set_below: Of what the repository alone sets, keep what files with one of these beginnings of a path set.
    """

    types: frozenset[ClaimType] = frozenset()
    statuses: frozenset[ClaimStatus] = frozenset()
    governance: frozenset[Governance] = frozenset()
    slots: frozenset[str] = frozenset()
    session_ids: frozenset[str] = frozenset()
    branches: frozenset[str] = frozenset()
    valid_at: datetime | None = None
    is_open: bool | None = None
    is_standing: bool = False
    is_said: bool | None = None
    set_below: frozenset[str] = frozenset()


@attrs.frozen(kw_only=True)
class StoredClaim:
    """A claim with the slot it is settled in."""

    claim: Claim
    slot: str


@attrs.frozen(kw_only=True)
class ClaimHit:
    """A lexical match; *score* is higher for a better one, comparable within one call only."""

    stored: StoredClaim
    score: float


@attrs.frozen(kw_only=True)
class EvidenceFilter:
    """
    Which evidence a query may answer; applied inside the query. Empty means all.

    Attributes:
        session_ids: Keep evidence of these sessions.
        kinds: Keep evidence cut from events of these kinds.
        since: Keep evidence at or after this instant; untimed evidence is dropped.
        until: Keep evidence at or before this instant; untimed evidence is dropped.
    """

    session_ids: frozenset[str] = frozenset()
    kinds: frozenset[EventKind] = frozenset()
    since: datetime | None = None
    until: datetime | None = None


@attrs.frozen(kw_only=True)
class EvidenceHit:
    """A lexical match; *score* is higher for a better one, comparable within one call only."""

    evidence: Evidence
    score: float
