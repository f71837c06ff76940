"""
Propositions: atomic statements found without a model.

Readers (``code_statements``, ``prose_statements``) find candidates; this module decides which are worth keeping, of which
type, and how far to trust them. Confidence is ``low + (high - low) * min(1, evidence / 3)`` within the type's range;
evidence is the number of distinct words that tell the type (two count at most), plus one when the statement names code
and one when it comes from a place that holds only such statements (a ``raise``, a marked comment, a decision section).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

import attrs

from pckc_domain.model.identity import digest, normalize
from pckc_domain.model.passage import PropositionType
from pckc_domain.policy.proposition_rules import CLASSIFIER, CONFIDENCE, EVIDENCE_FOR_HIGHEST, JUNK

MIN_CHARACTERS = 12
MAX_CHARACTERS = 480
"""A longer statement is cut at a word, with an ellipsis."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_CJK = re.compile("[぀-ヿ㐀-䶿一-鿿가-힯]")
_NAMES_CODE = re.compile(r"`[^`]+`|\w\(\)|[a-z]_[a-z]|[a-z][A-Z]|\w\.\w+\(|--[a-z]")
_PRIORITY = {name: rank for rank, name in enumerate(CLASSIFIER.groupindex)}


class Candidate(NamedTuple):
    """
    A statement as a reader found it.

    Attributes:
        text: Stands alone, on one line.
        first: First source line, from 1.
        last: Last source line, inclusive.
        subject: Symbol or heading; ``""`` when it has none.
        type: When the place tells it; else the words do.
        content: The part of *text* whose words tell the type, when it is not all of it.
        is_typed_only: Drop it when no word tells a type.
    """

    text: str
    first: int
    last: int
    subject: str = ""
    type: PropositionType | None = None
    content: str = ""
    is_typed_only: bool = False


@attrs.frozen
class Statement:
    """A proposition before it has an id; fields as in ``Proposition``."""

    text: str
    first: int
    last: int
    subject: str
    type: PropositionType
    confidence: float
    normalized_hash: str


def select(candidates: Iterable[Candidate]) -> list[Statement]:
    """Return the candidates worth keeping, in order of their lines, each normalised text once."""
    kept: dict[str, Statement] = {}
    for candidate in candidates:
        text = _shortened(candidate.text)
        folded = normalize(candidate.content or text)
        if not _is_worth_keeping(folded):
            continue
        kind, words = classify(folded)
        if kind is None and candidate.is_typed_only:
            continue
        evidence = min(2, words)
        if candidate.type is not None:
            evidence = 1 + (evidence if kind is candidate.type else 0)
            kind = candidate.type
        kind = kind or PropositionType.IMPLEMENTATION_DETAIL
        evidence += _NAMES_CODE.search(candidate.content or text) is not None
        key = digest(normalize(text))
        if key not in kept:
            kept[key] = Statement(
                text, candidate.first, candidate.last, candidate.subject, kind, confidence(kind, evidence), key
            )
    return sorted(kept.values(), key=_position)


def classify(folded: str) -> tuple[PropositionType | None, int]:
    """Return the type that the words of *folded* (normalised text) tell, with the number of distinct such words."""
    best = ""
    found: set[tuple[str, str]] = set()
    for match in CLASSIFIER.finditer(" " + folded):
        group = match.lastgroup or ""
        found.add((group, match[group]))
        if not best or _PRIORITY[group] < _PRIORITY[best]:
            best = group
    if not best:
        return None, 0
    return PropositionType(best), sum(group == best for group, _ in found)


def confidence(kind: PropositionType, evidence: int) -> float:
    """Return the confidence of a statement of *kind* with so many pieces of *evidence*."""
    low, high = CONFIDENCE[kind]
    return round(low + (high - low) * min(1.0, evidence / EVIDENCE_FOR_HIGHEST), 3)


def _position(statement: Statement) -> tuple[int, int]:
    return statement.first, statement.last


def _shortened(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    return text[:MAX_CHARACTERS].rpartition(" ")[0][:MAX_CHARACTERS].rstrip(" ,;:") + " …"


def _is_worth_keeping(folded: str) -> bool:
    """Return whether *folded* has words that say something."""
    if len(folded) < MIN_CHARACTERS:
        return len(_CJK.findall(folded)) >= 5
    words = _WORD.findall(folded[:MAX_CHARACTERS])
    if len(words) < 3 and len(_CJK.findall(folded[:MAX_CHARACTERS])) < 5:
        return False
    if sum(map(len, words)) * 5 < len(folded[:MAX_CHARACTERS]) * 2:
        return False
    if folded.startswith(("http://", "https://")) and " " not in folded:
        return False
    return JUNK.search(folded) is None
