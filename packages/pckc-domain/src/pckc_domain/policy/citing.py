"""Whether what was read from a text stands there: the check of what a model answers."""

import re

from pckc_domain.model.distillation import DistilledClaim, SourceChunk
from pckc_domain.model.identity import normalize
from pckc_domain.model.verdict import VerdictKind
from pckc_domain.policy.judging import compare

MIN_CHARACTERS = 8
"""Of a quote, white space aside: what is shorter stands everywhere and vouches for nothing."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def find_quote(quote: str, text: str) -> str | None:
    """Return *quote* as *text* has it, letter for letter, white space aside; ``None`` when it is not there."""
    words = quote.split()
    if sum(map(len, words)) < MIN_CHARACTERS:
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    return match[0] if match else None


def why_unsupported(claim: DistilledClaim, chunk: SourceChunk) -> str:
    """Return why the quote of *claim*, which stands in *chunk*, does not vouch for it; ``""`` when it may."""
    around = f"{claim.quote} {chunk.heading} {chunk.title}"
    known = set(_NUMBER.findall(around))
    if not set(_NUMBER.findall(claim.text)) <= known:
        return "it names a number that its quote does not have"
    if claim.value and normalize(claim.value) not in normalize(around):
        return "its value does not stand in its quote"
    if compare(claim.text, claim.quote).kind is VerdictKind.CONTRADICTS:
        return "its quote says the opposite"
    return ""
