"""
Code whose strings and comments no longer count.

A masked text has the length of the original: strings become quotes, comments spaces. In Python, lines inside brackets
are joined too, so that one line of the result is one logical line and no pattern is fooled by a docstring.
"""

import re
from typing import NamedTuple

from pckc_domain.policy.cutting.code_languages import LANGUAGES
from pckc_domain.policy.cutting.source_text import SourceText

_PYTHON_NOISE = re.compile(
    r"""#[^\n]*+"""
    r"""|"(?:""[^"\\]*+(?:(?:\\.?+|"(?!""))[^"\\]*+)*+(?:\"""|\Z)|[^"\\\n]*+(?:\\.?+[^"\\\n]*+)*+"?+)"""
    r"""|'(?:''[^'\\]*+(?:(?:\\.?+|'(?!''))[^'\\]*+)*+(?:'''|\Z)|[^'\\\n]*+(?:\\.?+[^'\\\n]*+)*+'?+)""",
    re.DOTALL,
)
_OTHER_NOISE = re.compile(r"(?<!\S)#[^\n]*+")
_NOT_LINE_BREAK = re.compile(r"[^\n]+")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}\n"))
_PYTHON_START = re.compile(r"[ \t]*(?:(?:async[ \t]+)?(?:def|class)[ \t]+\w|@\w)")


class Masked(NamedTuple):
    """
    A source and its mask.

    Attributes:
        source: The text itself.
        logical: ``"\\n"`` and the masked text: a match that starts at a line break starts at the text's offset.
        comments: Text offsets of all comments, in order.
    """

    source: SourceText
    logical: str
    comments: list[tuple[int, int]]


def mask(source: SourceText, language: str) -> Masked:
    """Return the mask of *source*; an unknown language has no strings, and comments that start with ``#``."""
    text = source.text
    comments: list[tuple[int, int]] = []
    if language == "python":

        def blank_python(match: re.Match[str]) -> str:
            start, end = match.span()
            if text[start] == "#":
                comments.append((start, end))
                return " " * (end - start)
            return '"' * (end - start)

        masked = _join_bracketed(_PYTHON_NOISE.sub(blank_python, text).replace("\\\n", "\\ "))
        return Masked(source, "\n" + masked, comments)

    def blank(match: re.Match[str]) -> str:
        start, end = match.span()
        filler = '"' if text[start] in "\"'`r\\" else " "
        if filler == " ":
            comments.append((start, end))
        found = match[0]
        if "\n" not in found:
            return filler * (end - start)
        return _NOT_LINE_BREAK.sub(lambda part: filler * len(part[0]), found)

    known = LANGUAGES.get(language)
    return Masked(source, "\n" + (known.noise if known else _OTHER_NOISE).sub(blank, text), comments)


def _join_bracketed(masked: str) -> str:
    """Turn line breaks inside brackets into spaces; a definition's first line closes brackets left open above it."""
    brackets = masked.encode("ascii", "replace").translate(None, _NOT_BRACKETS)
    lines = masked.split("\n")
    joined: list[str] = []
    done = begin = depth = seen = 0
    for number, line in enumerate(brackets.split(b"\n")):
        if not line:
            continue
        if depth and any(map(_PYTHON_START.match, lines[seen : number + 1])):
            depth = 0
        seen = number + 1
        closing = len(line.translate(None, b"([{"))
        balance = len(line) - 2 * closing
        if not depth and balance > 0:
            begin = number
        elif depth and depth + balance <= 0:
            joined += lines[done:begin]
            joined.append(" ".join(lines[begin : number + 1]))
            done = number + 1
        depth = max(0, depth + balance)
    joined += lines[done:]
    return "\n".join(joined)
