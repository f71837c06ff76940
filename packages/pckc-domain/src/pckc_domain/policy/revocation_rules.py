"""Rules for what ends a standing rule: no need any more, permissions, `forget the rule about …`. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

import attrs

from pckc_domain.policy.findings import Finding, compiled, russian
from pckc_domain.policy.revocations import ALLOWED, RULE
from pckc_domain.policy.sentences import split_condition
from pckc_domain.policy.standing_rules import (
    FOR_NOW,
    FORBIDDEN_VERBS,
    constraint,
    named_deed,
    verb_phrase,
)
from pckc_domain.policy.subjects import YES, normalize_subject

NO_NEED = "rule.no_need"
LIFTED = "rule.lifted"
"""Rule of a permission: it ends what forbade the same deed, and is nothing without one."""

_PROJECT_VERBS = "commit|push(?= to| into| directly| straight| code| changes| commits)|deploy|edit|modify|change|touch|delete|remove|merge|install|rename|release|force-push|rewrite|upgrade"
_ECHO = r"(?: any ?more| any longer| now| from now on)*"
_NO_NEED = compiled(
    r"^(?:(?:you|we(?= no longer|.* (?:any ?more|any longer|now)$)) (?:no longer (?:need|have) to|(?:don't|do not) (?:need|have) to|needn't)"
    r"|(?:there(?:'s| is) )?no (?:longer (?:any |a )?)?need (?:for you )?to"
    r"|it(?:'s| is) (?:no longer|not(?=.* any ?more$)) (?:necessary|needed|required) to)"
    rf"(?: always| ever)? (?P<vp>.+?){_ECHO}$"
)
_NO_NEED_RU = russian(
    r"^(?:тебе |вам )?(?:больше не (?:надо|нужно|требуется|обязательно)|не (?:надо|нужно|требуется|обязательно) больше|больше нет (?:нужды|необходимости)|(?:можешь|можете) (?:больше|теперь) не|можно больше не|больше можно не) "
    r"(?P<vp>[а-яё]+ть(?:ся)? .+)$"
    r"|^(?P<vp2>[а-яё]+ть(?:ся)? .+?) (?:больше не (?:надо|нужно|требуется|обязательно)|теперь (?:не нужно|необязательно|не обязательно))$"
)
_MAY_STOP = compiled(rf"^(?:you|we) (?:can|may|should) (?:now )?(?:stop|quit) (?P<vp>[a-z-]{{2,}}ing .+?){_ECHO}$")
_KIND_OF_RULE = r"(?:rule|instruction|requirement|ban|restriction|constraint|policy|convention|guideline)"
_REVOKES = r"(?:forget|disregard|take back|withdraw|never mind|cancel(?:l?ed)?|revoked?|lift(?:ed)?|scrap(?:ped)?|scratch|retired?|drop(?:ped)?|ignore)"
_FORGET = compiled(
    rf"^(?:please |you can |you may |we can |let's |i(?:'m| am)? |we(?:'ve| have)? (?:now )?)*{_REVOKES}(?: about)? (?:the|my|our|that) (?:earlier |old |previous |existing )?"
    rf"(?:{_KIND_OF_RULE} (?:about|on|against|for|of|to|regarding|concerning) (?P<of>.+?)|(?P<named>(?!firewall|\S*lint\b)(?:\S+ ){{0,3}}\S+) {_KIND_OF_RULE}){_ECHO}$"
)
_GONE = compiled(
    rf"^the (?:earlier |old |previous )?(?:{_KIND_OF_RULE} (?:about|on|against|for|of|to|regarding|concerning) (?P<of>.+?)|(?P<named>(?:\S+ ){{0,3}}\S+) {_KIND_OF_RULE})"
    r" (?:no longer (?:applies|holds|stands|exists)|(?:is|was|has been) (?:now )?(?:gone|lifted|revoked|cancell?ed|off|over|void|dropped|scrapped|no longer valid|no longer in force)"
    rf"|(?:doesn't|does not) (?:apply|hold) (?:any ?more|any longer)){_ECHO}$"
)
_KIND_OF_RULE_RU = r"(?:правил[оа]|требовани[ея]|запрет|ограничени[ея]|инструкци[юия])"
_FORGET_RU = russian(
    rf"^(?:я )?(?:отменяю|отмени(?:те)?|отменяем|забудь(?:те)?|снимаю|снимаем|отзываю|игнорируй(?:те)?)(?: про)? (?:это |тот |моё |мое |наше |старое )?{_KIND_OF_RULE_RU} "
    r"(?:про|о|об|обо|насч[её]т|на|по|для|касательно|относительно) (?P<of>.+)$"
)
_GONE_RU = russian(
    rf"^{_KIND_OF_RULE_RU} (?:про|о|об|обо|насч[её]т|на|по|для|касательно) (?P<of>.+?) (?:больше не (?:действует|актуальн\w+|работает|нужно)|отмен[её]н[оа]?|отменяется|снят[оа]?|снимается)$"
)
_PLURAL = r"(?!(?:the|these|those|this|that|my|our|your|all|no|some|things|we|they|you)\b)(?P<np>[a-z-]+ing (?:\S+ ){0,3}\S+|(?:[\w-]+ ){0,2}[\w-]+(?:(?<![isu])s|ing))"
_NOT_REQUIRED = compiled(
    rf"^{_PLURAL} (?:are|is) (?:no longer (?:required|needed|necessary|mandatory|obligatory|compulsory)|not (?:required|needed|necessary|mandatory) any ?more|now optional|optional (?:now|from now on))$"
)
_FINE = compiled(
    rf"^{_PLURAL} (?:are|is) (?:now |again |perfectly |totally |completely )?(?:fine|ok|okay|allowed|acceptable|permitted|welcome|all ?right)(?: now| again)?"
    r"(?P<where> (?:in|for|on|at|during|within|inside|as long as|when|if|where) .+)?$"
)
_FINE_RU = russian(
    r"^(?P<front>(?:в|для|на|при) [а-яё-]+ )?(?P<np>[а-яё-]+(?: (?!теперь|снова|можно|вполне)[а-яё-]+)?) (?:теперь |снова |можно |вполне )*"
    r"(?:разрешены|можно|допустимы|(?:больше )?не запрещены|(?<=можно )использовать)(?: использовать)?(?P<where> (?:в|для|на|при) .+)?$"
)
_STATE = frozenset(
    """
    tests builds checks runs results deployments deploys pipelines jobs requests responses queries users servers
    services things numbers changes logs metrics containers pods migrations imports exports links pages logins
    credentials permissions backups certificates payments notifications emails everything nothing testing
    """.split()
)
"""Of these `fine` may say that they do not fail."""

_CHANGES = compiled(r"^\W*(?:actually|correction|from now on)\b")
_PERMITS = compiled(
    r"^(?:it(?:'s| is) (?:now |again )?(?:perfectly |totally |completely )?(?:fine|ok|okay|allowed|acceptable|permitted|safe|all ?right) (?:now |again )?(?:for (?:you|us) )?to"
    r"|feel free to|you(?:'re| are) (?:now )?(?:allowed|free|permitted) to) (?:now |again )*"
    rf"(?P<vp>(?:{_PROJECT_VERBS}|use|{FORBIDDEN_VERBS}) .+?)(?: again| now| from now on)*$"
)
_ONLY_ONCE = compiled(
    r".*\b(?:for now|right now|this time|this once|just once|today|tonight|until|while|if|when|в этот раз|сегодня|пока|если|когда)\b"
)
_LIFTS = compiled(
    r"^\W*(?:actually|correction|поправка|now|ok(?:ay)?|from now on|теперь|снова|на самом деле)\b|.*\b(?:now|again|no longer|теперь|снова|больше не)\b"
)
"""Words of a sentence that changes what was forbidden."""

_MAY = compiled(
    rf"^(?:you|we) (?:may|can|are (?:now )?allowed to) (?:now |again )*(?P<vp>(?:{_PROJECT_VERBS}|mock|use(?=.* again$)) .+?)(?: again| now)?$"
)
_MAY_RU = russian(
    r"^(?:теперь |снова )*(?:можно|разрешено|(?:больше )?не запрещено) (?:теперь |снова )*(?P<vp>(?:пушить|коммитить|деплоить|трогать|менять|изменять|удалять|добавлять|логировать|хранить|мержить|использовать|мокать) .+?)(?: снова| теперь)?$"
)
_DEED_BEHIND_RU = russian(
    r"^(?P<np>[а-яё-]+(?: (?!теперь|снова|можно)[а-яё-]+)?) (?:теперь |снова )*(?:можно|разрешено) (?:теперь |снова )*(?P<verb>(?!использовать)[а-яё]+ть)(?: снова| теперь)?$"
)
_MAY_MOCK_RU = russian(
    r"^(?:теперь |снова )*(?:можно|разрешено) (?:теперь |снова )*мокать(?P<where> в .+)?(?: снова| теперь)?$"
)
_IMPERATIVES = {
    "пушить": "пушь",
    "коммитить": "коммить",
    "деплоить": "деплой",
    "трогать": "трогай",
    "менять": "меняй",
    "изменять": "изменяй",
    "добавлять": "добавляй",
    "логировать": "логируй",
    "хранить": "храни",
    "удалять": "удаляй",
    "мержить": "мержи",
    "использовать": "используй",
    "писать": "пиши",
    "мокать": "мокай",
}
"""What is allowed, as it was forbidden."""

_MAY_USE = compiled(r"^(?:you|we) (?:may|can|are (?:now )?allowed to) (?:now |again )*(?P<vp>use .+?)(?: again| now)*$")
_IDLE = compiled(r"^(?:no|using|use of) |(?<= )(?:the|a|an|our|any|all) ")
_THIS_ONE = re.compile(r"\b(?:it|this|that|these|those|them|here|yet|это|этот|эту|тут|здесь)\b", re.IGNORECASE)


def find_revocations(clause: str, *, sentence: str) -> Iterator[Finding]:
    """Yield what *clause* says to end of a standing rule; *sentence* is the whole of it, with words such as `actually`."""
    if match := _NO_NEED.match(clause) or _NO_NEED_RU.match(clause) or _MAY_STOP.match(clause):
        phrase = next(filter(None, match.groups()))
        if not FOR_NOW.search(phrase) and not _THIS_ONE.search(phrase):
            yield from _let(_imperative(phrase), rule=NO_NEED, is_negative=True)
    elif match := _FORGET.match(clause) or _GONE.match(clause):
        if not FOR_NOW.search(match["of"] or ""):
            yield from _revoked(match["of"] or match["named"])
    elif match := _FORGET_RU.match(clause) or _GONE_RU.match(clause):
        yield from _revoked(match["of"])
    elif match := _NOT_REQUIRED.match(clause):
        yield from _revoked(match["np"])
    elif match := _MAY_MOCK_RU.match(clause):
        yield from _allowed("моки", match["where"])
    elif deed := _permitted(clause):
        is_change_or_limit = _LIFTS.match(sentence) or (_PERMITS.match(clause) and split_condition(sentence)[1])
        if is_change_or_limit and not _ONLY_ONCE.match(sentence):
            yield from _let(deed, rule=LIFTED, is_negative=False)
    elif match := _MAY_USE.match(clause):
        if _CHANGES.match(sentence) or (_LIFTS.match(sentence) and split_condition(sentence)[1]):
            yield from _let(match["vp"], rule=LIFTED, is_negative=False)
    elif match := _FINE.match(clause):
        is_limited = bool(match["where"] or split_condition(sentence)[1])
        is_of_state = not _STATE.isdisjoint(match["np"].casefold().split())
        if (is_limited or _CHANGES.match(sentence)) and not is_of_state and not FOR_NOW.search(match["where"] or ""):
            yield from _allowed(match["np"], match["where"])
    elif match := _FINE_RU.match(clause):
        yield from _allowed(match["np"], match["where"] or match["front"])


def _let(phrase: str, *, rule: str, is_negative: bool) -> Iterator[Finding]:
    """Yield that a deed need not or may be done."""
    for found in verb_phrase(phrase, is_negative=is_negative, rule=rule, is_standing=False):
        if found.subject:
            yield found


def _revoked(what: str) -> Iterator[Finding]:
    if subject := normalize_subject(_IDLE.sub("", what)):
        yield constraint("rule.revoked", subject, RULE, YES, is_negative=True, is_standing=False)


def _allowed(what: str, where: str | None) -> Iterator[Finding]:
    if subject := normalize_subject(_IDLE.sub("", what)):
        found = constraint("rule.allowed", subject, ALLOWED, YES, is_negative=False, is_standing=False)
        yield attrs.evolve(found, condition=(where or "").strip().casefold())


def _permitted(clause: str) -> str:
    """Return the deed that *clause* permits, as an order to do it; ``""`` when it permits none."""
    if match := _MAY.match(clause) or _PERMITS.match(clause) or _MAY_RU.match(clause):
        return _imperative(match["vp"])
    if match := _DEED_BEHIND_RU.match(clause):
        return _imperative(f"{match['verb']} {match['np']}")
    return named_deed(clause, is_banned=False)


def _imperative(phrase: str) -> str:
    verb, _, rest = phrase.partition(" ")
    return f"{_IMPERATIVES.get(verb.casefold(), verb)} {rest}"
