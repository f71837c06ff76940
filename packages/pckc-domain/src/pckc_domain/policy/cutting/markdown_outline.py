"""Prose as blocks: headings, paragraphs, list items, fences, tables, by a line scanner."""

import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

from pckc_domain.policy.cutting.source_text import SourceText


class Markup(Enum):
    """How headings are told."""

    MARKDOWN = "markdown"
    UNDERLINED = "underlined"


class BlockKind(Enum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    QUOTE = "quote"
    FENCE = "fence"
    TABLE = "table"
    FRONT_MATTER = "front_matter"
    COMMENT = "comment"


class Block(NamedTuple):
    """
    A block of lines ``first..last``.

    ``level`` is the level of a heading or the indentation of an item; ``label`` the language of a fence, the number of a
    numbered item, or the text of a heading.
    """

    kind: BlockKind
    first: int
    last: int
    level: int = 0
    label: str = ""


_FENCE = re.compile(r"[ \t]{0,12}(?:[-*+>][ \t]+)?(`{3,}|~{3,})[ \t]*([\w+#.-]*)([^`\n]*)$")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*(?:(?<=[ \t])#+[ \t]*)?$")
_ASCIIDOC = re.compile(r"(={1,6})[ \t]+(\S.*)$")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•–‣]|(\d{1,3})[.)]|\(?([a-zа-я])\))[ \t]+(?=\S)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_UNDERLINE = re.compile(r" {0,3}([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_TABLE = re.compile(r"[ \t]*(?:\||\+[-=+]{2,}|:?-{2,}:?[ \t]*\|)")
_MARKDOWN_UNDERLINES = {"=": 1, "-": 2}
_LONGEST_HEADING = 200
_TITLE = re.compile(r"(?=.{3,80}$)[A-ZА-ЯЁ0-9][\w'’)/-]*(?: [\w'’()/&+:-]+){0,9}$")
_TITLE_LEVEL = 9
"""Titles without a mark are below all marked headings."""


def blocks(source: SourceText, markup: Markup) -> list[Block]:
    """Return the blocks of *source* in order; together they hold every non-blank line once."""
    return list(_scan(source, markup))


def _scan(source: SourceText, markup: Markup) -> Iterator[Block]:
    markdown = markup is Markup.MARKDOWN
    underlines = dict(_MARKDOWN_UNDERLINES) if markdown else {}
    lines = source.text.split("\n")
    count = len(lines)
    at = 0
    if lines[0].rstrip() in ("---", "+++"):
        end = _find(lines, 1, lambda line: line.rstrip() == lines[0].rstrip(), min(count, 200))
        if end < min(count, 200):
            yield Block(BlockKind.FRONT_MATTER, 1, end + 1)
            at = end + 1
    while at < count:
        line = lines[at]
        content = line.strip()
        if not content:
            at += 1
            continue
        start = at
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            mark = fence[1]
            at = _find(lines, at + 1, lambda other: _closes(other, mark), count) + 1  # noqa: B023 - used at once
            yield Block(BlockKind.FENCE, start + 1, min(at, count), label=fence[2].lower())
        elif content.startswith("<!--"):
            at = _find(lines, at, lambda other: "-->" in other, count) + 1
            yield Block(BlockKind.COMMENT, start + 1, min(at, count))
        elif markdown and content[0] == "#" and (heading := _ATX.match(line)):
            yield Block(BlockKind.HEADING, start + 1, start + 1, len(heading[1]), plain(heading[2] or ""))
            at += 1
        elif not markdown and content[0] == "=" and (heading := _ASCIIDOC.match(line)):
            yield Block(BlockKind.HEADING, start + 1, start + 1, len(heading[1]), plain(heading[2]))
            at += 1
        elif _RULE.match(line) or _UNDERLINE.match(line):
            yield Block(BlockKind.COMMENT, start + 1, start + 1)
            at += 1
        elif item := _ITEM.match(line):
            at = _end_of_item(lines, at)
            label = item[2] or item[3] or ""
            yield Block(BlockKind.ITEM, start + 1, at, len(item[1].expandtabs(4)), label)
        elif content[0] in "|+:-" and _TABLE.match(line):
            at = _find(lines, at, lambda other: not _TABLE.match(other) and "|" not in other, count)
            at = max(at, start + 1)
            yield Block(BlockKind.TABLE, start + 1, at)
        elif content[0] == ">":
            at = _find(lines, at, lambda other: not other.lstrip().startswith(">"), count)
            yield Block(BlockKind.QUOTE, start + 1, at)
        elif mark := _underline(lines, at, markdown):
            level = underlines.setdefault(mark, len(underlines) + 1)
            yield Block(BlockKind.HEADING, start + 1, start + 2, level, plain(content))
            at += 2
        else:
            at += 1
            while at < count and not _interrupts(lines, at, markdown):
                at += 1
            if not markdown and at == start + 1 and _is_title(lines, start):
                yield Block(BlockKind.HEADING, at, at, _TITLE_LEVEL, plain(content).rstrip(":"))
            else:
                yield Block(BlockKind.PARAGRAPH, start + 1, at)


def _find(lines: list[str], at: int, wanted: Callable[[str], bool], count: int) -> int:
    """Return the index of the first wanted line from *at* on; *count* when there is none."""
    while at < count and not wanted(lines[at]):
        at += 1
    return at


def _closes(line: str, mark: str) -> bool:
    content = line.strip().lstrip("> ")
    return content.startswith(mark) and not content.strip(mark[0])


def _underline(lines: list[str], at: int, markdown: bool) -> str:
    """Return the character that underlines line *at*; ``""`` when none does."""
    if at + 1 >= len(lines) or len(lines[at]) > _LONGEST_HEADING:
        return ""
    match = _UNDERLINE.match(lines[at + 1])
    if not match or not lines[at].strip() or (at and lines[at - 1].strip() and not _UNDERLINE.match(lines[at - 1])):
        return ""
    if markdown:
        return match[1] if match[1] in _MARKDOWN_UNDERLINES else ""
    return match[1] if len(lines[at + 1].strip()) >= len(lines[at].strip()) - 2 else ""


def _is_title(lines: list[str], at: int) -> bool:
    """Return whether line *at*, a paragraph of its own, reads like the title of what follows."""
    before = at == 0 or not lines[at - 1].strip()
    follows = any(line.strip() for line in lines[at + 1 : at + 4]) and not lines[at + 1].strip()
    return before and follows and _TITLE.match(lines[at]) is not None


def _interrupts(lines: list[str], at: int, markdown: bool) -> bool:
    """Return whether line *at* cannot continue a paragraph or list item."""
    line = lines[at]
    content = line.lstrip()
    if not content:
        return True
    first = content[0]
    if first in "`~" and _FENCE.match(line):
        return True
    if first == "#" and markdown and _ATX.match(line):
        return True
    if first == "<" and content.startswith("<!--"):
        return True
    return first in "-*+•–‣(0123456789" and (_ITEM.match(line) is not None or _RULE.match(line) is not None)


def _end_of_item(lines: list[str], at: int) -> int:
    """Return the index after the item at *at*: its first paragraph, hard-wrapped lines included."""
    at += 1
    while at < len(lines) and not _interrupts(lines, at, markdown=True):
        at += 1
    return at


_IMAGE = re.compile(r"!\[([^\[\]\n]{0,300})\]\([^()\s]{0,2000}(?:[ ]\"[^\"\n]{0,300}\")?\)")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\](?:\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?:[ ]\"[^\"\n]{0,300}\")?\)|\[[^\[\]\n]{0,100}\])")  # fmt: skip
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=\S)([^*\n]{1,1000})(?<=\S)\1(?![\w*])|(?<![\w_])(_{1,3})(?=\S)([^_\n]{1,1000})(?<=\S)\3(?![\w_])")  # fmt: skip
_ROLE = re.compile(r":[\w:+-]{1,30}:`~?([^`<\n]{1,200})(?:[ ]<[^`\n]{0,200}>)?`_{0,2}|`([^`<\n]{1,200})[ ]<[^`\n]{0,300}>`_{1,2}")  # fmt: skip


def plain(text: str) -> str:
    """Return *text* on one line without links, emphasis and tags; code spans keep their backticks."""
    text = " ".join(text.split())
    if "](" in text or "][" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if ":`" in text or ">`" in text:
        text = _ROLE.sub(lambda match: f"`{match[1] or match[2]}`", text)
    if "``" in text:
        text = text.replace("``", "`")
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(lambda match: match[2] or match[4], text)
    if "<" in text:
        text = _TAG.sub("", text)
    return text.strip()


# ruff: noqa: E501 - patterns read better on one line
