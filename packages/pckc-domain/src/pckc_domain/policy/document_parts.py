"""The parts of a text: what stands under each heading of Markdown, and paragraphs where there is no heading."""

from collections.abc import Iterator, Sequence

from pckc_domain.model.source import SourcePart
from pckc_domain.policy.cutting.markdown_outline import Block, BlockKind, Markup, blocks
from pckc_domain.policy.cutting.source_text import SourceText

LONGEST_NAME = 160
"""Characters of a heading or title that a place keeps."""


def markdown_parts(text: str) -> tuple[SourcePart, ...]:
    """
    Return the parts of Markdown in order: a paragraph each before the first heading, then one for each heading.

    A heading with nothing of its own below it has no part; the headings under it name it.
    """
    source = SourceText(text)
    found = blocks(source, Markup.MARKDOWN)
    starts = [block for block in found if block.kind is BlockKind.HEADING and block.label]
    first = starts[0].first if starts else source.line_count + 1
    parts = list(_paragraphs(source, [block for block in found if block.first < first], first - 1))
    names = _Names()
    path: list[tuple[int, str]] = []
    for at, heading in enumerate(starts):
        path = [(level, name) for level, name in path if level < heading.level]
        path.append((heading.level, one_line(heading.label)))
        last = starts[at + 1].first - 1 if at + 1 < len(starts) else source.line_count
        if source.trim(heading.last + 1, last):
            place = names.unused("heading=" + " > ".join(name for _, name in path))
            parts.append(SourcePart(place=place, text=source.lines(heading.first, last).strip("\n")))
    return tuple(parts) or text_parts(text)


def text_parts(text: str) -> tuple[SourcePart, ...]:
    """Return the paragraphs of plain text, which blank lines part."""
    source = SourceText(text)
    return tuple(_paragraphs(source, [], source.line_count))


def title_of_markdown(text: str) -> str:
    """Return the first heading of the highest level; ``""`` when there is none."""
    headings = [block for block in blocks(SourceText(text), Markup.MARKDOWN) if block.kind is BlockKind.HEADING]
    return one_line(min(headings, key=lambda block: block.level).label) if headings else ""


def with_unique_places(parts: Sequence[SourcePart]) -> tuple[SourcePart, ...]:
    """Return *parts* with `` (2)``, `` (3)`` … behind places that stood before."""
    names = _Names()
    return tuple(SourcePart(place=names.unused(part.place), text=part.text) for part in parts)


def one_line(name: str) -> str:
    """Return *name* as a place holds it: on one line, not too long."""
    name = " ".join(name.split())
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1].rstrip() + "…"


def _paragraphs(source: SourceText, found: Sequence[Block], last: int) -> Iterator[SourcePart]:
    """Yield the runs of lines up to *last* that a blank line outside of fences and the like parts."""
    inner = {line for block in found for line in range(block.first, block.last)}
    start = number = 0
    for line in range(1, last + 2):
        blank = line > last or (not source.line(line).strip() and line not in inner)
        if blank and start:
            number += 1
            yield SourcePart(place=f"paragraph={number}", text=source.lines(start, line - 1))
            start = 0
        elif not blank and not start:
            start = line


class _Names:
    """Names that were given out."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._counts: dict[str, int] = {}

    def unused(self, name: str) -> str:
        """Return *name*, with a number behind it when it was given out before."""
        candidate = name
        while candidate in self._seen:
            self._counts[name] = self._counts.get(name, 1) + 1
            candidate = f"{name} ({self._counts[name]})"
        self._seen.add(candidate)
        return candidate
