"""Statements in prose: list items, rules, decisions, steps, table rows."""

import re
from collections.abc import Iterator, Sequence

from pckc_domain.model.identity import normalize
from pckc_domain.model.passage import PropositionType
from pckc_domain.policy.cutting.extraction import ANY_TYPE, Candidate
from pckc_domain.policy.cutting.markdown_outline import Block, BlockKind, plain
from pckc_domain.policy.cutting.proposition_rules import COMMANDS, HEADING_TYPES
from pckc_domain.policy.cutting.source_text import SourceText

MAX_CELLS = 8
SENTENCE = re.compile(r"\S(?:[^.!?。！？…]++|[.!?](?!\s|\Z|[\"')\]*_`]+(?:\s|\Z))|\.(?=\s++[a-zа-яё(]))*+(?:[.!?。！？…]++[\"')\]*_`]*+|\Z)")  # fmt: skip
ITEM_MARK = re.compile(r"[ \t]*(?:[-*+•–‣]|\d{1,3}[.)]|\(?[a-zа-я]\))[ \t]+(?:\[[ xX]\][ \t]+)?")
QUOTE_MARK = re.compile(r"(?m)^[ \t]*>[ \t]?(?:\[![A-Z]+\])?")
_SEPARATOR = re.compile(r"[\s|:+=-]+$")
_DIRECTIVE = re.compile(r"\s*(?:\.\. |:\w+:|\[[^\]]+\]:|\[!\[|!\[|@@ |\+\+\+ |diff )")
_DRAWING = re.compile(r"[│┌├└─▼▲↗]|(?m:^[ \t]*[{}\]][ \t]*,?$)")
_KEYED_LINE = re.compile(r"[\w`][\w`/ .-]{0,60}: +\S")
_BADGE = re.compile(r"^(?:!?\[[^\]]*\]\([^)]*\)\s*)+$")


def prose_candidates(source: SourceText, blocks: Sequence[Block], *, title: str) -> Iterator[Candidate]:
    """Yield the statements of a text; *title* is the subject where no heading is."""
    path: list[tuple[int, str]] = []
    subject = title
    by_heading: PropositionType | None = None
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            while path and path[-1][0] >= block.level:
                path.pop()
            path.append((block.level, block.label))
            subject = " > ".join(label for _, label in path[-2:] if label) or title
            by_heading = _type_of_heading(block.label)
            continue
        if block.kind in (BlockKind.FRONT_MATTER, BlockKind.COMMENT):
            continue
        raw = source.lines(block.first, block.last)
        if block.kind is BlockKind.FENCE:
            if by_heading is PropositionType.PROCEDURE and block.label in (
                "",
                "sh",
                "bash",
                "shell",
                "console",
                "text",
            ):
                yield from _commands(raw, block, subject)
        elif block.kind is BlockKind.ITEM:
            yield from _item(raw, block, subject, by_heading)
        elif block.kind is BlockKind.TABLE:
            yield from _rows(raw, block, subject)
        elif "\t" in raw.strip() and raw.count("\n"):
            yield from _rows(raw.replace("\t", "|"), block, subject)
        elif not _DIRECTIVE.match(raw) and not raw.startswith(("    ", "\t")) and not _DRAWING.search(raw):
            yield from _sentences(raw, block, subject, by_heading)


def _type_of_heading(heading: str) -> PropositionType | None:
    folded = normalize(heading)
    for kind, pattern in HEADING_TYPES:
        if pattern.search(folded):
            return kind
    return None


def _item(raw: str, block: Block, subject: str, by_heading: PropositionType | None) -> Iterator[Candidate]:
    text = plain(ITEM_MARK.sub("", raw, count=1))
    if not text or _BADGE.match(text):
        return
    is_step = block.label.isdigit() and by_heading is PropositionType.PROCEDURE
    worded = f"Step {block.label}: {text}" if is_step else text
    kind = by_heading if is_step or by_heading is PropositionType.DECISION else None
    yield Candidate(_headed(worded, subject), block.first, block.last, subject, kind, text)


def _headed(text: str, subject: str) -> str:
    """Put the heading before a statement too short to stand alone."""
    return f"{subject}: {text}" if subject and len(text) < 60 else text


def _rows(raw: str, block: Block, subject: str) -> Iterator[Candidate]:
    """Word each row of a table as ``column: value`` pairs."""
    head: list[str] = []
    for offset, line in enumerate(raw.split("\n")):
        if _SEPARATOR.match(line):
            continue
        cells = [plain(cell) for cell in line.strip().strip("|").split("|")][:MAX_CELLS]
        if not head:
            head = cells
            continue
        pairs = [f"{name}: {cell}" if name else cell for name, cell in zip(head, cells, strict=False) if cell]
        if len(pairs) > 1:
            number = block.first + offset
            yield Candidate("; ".join(pairs), number, number, subject, None, "; ".join(cells))


def _sentences(raw: str, block: Block, subject: str, by_heading: PropositionType | None) -> Iterator[Candidate]:
    if block.kind is BlockKind.QUOTE:
        raw = QUOTE_MARK.sub(lambda match: " " * len(match[0]), raw)
    kind = by_heading if by_heading is PropositionType.DECISION else None
    if "\n" in raw and all(map(_KEYED_LINE.match, raw.split("\n"))):
        for offset, keyed in enumerate(raw.split("\n")):  # a list without marks
            number = block.first + offset
            yield Candidate(_headed(plain(keyed), subject), number, number, subject, kind, plain(keyed))
        return
    line, counted = block.first, 0
    for match in SENTENCE.finditer(raw):
        line += raw.count("\n", counted, match.start())
        counted = match.start()
        text = plain(match[0])
        if not text or _BADGE.match(text):
            continue
        if text[-1] != ":":
            yield Candidate(_headed(text, subject), line, line + match[0].count("\n"), subject, kind, text, ANY_TYPE)


def _commands(raw: str, block: Block, subject: str) -> Iterator[Candidate]:
    """Word each shell command of a fenced block as a step."""
    for offset, line in enumerate(raw.split("\n")[1:], 1):
        command = line.strip()
        if COMMANDS.match(command):
            text = f"{subject}: run `{command.removeprefix('$ ')}`"
            yield Candidate(text, block.first + offset, block.first + offset, subject, PropositionType.PROCEDURE, text)


# ruff: noqa: E501 - patterns read better on one line
