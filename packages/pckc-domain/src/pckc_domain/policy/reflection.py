"""Whether the evidence that an agent names for what it wants remembered really says so."""

import re
from datetime import UTC, datetime

from pckc_domain.model.claim import Candidate, ClaimType
from pckc_domain.model.identity import normalize
from pckc_domain.model.reflection import Reflection
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.claim_extraction import extract_candidates
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subgoals import stem, stemmed_tokens
from pckc_domain.policy.subjects import YES, value_key

SHARE = 0.6
"""Share of a text's own words that its evidence must have."""

_DENIAL = re.compile(
    r"\b(?:not|no|never|without|nor|cannot|don't|doesn't|isn't|aren't|won't|can't|didn't|shouldn't|mustn't|stop|avoid|"
    r"не|нет|никогда|нельзя|без)\b",
    re.IGNORECASE,
)


def rule_in(item: Reflection) -> Candidate | None:
    """
    Return the rule, or what ends one, that a constraint's own words state; ``None`` when they are read as none.

    Settled as it is read, it meets what sessions say of the same rule, however the agent named its parts.
    """
    if item.type is not ClaimType.CONSTRAINT:
        return None
    spoken = Event(id="", session_id="", seq=0, kind=EventKind.PROMPT, time=None, text=item.text)
    read = extract_candidates(spoken, (), said_at=datetime(1970, 1, 1, tzinfo=UTC))
    is_rule = len(read) == 1 and read[0].type is ClaimType.CONSTRAINT and read[0].value == YES
    return read[0] if is_rule else None


def why_not_said(text: str, value: str, words: str) -> str:
    """
    Return why *words* do not say what *text* says, ``""`` when they do.

    They do when the text stands in them; or when they hold its value and most of its words, and deny when it denies.
    """
    if not words.strip():
        return "the evidence has no words"
    if normalize(text) in normalize(words):
        return ""
    said = stemmed_tokens([words])
    if value and not stemmed_tokens([value]) <= said and value_key(value) not in value_key(words):
        return f"the evidence does not say {value[:60]!r}"
    wanted = frozenset(word for word in stemmed_tokens([text]) if word not in _IDLE)
    if len(wanted & said) < SHARE * len(wanted) or not wanted:
        return "the evidence says too little of it"
    if bool(_DENIAL.search(text)) is not bool(_DENIAL.search(words)):
        return "one of text and evidence denies, the other does not"
    return ""


def names(subject: str, path: str, words: str) -> bool:
    """Return whether a test's *words* name the subject or file of what it is to prove."""
    said = normalize(words)
    file = path.rsplit("/", 1)[-1].rsplit(".", 1)[0].casefold()
    wanted = [normalize(subject)] if len(subject) > 3 else []
    if file:
        wanted += [path.casefold(), f"test_{file}", f"{file}_test", f"{file}.test.", f"{file}.spec."]
    return any(name in said for name in wanted)


_IDLE = frozenset(stem(word) for word in STOP_WORDS)
