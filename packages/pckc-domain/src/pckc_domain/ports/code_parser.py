"""The code parser port."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from pckc_domain.model.code import CodeBlock


class CodeParser(Protocol):
    """Finds the definitions of a source text."""

    @abstractmethod
    def languages(self) -> frozenset[str]:
        """Return the languages it parses, in lower case."""

    @abstractmethod
    def blocks(self, text: str, /, *, language: str) -> Sequence[CodeBlock]:
        """
        Return the definitions in *text* by start line, outer before inner; broken code yields what can be read.

        Raises:
            InvalidInputError: *language* is none of ``languages()``.
        """
