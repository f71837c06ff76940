"""
What was left behind: `we moved from X to Y`, `Y instead of X`, `перешли с X на Y`.

Of a thing that is in use nowhere any more, claims of other slots may still say that it is: of what it was used for
(`Celery for background jobs`), or of what it was (`the CSS framework is Bootstrap`). Such a leaving ends them too. So
does a green run of tests with the failures in its scope.
"""

import re
from collections.abc import Iterator
from datetime import datetime

import attrs

from pckc_domain.model.claim import VISIBLE, Beliefs, Claim, ClaimType, Polarity
from pckc_domain.model.scope import Branch
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.policy.bug_attributes import BUG
from pckc_domain.policy.bug_likeness import names_of
from pckc_domain.policy.green_runs import GREEN, failure_scopes
from pckc_domain.policy.revocations import is_revocation, rule_topics
from pckc_domain.policy.subjects import VALUE, VERSION, YES, kind_of_value, normalize_value
from pckc_domain.policy.vocabulary import ALIASES

IN_USE = "in use"
"""Attribute of a thing that is used at all, for whatever."""

USES = "uses "
"""Start of an attribute of what uses a thing."""

_MOVED = re.compile(
    r"\b(?:upgrad|downgrad|updat|bump|mov|migrat|switch)(?:ed|ing)\b|\b(?:обнов|переш|переех|переход|перев)\w+",
    re.IGNORECASE,
)
_THING = r"(?P<x>[\w`.+#@/-]+(?: v?\d[\d.]*)?)"
_LEFT = re.compile(
    r"\b(?:from|instead of|rather than|replac(?:e|ed|es|ing)|ditch(?:ed)?|drop(?:ped)?|swap(?:ped)?|abandon(?:ed)?|"
    r"retired?|"
    r"вместо|с|со|от|замен(?:или|ил|ила|ить|им)|меняем)\s+" + _THING,
    re.IGNORECASE,
)


_LEFT_BY_ALL = re.compile(
    r"\b(?:(?:mov|migrat|switch)(?:ed|ing)(?: over| away)? from|replac(?:ed|ing)|ditch(?:ed|ing)|dropp(?:ed|ing)|"
    r"(?:move|migrate|switch) from|(?:переш|переех|перей|переход)\w+ со?|отказа\w+ от|замен(?:или|ил|ила))\s+" + _THING,
    re.IGNORECASE,
)
"""`We migrated from X`, not `we migrated the main database from X`."""

