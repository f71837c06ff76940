"""Docstrings and doc comments as sentences, in any of the usual styles."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_BLOCK = re.compile(r"[^\S\n]*+(?!\s)[^\n]++(?:\n[^\S\n]*+(?!\s)[^\n]++)*+")
_SENTENCE = re.compile(r"\S(?:[^.!?。！？]++|[.!?](?!\s|\Z)|\.(?=\s++[a-zа-я(]))*+(?:[.!?。！？]++|\Z)")
_SECTION = re.compile(r"(?m)^([ \t]*+)(Raises|Returns|Yields|Throws|Warns)(?::[ \t]*+$|[ \t]*+\n\1-{3,}[ \t]*+$)")
_FIELD = re.compile(r"(?m)^[ \t*]*+[:@](raises?|returns?|throws?|yields?|exception)\b[ \t]*+([\w.]*+)[ \t]*+:?[ \t]*+([^\n]*(?:\n[ \t*]++[^\s:@*][^\n]*)*)")  # fmt: skip
_PARAMETERS = re.compile(r"(?m)^[ \t]*+(?:Args|Arguments|Parameters|Attributes|Example|Examples|Usage|Keyword Args|Note|Notes|Usage)\b[ \t]*+(?::|\n[ \t]*+-{3,})")  # fmt: skip
_NOT_PROSE = re.compile(r"[ \t]*+(?:>>>|\.\. |[:@]\w+|[-=~^*]{3,}|\||\$ |#!)")
_UNDERLINE = re.compile(r"(?m)^[ \t]*+([=~^-])\1{2,}[ \t]*$")
_FIELD_WORDS = {"throws": "raises", "throw": "raises", "exception": "raises", "raise": "raises", "return": "returns"}


class Sentence(NamedTuple):
    """
    A sentence of a docstring.

    ``start`` and ``end`` are offsets in it. ``role`` is "summary" for the first sentence, "raises" or "returns" for
    what a section or field says of them, else "text".
    """

    start: int
    end: int
    text: str
    role: str


def first_sentence(raw: str) -> Sentence | None:
    """Return the first sentence of *raw*, a docstring without its quotes."""
    block = _BLOCK.search(raw)
    if block is None or _NOT_PROSE.match(raw, block.start()):
        return None
    sentence = _SENTENCE.search(raw, block.start(), block.end())
    if sentence is None:
        return None
    return Sentence(*sentence.span(), one_line(sentence[0]), "summary")


def further_sentences(raw: str, at: int) -> Iterator[Sentence]:
    """Yield what *raw* says behind the offset *at*: sentences, and entries of Raises and Returns sections."""
    sections = list(_SECTION.finditer(raw, at)) if "\n" in raw else []
    taken: list[tuple[int, int]] = []
    for match in sections:
        end = _end_of_section(raw, match.end(), len(match[1]))
        taken.append((match.start(), end))
        yield from _entries(raw, match.end(), end, "raises" if match[2] in ("Raises", "Throws") else "returns")
    for match in _FIELD.finditer(raw, at) if ":" in raw or "@" in raw else ():
        word = _FIELD_WORDS.get(match[1], match[1])
        text = one_line(f"{match[2]}: {match[3]}" if match[2] and word == "raises" else match[2] + " " + match[3])
        yield Sentence(match.start(), match.end(), text, "raises" if word == "raises" else "returns")
    if "===" in raw or "---" in raw or "~~~" in raw:
        raw = _UNDERLINE.sub(lambda match: " " * len(match[0]), raw)
    parameters = _PARAMETERS.search(raw, at)
    limit = min([parameters.start() if parameters else len(raw), *(start for start, _ in taken)])
    for block in _BLOCK.finditer(raw, at, limit):
        if _NOT_PROSE.match(raw, block.start()):
            continue
        for sentence in _SENTENCE.finditer(raw, block.start(), block.end()):
            if not _NOT_PROSE.match(sentence[0]) and not sentence[0].endswith(":"):
                yield Sentence(*sentence.span(), one_line(sentence[0]), "text")


def one_line(text: str) -> str:
    """Return *text* on one line, without the marks of reStructuredText roles and doc comment margins."""
    text = " ".join(text.split())
    if text[:1] in "-*•":
        text = text.lstrip("-*• ")
    if "``" in text:
        text = text.replace("``", "`")
    if ":`" in text:
        text = re.sub(r":[\w:+-]{1,30}:`~?([^`<]{1,200})`", r"`\1`", text)
    return text


def _end_of_section(raw: str, at: int, indent: int) -> int:
    """Return where the lines indented below the heading of a section end."""
    end = re.compile(rf"\n[ \t]{{0,{indent}}}(?=[^\s-])").search(raw, at + 1)
    return end.start() if end else len(raw)


def _entries(raw: str, start: int, end: int, role: str) -> Iterator[Sentence]:
    """Yield the entries of a section: the lines of least indentation, each with those indented below it."""
    entry_start = entry_end = -1
    least = 1_000
    at = start
    for line in raw[start:end].split("\n"):
        content = line.strip()
        indent = len(line) - len(line.lstrip())
        if content and not content.startswith("---"):
            if entry_start < 0 or (indent <= least and role == "raises"):
                if entry_start >= 0:
                    yield Sentence(entry_start, entry_end, one_line(raw[entry_start:entry_end]), role)
                entry_start, least = at + indent, indent
            entry_end = at + len(line.rstrip())
        at += len(line) + 1
    if entry_start >= 0:
        yield Sentence(entry_start, entry_end, one_line(raw[entry_start:entry_end]), role)


# ruff: noqa: E501 - patterns read better on one line
