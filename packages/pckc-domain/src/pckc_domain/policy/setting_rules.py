"""Rules for the values of things: settings, ports, versions, switches, places in the code. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

import attrs

from pckc_domain.model.claim import ClaimType, Polarity
from pckc_domain.policy.denials import affirmed
from pckc_domain.policy.findings import NP, STATED, Finding, compiled, polarity, russian, type_of_change, worded
from pckc_domain.policy.subjects import (
    VALUE,
    beside_kind,
    ends_in_attribute,
    joined_versions,
    kind_of_value,
    names_kind,
    normalize_subject,
    normalize_value,
    split_attribute,
)
from pckc_domain.policy.vocabulary import KINDS, NAMED, PLATFORMS

UNITS = (
    r"ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|[kmgt]i?b|bytes?|"
    r"%|percent|px|rps|qps|characters?|chars|lines?|items?|rows?|retries|attempts?|requests?|connections?|workers?|"
    r"threads?|replicas?|usd|eur|dollars?|euros?|"
    r"мс|с|сек(?:унд[аыу]?)?|мин(?:ут[аыу]?)?|час(?:а|ов)?|дн(?:я|ей)|день|процент(?:а|ов)?|символ(?:а|ов)?|"
    r"[кмгт]и?б|строк[аи]?|попыт(?:ки|ок)|запрос(?:а|ов)?|рублей|рубля"
)
PER = r"(?: (?:per|an?|в) (?:second|minute|hour|day|week|month|секунду|минуту|час|день|сутки)\b)?"
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря"
_ORDINARY_WORDS = frozenset("black solid nose react spaces tabs oracle vegetarian vegan pescatarian omnivore".split())
"""Names that are also words: a thing that `is black` does not use a formatter."""

_KNOWN = "|".join(
    sorted(
        (re.escape(name) for name in (*KINDS, "postgres", "mongo") if name not in _ORDINARY_WORDS),
        key=len,
        reverse=True,
    )
)
PLAIN_VALUE = (
    r"(?:`[^`]{1,80}`|\"[^\"]{1,80}\"|«[^»]{1,80}»|https?://[^\s,;]+[\w/]"
    r"|\d{4}-\d\d-\d\d"
    rf"|(?:(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS}))(?:,? \d{{4}})?|(?:{_WEEKDAYS})"
    rf"|[-+]?v?\d[\w.,:]*(?<![.,:])(?:\s?(?:{UNITS})(?!\w))?{PER}"
    r"|[\w.-]*/[\w./-]*\w"
    rf"|(?:{_KNOWN})(?: v?\d[\d.]*(?<!\.))?|on|off|true|false|enabled|disabled)"
)
"""A value that is one by its form alone."""

_AFTER = (
    r"(?=\s*(?:$|[.,;:!?()]|\s(?:now|instead|everywhere|by default|because|since|as of|and|for now|not|rather|so|today|"
    r"again|from|here|anymore|yesterday|recently|last (?:night|week|month|quarter|year|\w+day)|вчера|недавно|на прошлой неделе|in `?[\w/.-]*\.[a-z]+`?|теперь|сейчас|потому|вместо|по умолчанию|и|а)\b))"
)
_NAMED_VALUE = rf"{PLAIN_VALUE}|[\w@.+#/-]+(?: [\w@.+#/-]+){{0,3}}?"

_COPULA = worded(
    rf"^{NP}\s*(?:\b(?:is|are)(?: (?:now|currently|still|actually|called|named|set to|set at|configured (?:to|as)))*"
    r"|\b(?:was|were|has been|got|is being) (?:set|changed|moved|bumped|raised|lowered|increased|reduced|updated|renamed)"
    r"(?: from [^ ]+(?: \w+)?)? to|=|\bequals)"
    rf"\s+(?P<not>not |no longer )?(?P<v>{_NAMED_VALUE}){_AFTER}",
    "is",
    "are",
    "was",
    "were",
    "been",
    "got",
    "=",
    "equals",
)
_COPULA_RU = compiled(
    rf"^(?P<ours>у нас (?:в проекте )?)?{NP}\s*(?P<link>(?:[—–=:]|-(?=\s)|\b(?:у нас|это|равен|равна|равно|равны|теперь|сейчас|уже|стал|стала|стало)\b)\s*)*"
    rf"\s*(?P<not>не )?(?P<v>{PLAIN_VALUE}|[a-z][a-z.+#-]* v?\d[\d.]*|(?<=[—–=:] )[\w@./-]+|(?<=у нас )(?-i:[A-Za-zА-ЯЁ])[\w@./-]*){_AFTER}"
)
_PORT = worded(
    rf"^{NP} (?:(?:now |currently )?(?:listens|runs|is running|is listening|is served|is exposed|is available|is reachable|starts|uses|moved|switched|answers|binds|sits|is)"
    r"(?: now| on| at| to| over to)*(?: the)? port (?:to )?|(?:now )?(?:listens|runs|is running|is listening) on (?=\d{4}))(?P<v>\d{2,5})\b",
    " port ",
    "listen",
    "run",
)
_PORT_RU = russian(
    rf"^{NP} (?:теперь |сейчас )?(?:слушает|работает|запускается|висит|использует)(?: на| теперь)*(?: порту?)? (?P<v>\d{{2,5}})\b"
)
_SET = worded(
    rf"^(?P<lead>(?:(?:we|i)(?:'ve| have)? )?(?:just )?(?:decided|agreed) to |(?:let's|let us) |please |(?:we|i)(?:'ve| have)? (?:just )?)?"
    rf"(?P<verb>set|changed?|cut|drop(?:ped)?|bump(?:ed)?|raised?|lower(?:ed)?|increased?|decreased?|reduced?|moved?|updated?|renamed?|"
    rf"upgraded?|downgraded?|pin(?:ned)?) {NP}(?: (?:from|=) \S+(?: (?:{UNITS}|v?\d[\d.]*))?)?(?: (?:back )?to | ?= ?)(?P<port>port )?(?P<v>{PLAIN_VALUE}|[\w@./-]+){_AFTER}",
    " to ",
    "=",
)
_WENT = worded(
    rf"^{NP} (?:went|goes|rose|dropped|jumped|grew|fell|moved|changed|switched|changes|updated|increased|raised|bumped|reduced|lowered|set)(?: up| down)?(?: from \S+(?: (?:{UNITS}))?)? to (?P<v>{PLAIN_VALUE}){_AFTER}",
    "went",
    "goes",
    "rose",
    "dropped",
    "jumped",
    "grew",
    "fell",
    "moved",
    "changed",
    "switched",
    "changes",
    "updated",
    "increased",
    "raised",
    "bumped",
    "reduced",
    "lowered",
    "set",
)
_WENT_RU = russian(
    rf"^{NP} (?:мы )?(?:теперь |уже )?(?:подняли|повысили|увеличили|снизили|уменьшили|поменяли|изменили|сменили|перенесли|обновили)"
    rf"(?: с \S+(?: (?:{UNITS}))?)? (?:до|на) (?P<v>{PLAIN_VALUE}){_AFTER}"
)
_SET_RU = russian(
    rf"^(?P<lead>(?:мы |я )?(?:решили|договорились) |давай(?:те)? |(?:мы |я ))?(?P<verb>пониз\w+|повыс\w+|опуст\w+|постав\w+|установ\w+|смени\w*|"
    rf"поменя\w+|измени\w*|увелич\w+|уменьш\w+|подня\w+|сниз\w+|обнов\w+) {NP}(?: с \S+(?: (?:{UNITS}|v?\d[\d.]*))?)?"
    rf" (?:на|до|в|равным) (?P<v>{PLAIN_VALUE}){_AFTER}"
)
_POSTPONED = worded(
    rf"^{NP} (?:was|is|has been|got|is being) (?P<moved>postponed|delayed|rescheduled|pushed(?: back)?|brought forward)(?: from \S+)? to (?P<v>{PLAIN_VALUE}){_AFTER}",
    "postponed",
    "delayed",
    "rescheduled",
    "pushed",
    "brought",
)
_COLON = worded(
    rf"^(?![^:]*\b(?:in|of|on|at|to|for|by|with)\b)(?P<np>\w[\w-]*(?: \w[\w-]*){{0,3}})(?P<colon>: )"
    rf"(?P<v>\d[\d.,]*(?:\s?(?:{UNITS})(?!\w))?{PER}|(?:{_KNOWN})(?: v?\d[\d.]*(?<!\.))?)$",
    ": ",
)
_KEPT = worded(
    rf"^(?:we (?:now )?(?:keep|retain|store) {NP}|(?P<np2>[\w-]+(?: [\w-]+){{0,2}}) (?:is|are) (?:now )?(?:kept|retained|stored)) for (?P<v>\d+ (?:{UNITS}))(?=$|[ ,.;!])",
    "keep",
    "retain",
    "store",
    "kept",
)
_KEPT_RU = russian(
    rf"^(?:(?:мы )?{NP} (?:мы )?(?:теперь )?(?:храним|хранятся|хранится|хранить)|мы (?:должны |обязаны )?(?:храним|хранить) (?P<np2>[\w-]+)) (?P<v>\d+ (?:{UNITS}))(?=$|[ ,.;!])"
)
_REGION = worded(
    rf"^{NP} (?:is|are|lives?|runs?|sits?|stays?) (?:now )?(?:hosted |stored |located |kept )?in (?:the )?(?P<v>[a-z]+(?:-[a-z]+)*-\d\w?)(?: region)?(?=$|[ ,.;!])",
    "-",
)
_HOST = worded(
    rf"^{NP} (?:is|are|lives?|runs?|sits?) (?:now )?on (?:the )?(?:host|server|machine) `?(?P<v>[\w.-]*[\d.-][\w.-]*\w)`?(?=$|[ ,.;!])",
    " on ",
)
_CODE_SET = compiled(r"^`?(?P<np>[A-Z][A-Z0-9_]{3,})`?\s*=\s*(?P<v>[^\s=][^=]{0,60}?)\s*$")
_SWITCH = worded(
    rf"^{NP} (?:is|are|has been|was|got) (?:now |currently |still )?"
    r"(?:(?P<on>enabled|turned on|switched on|on)|(?P<off>disabled|turned off|switched off|off))"
    r"(?=\s*(?:$|[.,;:!]|\s(?:now|by default|for|in|on|again|because|since)\b))",
    "enabled",
    "disabled",
    " on",
    " off",
)
_SWITCH_RU = russian(
    rf"^{NP} (?:теперь |сейчас |снова |у нас )*(?:(?P<on>включ[её]н[аоы]?)|(?P<off>выключ[её]н[аоы]?|отключ[её]н[аоы]?))\b"
)
_SWITCHED = compiled(
    r"^(?P<lead>(?:(?:we|i)(?:'ve| have)? )?(?:decided|agreed) to |(?:let's|let us) |please |(?:we|i)(?:'ve| have)? )?"
    r"(?:(?P<on>enabled?|turn(?:ed)? on|switch(?:ed)? on)|(?P<off>disabled?|turn(?:ed)? off|switch(?:ed)? off)) "
    rf"{NP}(?=$|[.,;:!]| (?:for|in|on|because|since|now|by)\b)"
)
_SWITCHED_RU = russian(
    r"^(?P<lead>(?:мы |я )?(?:решили |договорились )?|давай(?:те)? |пожалуйста,? )"
    r"(?:(?P<on>включ(?:ил[аи]?|и(?:те)?|ить|им))|(?P<off>(?:вы|от)ключ(?:ил[аи]?|и(?:те)?|ить|им))) "
    rf"{NP}(?=$|[.,;:!]| (?:для|в|на|потому|так)\b)"
)
_REQUIRES = worded(
    rf"^{NP} (?:now )?(?:requires?|needs?|depends on|supports?|targets?) (?P<x>[A-Za-z][\w.+#-]*) (?:version )?v?(?P<v>\d[\d./]*\+?)(?<!\.)",
    "require",
    "need",
    "depends on",
    "support",
    "target",
)
_LOCATION = worded(
    rf"^{NP} (?:is|are|lives?) (?:now )?(?:defined |implemented |stored |located |handled |kept )?(?:in|at|under) "
    r"`?(?P<v>(?:[\w.-]+/)+[\w.-]*\w|[\w-]+\.(?:py|js|ts|tsx|go|rs|java|rb|c|cpp|h|toml|ya?ml|json|md|sql|sh)(?!\w))`?",
    "/",
    ".",
)
_LOCATION_RU = russian(
    rf"^{NP} (?:теперь )?(?:лежит|лежат|находится|находятся|определ[её]н[аоы]?|реализован[аоы]?|хранится|хранятся) в "
    r"`?(?P<v>(?:[\w.-]+/)+[\w.-]*\w|[\w-]+\.(?:py|js|ts|tsx|go|rs|java|rb|c|cpp|h|toml|ya?ml|json|md|sql|sh)(?!\w))`?"
)
_WRITTEN_IN = worded(rf"^{NP} (?:is|are) (?:now )?written in (?P<v>[A-Za-z][\w+#]*)", "written in")
_HOSTED = worded(
    rf"^{NP} (?:is|are) (?:now )?(?:hosted|deployed) (?:on|to|in|at) (?P<v>[A-Z][\w.+-]*(?: [A-Z][\w.+-]*){{0,2}}|{_KNOWN})",
    "hosted",
    "deployed",
)
_LIST = compiled(r"[`'\"»]?(?:, [`'\"«\w][^,]*(?:,|\sor\b|\sand\b)| (?:or|and|или|и) [`'\"«\d])")
_CONTRAST = compiled(r", (?:а |and )?(?:не|not) (?:the |an? )?[\w`.+#@/-]+(?: v?\d[\d.]*)?$")
"""What a value is not, behind it: `…, not MySQL`."""

_RELEASE = re.compile(r"(?!\d+(?:\.\d+){3}$)\d+\.\d+\.\d[\w.-]*")
_NUMBERED = re.compile(r"\d+(?:\.\d+)*")
_VERSIONED = re.compile(r"[A-Z][\w.+#-]* v?\d[\d.]*")
"""A name and its version, in letter case: `SQLAlchemy 2.0`."""

_NOT_NAMED = frozenset(
    """
    wrong right correct fine ok okay good bad broken missing important unclear unknown different same ready done too
    very so not being used going a an in on at to for from by with of as about like more less better still also only
    already always never hard easy slow fast full empty long short high low big small up down gone new old there here
    what how why when where which that this it my your his her their our
    default optional required enough unique similar identical invalid valid correct private public free random
    """.split()
)


def find_values(clause: str) -> Iterator[Finding]:
    """Yield the value that *clause* states; no order and no switch."""
    yield from tuple(_ports(clause)) or tuple(_copulas(clause))


def find_settings(clause: str) -> Iterator[Finding]:
    """Yield what *clause*, a sentence without lead and limits, says of a setting; nothing when no rule is sure."""
    stated, is_denied = affirmed(_CONTRAST.sub("", clause))
    for rule in (_switches, _ports, _places, _set_values, _copulas):
        if found := tuple(rule(stated)):
            yield from (attrs.evolve(one, polarity=Polarity.NEGATIVE) if is_denied else one for one in found)
            return


def _ports(clause: str) -> Iterator[Finding]:
    for match in filter(None, (_PORT.match(clause), _PORT_RU.match(clause))):
        if subject := normalize_subject(match["np"]):
            yield Finding(
                rule="setting.port",
                type=ClaimType.FACT,
                subject=subject,
                attribute="port",
                value=match["v"],
                confidence=STATED,
            )


def _switches(clause: str) -> Iterator[Finding]:
    for pattern in (_SWITCH, _SWITCH_RU, _SWITCHED, _SWITCHED_RU):
        if (match := pattern.match(clause)) and (subject := normalize_subject(match["np"])):
            told = match.groupdict()
            deed = match[0][len(told.get("lead") or "") :]
            yield Finding(
                rule="setting.switch",
                type=type_of_change(told["lead"] or "", deed) if "lead" in told else ClaimType.FACT,
                subject=subject,
                attribute=VALUE,
                value="on" if match["on"] else "off",
            )
            return


def _places(clause: str) -> Iterator[Finding]:
    for pattern, attribute in (
        (_LOCATION, "location"),
        (_LOCATION_RU, "location"),
        (_WRITTEN_IN, "language"),
        (_HOSTED, "hosting"),
        (_REGION, "region"),
        (_HOST, "host"),
        (_KEPT, "retention"),
        (_KEPT_RU, "retention"),
    ):
        match = pattern.match(clause)
        if match and (subject := normalize_subject(match["np"] or match.groupdict().get("np2") or "")):
            yield Finding(
                rule=f"setting.{attribute}",
                type=ClaimType.IMPLEMENTATION_DETAIL if attribute == "location" else ClaimType.FACT,
                subject=subject,
                attribute=attribute,
                value=normalize_value(match["v"]),
            )
            return
    match = _REQUIRES.match(joined_versions(clause))
    if match and _is_platform(match["x"]) and (subject := normalize_subject(match["np"])):
        verb = "supports" if "support" in match[0] else "requires"
        yield Finding(
            rule="setting.requires",
            type=ClaimType.FACT,
            subject=subject,
            attribute=f"{verb} {match['x'].casefold()}",
            value=normalize_value(match["v"]),
        )


def _is_platform(name: str) -> bool:
    return name[:1].isupper() or name in {
        "python",
        "node",
        "java",
        "go",
        "rust",
        "ruby",
        "php",
        "npm",
        "postgres",
        "gcc",
    }


def _set_values(clause: str) -> Iterator[Finding]:
    match = _SET.match(clause) or _SET_RU.match(clause)
    if match is None:
        return
    subject, attribute = split_attribute(match["np"])
    if not subject or not _is_value(match["np"], match["v"]):
        return
    verb = match["verb"].casefold()
    value = normalize_value(match["v"])
    if match.groupdict().get("port"):
        attribute = "port"
    is_version = verb.startswith(("upgrade", "downgrade", "pin")) or _is_version(subject, value)
    if attribute == VALUE and is_version:
        attribute = "version"
    subject, attribute = _by_kind(match["np"], subject, attribute, value)
    yield Finding(
        rule="setting.set",
        type=type_of_change(match["lead"] or "", verb),
        subject=subject,
        attribute=attribute,
        value=value,
        confidence=STATED,
    )


def _copulas(clause: str) -> Iterator[Finding]:
    match = _copula(clause)
    if match is None:
        return
    if _LIST.match(clause, match.end("v")) or ("=" in match[0] and " " in match["np"]):
        return
    subject, attribute = split_attribute(match["np"])
    if (
        not subject
        or not _is_value(match["np"], match["v"])
        or ("colon" in match.groupdict() and not _is_keyed(match["np"], match["v"]))
    ):
        return
    value = normalize_value(match["v"])
    if attribute == VALUE and _is_version(subject, value):
        attribute = "version"
    if match.groupdict().get("moved") and attribute == VALUE and not subject.endswith("date"):
        subject = f"{subject} date"
    subject, attribute = _by_kind(match["np"], subject, attribute, value)
    yield Finding(
        rule="setting.is",
        type=ClaimType.FACT,
        subject=subject,
        attribute=attribute,
        value=value,
        polarity=polarity("not" in match.groupdict() and match["not"]),
    )


def _by_kind(phrase: str, subject: str, attribute: str, value: str) -> tuple[str, str]:
    """Return subject and attribute of a *value* whose kind the *phrase* names: the `database` of the orders."""
    kind = kind_of_value(value)
    if kind and names_kind(normalize_subject(phrase), kind):
        return kind, VALUE
    of = beside_kind(subject, kind) if kind and attribute == VALUE else ""
    return (of, kind) if of and of != subject else (subject, attribute)


def _is_version(subject: str, value: str) -> bool:
    """Whether *value* is a version by its form, or a number of something known that has versions."""
    is_known = subject in KINDS or subject in PLATFORMS
    return bool(_RELEASE.fullmatch(value)) or (is_known and bool(_NUMBERED.fullmatch(value)))


def _is_keyed(phrase: str, value: str) -> bool:
    """Whether a colon behind *phrase* gives it its *value*: `Upload size limit: 200 MB`, `Backend: Django 4.2`."""
    kind = kind_of_value(normalize_value(value))
    is_of_kind = bool(kind) and names_kind(normalize_subject(phrase), kind)
    return is_of_kind or (ends_in_attribute(phrase) and (" " in phrase or bool(kind)))


def _copula(clause: str) -> re.Match[str] | None:
    return (
        _CODE_SET.match(clause)
        or _COPULA.match(clause)
        or _POSTPONED.match(clause)
        or _COLON.match(clause)
        or _WENT.match(clause)
        or _WENT_RU.match(clause)
        or _russian_copula(clause)
    )


def _russian_copula(clause: str) -> re.Match[str] | None:
    match = None if clause.isascii() else _COPULA_RU.match(clause)
    if match is None or not re.search("[а-яё]", clause, re.IGNORECASE):
        return None
    return match if match["link"] or match["ours"] or ends_in_attribute(match["np"]) else None


_ROLE = compiled(
    r"\b(?!(?:number|order|answer|matter|error|blocker|reminder|user|letter|offer|other|weather|dinner|water|paper|\w*ever|winner|killer)s?\b)"
    r"(?:[a-z]{2,}[^aeiou\W](?:er|or)|proxy|engine|library|toolkit)$"
    r"|^(?:наш\w* )?(?:[а-яё]{3,}(?:ер|ор|щик|овщик)|прокси|движок|библиотека)\b"
)
"""What does something: an unknown name behind it is what does it here (`the load balancer is Envoy`)."""


def _is_value(phrase: str, value: str) -> bool:
    """Whether *value* is one by its form, or because *phrase* names an attribute and it is a plain name."""
    if re.fullmatch(PLAIN_VALUE, value, re.IGNORECASE):
        return True
    words = value.split()
    is_name = words[0][:1].isupper() or len(words) == 1
    is_plain = words[0].casefold() in _NOT_NAMED or words[0].casefold().endswith(("ing", "ed", "ly", "able", "ible"))
    if _VERSIONED.fullmatch(value):
        return True
    if NAMED.intersection(phrase.casefold().split()[-1:]):
        return words[0][:1].isupper() and not is_plain
    if _ROLE.search(phrase) and words[0][:1].isupper() and not words[0].isupper():
        return not is_plain
    return ends_in_attribute(phrase) and bool(is_name) and not is_plain
