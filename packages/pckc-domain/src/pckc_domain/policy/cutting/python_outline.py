"""Python definitions and docstrings without a parser: by logical lines and indentation."""

import re
from functools import lru_cache
from typing import NamedTuple

from pckc_domain.policy.cutting.masking import Masked

_DEFINITION = re.compile(
    r"\n([ \t]*+)(?:async[ \t]++)?(def|class)[ \t]++(\w++)([^\n]*+)(?:\n\s*+[rbuRBU]{0,2}(\"++)[ \t;]*+(?=\n|\Z))?"
)
_MODULE_DOCSTRING = re.compile(r"\s*+[rbuRBU]{0,2}(\"++)[ \t;]*+(?=\n|\Z)")

MAX_DEPTH = 40
"""Definitions nested deeper are part of the one around them."""


class PythonDefinition(NamedTuple):
    """
    A function or class.

    ``start`` is its first line, decorators included; ``docstring`` holds text offsets, quotes included.
    """

    kind: str
    name: str
    scope: tuple[str, ...]
    start: int
    end: int
    docstring: tuple[int, int] | None


def module_docstring(masked: Masked) -> tuple[int, int] | None:
    """Return the text offsets of the module's docstring, quotes included."""
    match = _MODULE_DOCSTRING.match(masked.logical)
    return (match.start(1) - 1, match.end(1) - 1) if match else None


def python_definitions(masked: Masked) -> list[PythonDefinition]:
    """Return functions and classes by start line, outer before inner."""
    source, logical = masked.source, masked.logical
    found: list[PythonDefinition] = []
    around: list[PythonDefinition] = []
    for match in _DEFINITION.finditer(logical):
        indent, word, name, signature, quotes = match.groups()
        start = source.line_at(_decorated_start(masked, match.start()))
        while around and around[-1].end < start:
            around.pop()
        if len(around) >= MAX_DEPTH:
            continue
        after = _dedent(len(indent)).search(logical, match.end(4))
        last = source.line_at(after.start()) - 1 if after else source.line_count
        end = _last_line(masked, source.line_at(match.start()), last, len(indent))
        if word == "def":
            word = "method" if around and around[-1].kind == "class" else "function"
        docstring = (match.start(5) - 1, match.end(5) - 1) if quotes and signature.rstrip()[-1:] == ":" else None
        scope = (*around[-1].scope, around[-1].name) if around else ()
        definition = PythonDefinition(word, name, scope, start, end, docstring)
        found.append(definition)
        around.append(definition)
    return found


def _decorated_start(masked: Masked, at: int) -> int:
    """Return where the decorators directly above the definition at *at* begin."""
    logical, text = masked.logical, masked.source.text
    start = at
    while at > 0:
        above = logical.rfind("\n", 0, at)
        line = logical[above + 1 : at].lstrip()
        if line[:1] == "@":
            start = above
        elif line or text[above:at].lstrip()[:1] != "#":
            break
        at = above
    return start


def _last_line(masked: Masked, first: int, last: int, indent: int) -> int:
    """Step back from *last* over blank lines and comments that are not indented below the definition."""
    line_of = masked.source.line
    while last > first:
        line = line_of(last)
        content = line.lstrip()
        if content and (content[0] != "#" or len(line) - len(content) > indent):
            break
        last -= 1
    return last


@lru_cache(maxsize=256)
def _dedent(indent: int) -> re.Pattern[str]:
    """Match the next logical line that is indented by at most *indent*."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}(?=\S)")
