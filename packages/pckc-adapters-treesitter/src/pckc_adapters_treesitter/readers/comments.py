"""Comments: the documentation of what stands below them, and those that say why."""

import re
from collections.abc import Iterable, Sequence

from tree_sitter import Node

from pckc_adapters_treesitter.readers.source import Source

_MARK = re.compile(r"^\W*(WHY|NOTE|IMPORTANT|TODO|FIXME|HACK)\b[:(]?[ \t]*(.*)")
_OPENING = re.compile(r"^\s*(?:/\*[*!]*<?|//+[/!]*<?|\(\*+|\*+/?|#+=?|--+(?:\[\[)?!?|=begin|;+|%+)?[ \t]*")
_TAGS = re.compile(r"</?(?:summary|para|remarks|p)>")
_CLOSING = re.compile(r"[ \t]*(?:\*+/|\]\]|=#|\*\))?\s*$")


class Comments:
    """The comments of a file by the lines they stand on."""

    def __init__(self, source: Source) -> None:
        self._by_last_row: dict[int, tuple[int, str]] = {}
        self._marked: list[tuple[int, int, str, str]] = []
        behind = -1
        for node in source.comments():
            if node.start_byte < behind:  # part of the one before
                continue
            behind = node.end_byte
            self._add(node, source)

    def _add(self, node: Node, source: Source) -> None:
        text = source.text(node)
        first = node.start_point.row
        last = first + text.rstrip("\n").count("\n")
        start = source.bytes.rfind(b"\n", 0, node.start_byte) + 1
        if not source.bytes[start : node.start_byte].removeprefix(b"\xef\xbb\xbf").strip():
            self._by_last_row[last] = (first, text)
        for offset, line in enumerate(text.split("\n")):
            if match := _MARK.match(bare(line)):
                self._marked.append((first + offset + 1, last + 1, match[1], match[2].strip()))

    def doc_above(self, line: int) -> str:
        """Return the first line of the comment that ends right above *line*, or ``""``."""
        row = line - 2
        found = ""
        while row in self._by_last_row:
            first, text = self._by_last_row[row]
            found = next((one for one in map(bare, text.split("\n")) if one), found)
            row = first - 1
        return found

    def rationale(self, spans: Sequence[tuple[int, int]]) -> Iterable[tuple[str, str, int, int]]:
        """
        Yield mark, text, line and the declaration a comment speaks of.

        That is the one right below it, past further comments, or the innermost one around it.

        Args:
            spans: First and last line of every declaration, the file's first.
        """
        last_rows = {first: last for last, (first, _) in self._by_last_row.items()}
        starts: dict[int, int] = {}
        for index, (first, _) in enumerate(spans):
            if index:
                starts.setdefault(first, index)
        for line, last, mark, text in self._marked:
            below = last + 1
            while below - 1 in last_rows:
                below = last_rows[below - 1] + 2
            owner = starts.get(below)
            if owner is None:
                around = [index for index, (first, end) in enumerate(spans) if first <= line <= end]
                owner = max(around, key=lambda index: (spans[index][0], index), default=0)
            yield mark, text, line, owner


def bare(line: str) -> str:
    """Return a line of a comment without the signs that make it one."""
    return _TAGS.sub("", _CLOSING.sub("", _OPENING.sub("", line, count=1), count=1)).strip()
