"""Rules for what is stored where: the store of a kind of data is one. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.findings import NP, STATED, Finding, compiled, polarity, russian, worded
from pckc_domain.policy.subjects import kind_of_value, normalize_subject, normalize_value
from pckc_domain.policy.vocabulary import STORES

STORE = "store"
"""Attribute of data that lies in a database or the like."""

_X = r"(?:the |an? )?(?P<x>[\w`.+-]+(?: [\w`.+-]+){0,2}?)(?: (?:database|db|cluster|bucket|tables?))?"
_END = (
    r"(?:,? (?:instead of|rather than|and not|not|вместо|а не) [\w`.+-]+(?: [\w`.+-]+)?)?(?: instead| again)?"
    r"(?: (?:now|from now on|anymore|any more|everywhere|теперь))?"
    r"(?=\s*(?:$|[.;:!(—–]|,? (?:because|since|so|which|потому|так как|поскольку|чтобы)\b))"
)
_STORED = compiled(
    r"^(?P<lead>(?:(?:(?:the )?team|we all|we|i)(?:'ve| have)? )?(?:finally |just )?(?P<not>(?:decided|agreed) not to )?(?:(?:decided|agreed) to )?|let's |please |"
    r"we(?:'ll| will)? (?:now |currently )?(?P<not2>(?:no longer|don't|do not) )?)"
    rf"(?P<verb>store|keep|save|persist) {NP} in {_X}{_END}"
)
_MOVED = worded(
    rf"^(?P<lead>(?:we|i)(?:'ve| have)? (?:just |now )?|)(?:moved|migrated) {NP} (?:from [\w`.+-]+ )?(?:over )?to {_X}{_END}",
    "moved",
    "migrated",
)
_IS_STORED = worded(
    rf"^{NP} (?:(?:is|are|should be|must be|will be|gets?) (?:now |currently |always )?(?P<not>no longer |not )?(?P<verb>stored|kept|saved|persisted)|(?:now )?(?:lives?|resides?)) in {_X}{_END}",
    "stored",
    "kept",
    "saved",
    "persisted",
    "live",
    "reside",
)
_STORED_RU = russian(
    r"^(?P<lead>(?:мы |команда )?(?:(?:решили|договорились) (?P<not>не )?)?|давай(?:те)? )(?:теперь )?(?P<not2>больше не |не )?"
    rf"(?P<verb>хранить|храним|храни|храните|держать|держим|сохранять|сохраняем) {NP} (?:теперь )?в {_X}{_END}"
)
_IS_STORED_RU = russian(
    rf"^{NP} (?:мы )?(?:теперь |сейчас )?(?P<not>больше не |не )?(?:(?P<verb>хран(?:им|ится|ятся)|держим|сохраня(?:ем|ется|ются))|леж(?:ит|ат)) (?:теперь )?в {_X}{_END}"
)
_TELLS = re.compile(r"(?:we|i|the team)\b|.*?\b(?:храним|держим|сохраняем)\b", re.IGNORECASE)
_DECIDES = re.compile(r".*(?:decided|agreed|let's|will|'ll|решили|договорились|давай)", re.IGNORECASE)
_SAYS_MORE = re.compile(
    r"\b(?:also|too|as well|copy|copies|backups?|cache[ds]?|temporarily|replicas?|mirrors?|некоторые|также|тоже|копи\w+|кэш\w*|кеш\w*|временно|реплик\w+)\b",
    re.IGNORECASE,
)
"""With one of these, what was said of the same data before holds too."""


def find_stores(clause: str, *, by_person: bool) -> Iterator[Finding]:
    """Yield in which store *clause* says that data lies; decisions and orders count only *by_person*."""
    if _SAYS_MORE.search(clause):
        return
    order = _STORED.match(clause) or _STORED_RU.match(clause)
    lead = order["lead"].casefold() if order else ""
    is_told = order is None or bool(_TELLS.match(order[0]) and not _DECIDES.match(lead))
    if not is_told and not by_person:
        return
    match = order or _MOVED.match(clause) or _IS_STORED.match(clause) or _IS_STORED_RU.match(clause)
    if match is None:
        return
    subject, value = normalize_subject(match["np"]), normalize_value(match["x"])
    groups = match.groupdict()
    is_known = kind_of_value(value) in _KINDS or value in STORES
    is_kept = groups.get("verb") and (is_told or _STORES.match(groups["verb"]))
    if not subject or not (is_known or (is_kept and _NAME.fullmatch(match["x"]))):
        return
    yield Finding(
        rule="choice.stored",
        type=ClaimType.FACT if is_told else ClaimType.DECISION,
        subject=subject,
        attribute=STORE,
        value=value,
        polarity=polarity(groups.get("not") or groups.get("not2")),
        confidence=STATED,
    )


_STORES = compiled("stor|persist|хран")
_NAME = re.compile(r"[A-Z]\w*[a-z]\w*")
"""A store's name, whichever it is: what is stored in UTC has a time zone, what lives in Lisbon is no data."""

_KINDS = frozenset({"database", "search engine", "message queue"})
