"""Rules for what must always or never be done: constraints. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

import attrs

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.identity import normalize
from pckc_domain.policy.bound_rules import find_bound, find_counted_bound
from pckc_domain.policy.choice_rules import ordered
from pckc_domain.policy.findings import NP, PREPOSITIONS, STATED, Finding, compiled, polarity, russian, worded
from pckc_domain.policy.purposes import gerund
from pckc_domain.policy.revocations import ALLOWED
from pckc_domain.policy.setting_rules import find_values
from pckc_domain.policy.store_rules import find_stores
from pckc_domain.policy.subjects import VALUE, YES, normalize_subject, normalize_value

FORBIDDEN_VERBS = (
    "commit|push|deploy|edit|modify|change|touch|delete|remove|add|log|store|expose|merge|write|install|rename|import|call|mock|"
    "rewrite|print|hardcode|hard-code|bump|upgrade|force-push|reply|answer|include|mention|send|share|suggest|create|generate|"
    "format|refactor|skip|disable|ignore"
)
_STANDING = compiled(
    r"^(?:from now on|going forward|from this point on|henceforth|отныне|впредь|с этого момента|с этих пор|в дальнейшем)\b[,:]?\s*"
    r"|,?\s*\b(?:from now on|going forward|from this point on|впредь|с этого момента)[.!]?$"
)
_ASKS = (
    r"(?:(?:i(?:'d| would)? (?:want|need|like) you to|(?:make sure|be sure|remember|try)(?: to| that you| you)?|"
    r"you (?:should|must|have to|need to)|we(?: should| must| will| have to)?|please) )*"
)
_ALWAYS = compiled(
    rf"^{_ASKS}(?P<word>always|never(?: ever)?|do not ever|don't ever|under no circumstances|in no case) (?P<vp>.+)"
)
_ALWAYS_RU = russian(
    r"^(?:мы |пожалуйста,? |ты )*(?P<word>всегда|никогда(?: больше)?|больше никогда|нельзя|запрещено|ни в коем случае) (?P<vp>.+)"
)
_NOBODY = compiled(
    r"^(?:(?:nobody|no one|noone) (?:may|can|should|must|is allowed to|is permitted to)|no one's allowed to|"
    r"никому нельзя|никто не (?:должен|может)|никому не разрешено) (?P<vp>.+)"
)
_STOP = compiled(r"^(?:please )?(?:stop|quit|avoid) (?P<vp>\w{2,}ing .+)")
_STOP_RU = russian(r"^(?:хватит|перестань(?:те)?|прекрати(?:те)?) (?P<vp>\w+ть(?:ся)? .+)")
_NO_MORE = compiled(r"^(?:please )?(?:do not|don't) (?P<vp>[a-z-]+ .+?) (?:any ?more|any longer)$")
_NO_MORE_RU = russian(
    r"^(?:больше не (?P<vp>[а-яё]+(?:[аяуе]й|[иь])(?:те)? .+)|не (?P<verb>[а-яё]+(?:[аяуе]й|[иь])(?:те)?) больше (?P<rest>.+))$"
)
_HANDS_OFF = compiled(
    r"^(?:please )?(?:hands off|keep (?:your hands )?off|stay away from|stay out of|руки прочь от|не лезь в) (?P<np>.+?)(?:,? please)?$"
    r"|^(?:please )?leave (?P<alone>.+) (?:alone|untouched|as (?:is|it is|they are))$"
)
_ALLOWED = worded(
    rf"^{NP} (?:is|are) (?:now |always )?(?:strictly |absolutely )?(?:(?P<banned>forbidden|prohibited|not allowed|banned|off[ -]limits|"
    r"not permitted)|allowed|permitted)(?=$|[ ,.;!])",
    "forbidden",
    "prohibited",
    "allowed",
    "banned",
    "off",
    "permitted",
)
_ALLOWED_RU = russian(rf"^{NP} (?:теперь |строго )?(?:(?P<banned>запрещ[её]н[аоы]?)|разреш[её]н[аоы]?)(?=$|[ ,.;!])")
_WHENEVER = compiled(
    r"^(?:whenever|every time|each time|any time) [^,]{3,80}, (?:please |also |then )*(?:always|never|do|don't|make|use|add|run|"
    r"update|write|include|ask|show|check|start|tell|give|answer|reply|keep|create|remind|mention|put|bump|regenerate|format) .+"
    r"|^(?:каждый раз|всякий раз)(?:,? когда)? [^,]{3,80}, (?:пожалуйста,? |также )*(?:\w+(?:й|йте|и|ите|ь|ьте)) .+"
)
_NAMED_DEED = compiled(
    r"^(?P<gerund>[a-z-]+ing) (?P<rest>.+?) (?:is|are) (?:(?:now |again )?(?:fine|ok|okay|allowed|permitted|acceptable)|no longer (?:forbidden|prohibited|banned|off[ -]limits)"
    r"|(?P<banned>(?:strictly |now )?(?:forbidden|prohibited|not allowed|banned|off[ -]limits)))(?: again| now)*$"
)
FOR_NOW = compiled(
    r"\b(?:for this (?!project|repo|codebase|app|team|service|package|module)|yet|now|right now|for now|this time|today|tonight|пока|сейчас|сегодня|в этот раз)\b"
)
_DONT = compiled(rf"^(?:please )?(?:do not|don't) (?P<vp>(?:use|{FORBIDDEN_VERBS}) .+)")
_DONT_RU = russian(
    r"^(?:пожалуйста,? )?не (?P<vp>(?:коммить|пушь|деплой|трогай|меняй|изменяй|удаляй|добавляй|логируй|храни|пиши|"
    r"мержи|устанавливай|переименовывай|используй|отвечай)(?:те)? .+)"
)
_MUST = worded(
    rf"^(?:all |every |each |any )?{NP} (?:must|shall|has to|have to|(?P<banned>must never|is not allowed to|are not allowed to|"
    r"is never allowed to|are never allowed to|must not|mustn't|shall not|cannot ever|should never))(?P<always> always)? (?P<vp>.+)",
    "must",
    "shall",
    "has to",
    "have to",
    "allowed to",
    "cannot ever",
    "should never",
)
_MUST_RU = russian(
    rf"^(?:все |каждый |каждая |любой |любая )?{NP} (?P<banned>не |никогда не )?(?:должен|должна|должно|должны|обязан[аы]?)"
    r" (?:всегда )?(?:быть )?(?P<vp>.+)"
)
_LANGUAGE = compiled(
    r"^(?:answer|reply|respond|write|speak|talk|отвечай(?:те)?|пиши(?:те)?|говори(?:те)?|общайся)(?: to me| me| мне| со мной)?"
    r"(?: only| только| always| всегда)?(?: in (?P<en>[a-z]+)|(?: на)? (?P<ru>по-[а-яё]+|[а-яё]+ском(?: языке)?))\W*$"
)
_LANGUAGES = {
    "по-русски": "russian",
    "по-английски": "english",
    "русском": "russian",
    "английском": "english",
    "по-немецки": "german",
    "по-французски": "french",
    "по-испански": "spanish",
}
_KNOWN_LANGUAGES = frozenset("english russian german french spanish italian portuguese chinese japanese korean".split())
_WRITE_IN = compiled(
    r"^(?:please )?(?:write|keep|пиши(?:те)?|веди(?:те)?|держи(?:те)?) (?:all |always |all our |все |всегда )?(?P<np>(?:[\w-]+ )?(?:comments?|docs|documentation|docstrings?|commits?|messages|names|identifiers|code|readme|changelog|tests|logs|комментарии|коммиты|документацию|доки|код|тесты|сообщения|имена|логи)) (?:only |только )?"
    r"(?:in (?P<en>[a-z]+)|(?:на )?(?P<ru>по-[а-яё]+|[а-яё]+ском)(?: языке)?)\W*$"
)
_MAKE_SURE = compiled(
    r"^(?:please )?(?:make|be) sure (?:that )?(?P<rule>(?:every|each|all|no|any) .+? (?:has|have|is|are|uses?|starts?|ends?|returns?|includes?|gets?|goes|go) .+)"
    r"|^(?:убедись|следи(?:те)?),? (?:за тем,? )?(?:что|чтобы) (?P<rule2>(?:все|каждый|каждая|каждое|ни одн\w+) .+)"
)
_FOR_THIS_TASK = compiled(r"\b(?:before you|pass(?:es)?|now|this|still|again|first|уже|сейчас)\b")
_WE_MUST = compiled(
    r"^we must (?:always )?(?P<vp>(?:support|keep|stay|remain|comply|encrypt|store|log|test|document|run|be compatible|use|validate|avoid) (?!in |on |up |it |going |away )\w.+)"
    r"|^мы (?:должны|обязаны) (?P<vp2>(?:поддерживать|шифровать|соблюдать|логировать|проверять|использовать) .+)"
)
_IMPORTANT = compiled(r"^\W*(?:very )?(?:important|важно)[:!,—-]+\s")
_RESTRICTS = compiled(r"^\w+ .*\b(?:only|never|always|must|exactly|только|всегда|никогда|обязательно)\b.+")
_VERB_PHRASE = compiled(
    rf"^(?:не )?(?P<verb>[\w'-]+(?: (?:up|out|off|down|back))?)(?: (?:directly|straight|прямо|напрямую)(?= (?:{PREPOSITIONS})\b))?(?: (?P<prep>{PREPOSITIONS}))?\s+"
    rf"(?P<object>(?:(?!(?:{PREPOSITIONS}|directly|straight|and|or|like|such|that|when|if|unless|because|и|или|что|когда|если)\b)[\w`'’\"./:@#+-]+(?:\s+|$)){{1,4}})"
    r"(?P<rest>.*)$"
)
_EACH = re.compile(r"^(?:every|each|all|any|кажд\w+|вс[её]х?) (?!of\b|the\b)(?=\w)", re.IGNORECASE)
_DIRECTLY = re.compile(r"^(?:directly|straight|прямо|напрямую)$")
"""Said behind its object, it says as little as before it."""

_NO_RULE = frozenset(
    """
    mind again been a an the my your our his her their had heard seen thought knew felt good nice great happy sure
    understood wanted liked loved be is are was were get gets got
    мне меня не
    """.split()
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?![\w.])")
_BECAUSE = re.compile(r"(?:^|,?\s+)(?:because|потому что|так как|поскольку)\b", re.IGNORECASE)
_REASON = re.compile(rf"\s*[:;—–]\s+|\s+\(|{_BECAUSE.pattern}", re.IGNORECASE)
"""Where it begins to say why: two reasons for one number make no two rules."""

_TAIL = " \t.!,;:"


def find_rules(clause: str, *, sentence: str) -> Iterator[Finding]:
    """Yield the constraint that *clause* states; *sentence* is the whole of it, with words such as `from now on`."""
    is_standing = _names_standing(sentence) or _names_standing(clause)
    clause = _STANDING.sub("", clause) if is_standing else clause
    if match := _ALWAYS.match(clause) or _ALWAYS_RU.match(clause):
        is_negative = match["word"].casefold() not in {"always", "всегда"}
        yield from verb_phrase(match["vp"], is_negative=is_negative, rule="rule.always")
    elif match := _NOBODY.match(clause):
        yield from verb_phrase(match["vp"], is_negative=True, rule="rule.nobody")
    elif match := _DONT.match(clause) or _DONT_RU.match(clause) or _STOP.match(clause) or _STOP_RU.match(clause):
        if not FOR_NOW.search(sentence):
            yield from verb_phrase(match["vp"], is_negative=True, rule="rule.dont")
    elif match := _NO_MORE.match(clause) or _NO_MORE_RU.match(clause):
        phrase = " ".join(filter(None, match.groups()))
        if not FOR_NOW.search(sentence):
            yield from (one for one in verb_phrase(phrase, is_negative=True, rule="rule.dont") if one.subject)
    elif match := _WE_MUST.match(clause):
        yield from verb_phrase(match["vp"] or match["vp2"], is_negative=False, rule="rule.we_must")
    elif bounds := tuple(find_bound(clause)):
        yield from bounds
    elif match := _MUST.match(clause) or _MUST_RU.match(clause):
        yield from _obligation(match)
    elif match := _HANDS_OFF.match(clause):
        if subject := normalize_subject(match["np"] or match["alone"]):
            yield constraint("rule.hands_off", subject, "touch", YES, is_negative=True, is_standing=True)
    elif _WHENEVER.match(clause):
        yield constraint("rule.whenever", "", "", plain(clause), is_negative=False, is_standing=True)
    elif _LANGUAGE.match(clause) or _WRITE_IN.match(clause):
        yield from _language(clause)
    elif deed := named_deed(clause, is_banned=True):
        yield from verb_phrase(deed, is_negative=True, rule="rule.allowed")
    elif match := _ALLOWED.match(clause) or _ALLOWED_RU.match(clause):
        if subject := normalize_subject(match["np"]):
            banned = bool(match["banned"])
            yield constraint("rule.allowed", subject, ALLOWED, YES, is_negative=banned, is_standing=True)
    elif (match := _MAKE_SURE.match(clause)) and not _FOR_THIS_TASK.search(clause):
        yield constraint(
            "rule.make_sure", "", "", plain(match["rule"] or match["rule2"]), is_negative=False, is_standing=True
        )
    elif is_standing and (stated := tuple(find_values(clause))):
        yield from stated
    elif _IMPORTANT.match(sentence) and _RESTRICTS.match(clause):
        yield constraint("rule.important", "", "", plain(clause), is_negative=False, is_standing=True)
    elif is_standing:
        is_negative = bool(re.match("не ", clause, re.IGNORECASE))
        yield from verb_phrase(clause, is_negative=is_negative, rule="rule.from_now_on")


def named_deed(clause: str, *, is_banned: bool) -> str:
    """Return the deed that *clause* permits or bans by its name (`pushing to main is fine now`), as an order to do it."""
    match = _NAMED_DEED.match(clause)
    verb = _GERUNDS.get(match["gerund"].casefold(), "") if match and bool(match["banned"]) is is_banned else ""
    return f"{verb} {match['rest']}" if match and verb else ""


_GERUNDS = {gerund(verb): verb for verb in FORBIDDEN_VERBS.split("|")}


def _language(clause: str) -> Iterator[Finding]:
    """Yield in which language to answer, or to write what is named."""
    match = _LANGUAGE.match(clause)
    named = None if match else _WRITE_IN.match(clause)
    found = match or named
    if found is None:
        return
    language = _LANGUAGES.get((found["ru"] or "").casefold(), (found["en"] or "").casefold())
    subject = normalize_subject(named["np"]) if named else "answers"
    if subject and language in _KNOWN_LANGUAGES:
        yield constraint("rule.language", subject, "language", language, is_negative=False, is_standing=True)


def _names_standing(text: str) -> bool:
    is_likely = any(
        word in text.casefold() for word in ("forward", "from ", "hence", "отныне", "впредь", "дальнейш", "с эт")
    )
    return is_likely and bool(_STANDING.search(text))


def _obligation(match: re.Match[str]) -> Iterator[Finding]:
    subject = normalize_subject(match["np"])
    phrase = plain(match["vp"])
    is_negative = bool(match["banned"])
    if phrase.startswith(("not ", "never ")):
        phrase, is_negative = phrase.split(" ", 1)[1], True
    if not subject or not phrase or len(phrase.split()) > 14:
        return
    attribute, value = _with_number(phrase)
    yield Finding(
        rule="rule.must",
        type=ClaimType.CONSTRAINT,
        subject=subject,
        attribute=f"must {attribute}",
        value=value,
        polarity=polarity(is_negative),
        confidence=STATED,
        is_standing=True,
    )


def verb_phrase(phrase: str, *, is_negative: bool, rule: str, is_standing: bool = True) -> Iterator[Finding]:
    """
    Yield the constraint to do, or not to do, what *phrase* says, in the slot of what it does it to.

    When it is no standing rule, but lets something be, how and when alone it does is its condition.
    """
    phrase = phrase.strip(_TAIL)
    words = normalize(phrase).split()
    if len(words) < 2 or words[0] in _NO_RULE - {"не"} or not words[0].replace("-", "").isalpha() or len(words) > 20:
        return
    if match := _LANGUAGE.match(phrase):
        language = _LANGUAGES.get((match["ru"] or "").casefold().split(" ")[0], (match["en"] or "").casefold())
        if language in _KNOWN_LANGUAGES:
            yield constraint(rule, "answers", "language", language, is_negative=is_negative, is_standing=is_standing)
            return
    if found := tuple(ordered(phrase, rule=rule, is_negative=is_negative, is_standing=is_standing)):
        yield from found
        return
    if stored := tuple(find_stores(phrase, by_person=True)):
        negated = polarity(is_negative)
        yield from (
            attrs.evolve(one, rule=rule, type=ClaimType.CONSTRAINT, polarity=negated, is_standing=is_standing)
            for one in stored
        )
        return
    if is_negative and is_standing and (bounds := tuple(find_counted_bound(phrase))):
        yield from bounds
        return
    match = _VERB_PHRASE.match(phrase)
    subject = normalize_subject(_EACH.sub("", match["object"])) if match else ""
    if match is None or not subject:
        yield constraint(rule, "", "", plain(phrase), is_negative=is_negative, is_standing=is_standing)
        return
    rest = _BECAUSE.split(match["rest"], maxsplit=1)[0]
    deed, how = (
        " ".join(filter(None, (match["verb"], match["prep"]))).casefold(),
        _DIRECTLY.sub("", plain(rest).casefold()),
    )
    if not is_standing:
        let = constraint(rule, subject, deed, YES, is_negative=is_negative, is_standing=False)
        yield attrs.evolve(let, condition=how)
        return
    attribute, value = _with_number(f"{deed} {how}".strip())
    yield constraint(rule, subject, attribute, value, is_negative=is_negative, is_standing=True)


def constraint(rule: str, subject: str, attribute: str, value: str, *, is_negative: bool, is_standing: bool) -> Finding:
    """Return a constraint as a rule read it."""
    return Finding(
        rule=rule,
        type=ClaimType.CONSTRAINT,
        subject=subject,
        attribute=attribute or (VALUE if subject else ""),
        value=value,
        polarity=polarity(is_negative),
        confidence=STATED,
        is_standing=is_standing,
    )


def _with_number(phrase: str) -> tuple[str, str]:
    """Return *phrase* and its value: a phrase with one number is a slot whose value that number is."""
    said = _REASON.split(phrase, maxsplit=1)[0]
    phrase = said if _NUMBER.search(said) else phrase
    numbers = _NUMBER.findall(phrase)
    if len(numbers) != 1:
        return phrase, YES
    return _NUMBER.sub("#", phrase), normalize_value(numbers[0])


def plain(text: str) -> str:
    """Return *text* as the value of a constraint that has no slot but its own words."""
    return normalize(text).strip(_TAIL)
