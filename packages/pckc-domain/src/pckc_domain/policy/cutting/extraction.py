"""
Propositions: atomic statements found without a model.

Readers (``code_statements``, ``prose_statements``) find candidates; this module decides which are worth keeping, of
which type, and how far to trust them. Confidence is ``low + (high - low) * min(1, evidence / 3)`` within the type's
range; evidence is the number of distinct words that tell the type (two count at most), plus one when the statement
names code and one when it comes from a place that holds only such statements (a ``raise``, a marked comment, a
decision section).
"""

import re
import string
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from pckc_domain.model.identity import normalize
from pckc_domain.model.passage import PropositionType
from pckc_domain.policy.cutting.proposition_rules import (
    ASCII_CLASSIFIER,
    CLASSIFIER,
    CONFIDENCE,
    EVIDENCE_FOR_HIGHEST,
    JUNK_START,
    JUNK_WORDS,
    PATTERNS,
)

MIN_CHARACTERS = 12
MAX_CHARACTERS = 480
"""A longer statement is cut at a word, with an ellipsis."""

_LETTERS = string.ascii_lowercase.encode()
_CJK = re.compile("[぀-ヿ㐀-䶿一-鿿가-힯]")
_PRIORITY = {kind: rank for rank, kind in enumerate(PATTERNS)}


ANY_TYPE = frozenset(PropositionType)
"""For a candidate that is only worth keeping when its words tell some type."""


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
        allowed: Drop it unless its words tell one of these types; empty means keep it anyway.
    """

    text: str
    first: int
    last: int
    subject: str = ""
    type: PropositionType | None = None
    content: str = ""
    allowed: frozenset[PropositionType] = frozenset()


class Statement(NamedTuple):
    """A proposition before it has an id; *normalized* is its text as ``normalize`` makes it, unique in a document."""

    text: str
    first: int
    last: int
    subject: str
    type: PropositionType
    confidence: float
    normalized: str


def select(candidates: Iterable[Candidate]) -> list[Statement]:
    """Return the candidates worth keeping, in order of their lines, each normalised text once."""
    kept: dict[str, Statement] = {}
    for candidate in candidates:
        text = _shortened(candidate.text)
        key = normalize(text)
        folded = normalize(candidate.content) if candidate.content else key
        if not _is_worth_keeping(folded, key):
            continue
        kind, words = classify(folded)
        if candidate.allowed and kind not in candidate.allowed:
            continue
        evidence = min(2, words)
        if candidate.type is not None:
            evidence = 1 + (evidence if kind is candidate.type else 0)
            kind = candidate.type
        kind = kind or PropositionType.IMPLEMENTATION_DETAIL
        evidence += _names_code(candidate.content or text)
        if key not in kept:
            trust = _CONFIDENCES[kind][min(evidence, EVIDENCE_FOR_HIGHEST)]
            kept[key] = Statement(text, candidate.first, candidate.last, candidate.subject, kind, trust, key)
    return sorted(kept.values(), key=attrgetter("first", "last"))


def classify(folded: str) -> tuple[PropositionType | None, int]:
    """Return the type that the words of *folded* (normalised text) tell, with the number of distinct such words."""
    pattern, types = ASCII_CLASSIFIER if folded.isascii() else CLASSIFIER
    found: dict[PropositionType, set[str]] = {}
    for match in pattern.finditer(" " + folded):
        found.setdefault(types[(match.lastindex or 1) - 1], set()).add(match[0][1:])
    if not found:
        return None, 0
    kind = min(found, key=_PRIORITY.__getitem__)
    return kind, len(found[kind])


def confidence(kind: PropositionType, evidence: int) -> float:
    """Return the confidence of a statement of *kind* with so many pieces of *evidence*."""
    low, high = CONFIDENCE[kind]
    return round(low + (high - low) * min(1.0, evidence / EVIDENCE_FOR_HIGHEST), 3)


_CONFIDENCES = {
    kind: tuple(confidence(kind, evidence) for evidence in range(EVIDENCE_FOR_HIGHEST + 1)) for kind in PropositionType
}


def _names_code(text: str) -> bool:
    return "`" in text or "_" in text or "()" in text


def _shortened(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    return text[:MAX_CHARACTERS].rpartition(" ")[0][:MAX_CHARACTERS].rstrip(" ,;:") + " …"


def _is_worth_keeping(folded: str, key: str) -> bool:
    """Return whether *folded* has words that say something; *key* may name a subject before them."""
    folded = folded[:MAX_CHARACTERS]
    is_short = len(key) < MIN_CHARACTERS or key.count(" ") < 2 or " " not in folded
    if is_short and len(_CJK.findall(folded)) < 5:
        return False
    if folded.isascii():
        letters = len(folded) - len(folded.encode().translate(None, _LETTERS))
    else:
        letters = sum(map(str.isalpha, folded))
    if letters * 3 < len(folded):
        return False
    if folded.startswith(("http://", "https://")) and " " not in folded:
        return False
    return JUNK_START.match(folded) is None and not any(map(folded.__contains__, JUNK_WORDS))
