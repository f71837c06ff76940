"""What the canonical store remembers for those who feed projections from its outbox."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pckc_domain.model.projection import Generations, Lease, SetAside


class SetAsideRepository(Protocol):
    """Changes of one scope that projections could not take in; a change queued again is set aside no more."""

    @abstractmethod
    def put(self, failed: Sequence[SetAside], /) -> None:
        """Insert or replace, by projection, kind and entity; what has changed since its entry is left out."""

    @abstractmethod
    def find(self, projection: str, /, *, after: int = 0, limit: int) -> Sequence[SetAside]:
        """Return up to *limit* of *projection* with a seq greater than *after*, by seq."""

    @abstractmethod
    def count(self) -> Mapping[str, int]:
        """Return how many each projection set aside; those without any are left out."""

    @abstractmethod
    def remove(self, projection: str, seqs: Sequence[int], /) -> None:
        """Forget those of *projection* with these seqs; unknown ones are fine."""


class LeaseRepository(Protocol):
    """Who works at what in one scope: one worker at a time for each name."""

    @abstractmethod
    def take(self, name: str, lease: Lease, /, *, now: datetime) -> bool:
        """Take or renew, and return whether it worked: not while another holder's lease lasts beyond *now*."""

    @abstractmethod
    def get(self, name: str, /) -> Lease | None:
        """Return the lease, which may have run out."""

    @abstractmethod
    def release(self, name: str, holder: str, /) -> None:
        """Give *holder*'s lease back; nothing happens when it is another one's."""


class GenerationRepository(Protocol):
    """Which index of each projection serves one scope, and which is being built."""

    @abstractmethod
    def get(self, projection: str, /) -> Generations:
        """Return the projection's generations; the first serves while none was ever built."""

    @abstractmethod
    def begin(self, projection: str, generation: int, /) -> None:
        """Note that *generation* is being built, fed from the beginning by the projection's building cursor."""

    @abstractmethod
    def switch(self, projection: str, /) -> None:
        """
        Let the generation being built serve: its cursor and what it set aside take the place of the serving one's.

        Nothing happens when none is being built.
        """


class ProjectingWork(Protocol):
    """The projections' side of a unit of work."""

    @property
    @abstractmethod
    def set_aside(self) -> SetAsideRepository: ...

    @property
    @abstractmethod
    def leases(self) -> LeaseRepository: ...

    @property
    @abstractmethod
    def generations(self) -> GenerationRepository: ...
