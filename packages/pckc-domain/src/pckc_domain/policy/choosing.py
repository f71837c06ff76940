"""The claim that a thing is chosen or used, or is no longer, in the slot that it fills."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import Candidate, ClaimType, Polarity
from pckc_domain.policy.changes import IN_USE, USES
from pckc_domain.policy.findings import STATED, Finding, polarity
from pckc_domain.policy.subjects import (
    PROJECT_WORDS,
    VALUE,
    VERSION,
    YES,
    beside_kind,
    kind_of_value,
    named_version,
    names_kind,
    normalize_subject,
    normalize_value,
)
from pckc_domain.policy.vocabulary import ALSO_OF_KIND, ATTRIBUTES

_PURPOSE = re.compile(
    r"(?:\w+ ){0,2}(?:\w{3,}ing|\w+(?:ation|ance)|cache|caches|logs|tests|queues|ci|docs|auth|builds|storage|search|metrics|sessions|"
    r"deployments?|deploys|деплоя|http|requests|state|styles|charts|icons|e2e|migrations|jobs|background jobs|"
    r"[а-яё]+ [а-яё]+(?:[аяуе]й(?:те)?|[еи]м|ём|и(?:те)?)|\w+(?:ания|ения|ации|ирования)|тестов|логов|кеша|кэша|поиска|очередей|сборки|метрик|сессий|документации)"
)
_MORE = re.compile(
    r"\s*(?:(?:,|/|,?\s*\b(?:and|or|и|или)\b)\s*(?:also\s+)?v?\d"
    r"|(?:in|on|at|with|by|from|where|when|until|before|after|over|to|for|as|locally|в|на|с|из|по|для|локально|как)\b)",
    re.IGNORECASE,
)
"""What follows a choice that is one of several, or one for a place."""

_CODE = re.compile(r"\w[._/@+#-]\w|\+\+|\d")
"""What only a name in code has."""

_ALSO = re.compile(r"\b(?:also|too|as well|latest|legacy|old|также|тоже)\b", re.IGNORECASE)
_NO_NAME = frozenset(
    """
    it this that them these those one something anything everything same other another new old existing following both
    either all any some my your his her their its caution care more less plain simple only just small large better
    of for to in on at by with from without as if when yet always never ever necessarily
    это этот эту его её их то такой такую новый новую другой другую один одну всё что-то
    """.split()
)


def chosen(
    x: str,
    purpose: str = "",
    role: str = "",
    *,
    rule: str,
    type: ClaimType,
    negative: bool = False,
    subject: str = "",
    confidence: float = STATED,
    is_standing: bool = False,
    is_sole: bool = False,
    instead_of: str = "",
    is_name: bool = False,
) -> Finding | None:
    """
    Return the claim that *x* is (not) used, for a *purpose*, in a *role*, by a *subject*; ``None`` when *x* is no name.

    A value of a known kind fills the slot (subject, kind), or (kind, value) when the sentence names no subject; another
    one fills the slot of its purpose or role, or else a slot of its own: two tools of unknown kind exclude nothing.
    A version fills its name's slot (python, version) when it *is_sole*: neither one of several nor for some place only.
    What takes the place of a name (*instead_of*) *is_name* too, however it is written.
    """
    purpose, role = normalize_subject(purpose), normalize_subject(role)
    if role.endswith("ed"):  # `as mentioned`
        role = ""
    value = normalize_value(x)
    replaced = kind_of_value(normalize_value(instead_of))
    is_name = is_name or bool(purpose or role or replaced or _CODE.search(instead_of))
    if not _is_name(x, value, has_purpose=is_name):
        return None
    attribute, _, number = value.partition(" ")
    kind = kind_of_value(value)
    if (also := ALSO_OF_KIND.get(value)) and names_kind(purpose or role, also):
        kind = also
    if replaced and not kind and beside_kind(purpose, replaced) != purpose:  # from RabbitMQ to JetStream for the queue
        kind = replaced
    name, version = named_version(value) if is_sole and not negative else ("", "")
    owner = subject or purpose
    if attribute in ATTRIBUTES and number.isdigit():  # `use port 9000`
        slot, value = (owner, ATTRIBUTES[attribute]) if owner else (attribute, VALUE), number
    elif role and (not kind or names_kind(role, kind) or role == kind):
        slot = (subject, role) if subject else (kind or role, VALUE)
    elif kind and (not purpose or names_kind(purpose, kind)):
        slot = (subject, kind) if subject else (kind, VALUE)
    elif kind:
        slot = (subject or purpose, kind)
    elif purpose and _PURPOSE.fullmatch(purpose):
        slot = (subject, f"tool for {purpose}") if subject else (purpose, "tool")
    elif version:
        owner = "" if subject in PROJECT_WORDS else subject or purpose
        slot, value = (owner, f"{name} {VERSION}") if owner else (name, VERSION), version
    else:
        owner = subject or purpose
        slot, value = ((owner, f"{USES}{value}"), YES) if owner else ((value, IN_USE), YES)
    return Finding(
        rule=rule,
        type=type,
        subject=slot[0],
        attribute=slot[1],
        value=value,
        polarity=polarity(negative),
        confidence=confidence,
        is_standing=is_standing,
    )


def replacement(subject: str, attribute: str, value: str, x: str) -> Finding | None:
    """Return the decision for *x* in the place of what was chosen; ``None`` when nothing that can be chosen was."""
    new = normalize_value(x)
    if value == YES and not attribute.startswith((USES, IN_USE)):
        return None
    if value == YES:
        return chosen(x, subject if attribute.startswith(USES) else "", rule="choice.instead", type=ClaimType.DECISION)
    if kind_of_value(new) != kind_of_value(value):
        return chosen(x, rule="choice.instead", type=ClaimType.DECISION)
    return Finding(
        rule="choice.instead",
        type=ClaimType.DECISION,
        subject=subject,
        attribute=attribute,
        value=new,
        confidence=STATED,
    )


def denied(chosen: Candidate) -> Finding:
    """Return the decision that what was *chosen* is so no longer."""
    return Finding(
        rule="choice.instead.left",
        type=ClaimType.DECISION,
        subject=chosen.subject,
        attribute=chosen.attribute,
        value=chosen.value,
        polarity=Polarity.NEGATIVE,
        confidence=STATED,
    )


def is_platform(x: str) -> bool:
    """Whether *x* is of a known kind or one version of a thing."""
    value = normalize_value(x)
    return bool(kind_of_value(value) or named_version(value)[1])


def _is_name(x: str, value: str, *, has_purpose: bool) -> bool:
    """Whether *x* names a particular thing: known, capitalised, code-like, or one bare word with a purpose."""
    words = value.split()
    if not words or not _NO_NAME.isdisjoint([*words, x.split(" ")[0].casefold()]) or len(words) > 4:
        return False
    if kind_of_value(value):
        return True
    if not value[0].isalpha() and value[0] not in "@.":
        return False
    bare = re.sub(r"^(?:the|a|an) ", "", x.strip(), flags=re.IGNORECASE)
    if re.match(r"[`\"]", bare) or _CODE.search(bare):
        return True
    if bare[:1].isupper() and bare.isascii():
        return True
    return has_purpose and len(words) == 1 and bare == x.strip() and bare.isascii()


def chosen_by(
    match: re.Match[str],
    rule: str,
    type: ClaimType,
    subject: str = "",
    *,
    is_standing: bool = False,
    is_name: bool = False,
) -> Iterator[Finding]:
    groups = match.groupdict()
    old = groups.get("z") or groups.get("z2") or ""
    if not _NO_NAME.isdisjoint(old.casefold().split()) or (" " in old and not is_platform(old)):
        old = ""
    purpose, role = groups.get("y") or groups.get("y2") or "", groups.get("role") or ""
    again = rf"\s*(?:,|and|or|и|или)\s+(?:also )?{re.escape(groups['x'].split(' ')[0])}\b"
    is_one_of_several = re.match(again, match.string[match.end() :], re.IGNORECASE) or _ALSO.search(match.string)
    is_sole = not is_one_of_several and not _MORE.match(match.string, match.end())
    found = chosen(
        _whole_name(groups["x"], old),
        purpose,
        role,
        rule=rule,
        type=type,
        negative=bool(groups.get("not")),
        subject=subject,
        is_standing=is_standing,
        is_sole=is_sole,
        instead_of=old,
        is_name=is_name,
    )
    if found is None:
        return
    yield found
    if not groups.get("not"):
        yield from _left_of_kind(found, old, purpose, role, subject) if is_sole else ()
        yield from _left(found, old)


def _whole_name(x: str, old: str) -> str:
    """Return *x* with the name that it shares with what it replaces: `from Python 3.11 to 3.12`."""
    name, _, version = old.rpartition(" ")
    is_versioned = version[:1].isdigit() and is_platform(old)
    return f"{name} {x}" if is_versioned and re.fullmatch(r"v?\d[\d.]*", x) else x


def _left_of_kind(found: Finding, old: str, purpose: str, role: str, subject: str) -> Iterator[Finding]:
    """Yield the denial of an *old* thing of known kind for the same purpose, unless the new one fills its slot."""
    if not kind_of_value(normalize_value(old)):
        return
    left = chosen(
        old,
        purpose,
        role,
        rule=f"{found.rule}.left",
        type=found.type,
        negative=True,
        subject=subject,
        is_standing=found.is_standing,
    )
    if left and (left.subject, left.attribute) != (found.subject, found.attribute):
        yield left


def _left(found: Finding, old: str) -> Iterator[Finding]:
    """Yield the denial of what was left, where the new value alone would not retire it: two slots of their own."""
    value = normalize_value(old)
    name, _ = named_version(value)
    is_other_version = bool(name) and found.attribute == VERSION and found.subject != name
    if not value or kind_of_value(value) or (found.value != YES and found.attribute != VALUE and not is_other_version):
        return  # the new value of the same slot retires it
    if found.attribute in {IN_USE, VALUE} or is_other_version:
        left = (value, IN_USE)
    elif found.attribute.startswith(USES):
        left = (found.subject, f"{USES}{value}")
    else:
        return
    yield Finding(
        rule=f"{found.rule}.left",
        type=found.type,
        subject=left[0],
        attribute=left[1],
        value=YES,
        polarity=Polarity.NEGATIVE,
        confidence=found.confidence,
        is_standing=found.is_standing,
    )
