"""Rules for who looks after what: `Alice owns the billing module`. English and Russian."""

# ruff: noqa: E501  # patterns read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.denials import affirmed
from pckc_domain.policy.findings import NP, STATED, Finding, polarity, russian, worded
from pckc_domain.policy.subjects import kind_of_value, normalize_subject, normalize_value
from pckc_domain.policy.vocabulary import PLATFORMS, STORES

OWNER = "owner"
"""Attribute of what somebody looks after."""

_TEAM = r"(?:the |our )?(?:(?!(?:the|our|my|this|that|whole|entire|other|same)\b)[\w-]+ ){1,2}(?:team|squad|guild)"
_NAME = r"(?:@[\w-]+|(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?))"
_WHO = rf"(?P<who>{_TEAM}|{_NAME})"
_ADVERB = r"(?:now |currently |still |also )?"
_END = r"(?=\s*(?:$|[.;:!(—–]|,? (?:now|not|from now on|today|because|since|so|теперь|а не|не)\b))"
_OWNS = worded(
    rf"^{_WHO} {_ADVERB}(?:owns?|(?:is|are) {_ADVERB}(?:the owners? of|responsible for|in charge of)) (?=the |our |`){NP}{_END}",
    "own",
    "responsible",
    "in charge",
)
_MAINTAINS = worded(rf"^(?P<who>{_TEAM}) {_ADVERB}maintains? {NP}{_END}", "maintain")
_OWNED = worded(
    rf"^{NP} (?:(?:is|are) {_ADVERB}owned by {_WHO}|(?:(?:is|are) {_ADVERB}maintained by|{_ADVERB}belongs? to) (?P<team>{_TEAM})){_END}",
    "owned",
    "maintained",
    "belong",
)
_WHO_RU = r"(?P<who>команд\w+ [\w-]+|@[\w-]+|(?-i:[А-ЯЁ][а-яё]+(?: [А-ЯЁ][а-яё]+)?))"
_PART = r"(?:модул|сервис|проект|репозитори|компонент|пакет|библиотек|бэкенд|фронтенд|подсистем|раздел)"
_ANSWERS_RU = russian(rf"^за {NP} (?:у нас )?(?:теперь |сейчас )?отвечает (?:теперь )?{_WHO_RU}{_END}")
_OWNED_RU = russian(rf"^{NP} (?:у нас )?(?:теперь |сейчас )?(?:вед[её]т|поддерживает) (?:теперь )?{_WHO_RU}{_END}")
_OWNS_RU = russian(rf"^{_WHO_RU} (?:теперь |сейчас )?отвечает за (?={_PART}){NP}{_END}")
_MISHAP = re.compile(
    r"\b(?:outage|incident|crash|bug|failure|problem|mess|delay|issue|regression|leak|downtime|error|mistake|breakage)(?:s|es)?$"
    r"|^(?:паден|сбо[йя]|ошибк|авари|баг|инцидент|проблем|задержк|косяк)"
)
"""For one of these somebody is to blame."""

_NOBODY = frozenset("nobody everybody somebody anybody noone none whoever никто кто".split())


def find_owners(clause: str) -> Iterator[Finding]:
    """Yield who *clause* says owns a part of the project: somebody by name, or a team."""
    stated, is_denied = affirmed(clause)
    patterns = (_OWNS, _MAINTAINS, _OWNED, _ANSWERS_RU, _OWNED_RU, _OWNS_RU)
    match = next(filter(None, (pattern.match(stated) for pattern in patterns)), None)
    if match is None:
        return
    who = match["who"] or match.groupdict()["team"]
    subject, value = normalize_subject(match["np"]), normalize_value(who)
    is_tool = bool(kind_of_value(value)) or value in PLATFORMS or value in STORES
    is_somebody = bool(normalize_subject(who)) and _NOBODY.isdisjoint(value.split())
    is_part = bool(subject) and not re.match(r"\d", subject) and not _MISHAP.search(subject)
    if is_part and is_somebody and not is_tool:
        yield Finding(
            rule="owner.is",
            type=ClaimType.FACT,
            subject=subject,
            attribute=OWNER,
            value=value,
            polarity=polarity(is_denied),
            confidence=STATED,
        )
