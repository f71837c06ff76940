"""A text and its lines: exact line ranges without copying lines."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, count
from operator import add
from typing import NamedTuple

from pckc_domain.policy.tokens import count_tokens


class Span(NamedTuple):
    """Lines ``first..last`` from 1, inclusive; *text* is shorter than them only where one huge line is cut."""

    first: int
    last: int
    text: str


class SourceText:
    """A text with its line index; a line ends at ``\\n`` and nowhere else."""

    __slots__ = ("_starts", "line_count", "text")

    def __init__(self, text: str) -> None:
        lengths = list(map(len, text.split("\n")))
        self.text = text
        self.line_count = len(lengths)
        self._starts: list[int] = list(map(add, accumulate(lengths, initial=0), count()))

    def line_at(self, offset: int) -> int:
        """Return the line, from 1, that holds the character at *offset*."""
        return min(bisect_right(self._starts, offset), self.line_count)

    def start_of(self, line: int) -> int:
        """Return the offset of the first character of *line*; that of the line after the last ends the text."""
        return self._starts[line - 1]

    def end_of(self, line: int) -> int:
        """Return the offset behind the last character of *line*, its line break excluded."""
        return self._starts[line] - 1

    def line(self, number: int) -> str:
        """Return one line without its line break."""
        return self.text[self._starts[number - 1] : self._starts[number] - 1]

    def lines(self, first: int, last: int) -> str:
        """Return the lines ``first..last`` joined by newlines."""
        return self.text[self._starts[first - 1] : self._starts[last] - 1]

    def trim(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the range without its blank lines at both ends; ``None`` when every line is blank."""
        if first > last:
            return None
        text = self.lines(first, last)
        lead = len(text) - len(text.lstrip())
        if lead == len(text):
            return None
        tail = len(text.rstrip())
        return first + text.count("\n", 0, lead), last - text.count("\n", tail)

    def pieces(self, first: int, last: int, *, max_tokens: int, max_lines: int) -> Iterator[Span]:
        """
        Yield non-blank spans that tile the range in order, each within both limits.

        A cut falls on a blank line in the second half of a piece when there is one. A line above *max_tokens* is cut
        into spans that share its line number.
        """
        while first <= last:
            end = self._fitting(first, min(last + 1, first + max_lines), max_tokens)
            if end == first:
                yield from _windows(first, self.line(first), max_tokens)
                first += 1
                continue
            if end <= last:
                end = self._gap(first, end)
            trimmed = self.trim(first, end - 1)
            if trimmed:
                yield Span(*trimmed, self.lines(*trimmed))
            first = end

    def _fitting(self, first: int, end: int, max_tokens: int) -> int:
        """Return the highest line up to *end* before which the lines from *first* on have at most *max_tokens*."""
        characters = self._starts[end - 1] - self._starts[first - 1]
        # a token has at most five characters: what is longer need not be counted as a whole
        if characters <= max_tokens * 5 and count_tokens(self.lines(first, end - 1)) <= max_tokens:
            return end
        tokens = 0
        for number in range(first, end):
            tokens += count_tokens(self.line(number)) + 1
            if tokens > max_tokens:
                return number
        return end

    def _gap(self, first: int, end: int) -> int:
        """Return the last blank line before *end* in the second half of the piece, else *end*."""
        for number in range(end, (first + end) // 2, -1):
            line = self.line(number)
            if not line or line.isspace():
                return number
        return end


def _windows(number: int, line: str, max_tokens: int) -> Iterator[Span]:
    """Cut one line into spans of at most *max_tokens*."""
    at = 0
    while at < len(line):
        size = max_tokens * 5
        while (tokens := count_tokens(line[at : at + size])) > max_tokens:
            size = max(1, min(size - 1, size * max_tokens // tokens))
        text = line[at : at + size]
        if not text.isspace():
            yield Span(number, number, text)
        at += size