_CORRECTION = re.compile(
    r"^\W*(?:(?:no|nope|correction|update|sorry|oops|scratch that|my mistake|my bad|i was wrong|"
    r"нет|поправка|ой|ошибся)\s*[,:.!;—–-]|actually\b|на самом деле\b)"
    r"|\b(?:now|from now on|no longer|теперь|отныне|больше не)\b",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(r"\b(?:for|right|until) now\b|\bтеперь (?:пока|временно)\b|\bпока\b", re.IGNORECASE)


def names_as_left(text: str, value: str) -> bool:
    """Return whether *text* says that the normalised *value* was left; less detail (`from Postgres`) is enough."""
    left = (normalize_value(match["x"]) for match in _LEFT.finditer(text))
    return any(value == one or value.startswith(f"{one} ") for one in left if one)


def is_correction(text: str) -> bool:
    """Return whether *text* says of itself that it corrects, or that something holds from now: not for now alone."""
    return bool(_CORRECTION.search(text)) and not _FOR_NOW.search(text)


@attrs.frozen
class Leaving:
    """
    That *thing* is past, as *claim_id* says since *at*, aware UTC.

    It is in use no longer, on any branch; or it is a scope of tests, in which nothing fails on the *branch* any more;
    or all its versions but *version* are past, a decision for one only if *is_change*: if a change was told of;
    or it works, as *fix* tells; or it need not be kept any more, as *revocation* tells of standing rules.
    """

    at: datetime
    claim_id: str
    thing: str
    branch: Branch | None = None
    version: str = ""
    is_change: bool = False
    fix: Claim | None = None
    revocation: Claim | None = None


def leavings(beliefs: Beliefs) -> Iterator[Leaving]:
    """Yield what *beliefs* about a thing's use, runs of tests or fixes end, once for each time that it was said."""
    ends = {claim.id: claim for claim in beliefs.claims if _is_end(claim) and claim.governance in VISIBLE}
    for proof in beliefs.proofs:
        if proof.claim_id in ends and proof.authority in DURABLE:
            claim = ends[proof.claim_id]
            yield from (Leaving(proof.observed_at, claim.id, thing) for thing in things_left(claim))
            name, version = version_told(claim)
            if is_of_bug(claim):
                yield Leaving(proof.observed_at, claim.id, claim.subject, fix=claim)
            elif is_revocation(claim):
                yield Leaving(proof.observed_at, claim.id, claim.subject, revocation=claim)
            elif name:
                yield Leaving(proof.observed_at, claim.id, name, version=version, is_change=_tells_change(claim.text))
            elif claim.attribute in {GREEN, IN_USE}:
                branch = claim.branch if claim.attribute == GREEN else None
                yield Leaving(proof.observed_at, claim.id, claim.subject, branch)


def _is_end(claim: Claim) -> bool:
    is_left = claim.attribute == IN_USE and claim.polarity is Polarity.NEGATIVE
    is_end = claim.attribute == GREEN or is_left or is_of_bug(claim) or is_revocation(claim)
    return is_end or bool(version_told(claim)[0]) or any(things_left(claim))


def things_left(claim: Claim) -> Iterator[str]:
    """Yield the things that a session's *claim* says the project left for another of their kind: `from X to Y`."""
    if claim.attribute == VALUE and _is_told_of_all(claim) and kind_of_value(claim.value) == claim.subject:
        left = (normalize_value(match["x"]) for match in _LEFT_BY_ALL.finditer(claim.text))
        yield from (one for one in left if kind_of_value(one) == claim.subject and one != claim.value)


def is_of_bug(claim: Claim) -> bool:
    """Return whether *claim* is a fix that names what it is of."""
    return claim.type is ClaimType.FIX and claim.attribute == BUG


def version_told(claim: Claim) -> tuple[str, str]:
    """
    Return name and version of what a session's *claim* says that the project uses, ``""`` twice when it says of none.

    `Django / version = 5.1` tells it, and so does `web framework / value = django 5.1`, but not what one service uses.
    """
    if not _is_told_of_all(claim):
        return "", ""
    said = f"{claim.subject} {claim.value}" if claim.attribute == VERSION else claim.value
    match = _VERSIONED.fullmatch(said) if claim.attribute in {VERSION, VALUE} else None
    return (ALIASES.get(match[1], match[1]), match[2]) if match else ("", "")


def _is_told_of_all(claim: Claim) -> bool:
    """Whether a session affirms *claim*, of the project as a whole."""
    is_lasting = claim.type in _LASTING and claim.polarity is Polarity.POSITIVE
    return is_lasting and not claim.condition and not claim.document_id and bool(claim.session_id)


def _tells_change(text: str) -> bool:
    return is_correction(text) or bool(_MOVED.search(text))


def ends_with(claim: Claim) -> Iterator[tuple[str, str]]:
    """Yield subject and attribute of what may end *claim* from another slot."""
    if thing := thing_used(claim):
        yield thing, IN_USE
    if name := version_told(claim)[0]:
        kind = kind_of_value(name)
        yield (name, VERSION) if claim.attribute == VALUE else (kind or name, VALUE)
    if claim.attribute == kind_of_value(claim.value) and claim.polarity is Polarity.POSITIVE and _of_all(claim):
        yield claim.attribute, VALUE
    yield from ((scope, GREEN) for scope in failure_scopes(claim))
    yield from ((name, BUG) for name in names_of(claim))
    yield from rule_topics(claim)


def thing_used(claim: Claim) -> str:
    """Return the thing that *claim* of another slot says is used or is something, ``""`` when it speaks of none."""
    if claim.polarity is Polarity.NEGATIVE or claim.type not in _LASTING or claim.attribute == IN_USE:
        return ""
    if claim.attribute == VERSION:
        return f"{claim.subject} {claim.value}"
    if claim.value == YES:
        return claim.attribute.removeprefix(USES) if claim.attribute.startswith(USES) and _of_all(claim) else ""
    return claim.value if _NAME.fullmatch(claim.value) else ""


def version_used(claim: Claim) -> tuple[str, str]:
    """Return name and version of what *claim* says is used (`we use Django 5.1`); ``""`` twice when it says of none."""
    if claim.polarity is Polarity.NEGATIVE or claim.type not in _LASTING:
        return "", ""
    if claim.value == YES:
        said = claim.subject if claim.attribute == IN_USE else claim.attribute.removeprefix(USES)
    elif claim.attribute.endswith(f" {VERSION}"):
        said = f"{claim.attribute.removesuffix(VERSION)}{claim.value}"
    else:
        said = claim.value
    match = _VERSIONED.fullmatch(said)
    return (match[1], match[2]) if match else ("", "")


def _of_all(claim: Claim) -> bool:
    """Whether the speakers use it, not one service of theirs."""
    return bool(_SPEAKERS.match(claim.text))


_LASTING = frozenset({ClaimType.FACT, ClaimType.DECISION, ClaimType.CONSTRAINT})
_NAME = re.compile(r"(?!(?:on|off|yes|no)$)[a-z@][\w.+#/@-]*(?: v?\d[\d.]*)?")
_VERSIONED = re.compile(r"([a-z@][\w.+#/@-]*) v?(\d+(?:\.\d+)*)")
_SPEAKERS = re.compile(
    r"(?:\w+[,:] )?(?:(?:the )?team|we|i|let's|use|for|мы|я|используем|используй|давай|решили|для)\b", re.IGNORECASE
)
