"""The session side of the canonical store: events, evidence, assertions, and the claims they are settled into."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from pckc_domain.model.belief import ClaimFilter, ClaimHit, EvidenceFilter, EvidenceHit, StoredClaim
from pckc_domain.model.claim import (
    Assertion,
    Beliefs,
    ClaimStatus,
    ClaimType,
    Governance,
    GovernanceAct,
    Link,
    Rejection,
)
from pckc_domain.model.fact import FactPlace
from pckc_domain.model.proof import Proof
from pckc_domain.model.query import LexicalQuery
from pckc_domain.model.session import Episode, Event, EventKind, Evidence, Session
from pckc_domain.ports.transcripts import TranscriptPosition


class SessionRepository(Protocol):
    """Sessions and their events. Events are redacted, and emptied of what must not be kept, before they come here."""

    @abstractmethod
    def put(self, session: Session, events: Sequence[Event], /) -> Sequence[str]:
        """
        Insert or replace *session* and add its events; return the ids of those that are new to it, in order.

        An event whose id is known is the same event: it stays as it is. One that another session holds as a replay
        moves here when it is no replay here. One whose seq is taken in the session gets the next free one.
        """

    @abstractmethod
    def get(self, session_ids: Sequence[str], /) -> Sequence[Session]:
        """Return the known ones among *session_ids*, by id."""

    @abstractmethod
    def find(self, *, after: str = "", limit: int, is_underived: bool = False) -> Sequence[Session]:
        """
        Return up to *limit* sessions with an id greater than *after*, by id.

        *is_underived* keeps those that gained events, or lost one that moved, since their evidence was last replaced: a
        killed import leaves them, and the next run derives them.
        """

    @abstractmethod
    def events(self, session_id: str, /, *, after_seq: int = -1, limit: int | None = None) -> Sequence[Event]:
        """Return the session's events with a seq greater than *after_seq*, by seq."""

    @abstractmethod
    def remove(self, session_ids: Sequence[str], /) -> frozenset[str]:
        """
        Erase these sessions: events, episodes, evidence, assertions, rejections and traces; unknown ones are fine.

        Returns:
            The slots that lost an assertion and must be settled again.
        """


class EvidenceRepository(Protocol):
    """Episodes and the verbatim evidence cut from events."""

    @abstractmethod
    def replace(self, session_id: str, episodes: Sequence[Episode], evidence: Sequence[Evidence], /) -> None:
        """
        Make these the session's episodes and evidence: what is there is left alone, what is not listed is erased.
        The session is derived from then on, until it gains events.
        """

    @abstractmethod
    def get(self, evidence_ids: Sequence[str], /) -> Sequence[Evidence]:
        """Return the known ones among *evidence_ids*, in the order asked for; one id once."""

    @abstractmethod
    def search(self, query: LexicalQuery, /, *, where: EvidenceFilter, limit: int) -> Sequence[EvidenceHit]:
        """Return up to *limit* passages that match any part of *query*, best first, ties by id."""

    @abstractmethod
    def of_episodes(self, episode_ids: Sequence[str], /) -> Sequence[Evidence]:
        """Return the evidence of these episodes, by episode id, seq, start and id."""

    @abstractmethod
    def around(self, places: Collection[tuple[str, int]], /, *, reach: int) -> Sequence[Evidence]:
        """
        Return the evidence near *places*, each a session id and a seq, by session id, seq, start and id.

        Near is what lies in the same session with a seq that differs by at most *reach*.
        """


class AssertionRepository(Protocol):
    """What events assert, as they made it. An owner is the session or document that the assertions come from."""

    @abstractmethod
    def replace(self, owner_id: str, by_slot: Mapping[str, Sequence[Assertion]], /) -> frozenset[str]:
        """
        Make these the owner's assertions, by slot; one that is there already keeps its ``recorded_at``.

        Returns:
            The slots that gained or lost one and must be settled again.
        """

    @abstractmethod
    def of_slots(self, slots: Sequence[str], /) -> Mapping[str, Sequence[Assertion]]:
        """Return the assertions of these slots by slot, each by event time, seq and claim id."""

    @abstractmethod
    def of_owners(self, owner_ids: Collection[str], /) -> Mapping[str, Mapping[str, Sequence[Assertion]]]:
        """Return the assertions of these owners by owner and slot, each by event time, seq and claim id."""

    @abstractmethod
    def slots(self, *, after: str = "", limit: int) -> Sequence[str]:
        """Return up to *limit* slots that hold assertions and are greater than *after*, in order."""

    @abstractmethod
    def slots_naming(
        self, values: Collection[str], attributes: Collection[str], /, *, versions_of: Collection[str] = ()
    ) -> frozenset[str]:
        """
        Return the slots of assertions that have one of these values or one of these attributes.

        *versions_of* adds those with one of these names and a space at the start of their value or subject, or behind
        the first word of their attribute: `django 5.1`, `uses django 5.1`.
        """


