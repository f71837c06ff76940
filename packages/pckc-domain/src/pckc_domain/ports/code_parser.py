"""The code parser port."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

import attrs


@attrs.frozen(kw_only=True)
class CodeBlock:
    """
    A definition in source code.

    Attributes:
        kind: function, method, class, struct, trait, interface, enum, module …
        name: Its own name.
        scope: Names of the definitions around it, outermost first.
        start_line: First line from 1, decorators and attributes included.
        end_line: Last line, inclusive.
    """

    kind: str
    name: str
    scope: tuple[str, ...]
    start_line: int
    end_line: int


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
