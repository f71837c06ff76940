"""Definitions in source code."""

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
