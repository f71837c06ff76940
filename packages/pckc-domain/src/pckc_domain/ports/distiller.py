"""The distiller port."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from pckc_domain.model.distillation import Distilled, SourceChunk
from pckc_domain.model.verdict import Judgement


class Distiller(Protocol):
    """Turns chunks of documents into claims, and judges claims beside each other."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How it is named in what it made: ``rules``, ``ollama:MODEL``; known without reaching a model."""

    @abstractmethod
    def distil(self, chunk: SourceChunk, /) -> Distilled:
        """
        Return the claims of *chunk*, each with a quote that stands in its text.

        Raises:
            BackendUnavailableError: The model cannot be reached now: later chunks would fail too.
            BackendError: It gave no usable answer to this chunk, even when asked again.
        """

    @abstractmethod
    def judge(self, claim: str, others: Sequence[str], /) -> Judgement | None:
        """
        Return how *claim* bears on the nearest *others*, nearest first; ``None`` when it cannot tell.

        Raises:
            BackendUnavailableError: The model cannot be reached now.
            BackendError: It gave no usable answer, even when asked again.
        """
