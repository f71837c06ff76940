"""What a claim rule finds in a sentence, and the constants that go with its type and rule."""

import re

import attrs

from pckc_domain.model.claim import ClaimType, Polarity

IMPORTANCE = {
    ClaimType.CONSTRAINT: 0.9,
    ClaimType.DECISION: 0.8,
    ClaimType.BUG: 0.7,
    ClaimType.FIX: 0.7,
    ClaimType.TASK: 0.6,
    ClaimType.FACT: 0.6,
    ClaimType.IMPLEMENTATION_DETAIL: 0.5,
    ClaimType.OPEN_QUESTION: 0.5,
}
"""How much a type matters when all else is equal; constants, not measurements."""

EXACT, STATED, READ = 0.95, 0.85, 0.7
"""
Confidences, constants of a rule and not measured probabilities: structured output (`EXACT`), a sentence whose words
name its type (`STATED`: decided, always, bug), a sentence read by its shape alone (`READ`).
"""

NAME_CHARACTERS = r"[\w`'’\"«»./:@#+&-]"
_NAME = rf"{NAME_CHARACTERS}*[\w`'’\"»+#]"
NP = rf"(?P<np>{_NAME}(?: {_NAME}){{0,6}}?)"
"""A noun phrase, as short as the rest of a pattern allows; `subjects.normalize_subject` refuses what is none."""

PREPOSITIONS = (
    "to|in|on|into|onto|at|with|from|for|by|about|under|over|before|after|without"
    "|в|во|на|с|со|из|к|для|по|без|от|о|за|перед"
)
"""Alternatives of a pattern."""


@attrs.frozen(kw_only=True)
class Finding:
    """A claim's content as a rule read it; see `Claim` for the fields."""

    rule: str
    type: ClaimType
    subject: str = ""
    attribute: str = ""
    value: str = ""
    polarity: Polarity = Polarity.POSITIVE
    condition: str = ""
    path: str = ""
    confidence: float = READ
    is_standing: bool = False
    is_event: bool = False


def polarity(is_negative: object) -> Polarity:
    """Return the polarity of a statement whose negation did or did not match."""
    return Polarity.NEGATIVE if is_negative else Polarity.POSITIVE


def type_of_change(lead: str, deed: str) -> ClaimType:
    """
    Return what a change of something is: a fact once it was made, a decision when the speakers are to make it (`let's`,
    `we decided to`, `moving to X`), and a task when somebody is only asked for it.

    Args:
        lead: The words before the verb; ``""`` when there are none.
        deed: From the verb on.
    """
    lead = _COURTESY.sub("", lead)
    if _DECIDES.search(lead):
        return ClaimType.DECISION
    if _PAST.match(deed) or (lead and _SET.match(deed)):
        return ClaimType.FACT
    return ClaimType.DECISION if lead.strip() or _OURS.match(deed) else ClaimType.TASK


_COURTESY = re.compile(r"\b(?:please|пожалуйста)\b,?", re.IGNORECASE)
_DECIDES = re.compile("decided|agreed|let's|let us|решил|договорил|давай", re.IGNORECASE)
_PAST = re.compile(r"[a-z]+ed\b|[а-яё]+л(?:[аи]|ись)?\b", re.IGNORECASE)
_SET = re.compile(r"set\b", re.IGNORECASE)
_OURS = re.compile(r"[a-z]+ing\b|[а-яё]+(?:[иеё]м|мся)\b", re.IGNORECASE)


@attrs.frozen
class Rule:
    """A rule's pattern, tried only on texts that it could match at all: most sentences are about something else."""

    _pattern: re.Pattern[str]
    _words: tuple[str, ...]

    def match(self, text: str) -> re.Match[str] | None:
        """Match at the start of *text*."""
        if self._words:
            lower = text.lower()
            for word in self._words:
                if word in lower:
                    return self._pattern.match(text)
            return None
        return None if text.isascii() else self._pattern.match(text)


def russian(pattern: str) -> Rule:
    """Compile a rule's pattern that holds a Russian word in each of its alternatives."""
    return Rule(compiled(pattern), ())


def worded(pattern: str, *words: str) -> Rule:
    """Compile a rule's pattern; every text that it matches must hold one of *words*, in lower case."""
    return Rule(compiled(pattern), words)


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a rule's pattern: letter case does not matter."""
    return re.compile(pattern, re.IGNORECASE)
