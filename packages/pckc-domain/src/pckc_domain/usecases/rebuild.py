"""Make a projection anew from the canonical store, while the old one serves."""

import attrs

from pckc_domain.errors import BackendUnavailableError, ConfigurationError, ConflictError
from pckc_domain.model.progress import ProgressListener, ignore_progress
from pckc_domain.model.projection import Generations, generation_scope
from pckc_domain.model.scope import Scope
from pckc_domain.ports.canonical import Canonical
from pckc_domain.usecases.projecting import Projection, Projector, Worker


@attrs.frozen(kw_only=True)
class RebuildReport:
    """
    What a rebuild did.

    Attributes:
        before: Items of the old index.
        after: Items of the new one.
        wanted: Items that the store says there should be.
        set_aside: Changes that the new index could not take in.
        projected: Changes projected by this run.
        is_resumed: An earlier run had begun.
    """

    before: int
    after: int
    wanted: int
    set_aside: int
    projected: int
    is_resumed: bool


class Rebuilder:
    """
    Builds the other one of a projection's two indexes, from the beginning, and lets it serve once it is whole.

    A run that is killed is gone on with by the next one.
    """

    def __init__(self, canonical: Canonical, projection: Projection, worker: Worker) -> None:
        self._canonical = canonical
        self._projection = projection
        self._worker = worker
        self._builder = Projector(canonical, projection, worker, is_building=True)

    def run(self, scope: Scope, *, progress: ProgressListener = ignore_progress) -> RebuildReport:
        """
        Rebuild and report the counts.

        Raises:
            ConflictError: Another process is rebuilding it.
            BackendUnavailableError: The store or the projection could not be reached.
            ConfigurationError: See `Projection.project`.
        """
        before = self._count_serving(scope)
        is_resumed = not self._begin(scope)
        try:
            projected = self._build(scope, progress)
        except ConfigurationError:
            if not is_resumed:
                raise
            self._begin(scope, anew=True)  # such as after another change of embedder
            projected = self._build(scope, progress)
        self._clear_old(scope)
        with self._canonical.reading(scope) as work:
            set_aside = work.set_aside.count().get(self._projection.name, 0)
        return RebuildReport(
            before=before,
            after=self._count_serving(scope),
            wanted=self._projection.wanted(scope),
            set_aside=set_aside,
            projected=projected,
            is_resumed=is_resumed,
        )

    def _begin(self, scope: Scope, *, anew: bool = False) -> bool:
        """Make the other index empty and queue everything for it, unless an earlier run did."""
        with self._worker.holding(self._canonical, scope, self._builder.cursor) as is_mine:
            if not is_mine:
                raise _taken(self._projection.name)
            known = self._generations(scope)
            if known.building is not None and not anew:
                return False
            new = 1 - known.serving
            self._projection.clear(generation_scope(scope, new))
            with self._canonical.writing(scope) as work:
                work.outbox.reset(self._builder.cursor)
                work.generations.begin(self._projection.name, new)
            return True

    def _build(self, scope: Scope, progress: ProgressListener) -> int:
        """Project until nothing is left at the very moment of the switch."""
        projected = 0
        while True:
            step = self._builder.run(scope, progress=progress)
            projected += step
            with self._canonical.writing(scope) as work:
                if not work.outbox.lag(self._builder.cursor, kinds=self._projection.kinds):
                    work.generations.switch(self._projection.name)
                    return projected
            if not step:
                raise _taken(self._projection.name)

    def _clear_old(self, scope: Scope) -> None:
        with self._worker.holding(self._canonical, scope, self._builder.cursor) as is_mine:
            known = self._generations(scope)
            if is_mine and known.building is None:  # or another rebuild has begun there already
                self._projection.clear(generation_scope(scope, 1 - known.serving))

    def _count_serving(self, scope: Scope) -> int:
        """Return the items of the index that serves; one that is lost has none."""
        try:
            return self._projection.count(generation_scope(scope, self._generations(scope).serving))
        except (BackendUnavailableError, ConfigurationError):
            return 0

    def _generations(self, scope: Scope) -> Generations:
        with self._canonical.reading(scope) as work:
            return work.generations.get(self._projection.name)


def _taken(name: str) -> ConflictError:
    return ConflictError(
        f"another process is rebuilding {name}", remedy="Wait until it is done, then try again if that failed."
    )
