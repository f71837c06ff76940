"""What a search over claims and evidence asks and answers."""

from collections.abc import Mapping
from datetime import datetime

import attrs

from pckc_domain.model.bounds import query_head
from pckc_domain.model.claim import Claim, ClaimStatus, ClaimType
from pckc_domain.model.proof import Proof
from pckc_domain.model.recall import IndexCoverage
from pckc_domain.model.session import EventKind, Evidence, Session


@attrs.frozen(kw_only=True)
class MemoryRequest:
    """
    A search over claims or evidence.

    Attributes:
        query: Any text; what is longer than a query may be is cut.
        types: Keep claims of these types; empty means all.
        statuses: Keep claims with one of these statuses; empty means all.
        kinds: Keep evidence cut from events of these kinds; empty means all.
        session_ids: Keep what comes from these sessions; empty means all.
        paths: Of what the repository alone sets, keep what files with one of these beginnings of a path set.
        as_of: Answer what held at this instant; ``None`` means now.
        known_at: Answer what was known at this instant; ``None`` means now.
        limit: Maximum number of results, >= 1.
        offset: Results to pass over, >= 0.
    """

    query: str = attrs.field(converter=query_head)
    types: frozenset[ClaimType] = frozenset()
    statuses: frozenset[ClaimStatus] = frozenset()
    kinds: frozenset[EventKind] = frozenset()
    session_ids: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    limit: int = 10
    offset: int = 0


@attrs.frozen(kw_only=True)
class ClaimResult:
    """
    One claim with all that bears on it.

    Attributes:
        claim: The claim, current within its slot.
        slot: Its slot.
        score: Higher is better; see ``policy.claim_scoring``.
        breakdown: Every signal and adjustment by name.
        proofs: Its proofs, by observation time.
        history: Earlier claims of the slot, newest first.
        conflicts: Claims it is contested with; they are results too.
    """

    claim: Claim
    slot: str
    score: float
    breakdown: Mapping[str, float]
    proofs: tuple[Proof, ...] = ()
    history: tuple[Claim, ...] = ()
    conflicts: tuple[Claim, ...] = ()


@attrs.frozen(kw_only=True)
class EvidenceResult:
    """
    One verbatim passage of a session.

    Attributes:
        evidence: The passage.
        session: The session it comes from.
        source_id: The event's id in its transcript; the event's own id when it has none.
        score: Higher is better; see ``policy.evidence_scoring``.
        breakdown: Every signal by name.
    """

    evidence: Evidence
    session: Session | None
    source_id: str
    score: float
    breakdown: Mapping[str, float]


@attrs.frozen(kw_only=True)
class ClaimAnswer:
    """Claims found, best first; *has_more* says whether a further page exists."""

    results: tuple[ClaimResult, ...]
    signals: str
    coverage: Mapping[str, IndexCoverage]
    has_more: bool


@attrs.frozen(kw_only=True)
class EvidenceAnswer:
    """Evidence found, best first; *has_more* says whether a further page exists."""

    results: tuple[EvidenceResult, ...]
    signals: str
    coverage: Mapping[str, IndexCoverage]
    has_more: bool
