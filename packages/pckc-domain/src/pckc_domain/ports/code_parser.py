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
    def blocks(self, text: str, /, *, language: str) -> Sequence[CodeBlock] | None:
        """
        Return the definitions in *text* by start line, outer before inner; broken code yields what can be read.

        ``None`` when the parser gave up on this text: it is then read as if there were no parser. The answer depends on
        the text alone, never on how fast the machine is.

        Raises:
            InvalidInputError: *language* is none of ``languages()``.
        """
