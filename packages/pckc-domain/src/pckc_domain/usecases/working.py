"""What workers do: bring everything that follows from the store up to date, as long as there is something to do."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

import attrs

from pckc_domain.errors import PckcError
from pckc_domain.model.progress import ProgressListener, ignore_progress
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.usecases.projecting import Projector, StoppedError, Worker
from pckc_domain.usecases.remember import Deriver

DERIVATION = "derivation"
MOST_BEHIND = 1000
"""Sessions counted as behind; more are not told apart."""


class Job(Protocol):
    """Something that follows from the store."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What reports call it."""

    @abstractmethod
    def run(self, scope: Scope, *, progress: ProgressListener, is_enough: Callable[[], bool]) -> int:
        """Do what is to be done, or as much as *is_enough* lets, and return how much it was."""

    @abstractmethod
    def retry(self, scope: Scope) -> int:
        """Try again what failed before and return how much of it went through."""

    @abstractmethod
    def behind(self, scope: Scope) -> int:
        """Return how much is to be done."""


class ProjectionJob(Job):
    """Feeding one projection."""

    def __init__(self, projector: Projector) -> None:
        self._projector = projector

    @property
    def name(self) -> str:
        """See the protocol."""
        return self._projector.cursor

    def run(self, scope: Scope, *, progress: ProgressListener, is_enough: Callable[[], bool]) -> int:
        """See the protocol."""
        return self._projector.run(scope, progress=progress, is_enough=is_enough)

    def retry(self, scope: Scope) -> int:
        """See the protocol."""
        return self._projector.retry(scope)

    def behind(self, scope: Scope) -> int:
        """See the protocol."""
        return self._projector.lag(scope)


class DerivationJob(Job):
    """Deriving the sessions that gained events; one that fails stays underived."""

    def __init__(self, canonical: Canonical, deriver: Deriver, worker: Worker) -> None:
        self._canonical = canonical
        self._deriver = deriver
        self._worker = worker

    @property
    def name(self) -> str:
        """See the protocol."""
        return DERIVATION

    def run(self, scope: Scope, *, progress: ProgressListener, is_enough: Callable[[], bool]) -> int:
        """See the protocol."""
        if is_enough() or not self.behind(scope):
            return 0
        with self._worker.holding(self._canonical, scope, DERIVATION) as is_mine:
            return self._deriver.run(scope, progress=progress) if is_mine else 0

    def retry(self, scope: Scope) -> int:  # noqa: ARG002 - nothing is set aside
        """See the protocol."""
        return 0

    def behind(self, scope: Scope) -> int:
        """See the protocol; at most `MOST_BEHIND`."""
        with self._canonical.reading(scope) as work:
            return len(work.sessions.find(limit=MOST_BEHIND, is_underived=True))


@attrs.frozen(kw_only=True)
class Round:
    """
    What one round over all scopes and jobs came to.

    Attributes:
        done: How much was done, by job.
        errors: What kept a job from going on, by job.
    """

    done: Counter[str] = attrs.Factory(Counter)
    errors: dict[str, PckcError] = attrs.Factory(dict)


def work_round(
    scopes: Sequence[Scope],
    jobs: Sequence[Job],
    *,
    retry: bool = False,
    progress: ProgressListener = ignore_progress,
    is_enough: Callable[[], bool] = lambda: False,
) -> Round:
    """Let each job do what there is to do in each scope; one that fails keeps no other waiting."""
    result = Round()
    for scope in scopes:
        for job in jobs:
            if is_enough():
                return result
            try:
                if retry:
                    result.done[job.name] += job.retry(scope)
                result.done[job.name] += job.run(scope, progress=progress, is_enough=is_enough)
            except StoppedError:
                return result
            except PckcError as error:
                result.errors[job.name] = error
            except Exception as error:  # a broken driver or model must not keep the other jobs waiting
                result.errors[job.name] = PckcError(f"{type(error).__name__}: {error}")
    return result
