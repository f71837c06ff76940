"""
Denials in a sentence, however they are worded: the sentence as it would affirm, so that one rule reads both.

`no longer listens`, `does not listen any more`, `больше не слушает` deny that something `listens`, `слушает`.
"""

import re

_VERB_AFTER_DO = re.compile(r"\b(?:does not|doesn't) (?:yet |ever |really )?(?P<verb>[a-z]{2,}) ", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:no longer|never|not ever)\s+(?=\w)"
    r"|(?<=\bis )not (?:yet )?(?=\w)|(?<=\bare )not (?:yet )?(?=\w)|(?<=\bis)n't\b|(?<=\bare)n't\b"
    r"|\b(?:(?:уже|вовсе|совсем|вообще|пока|ещё|еще|никогда)\s+)?(?:больше\s+)?не\s+(?:больше\s+)?(?=\w)",
    re.IGNORECASE,
)
_AT_THE_END = re.compile(r"\s+(?:no longer|no more)$", re.IGNORECASE)
_ECHO = re.compile(r"\s+(?:any ?more|any longer|at all|больше|вовсе|совсем)(?=$|\s(?!чем\b|than\b))", re.IGNORECASE)
"""Words that only go with a denial."""

_CEASED = re.compile(
    r"\b(?:has |have |had )?(?:stopped(?= \w+ing\b)|ceased to|ceased(?= \w+ing\b)|quit(?= \w+ing\b))"
    r"|\b(?:перестал[аи]?|прекратил[аи]?)(?= \w+(?:ть|ти|чь)(?:ся)?\b)",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(r"\b(?:but|rather|instead|unless|except|only|а|но|только|кроме|если)\b", re.IGNORECASE)
"""With one of these a sentence says more than a denial."""

DENYING = re.compile(
    r"\b(?:no|not|never|cannot|neither|nor|none|without|hardly|scarcely|barely|не|нет|ни|никогда|нельзя|без|едва)\b|n't\b"
    rf"|{_CEASED.pattern}",
    re.IGNORECASE,
)
"""What denies, or nearly so."""


def affirmed(clause: str) -> tuple[str, bool]:
    """Return *clause* as it would affirm and whether it denies; as it is when it is not plain what is denied."""
    if not DENYING.search(clause) or _OTHERWISE.search(clause):
        return clause, False
    text, count = _VERB_AFTER_DO.subn(lambda match: f"{third_person(match['verb'])} ", clause)
    for pattern in (_DENIED, _AT_THE_END):
        text, more = pattern.subn("", text)
        count += more
    text = _ECHO.sub("", text)
    if count != 1 or DENYING.search(text):
        return clause, False
    return text, True


def plainly_denied(folded: str) -> str:
    """Return a folded text in which `no longer`, `not … any more`, `stopped …ing` and the like are a bare denial."""
    if not DENYING.search(folded):
        return folded
    russian = bool(re.search("[а-я]", folded))
    text = _CEASED.sub("не" if russian else "not", folded)
    text = re.sub(r"\bno longer\b|\bno more$", "not", text)
    text = re.sub(r"\b(?:уже|вовсе|совсем|вообще|пока|больше) (?=(?:больше )?не\b)", "", text)
    text = re.sub(r"\b(?:больше )?не больше (?!чем\b|\d)", "не ", text)
    return _ECHO.sub("", text) if DENYING.search(text) else text


def third_person(verb: str) -> str:
    """Return `expires` of `expire`."""
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"