class FactRepository(Protocol):
    """Places of repository facts; the facts themselves are assertions of the places' owners."""

    @abstractmethod
    def replace(self, owner_id: str, places: Sequence[FactPlace], /) -> None:
        """Make these the owner's places."""

    @abstractmethod
    def of_owners(self, owner_ids: Collection[str], /) -> Sequence[FactPlace]:
        """Return the places of these owners, by slot."""

    @abstractmethod
    def about(self, topics: Collection[str], /) -> Sequence[FactPlace]:
        """Return the places that answer one of these topics, by name or tail, or are joined to one, by slot."""

    @abstractmethod
    def at(self, path: str, /) -> Sequence[FactPlace]:
        """Return the places of the file at *path* on every branch, by slot."""

    @abstractmethod
    def join(self, topics: Mapping[str, str], /) -> None:
        """Note the topics that places, by slot, are settled with; ``""`` for one that stands alone."""


class RejectionRepository(Protocol):
    """Texts of sessions that did not become a claim, and why."""

    @abstractmethod
    def replace(self, session_id: str, rejections: Sequence[Rejection], /) -> None:
        """Make these the session's rejections."""

    @abstractmethod
    def find(self, *, session_id: str | None = None, limit: int) -> Sequence[Rejection]:
        """Return up to *limit* rejections, of one session or of all, by session id, seq, rule and excerpt."""


class ClaimRepository(Protocol):
    """Claims: what the assertions of each slot amount to."""

    @abstractmethod
    def settle(self, by_slot: Mapping[str, Beliefs], /) -> None:
        """
        Make these beliefs all there is of their slots: the claims, their proofs and links. Proofs that were attached
        and checks that were noted stay with the claims that remain. Changed claims enter the outbox.
        """

    @abstractmethod
    def get(self, claim_ids: Sequence[str], /) -> Sequence[StoredClaim]:
        """Return the known ones among *claim_ids*, in the order asked for; one id once."""

    @abstractmethod
    def search(self, query: LexicalQuery, /, *, where: ClaimFilter, limit: int) -> Sequence[ClaimHit]:
        """Return up to *limit* claims that match any part of *query*, best first, ties by id."""

    @abstractmethod
    def find(self, *, where: ClaimFilter, after: str = "", limit: int) -> Sequence[StoredClaim]:
        """Return up to *limit* claims with an id greater than *after*, by id."""

    @abstractmethod
    def note_check(self, claim_id: str, /, *, stale_reason: str) -> None:
        """Note that the claim's proofs no longer hold, and why; an empty reason says that they do. Sets its status."""


class ProofRepository(Protocol):
    """Proofs of claims."""

    @abstractmethod
    def of(self, claim_ids: Sequence[str], /) -> Mapping[str, Sequence[Proof]]:
        """Return the proofs of these claims by claim id, each by observation time and id."""

    @abstractmethod
    def attach(self, proofs: Sequence[Proof], /) -> None:
        """Add proofs found later, or replace those with the same ids, on claims that exist."""


class LinkRepository(Protocol):
    """Links between claims."""

    @abstractmethod
    def of(self, claim_ids: Sequence[str], /) -> Sequence[Link]:
        """Return the links that start or end at these claims, by source, target and kind."""


class GovernanceRepository(Protocol):
    """What people decided about claims: append-only."""

    @abstractmethod
    def append(self, act: GovernanceAct, /) -> None:
        """Add one act."""

    @abstractmethod
    def of(self, claim_ids: Sequence[str], /) -> Sequence[GovernanceAct]:
        """Return the acts on these claims, in the order they were added."""


class ImportRepository(Protocol):
    """How far transcripts have been read."""

    @abstractmethod
    def position(self, path: str, /) -> TranscriptPosition | None:
        """Return how far the transcript at *path* was read; ``None`` when never."""

    @abstractmethod
    def remember(self, path: str, position: TranscriptPosition, /) -> None:
        """Note how far the transcript at *path* was read."""

    @abstractmethod
    def forget(self) -> None:
        """Forget all positions: the next import reads everything again."""


class Census(Protocol):
    """How much there is, counted inside the store."""

    @abstractmethod
    def sessions(self) -> Mapping[str, int]:
        """Return the number of sessions by host."""

    @abstractmethod
    def events(self) -> Mapping[EventKind, int]:
        """Return the number of events by kind."""

    @abstractmethod
    def claims(self) -> Mapping[tuple[ClaimType, ClaimStatus, Governance], int]:
        """Return the number of claims, closed ones too, by type, status and governance."""

    @abstractmethod
    def evidence(self) -> int:
        """Return the number of evidence passages."""


class BeliefWork(Protocol):
    """The session side of a unit of work."""

    @property
    @abstractmethod
    def sessions(self) -> SessionRepository: ...

    @property
    @abstractmethod
    def evidence(self) -> EvidenceRepository: ...

    @property
    @abstractmethod
    def assertions(self) -> AssertionRepository: ...

    @property
    @abstractmethod
    def facts(self) -> FactRepository: ...

    @property
    @abstractmethod
    def rejections(self) -> RejectionRepository: ...

    @property
    @abstractmethod
    def claims(self) -> ClaimRepository: ...

    @property
    @abstractmethod
    def proofs(self) -> ProofRepository: ...

    @property
    @abstractmethod
    def links(self) -> LinkRepository: ...

    @property
    @abstractmethod
    def governance(self) -> GovernanceRepository: ...

    @property
    @abstractmethod
    def imports(self) -> ImportRepository: ...

    @property
    @abstractmethod
    def census(self) -> Census: ...
