"""Definitions of a source text: from a parser where there is one, else by masked text, braces and indentation."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from pckc_domain.model.code import CodeBlock
from pckc_domain.policy.cutting.code_languages import KINDS, LANGUAGES, LEAD_STARTS, NO_HASH_COMMENTS, Family, Language
from pckc_domain.policy.cutting.masking import Masked
from pckc_domain.policy.cutting.python_outline import MAX_DEPTH, python_definitions
from pckc_domain.policy.cutting.source_text import SourceText

_BRACKETS = re.compile(r"[()\[\]{};]")
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_LONGEST_LEAD = 60


class Definition(NamedTuple):
    """
    A definition and its surroundings.

    ``first`` is the first line of the comments, decorators and attributes directly above it and ``start`` where the
    definition itself begins; both count from 1. ``docstring`` holds the text offsets of a Python docstring.
    """

    kind: str
    name: str
    scope: tuple[str, ...]
    first: int
    start: int
    end: int
    docstring: tuple[int, int] | None = None

    @property
    def qualified_name(self) -> str:
        """Its name with the names around it, dotted."""
        return ".".join((*self.scope, self.name))


def outline(masked: Masked, language: str, *, blocks: Sequence[CodeBlock] | None = None) -> list[Definition]:
    """
    Return the definitions in a text by start line, outer before inner, none deeper than ``MAX_DEPTH``.

    Args:
        masked: The text.
        language: In lower case; an unknown one has no definitions.
        blocks: What a parser found; ``None`` when none knows the language, and patterns decide.
    """
    source = masked.source
    scanned = python_definitions(masked) if language == "python" else []
    if blocks is not None:
        docstrings = {(found.name, found.start): found.docstring for found in scanned}
        return [
            Definition(
                block.kind,
                block.name,
                block.scope,
                _lead(source, block.start_line, language),
                block.start_line,
                min(block.end_line, source.line_count),
                docstrings.get((block.name, block.start_line)),
            )
            for block in blocks
            if len(block.scope) < MAX_DEPTH and block.start_line <= source.line_count
        ]
    if language == "python":
        return [
            Definition(kind, name, scope, _lead(source, start, language), start, end, docstring)
            for kind, name, scope, start, end, docstring in scanned
        ]
    known = LANGUAGES.get(language)
    return _scan(masked, known, language) if known else []


def _lead(source: SourceText, start: int, language: str) -> int:
    """Return the first line of the comments and attributes directly above line *start*."""
    starts = LEAD_STARTS if language in NO_HASH_COMMENTS else (*LEAD_STARTS, "#")
    first = start
    while first > 1 and start - first < _LONGEST_LEAD:
        above = source.line(first - 1).lstrip()
        if not above.startswith(starts) and above != "*":
            break
        first -= 1
    return first


def _scan(masked: Masked, known: Language, language: str) -> list[Definition]:
    source, logical = masked.source, masked.logical
    matches = list(known.definition.finditer(logical))
    ends = _Brackets(logical) if known.family is Family.BRACE else None
    found: list[Definition] = []
    around: list[Definition] = []
    for position, match in enumerate(matches):
        named = {key.rstrip("0123456789"): value for key, value in match.groupdict().items() if value is not None}
        name, word = named["name"], named.get("kind", "function")
        start = source.line_at(match.start())
        while around and around[-1].end < start:
            around.pop()
        if len(around) >= MAX_DEPTH:
            continue
        limit = matches[position + 1].start() if position + 1 < len(matches) else len(logical)
        end_at = ends.end_of_body(match.end(), limit) if ends else None
        indent = len(match[0]) - len(match[0].lstrip()) - 1
        end = _end_by_indent(source, start, indent, around) if end_at is None else source.line_at(end_at)
        kind = KINDS.get(word, word)
        if kind == "function" and around and around[-1].kind != "function":
            kind = "method"
        scope = (*around[-1].scope, around[-1].name) if around else ()
        if "owner" in named:
            kind, scope = "method", (*scope, named["owner"])
        definition = Definition(kind, name or kind, scope, _lead(source, start, language), start, end)
        found.append(definition)
        around.append(definition)
    return found


def _end_by_indent(source: SourceText, start: int, indent: int, around: list[Definition]) -> int:
    """Return the last line before the text is indented by *indent* or less again, with a closing ``end`` or ``}``."""
    last = around[-1].end if around else source.line_count
    end = start
    for number in range(start + 1, last + 1):
        line = source.line(number)
        content = line.lstrip()
        if not content:
            continue
        if len(line) - len(content) <= indent:
            is_closing = content.startswith(("end", "}")) and len(line) - len(content) == indent
            return number if is_closing else end
        end = number
    return end


class _Brackets:
    """The brackets of a mask and their partners."""

    def __init__(self, logical: str) -> None:
        self._offsets: list[int] = []
        self._marks: list[str] = []
        self._partner: dict[int, int] = {}
        opened: list[int] = []
        for index, match in enumerate(_BRACKETS.finditer(logical)):
            mark = match[0]
            self._offsets.append(match.start())
            self._marks.append(mark)
            if mark in "([{":
                opened.append(index)
            elif mark != ";":
                while opened and self._marks[opened[-1]] != _CLOSERS[mark] and mark == "}":
                    opened.pop()  # a brace closes whatever was left open inside it
                if opened and self._marks[opened[-1]] == _CLOSERS[mark]:
                    self._partner[opened.pop()] = index

    def end_of_body(self, at: int, limit: int) -> int | None:
        """Return the text offset where the body of a definition ends whose name ends at *at*; ``None`` if unclear."""
        index = bisect_left(self._offsets, at)
        if index and self._marks[index - 1] == "(" and self._offsets[index - 1] == at - 1:
            index -= 1
        while index < len(self._offsets) and self._offsets[index] < limit:
            mark = self._marks[index]
            partner = self._partner.get(index)
            if mark == ";":
                return self._offsets[index] - 1
            if partner is None:
                return None
            if mark == "{":
                return self._offsets[partner] - 1
            index = partner + 1
        return None
