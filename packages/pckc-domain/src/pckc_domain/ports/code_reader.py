"""The code reader port."""

from abc import abstractmethod
from typing import Protocol

from pckc_domain.model.linking import FileFacts


class CodeReader(Protocol):
    """Reads what a source file says about symbols, values and calls."""

    @abstractmethod
    def languages(self) -> frozenset[str]:
        """Return the languages it reads, in lower case."""

    @abstractmethod
    def facts(self, path: str, text: str, /, *, language: str) -> FileFacts | None:
        """
        Return the facts of a file; broken code yields what can be read, and `problems` say what was left out.

        ``None`` when the grammar gave up on this text. The answer depends on path and text alone.

        Raises:
            InvalidInputError: *language* is none of ``languages()``.
        """
