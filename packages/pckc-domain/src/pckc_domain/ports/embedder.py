"""The embedder port."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from pckc_domain.model.embedding import EmbeddingSpace, Vector


class Embedder(Protocol):
    """Turns texts into vectors of one space, deterministically."""

    @property
    @abstractmethod
    def space(self) -> EmbeddingSpace:
        """The space of every vector this embedder makes; known without loading the model."""

    @abstractmethod
    def embed(self, texts: Sequence[str], /) -> Sequence[Vector]:
        """
        Return one unit-length float32 vector per text, in the order of *texts*.

        A text's vector does not depend on the texts beside it. Any string is accepted: the empty one and overlong
        ones too (their tail is ignored).

        Raises:
            ConfigurationError: The model is not installed or not the expected one.
            BackendUnavailableError: The model cannot be reached now.
        """
