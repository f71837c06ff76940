"""Bring the vectors of a served project up to date, without keeping its answers waiting."""

import logging
import threading
from collections.abc import Callable
from functools import partial

import attrs
from pckc_domain.errors import PckcError
from pckc_domain.usecases.projecting import StoppedError
from pckc_domain.usecases.semantic import SemanticIndex

from pckc_mcp.engine import Engine
from pckc_mcp.indexing import embed_and_compare
from pckc_mcp.patience import CourteousEmbedder
from pckc_mcp.workers import this_worker

PAUSE_SECONDS = 0.002
STOP_SECONDS = 2.0

logger = logging.getLogger(__name__)


class BackgroundProjection:
    """A thread that projects what is pending, each time it is woken."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pckc-projection", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it still projects what is pending."""
        return self._thread.is_alive()

    def wake(self) -> None:
        """Look for pending changes soon; returns at once."""
        self._woken.set()

    def stop(self) -> None:
        """End after the texts in progress; what it leaves is done next time."""
        self._stopping.set()
        self._woken.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        works = self._works()
        while works:
            self._woken.wait()
            self._woken.clear()
            for name, work in list(works.items()):
                if self._stopping.is_set():
                    return
                try:
                    work()
                except StoppedError:
                    return
                except PckcError as error:
                    logger.warning("%s: not up to date: %s %s", name, error.message, error.remedy)
                except Exception:
                    logger.exception("%s: no longer brought up to date", name)
                    del works[name]

    def _works(self) -> dict[str, Callable[[], object]]:
        """Return what is to be done each time, by the name of what it keeps up to date."""
        works: dict[str, Callable[[], object]] = {}
        if self._engine.semantic is not None:
            worker = this_worker(self._wait)
            works["the vectors"] = partial(embed_and_compare, self._courteous(self._engine.semantic), worker=worker)
        if self._engine.config.slots["graph_index"].backend != "none":
            from pckc_mcp.graph.feeding import feed_graph_index

            works["the graph index"] = partial(feed_graph_index, self._engine, worker=this_worker(self._wait))
        return works

    def _courteous(self, semantic: SemanticIndex) -> Engine:
        courteous = attrs.evolve(semantic, embedder=CourteousEmbedder(semantic.embedder, self._pause))
        return attrs.evolve(self._engine, semantic=courteous)

    def _pause(self) -> None:
        """Let others have their turn; a step that is broken off here is done again next time."""
        self._wait(PAUSE_SECONDS)

    def _wait(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise StoppedError
