"""The project that a server answers from, opened by the first question."""

import threading

from pckc_domain.model.scope import Scope
from pckc_domain.usecases.compile import ContextCompiler
from pckc_domain.usecases.recall import PassageSearch
from pckc_domain.usecases.verify import Verifier

from pckc_mcp.container import Container
from pckc_mcp.engine import Engine
from pckc_mcp.patience import PatientEmbedder
from pckc_mcp.server.projection import BackgroundProjection


class Memory:
    """
    Opens the project once, from whichever thread asks first; after a failure the next question tries again.

    While it is open, the vectors are brought up to date in the background.
    """

    def __init__(self, container: Container) -> None:
        self._container = container
        self._opening = threading.Lock()
        self._projection: BackgroundProjection | None = None

    @property
    def engine(self) -> Engine:
        """
        The opened project.

        Raises:
            ConfigurationError: A setting or an installed package does not fit.
            BackendError: The store cannot be opened.
        """
        with self._opening:
            is_first = not self._container.engine.initialized
            engine: Engine = self._container.engine()
            if is_first:
                self._start_background(engine)
        if self._projection is not None:
            self._projection.wake()
        return engine

    @property
    def scope(self) -> Scope:
        """Whose data it is."""
        return self.engine.scope

    def search(self) -> PassageSearch:
        """Return the use case that searches passages."""
        self.engine  # noqa: B018 - opens under the lock
        return self._container.search()

    def compiler(self) -> ContextCompiler:
        """Return the use case that compiles contexts."""
        self.engine  # noqa: B018 - opens under the lock
        return self._container.compiler()

    def verifier(self) -> Verifier:
        """Return the use case that follows proofs."""
        self.engine  # noqa: B018 - opens under the lock
        return self._container.verifier()

    def close(self) -> None:
        """Stop the background work and close the project."""
        with self._opening:
            if self._projection is not None:
                self._projection.stop()
                self._projection = None
            self._container.shutdown_resources()

    def _start_background(self, engine: Engine) -> None:
        semantic = self._container.semantic()
        if semantic is None:
            return
        if isinstance(semantic.embedder, PatientEmbedder):
            semantic.embedder.warm_up()
        self._projection = BackgroundProjection(engine)
