"""The project that a server answers from, opened by the first question."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the first answers, which a host waits for, need none of it
    from pckc_domain.usecases.compile import ContextCompiler

    from pckc_mcp.container import Container
    from pckc_mcp.engine import Engine
    from pckc_mcp.graph.asking import GraphAsking
    from pckc_mcp.searching import Searching
    from pckc_mcp.server.projection import BackgroundProjection

CLOSE_SECONDS = 2.0


class Memory:
    """
    Opens the project once, from whichever thread asks first; after a failure the next question tries again.

    While it is open, the vectors are brought up to date in the background.
    """

    def __init__(self, project: Path, *, store: Path | None = None, tenant: str | None = None) -> None:
        self._place = {"project": project, "store": store, "tenant": tenant}
        self._container: Container | None = None
        self._opening = threading.Lock()
        self._projection: BackgroundProjection | None = None
        self._graphs: GraphAsking | None = None

    @property
    def engine(self) -> "Engine":
        """
        The opened project.

        Raises:
            ConfigurationError: A setting or an installed package does not fit.
            BackendError: The store cannot be opened.
        """
        return self._open().engine()

    @property
    def is_projecting(self) -> bool:
        """Whether pending vectors are being made in the background."""
        return self._projection is not None and self._projection.is_running

    def wake(self) -> None:
        """Let the background go on with what has come to be done."""
        if self._projection is not None:
            self._projection.wake()

    def searching(self) -> "Searching":
        """Return the search over passages, claims and evidence."""
        return self._open().searching()

    def compiler(self) -> "ContextCompiler":
        """Return the use case that compiles contexts."""
        return self._open().compiler()

    def graphs(self) -> "GraphAsking":
        """Return the questions to the graphs; the same every time, since it keeps its reports."""
        engine = self.engine
        with self._opening:
            if self._graphs is None:
                from pckc_mcp.graph.asking import GraphAsking

                self._graphs = GraphAsking(engine)
            return self._graphs

    def close(self) -> None:
        """Stop the background work and close the project; one still being opened ends with the process."""
        if not self._opening.acquire(timeout=CLOSE_SECONDS):
            return
        try:
            if self._projection is not None:
                self._projection.stop()
                self._projection = None
            self._graphs = None
            if self._container is not None:
                self._container.shutdown_resources()
        finally:
            self._opening.release()

    def _open(self) -> "Container":
        with self._opening:
            if self._container is None:
                from pckc_mcp.container import Container

                self._container = Container(**self._place)
            container = self._container
            is_first = not container.engine.initialized
            engine = container.engine()
            if is_first:
                self._start_background(container)
            self._take_in(engine)
            self.wake()
        return container

    @staticmethod
    def _take_in(engine: "Engine") -> None:
        """Take in what the hooks left: they record for whom the project is configured, never for another tenant."""
        if engine.scope.tenant == engine.config.tenant:
            from pckc_mcp.hooks.intake import take_in_if_possible

            take_in_if_possible(engine)

    def _start_background(self, container: "Container") -> None:
        semantic = container.semantic()
        if semantic is None:
            return
        from pckc_mcp.patience import PatientEmbedder
        from pckc_mcp.server.projection import BackgroundProjection

        if isinstance(semantic.embedder, PatientEmbedder):
            semantic.embedder.warm_up()
        self._projection = BackgroundProjection(container.engine())
