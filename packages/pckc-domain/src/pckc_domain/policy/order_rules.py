"""Rules for orders without `always` and `never` that hold all the same: bans, preferences. English and Russian."""

import re
from collections.abc import Iterator

from pckc_domain.policy.findings import PREPOSITIONS, Finding, compiled, russian
from pckc_domain.policy.purposes import is_done_once
from pckc_domain.policy.standing_rules import FOR_NOW, constraint, plain, verb_phrase

_OBJECT = rf"(?P<object>(?:(?!(?:{PREPOSITIONS}|and|or|like|such|unless|и|или)\b)[\w`'./-]+(?: |$)){{1,3}})"
_BAN = compiled(rf"^(?:please )?(?:do not|don't) (?P<vp>(?P<verb>[a-z-]+) {_OBJECT}.*)$")
_BAN_RU = russian(rf"^(?:пожалуйста,? )?не (?P<vp>(?P<verb>[а-яё]+(?:[аяуе]й|[иь])(?:те)?) {_OBJECT}.*)$")
_AVOID = compiled(rf"^(?:please )?(?:avoid|избегай(?:те)?) {_OBJECT}.*$")
_PREFER = compiled(r"^(?:please )?(?:prefer|предпочитай(?:те)?) (?P<what>`[^`]+`|\S+ \S+).*$")
_CONTRAST = compiled(
    r"^(?:please )?(?:use|write|choose|pick|используй(?:те)?|пиши(?:те)?|выбирай(?:те)?) (?P<what>\S+(?: \S+){0,4}?)"
    r",? (?:(?:and )?not|rather than|instead of|over|(?:а |и )?не|вместо) (?P<other>\S+(?: \S+){0,3})$"
)
_PLURAL = re.compile(r"[a-z](?<![isu])s$|[а-яё](?:[ыи]|[иь]я|ов|ев|ей)$", re.IGNORECASE)
_NAME = re.compile(r"[A-ZА-ЯЁ]|.*(?:\w[._/@#]\w|\d)")
_INNER = frozenset(
    """
    be become believe bother care come count do expect fear feel forget get give go hate have hear hesitate hope keep
    know let like look lose love mean mind need panic say see seem sound stay take talk tell think turn understand
    wait want waste wish wonder worry
    будь говори думай делай давай теряй забывай ожидай обещай желай обижай болтай скучай гадай
    """.split()
)
"""Verbs of the mind and of being: with `don't` they console, ask or warn."""

_ONE = frozenset(
    """
    the a an this that these those it its them him her me us you my your our his their any anything more less
    это этот эту эти этого его её ее их ему мне меня нам нас тебе себя мой мою твой свой свою ничего никого так там тут
    """.split()
)
"""With one of these before it, an order may be about one thing, and for now."""


def find_bans(clause: str, *, sentence: str, is_general: bool = False) -> Iterator[Finding]:
    """
    Yield the ban that an order not to do something to things of a kind states: `don't catch bare exceptions`.

    One about one thing (`don't start the server`) may be for now, unless it is known to be *is_general*.
    """
    match = _BAN.match(clause) or _BAN_RU.match(clause)
    if match is None or FOR_NOW.search(sentence) or match["verb"].casefold() in _INNER or is_done_once(match["verb"]):
        return
    if _is_of_kind(match["object"]) or (is_general and not _is_one(match["object"])):
        found = verb_phrase(match["vp"], is_negative=True, rule="rule.ban")
        yield from (one for one in found if one.subject)


def find_preferences(clause: str, *, sentence: str) -> Iterator[Finding]:
    """Yield the order to do with one kind of things rather than another, in its own words."""
    match = _PREFER.match(clause) or _CONTRAST.match(clause)
    is_named = match and not any(_is_one(group) for group in match.groups())
    avoided = _AVOID.match(clause)
    if (is_named or (avoided and _is_of_kind(avoided["object"]))) and not FOR_NOW.search(sentence):
        yield constraint("rule.prefer", "", "", plain(clause), is_negative=False, is_standing=True)


def _is_one(phrase: str) -> bool:
    return phrase.split()[0].casefold() in _ONE


def _is_of_kind(phrase: str) -> bool:
    """Whether *phrase* is a plural or a name; in Russian the noun may have others behind it."""
    words = phrase.split()
    heads = words[-1:] if phrase.isascii() else words
    return not _is_one(phrase) and any(_PLURAL.search(word) or _NAME.match(word) for word in heads)
