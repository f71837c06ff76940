"""Sentences that put a value into a slot, read by the rules for what is said in sessions."""

import re

from pckc_domain.model.claim import ClaimType, Polarity
from pckc_domain.model.distillation import DistilledClaim
from pckc_domain.policy.choice_rules import find_choices
from pckc_domain.policy.denials import DENYING
from pckc_domain.policy.distillation.pieces import Found, Sentence
from pckc_domain.policy.distillation.skipping import speaks_to_someone
from pckc_domain.policy.findings import Finding
from pckc_domain.policy.reading import strip_lead
from pckc_domain.policy.sentences import own_words, split_condition
from pckc_domain.policy.setting_rules import PLAIN_VALUE, find_settings
from pckc_domain.policy.spelling import with_apostrophes
from pckc_domain.policy.subjects import VALUE, kind_of_value

_TYPES = frozenset({ClaimType.FACT, ClaimType.IMPLEMENTATION_DETAIL})
"""A document's orders (`set the port to 80`) are instructions to its reader, nobody's decision here."""

_UNLINKED = re.compile(
    r"(?=.*[а-яё])(?!.*(?:[—–=:]| - |\b(?:это|равен|равна|равно|равны|теперь|стал|стала|стало)\b))", re.IGNORECASE
)
"""Russian that links nothing: `Версия 2.0 вышла 1 мая 2024` puts no value into a slot."""

_DEFAULT = re.compile(r"^(?P<what>\S+(?: \S+){0,4}) defaults? to (?P<value>.+)$", re.IGNORECASE)
_KEYED = re.compile(rf"^(?P<key>[\w`][\w` ./-]{{0,60}}?)\s?[:=]\s?(?P<value>{PLAIN_VALUE})$", re.IGNORECASE)

_CONTRAST = re.compile(r",? (?:and )?(?:not|rather than|а не) [^,]+$", re.IGNORECASE)
"""`The port is 80, not 81`."""


def find_fact(sentence: Sentence) -> Found | None:
    """Return the fact that *sentence* states, without limits; ``None`` when no rule is sure."""
    finding = read_fact(sentence.text)
    if finding is None:
        return None
    claim = DistilledClaim(
        type=finding.type,
        text=sentence.text,
        quote=sentence.raw,
        subject=finding.subject,
        attribute=finding.attribute,
        value=finding.value,
        polarity=finding.polarity,
        confidence=finding.confidence,
        rule=f"rules.{finding.rule}",
    )
    return Found(sentence.at, claim)


def read_fact(text: str) -> Finding | None:
    """Return what *text*, a sentence, puts into which slot; ``None`` when no rule is sure."""
    if speaks_to_someone(text):
        return None
    clause, condition = split_condition(strip_lead(own_words(with_apostrophes(text))))
    if condition:
        return None
    clause = _worded(clause.rstrip(" .!"))
    findings = tuple(find_settings(clause)) or tuple(find_choices(clause, by_person=False))
    if len(findings) != 1 or findings[0].type not in _TYPES:
        return None
    if findings[0].polarity is Polarity.POSITIVE and DENYING.search(_CONTRAST.sub("", clause)):
        return None  # it denies something, and no rule is sure what
    if findings[0].rule == "setting.is" and (_UNLINKED.match(clause) or not _is_plain_value(findings[0], clause)):
        return None
    return findings[0] if findings[0].subject and findings[0].attribute and findings[0].value else None


def _is_plain_value(finding: Finding, clause: str) -> bool:
    """Return whether a value is one by its form: of `absent claims are stale` nothing is a setting."""
    value = finding.value
    return (
        finding.attribute != VALUE
        or value in ("on", "off")
        or any(map(str.isdigit, value))
        or bool(kind_of_value(value))
        or "/" in value
        or "_" in finding.subject
        or _is_name(value, clause)
    )


def _is_name(value: str, clause: str) -> bool:
    at = clause.casefold().rfind(value)
    return at >= 0 and clause[at].isupper() and value not in ("none", "null")


def _worded(clause: str) -> str:
    """Return *clause* in the form that the rules know: `X defaults to 5` and `X: 5` as `… X is 5`."""
    if default := _DEFAULT.match(clause):
        what = re.sub(r"^(?:the|an?) ", "", default["what"], flags=re.IGNORECASE)
        return f"default {what} is {default['value']}"
    if keyed := _KEYED.match(clause):
        return f"{keyed['key']} is {keyed['value']}"
    return clause
