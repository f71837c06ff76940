"""Whether what was read from a text stands there: the check of what a model answers."""

import re

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import DistilledClaim, SourceChunk
from pckc_domain.model.identity import normalize
from pckc_domain.model.verdict import VerdictKind
from pckc_domain.policy.analysis import text_tokens
from pckc_domain.policy.cutting.prose_statements import SENTENCE
from pckc_domain.policy.judging.judge import MAX_CHARACTERS, compare
from pckc_domain.policy.judging.reading import read
from pckc_domain.policy.judging.words import key
from pckc_domain.policy.redaction import tells_secret
from pckc_domain.policy.source_lines import find_quote
from pckc_domain.policy.stop_words import STOP_WORDS

MIN_CHARACTERS = 8
"""Of a quote, white space aside: what is shorter stands everywhere and vouches for nothing."""

_NAME = re.compile(r"\W*[\w.'’-]+\W*")
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
EXHIBITS = frozenset({ClaimType.CODE, ClaimType.TABLE, ClaimType.LOGICAL_RULE})
"""Types of claims that show what stands there, and tell it in no words."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def as_quoted(quote: str, text: str) -> str | None:
    """Return *quote* as *text* has it, letter for letter, white space aside; ``None`` when it is not there."""
    if sum(map(len, quote.split())) < MIN_CHARACTERS:
        return None
    span = find_quote(text, quote.strip())
    return text[slice(*span)] if span else None


def why_unsupported(claim: DistilledClaim, chunk: SourceChunk) -> str:
    """Return why the quote of *claim*, which stands in *chunk*, does not vouch for it; ``""`` when it may."""
    around = f"{claim.quote} {chunk.heading} {chunk.title}"
    known = set(_NUMBER.findall(around))
    if _NAME.fullmatch(claim.quote):
        return "its quote is one word, which says nothing"
    if not set(_NUMBER.findall(claim.text)) <= known:
        return "it names a number that its quote does not have"
    if _has_value(claim) and normalize(claim.value) not in normalize(around):
        return "its value does not stand in its quote"
    if claim.type in EXHIBITS:
        return ""
    if tells_secret(claim.text) or tells_secret(claim.value):
        return "what it tells is a secret"
    if compare(claim.text, claim.quote).kind is VerdictKind.CONTRADICTS or not _agree_in_denial(claim):
        return "its quote says the opposite"
    if not _speak_of_one_thing(claim.text, around):
        return "its quote speaks of something else"
    return ""


def _has_value(claim: DistilledClaim) -> bool:
    """Return whether *claim* has a value of its own: a rule's is its form, a definition's may be its text."""
    return bool(claim.value) and claim.type is not ClaimType.LOGICAL_RULE and claim.value != claim.text


def _agree_in_denial(claim: DistilledClaim) -> bool:
    """Return whether a sentence of the quote affirms where *claim* does, or denies where it does."""
    said = read(claim.text[:MAX_CHARACTERS])
    quoted = [read(match[0]) for match in SENTENCE.finditer(claim.quote[:MAX_CHARACTERS])]
    return not quoted or any(one.has_denial is said.has_denial or one.is_denied is said.is_denied for one in quoted)


def _speak_of_one_thing(text: str, around: str) -> bool:
    """Return whether both share a word; of two languages nothing is known."""
    if _is_russian(text) is not _is_russian(around):
        return True
    words, others = (
        frozenset(key(word) for word in text_tokens(one) if word not in STOP_WORDS) for one in (text, around)
    )
    return not words or not words.isdisjoint(others)


def _is_russian(text: str) -> bool:
    return _CYRILLIC.search(text) is not None
