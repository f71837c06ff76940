"""The definitions of a syntax tree."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pckc_domain.model.code import CodeBlock
from tree_sitter import Node

from pckc_adapters_treesitter.parsing import Match

MAX_DEPTH = 40
"""Definitions nested deeper are part of the one around them."""

_OWNERS = frozenset("actor class enum extension impl interface object protocol record struct trait union".split())
"""Kinds whose functions are methods."""

_QUALIFIED = re.compile(r"::(?!(?:(?!operator)[^<])*>)")
"""Parts a name such as ``shop::Cart<std::string>::add``, but not inside angle brackets."""

_NEXT = re.compile(rb"\s*")
_LONGEST_NAME = 200


class _Found(NamedTuple):
    kind: str
    name: Node
    node: Node
    owners: Sequence[Node]
    pattern: int


def code_blocks(matches: Sequence[Match], source: bytes) -> list[CodeBlock]:
    """Return the definitions that *matches* mark in *source* by start line, outer before inner."""
    starts = dict(_starts_with_leads(matches, source))
    blocks: list[CodeBlock] = []
    around: list[tuple[_Found, CodeBlock]] = []
    for found in _definitions(matches):
        while around and not _is_inside(found.node, around[-1][0].node):
            around.pop()
        if len(around) >= MAX_DEPTH:
            continue
        outer = around[-1][1] if around else None
        *qualifiers, name = _QUALIFIED.split(_text(found.name, source))
        owners = [part for owner in found.owners for part in _QUALIFIED.split(_text(owner, source))]
        scope = (*outer.scope, outer.name) if outer else ()
        block = CodeBlock(
            kind="method" if found.kind == "function" and outer and outer.kind in _OWNERS else found.kind,
            name=name[:_LONGEST_NAME],
            scope=(*scope, *(part.partition("<")[0] for part in (*owners, *qualifiers))),
            start_line=starts.get(found.node.start_byte, found.node.start_point.row + 1),
            end_line=_last_line(found.node),
        )
        blocks.append(block)
        around.append((found, block))
    return blocks


def _definitions(matches: Sequence[Match]) -> list[_Found]:
    """Return what is defined, outer before inner; of several matches of one name the widest counts, then the first."""
    widest: dict[int, _Found] = {}
    for pattern, captures in matches:
        names = captures.get("name")
        if not names or names[0].start_byte == names[0].end_byte:  # the parser put in what is missing in the text
            continue
        for capture, nodes in captures.items():
            if capture.startswith("definition."):
                kind = capture.removeprefix("definition.")
                owners = sorted(captures.get("scope", ()), key=_start)
                found = _Found(kind, names[0], nodes[0], owners, pattern)
                known = widest.get(names[0].start_byte)
                if known is None or _rank(found) < _rank(known):
                    widest[names[0].start_byte] = found
    return sorted(widest.values(), key=lambda found: (found.node.start_byte, -found.node.end_byte))


def _rank(found: _Found) -> tuple[int, int]:
    return found.node.start_byte - found.node.end_byte, found.pattern


def _is_inside(inner: Node, outer: Node) -> bool:
    return inner.end_byte <= outer.end_byte and inner.byte_range != outer.byte_range


def _starts_with_leads(matches: Sequence[Match], source: bytes) -> Iterator[tuple[int, int]]:
    """Yield the byte right behind attributes, and the line on which the first of them begins."""
    leads = sorted((node for _, captures in matches for node in captures.get("lead", ())), key=_start)
    behind, first = -1, 0
    for lead in leads:
        if lead.start_byte != behind:
            first = lead.start_point.row + 1
        blank = _NEXT.match(source, lead.end_byte)
        behind = blank.end() if blank else lead.end_byte
        yield behind, first


def _start(node: Node) -> int:
    return node.start_byte


def _last_line(node: Node) -> int:
    """Return its last line; a node that ends with a line break ends on the line before."""
    row, column = node.end_point
    return max(row + 1 - (column == 0), node.start_point.row + 1)


def _text(node: Node, source: bytes) -> str:
    return " ".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())
