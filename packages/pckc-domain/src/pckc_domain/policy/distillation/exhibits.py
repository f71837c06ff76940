"""What is kept as it is: tables and code."""

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import DistilledClaim
from pckc_domain.policy.cutting.markdown_outline import BlockKind, plain
from pckc_domain.policy.cutting.proposition_rules import COMMANDS
from pckc_domain.policy.distillation.pieces import Found, Piece
from pckc_domain.policy.findings import EXACT, READ

_SEPARATOR = re.compile(r"[\s|:+=-]+$")
_FENCE_LINE = re.compile(r"[ \t>]*(?:[-*+>][ \t]+)?(?:`{3,}|~{3,})")
_NO_CODE = frozenset("text txt plain plaintext output log mermaid plantuml markdown md".split())
_CODE_MARK = re.compile(r"[_(){}\[\]=;<>$|]|::|->")
_MARK_SHARE = 0.04
"""Of an indented block's characters from which on it is code: prose may be indented too, and have brackets."""

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MIN_CODE = 8
"""Characters: less is a name, not code."""


def find_table(piece: Piece) -> Iterator[Found]:
    """Yield the table that *piece* is, when it has rows and columns with words or numbers of their own."""
    raw = piece.raw.strip("\n")
    divider = "|" if "|" in raw else "\t"
    rows = [line.strip().strip("|").split(divider) for line in raw.split("\n") if not _SEPARATOR.match(line)]
    if len(rows) < 2 or min(map(len, rows)) < 2 or len(set(map(len, rows))) > 2:
        return
    cells = [cell.strip() for row in rows[1:] for cell in row if cell.strip()]
    if len(cells) < 2 or all(not plain(_LINK.sub("", cell)) for cell in cells):  # a menu in columns
        return
    yield _exhibit(ClaimType.TABLE, raw, piece, piece.raw.index(raw), rule="rules.table", confidence=EXACT)


def find_code(piece: Piece) -> Iterator[Found]:
    """Yield the code of a fenced or indented block."""
    is_fenced = piece.kind is BlockKind.FENCE
    if is_fenced and piece.label in _NO_CODE:
        return
    lines = piece.raw.split("\n")
    if is_fenced:
        last = -1 if len(lines) > 1 and _FENCE_LINE.match(lines[-1]) else len(lines)  # a chunk may end inside
        lines = lines[1:last]
    code = "\n".join(lines).strip("\n").rstrip()
    if len(code.strip()) < _MIN_CODE or not any(character.isalpha() for character in code):
        return
    if not is_fenced and not _looks_like_code(code):
        return
    yield _exhibit(
        ClaimType.CODE,
        code,
        piece,
        piece.raw.index(code),
        rule="rules.code" if is_fenced else "rules.indented",
        confidence=EXACT if is_fenced else READ,
    )


def _looks_like_code(text: str) -> bool:
    marks = len(_CODE_MARK.findall(text))
    return marks >= _MARK_SHARE * len(text) or COMMANDS.match(text.strip().split("\n")[0]) is not None


def is_indented(piece: Piece) -> bool:
    """Return whether *piece* is a paragraph indented as code is."""
    return piece.kind is BlockKind.PARAGRAPH and all(
        line.startswith(("    ", "\t")) for line in piece.raw.split("\n") if line.strip()
    )


def is_tabbed(piece: Piece) -> bool:
    """Return whether *piece* is a paragraph of rows whose cells are divided by tabs."""
    lines = piece.raw.split("\n")
    return piece.kind is BlockKind.PARAGRAPH and len(lines) > 1 and all("\t" in line.strip() for line in lines)


def _exhibit(type: ClaimType, raw: str, piece: Piece, at: int, *, rule: str, confidence: float) -> Found:
    claim = DistilledClaim(type=type, text=raw, quote=raw, subject=piece.heading, confidence=confidence, rule=rule)
    return Found(piece.at + at, claim)
