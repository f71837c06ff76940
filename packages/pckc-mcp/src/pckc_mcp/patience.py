"""Embedders that keep nobody waiting."""

import threading
import time
from collections.abc import Callable, Sequence

from pckc_domain.errors import BackendUnavailableError, PckcError
from pckc_domain.model.embedding import EmbeddingSpace, Vector
from pckc_domain.ports.embedder import Embedder

SLICE_TEXTS = 8
"""Texts embedded in one go: some milliseconds, so that a query gets its turn."""


RECENT_QUERIES = 32


class PatientEmbedder(Embedder):
    """
    Runs another embedder on a thread of its own and gives up waiting after a while.

    The first call loads the model, which goes on in the background when the waiting ends: a later query finds it ready.
    One question is asked of several indexes: it is embedded once, and they all wait no longer than one.

    Args:
        inner: The embedder that does the work.
        wait_seconds: How long a question waits.
    """

    def __init__(self, inner: Embedder, *, wait_seconds: float) -> None:
        self._inner = inner
        self._wait_seconds = wait_seconds
        self._busy = threading.Lock()
        self._recent: dict[tuple[str, ...], _Task] = {}

    @property
    def space(self) -> EmbeddingSpace:
        """The inner embedder's space."""
        return self._inner.space

    def warm_up(self) -> None:
        """Start loading the model and return at once."""
        self._start([""])

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """
        Embed *texts* as the inner embedder does.

        Raises:
            BackendUnavailableError: The vectors were not there in time.
            ConfigurationError: As the inner embedder.
        """
        task = self._recent.get(tuple(texts))
        if task is None or task.is_worth_repeating():
            task = self._start(texts)
            newest = {**self._recent, tuple(texts): task}
            self._recent = dict([*newest.items()][-RECENT_QUERIES:])  # replaced as a whole: other threads read it
        task.done.wait(max(0.0, task.deadline - time.monotonic()))
        if task.error is not None:
            raise task.error
        if task.vectors is None:
            raise BackendUnavailableError(
                f"the embedding model was not ready within {self._wait_seconds:g} s", remedy="ask again in a moment"
            )
        return task.vectors

    def _start(self, texts: Sequence[str]) -> "_Task":
        task = _Task(self._inner, texts, self._busy, self._wait_seconds)
        threading.Thread(target=task.run, name="pckc-embedder", daemon=True).start()
        return task


class CourteousEmbedder(Embedder):
    """Embeds a few texts at a time and pauses, so that others who wait for the same embedder get their turn."""

    def __init__(self, inner: Embedder, pause: Callable[[], None]) -> None:
        self._inner = inner
        self._pause = pause

    @property
    def space(self) -> EmbeddingSpace:
        """The inner embedder's space."""
        return self._inner.space

    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """Embed *texts* as the inner embedder does."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), SLICE_TEXTS):
            vectors += self._inner.embed(texts[start : start + SLICE_TEXTS])
            self._pause()
        return vectors


class _Task:
    def __init__(self, inner: Embedder, texts: Sequence[str], busy: threading.Lock, wait_seconds: float) -> None:
        self._inner = inner
        self._texts = texts
        self._busy = busy
        self._wait_seconds = wait_seconds
        self.deadline = time.monotonic() + wait_seconds
        self.done = threading.Event()
        self.vectors: Sequence[Vector] | None = None
        self.error: PckcError | None = None

    def is_worth_repeating(self) -> bool:
        """Return whether it failed, or came to nothing long enough ago to be another question's business."""
        is_late = time.monotonic() > self.deadline + self._wait_seconds
        return self.error is not None or (is_late and self.done.is_set() and self.vectors is None)

    def run(self) -> None:
        # Whoever asked has gone by then: behind a model that hangs no threads pile up.
        if not self._busy.acquire(timeout=self._wait_seconds):
            self.done.set()
            return
        try:
            self.vectors = self._inner.embed(self._texts)
        except PckcError as error:
            self.error = error
        finally:
            self._busy.release()
            self.done.set()
