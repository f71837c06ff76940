"""The curated side of the canonical store: how documents were distilled, verdicts on claims, gaps and traces."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from pckc_domain.model.distillation import Distillation, DistillationCount
from pckc_domain.model.gap import Gap, GapStatus
from pckc_domain.model.trace import Trace, TraceKind
from pckc_domain.model.verdict import Verdict


class DistillationRepository(Protocol):
    """What became of the chunks of documents."""

    @abstractmethod
    def put(self, distillations: Sequence[Distillation], /) -> None:
        """Insert or replace, by owner."""

    @abstractmethod
    def of_uri(self, uri: str, /) -> Sequence[Distillation]:
        """Return those of the document's versions, by owner."""

    @abstractmethod
    def find(self, *, is_done: bool | None = None, after: str = "", limit: int) -> Sequence[Distillation]:
        """Return up to *limit* with an owner greater than *after*, of done chunks, of others, or of all, by owner."""

    @abstractmethod
    def remove(self, owner_ids: Collection[str], /) -> None:
        """Forget these; unknown ones are fine. Those of a document go with it."""

    @abstractmethod
    def count(self) -> DistillationCount:
        """Return the number of chunks by what became of them."""


class VerdictRepository(Protocol):
    """What checks of claims found."""

    @abstractmethod
    def put(self, verdicts: Sequence[Verdict], /) -> None:
        """Insert or replace, by claim, other claim and method."""

    @abstractmethod
    def of(self, claim_ids: Collection[str], /) -> Sequence[Verdict]:
        """Return those that name one of these claims on either side, by claim, other claim and method."""

    @abstractmethod
    def find(self, *, after: tuple[str, str, str] = ("", "", ""), limit: int) -> Sequence[Verdict]:
        """Return up to *limit* whose claim, other claim and method come after these, in that order."""

    @abstractmethod
    def remove(self, claim_ids: Collection[str], /) -> None:
        """Forget those that name one of these claims on either side."""

    @abstractmethod
    def count(self) -> int:
        """Return the number of verdicts."""


class GapRepository(Protocol):
    """Questions to be researched."""

    @abstractmethod
    def put(self, gap: Gap, /) -> None:
        """Insert or replace."""

    @abstractmethod
    def get(self, gap_id: str, /) -> Gap | None:
        """Return the gap; ``None`` when it is not known."""

    @abstractmethod
    def find(self, *, statuses: Collection[GapStatus] = (), limit: int, offset: int = 0) -> Sequence[Gap]:
        """Return up to *limit* gaps of these statuses, or of any: high priority first, then oldest, ties by id."""

    @abstractmethod
    def remove(self, gap_id: str, /) -> bool:
        """Forget the gap; return whether it was known."""

    @abstractmethod
    def count(self) -> Mapping[GapStatus, int]:
        """Return the number of gaps by status."""


class TraceRepository(Protocol):
    """An agent's own notes."""

    @abstractmethod
    def add(self, traces: Sequence[Trace], /) -> None:
        """Add these; known ids are fine."""

    @abstractmethod
    def find(
        self,
        *,
        kinds: Collection[TraceKind] = (),
        session_id: str | None = None,
        limit: int,
        offset: int = 0,
    ) -> Sequence[Trace]:
        """Return up to *limit* notes, of these kinds and this session if named: newest first, ties by id."""

    @abstractmethod
    def remove(self, session_ids: Collection[str], /) -> None:
        """Forget the notes of these sessions. Those of a session that the store erases go with it."""

    @abstractmethod
    def count(self) -> int:
        """Return the number of notes."""


class CuratedWork(Protocol):
    """The curated side of a unit of work."""

    @property
    @abstractmethod
    def distillations(self) -> DistillationRepository: ...

    @property
    @abstractmethod
    def verdicts(self) -> VerdictRepository: ...

    @property
    @abstractmethod
    def gaps(self) -> GapRepository: ...

    @property
    @abstractmethod
    def traces(self) -> TraceRepository: ...
