"""What ends a standing rule: that it need not be kept any more, that what it forbids is allowed, that it is revoked."""

import re
from collections.abc import Iterator

from pckc_domain.model.claim import Claim, ClaimType, Polarity
from pckc_domain.policy.analysis import text_tokens
from pckc_domain.policy.findings import PREPOSITIONS
from pckc_domain.policy.purposes import gerund
from pckc_domain.policy.stop_words import STOP_WORDS
from pckc_domain.policy.subjects import YES, subject_key, topic_key

ALLOWED = "allowed"
"""Attribute of what is forbidden or permitted as such, not as a deed."""

RULE = "rule"
"""Attribute of what a rule is about, whatever the rule says of it."""

MAX_WORDS = 12
"""So many words of a rule without a subject may be what a revocation names."""

MAX_NAME = 3
"""So many words of a rule in a row may name it."""

_STOPPED = re.compile(
    r"\b(?:stop|quit|any ?more|any longer|хватит|перестань(?:те)?|прекрати(?:те)?|больше не|не \w+ больше)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    rf"{_STOPPED.pattern}|^\W*(?:actually|correction|на самом деле|поправка)\b"
    r"|\b(?:no longer|(?<!for )(?<!right )now|again|from now on)\b"
    r"|\b(?:теперь|снова|отныне)\b",
    re.IGNORECASE,
)
"""Words that change what was said before, for good."""

_AT_A_TIME = re.compile(r"(?:before|after|перед|после)\b")
"""What need not be done before one thing may still have to be before another."""

_MUST = "must "
_SMALL_WORDS = frozenset([*PREPOSITIONS.split("|"), "the", "a", "an", "all", "any", "our"])


def is_revocation(claim: Claim) -> bool:
    """Return whether *claim* may end standing rules of other slots: it lets something be, or orders to stop it."""
    if claim.type not in {ClaimType.CONSTRAINT, ClaimType.DECISION} or claim.value != YES or not claim.session_id:
        return False
    if claim.polarity is Polarity.POSITIVE:
        return claim.attribute == ALLOWED or _only_lets(claim)
    return claim.attribute == RULE or _only_lets(claim) or bool(_STOPPED.search(claim.text))


def rule_topics(rule: Claim) -> Iterator[tuple[str, str]]:
    """Yield subject and attribute of the revocations that may mean a standing *rule*; nothing for other claims."""
    if not _is_rule(rule):
        return
    yield from ((name, RULE) for name in _names(rule))
    if rule.subject:
        yield rule.subject, ALLOWED
        for deed in _deeds(rule):
            yield rule.subject, deed
            yield f"{deed} {rule.subject}", RULE
            yield f"{rule.subject} {deed}", RULE  # `the Friday deploys rule`
            yield f"{deed} {rule.subject}", ALLOWED
        yield rule.attribute.split()[0], ALLOWED  # `mocking is fine` is of `never mock the clock`


def ends(revocation: Claim, rule: Claim) -> bool:
    """
    Return whether *revocation* ends *rule* altogether.

    It does so when it says that it holds from then on, and is limited by no more than the rule is (`mocks are fine in
    unit tests` is limited by more than `no mocks`). A permission ends no ban that is limited by how something is done.
    """
    limits, others = _limits(revocation), _limits(rule)
    is_whole = limits <= others and (revocation.polarity is Polarity.NEGATIVE or _manner(rule) <= limits)
    is_lasting = revocation.attribute == RULE or bool(_LASTING.search(revocation.text))
    return is_whole and is_lasting and _is_about(revocation, rule)


def casts_doubt(revocation: Claim, rule: Claim) -> bool:
    """Return whether *revocation* lets be, for some cases or for once, what *rule* demands or forbids in all."""
    if revocation.is_standing and revocation.polarity is Polarity.NEGATIVE:  # a rule of its own, beside the other
        return False
    limits, others = _limits(revocation), _limits(rule)
    is_of_it = limits <= others or others <= limits or not _AT_A_TIME.match(revocation.condition)
    return is_of_it and _is_about(revocation, rule)


def _only_lets(claim: Claim) -> bool:
    return claim.type is ClaimType.CONSTRAINT and not claim.is_standing


def _is_rule(claim: Claim) -> bool:
    is_standing = claim.type is ClaimType.CONSTRAINT and claim.is_standing and bool(claim.session_id)
    return is_standing and (not claim.subject or claim.value == YES)


def _is_about(revocation: Claim, rule: Claim) -> bool:
    is_opposite = revocation.attribute == RULE or revocation.polarity is not rule.polarity
    topic = topic_key(revocation.subject, revocation.attribute)
    return is_opposite and any(topic_key(*one) == topic for one in rule_topics(rule))


def _names(rule: Claim) -> Iterator[str]:
    """Yield what a rule may be called by: words in a row of its subject, of what must be, or else of its text."""
    if not rule.subject:
        words = [word for word in text_tokens(rule.text) if word not in STOP_WORDS][:MAX_WORDS]
        yield from _in_a_row(words)
        return
    yield from _in_a_row(rule.subject.split())
    yield rule.subject
    if rule.attribute.startswith(_MUST):
        yield from _in_a_row(rule.attribute.split()[1:MAX_WORDS])
    else:
        yield rule.attribute.split()[0]


def _in_a_row(words: list[str]) -> Iterator[str]:
    yield from (
        " ".join(words[start : start + count])
        for count in range(1, MAX_NAME + 1)
        for start in range(len(words) - count + 1)
    )


def _deeds(rule: Claim) -> Iterator[str]:
    """Yield the beginnings of what is done to the subject: `add` and `add before` of `add before commit`, `adding`."""
    verb, *rest = rule.attribute.split()
    for said in (verb, gerund(verb)) if verb.isascii() and verb.isalpha() else (verb,):
        yield from (" ".join([said, *rest[:count]]) for count in range(len(rest) + 1))


def _limits(claim: Claim) -> frozenset[str]:
    """Return the telling words of where, when and how alone a claim holds."""
    return _stems(claim.condition) | _manner(claim)


def _manner(claim: Claim) -> frozenset[str]:
    is_deed = claim.subject and not claim.attribute.startswith(_MUST)
    return _stems(claim.attribute.partition(" ")[2]) if is_deed else frozenset()


def _stems(text: str) -> frozenset[str]:
    words = re.split(r"[\s-]+", text)
    return frozenset(subject_key(word) for word in words if word and word not in _SMALL_WORDS)
