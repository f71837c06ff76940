"""The memory store's counts."""

from collections import Counter
from collections.abc import Mapping

from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import ClaimStatus, ClaimType, Governance
from pckc_domain.model.session import EventKind
from pckc_domain.ports.belief import Census, ClaimRepository
from pckc_domain.testing.memory.state import State


class MemoryCensus(Census):
    """Counts of one scope."""

    def __init__(self, state: State, claims: ClaimRepository) -> None:
        self._state = state
        self._claims = claims

    def sessions(self) -> Mapping[str, int]:
        """See the port."""
        return Counter(session.host for session in self._state.sessions.values())

    def events(self) -> Mapping[EventKind, int]:
        """See the port."""
        return Counter(event.kind for event in self._state.events.values())

    def claims(self) -> Mapping[tuple[ClaimType, ClaimStatus, Governance], int]:
        """See the port."""
        found = self._claims.find(where=ClaimFilter(), limit=len(self._state.claims))
        return Counter((stored.claim.type, stored.claim.status, stored.claim.governance) for stored in found)

    def evidence(self) -> int:
        """See the port."""
        return len(self._state.evidence)
