"""Rules for how a bug ends: that it is fixed, what caused it, and what helps against it."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.bug_attributes import BUG, CAUSE, REMEDY
from pckc_domain.policy.descriptions import EDGES, described, file_in, trouble_subject
from pckc_domain.policy.findings import NP, STATED, Finding, compiled, russian, worded

WORKS_NOW = "work.works_now"
"""Rule of a fix that says only that something works: nothing without the bug spoken of before."""

_PROBLEM = (
    r"(?:bugs?|crash(?:es)?|issues?|errors?|problems?|failures?|failing|crashing|(?:memory )?leaks?|hangs?|regressions?|race|flak\w+|"
    r"freezes?|timeouts?|deadlocks?|stalls?|outages?|glitch(?:es)?|\w+(?:error|exception)s?|[45]\d\ds?(?: errors?)?|"
    r"баг\w*|ошибк\w+|падени\w+|проблем\w+|утечк\w+(?: памяти)?|зависани\w+|сбо[йяею]\w*|глюк\w*)"
)
_NO_REPORT = (
    r"when|once|if|until|till|after|before|unless|while|as soon as|whether|so that|make|ensure|check|see|verify|confirm|wait|"
    r"hope|say|tell|know|want|need|please|is|are|was|were|did|does|do|has|have|can|could|should|will|would|let|get|consider|assume|"
    r"когда|если|пока|после|перед|как только|чтобы|проверь\w*|убедись|убедитесь|скажи|надо|нужно|хочу|что|ещё|еще|не"
)
"""First words of a wish, an order, a condition or a question, which tell of no fix."""

_NOT_TOLD = rf"(?!(?:{_NO_REPORT}|i|you|we|they|nobody|none)\b)"

_JUST = r"(?:(?:just|now|finally|also|found and|tracked down and) )*"
_REPAIRED = r"(?:fixed|resolved(?! (?:to|as)\b)|repaired|patched)"
_IT = r"(?:it|this|that|them|these|those)\b"
_FIXED = compiled(
    rf"^(?:(?:i|we)(?:'ve| have)? )?{_JUST}(?:{_REPAIRED}\b(?!-)\s*(?P<rest>.*)|(?:solved|squashed|got rid of) (?P<rest2>{_IT}.*|.*\b{_PROBLEM}\b.*))"
)
_CHANGE = r"(?:the |this |that |my |our )?(?:pr|commit|patch|change|upgrade|update|release|version|merge)(?: #?[\w.]+)?"
_FIXED_BY = worded(
    rf"^(?!(?:{_NO_REPORT}|a|an|the|each|every|some|no|none|nobody|to|returns?|use|with)\b [^#]*fix)(?:{_CHANGE}|[\w-]+)(?: has| have|'s)? {_JUST}(?:{_REPAIRED}|fixes|solved|solves) "
    rf"(?P<rest>(?:the|a|an|our|my|his|her|their|all|{_IT}).*|.*\b{_PROBLEM}\b.*)",
    *"fix resolved repaired patched solve".split(),
)
_FIXED_RU = russian(
    r"^(?:я |мы )?(?:уже |наконец )?(?:нашл[аи] и |нашёл и |нашел и )?(?:исправил[аи]?|починил[аи]?|пофиксил[аи]?|поправил[аи]?|устранил[аи]?)\s*(?P<rest>.*)"
)
_BECAUSE = r"(?:caused by|because|due to|because of|вызван[аоы]?|из-за|потому что)"
_CAUSED = worded(
    rf"^{_NOT_TOLD}{NP} (?:(?:was|is|were|are|has been)(?: \w+ing)?|used to \w+|\w+ed) {_BECAUSE} [^;]+[;,—–-] ?(?:and )?(?:it (?:is |was )?|it's )?(?:now )?(?:fixed|resolved|solved)\b",
    "caused by",
    "due to",
    "because",
)
_CAUSED_RU = russian(
    rf"^{NP} (?:(?:был[аои]?|возникал[аои]?) (?:вызван[аоы]? |из-за )|(?:падал|зависал|ломал)\w* из-за )[^;]+[;,—–-] ?(?:и )?(?:уже |теперь )?(?:исправ|почин)"
)
_BE = r"(?:'s| (?:is|are|was|were|has been|have been|got|'s been))"
_SOON = r"(?:(?:now|finally|already|all|also) )*"
_END = r"(?=$|[.,;:!(—–]| (?:now|in|since|by|again|thanks|because|with|after|for|on|as|when|via|using|everywhere|—|–|-)\b| [—–-] )"
_IS_FIXED = worded(
    rf"^{_NOT_TOLD}{NP}{_BE} {_SOON}(?:fixed|repaired|patched|(?<!is )(?<!are )resolved){_END}",
    "fixed",
    "resolved",
    "repaired",
    "patched",
)
_IS_OVER = worded(
    rf"^{_NOT_TOLD}(?P<np>{_IT}|(?:\S+ ){{0,5}}?{_PROBLEM}(?: [\w-]+)??(?: (?:in|with|of|on) (?:\S+ ?){{1,4}}?)?)"
    rf"(?:{_BE} {_SOON}(?:resolved|solved|gone|closed(?! as\b)|over|history|sorted(?: out)?|dealt with|taken care of|squashed|plugged)"
    r"| (?:went away|disappeared|vanished)| (?:no longer (?:occur|happen|reproduce|appear|show up)s?|(?:doesn't|does not|don't) (?:occur|happen|reproduce|appear|show up) (?:any ?more|any longer)))"
    rf"{_END}",
    *"resolved solved gone closed over history sorted dealt taken squashed plugged away disappeared vanished longer any".split(),
)
_NOT_SEEN = worded(
    rf"^(?:we|i) (?:no longer (?:see|get|have|hit) (?P<np>.*\b{_PROBLEM}\b.*?)|(?:don't|do not) (?:see|get|have|hit) (?P<np2>.*\b{_PROBLEM}\b.*?) (?:any ?more|any longer))(?:[.,;!].*)?$",
    "no longer",
    "any",
)
_FIX_IS_IN = worded(
    rf"^(?:the |a |my |our )?(?:fix|patch) for (?P<np>(?:\S+ ){{0,7}}?\S+){_BE} {_SOON}(?:merged|deployed|live|in|released|shipped|out)(?=$|[.,;:!])",
    "fix for",
    "patch for",
)
_REPORTED_FIXED = worded(
    rf"^{_NOT_TOLD}{NP}\s*[:—–-]\s*(?:now |finally |already )?(?:fixed|resolved|solved|исправлено|починено|решено|пофикшено)(?=$|[.,;!]| (?:in|by|в)\b)",
    *"fixed resolved solved исправлено починено решено пофикшено".split(),
)
_WORKS_AGAIN = worded(
    rf"^{_NOT_TOLD}{NP} (?:{_SOON}(?:works?|pass(?:es)?|succeeds?|is (?:working|passing|green|fine|ok|up|healthy)|are (?:working|passing|green|fine)) (?:(?:fine |well |correctly )?(?:now|again)|(?:on|in) [\w-]+ again)"
    r"|(?:снова|опять|теперь) (?:работа(?:ет|ют)|прохо(?:дит|дят)|зелён\w+)|работа(?:ет|ют) (?:снова|опять|теперь|нормально)|(?:уже )?заработал[аои]?)(?=$|[.,;:!(—–]| [—–-] | (?:after|since|because|on|in|после|в)\b)",
    "now",
    "again",
    *"снова опять теперь нормально заработал".split(),
)
_IS_FIXED_RU = russian(
    rf"^{_NOT_TOLD}(?P<np>(?:(?!ещё |еще |не )\S+ ){{0,5}}?(?!ещё |еще |не )[\w`-]+) (?:уже |теперь |наконец )?(?:исправлен[аоы]?|починен[аоы]?|пофикшен[аоы]?|поправлен[аоы]?|устран[её]н[аоы]?|исправили|починили|пофиксили|поправили|устранили)(?!\w)"
)
_IS_OVER_RU = russian(
    rf"^{_NOT_TOLD}(?P<np>{_PROBLEM}(?: (?!ещё |еще |не )\S+){{0,4}}?) (?:уже |теперь |наконец )?(?:решен[аоы]?|решён|закрыт[аоы]?|уш(?:ёл|ел|ла|ли)|исчез(?:ла|ло|ли)?|пропал[аои]?|решили|закрыли|больше не (?:воспроизводится|возникает|появляется|повторяется))(?!\w)"
)
_FAILS = (
    r"(?:crash\w*|fail(?:s|ing)?|hang(?:s|ing)?|break(?:s|ing)?|throw(?:s|ing)?|rais(?:es?|ing)|leak(?:s|ing)?|freez(?:es?|ing)|tim(?:es?|ing) out|panic\w*|segfault\w*|deadlock\w*|stall\w*|"
    r"(?:returns?|returning|shows?|showing|gives?|giving) (?:an? |the |any )?(?:[45]\d\d|errors?|wrong|duplicates?|garbage|stale)|(?:loses?|losing|drops?|dropping|duplicates?|duplicating) [\w ]{3,20}?|flak\w+|gets? stuck|getting stuck)"
)
_FAILS_RU = r"(?:пада(?:ет|ют|ть)|завис(?:ает|ают|ать)|вис(?:нет|нут|нуть)|лома(?:ется|ются|ться)|краш(?:ится|атся|иться)|вылета(?:ет|ют|ть)|глюч(?:ит|ат|ить)|флака(?:ет|ют)|теч(?:ёт|ет|ь)|воспроизвод(?:ится|иться)|теря(?:ет|ют|ть) \S+|возвраща(?:ет|ют|ть) (?:[45]\d\d|ошибк\w+|дубли)|выда(?:ёт|ют|вать) ошибк\w+)"
_NO_LONGER = worded(
    rf"^{_NOT_TOLD}{NP} (?:(?:no longer|(?:больше|теперь) не) (?:{_FAILS}|{_FAILS_RU})|(?:doesn't|does not|don't|do not) {_FAILS} (?:any ?more|any longer)|(?:has |have )?stopped {_FAILS}(?<=ing)|перестал[аои]? {_FAILS_RU}(?<=[ть]ь))(?!\w)",
    "no longer",
    "больше не",
    "теперь не",
    "any",
    "stopped",
    "перестал",
)
_WORKS_NOW = compiled(
    r"^(?:(?:that|this|it|everything|all)(?: |(?='s)))?(?:has |really |actually )?(?:fixed (?:it|that|the (?:bug|issue|problem|crash|error))|"
    r"solved (?:it|the (?:issue|problem))|works (?:now|again|fine now)|(?:is |'s )?(?:working|fixed|solved|gone)(?: now| again)*|did the trick)(?=$|[.,!]| (?:after|since|with)\b)"
    r"|^(?:(?:теперь )?(?:всё |все )?работает|(?:всё |все )?заработало|(?:это )?помогло|(?:всё |все )?починилось|ошибка ушла)(?=$|[.,!])"
)
_PRONOUN = compiled(
    r"^(?:(?:it|this|that|them|(?:the|this|that) (?:bug|issue|problem|crash|failure|error))\b(?! (?:in|with|of|on)\b)"
    r"|(?:это|его|её|(?:этот |эту |эта )?(?:баг|проблем[ау]|ошибк[ау]))(?=$|\s*[.,;:!—–-]|\s(?:путём|через|тем|из|и)\b))"
)
_OF = r"(?: (?:of|for|behind|in|with) (?P<of>\S+(?: \S+){0,5}?))?"
_OF_RU = r"(?: (?!был|в том|в |—)(?P<of_ru>\S+(?: \S+){0,3}?))?"
_CAUSE = worded(
    rf"^(?:i |we )?(?:(?:have |'ve )?found (?:out )?(?:that )?)?(?:(?:the |its )?(?:(?:root|real|actual|underlying) cause|cause|culprit){_OF}(?: (?:is|was|turned out to be|were)(?: that)?|:) |"
    rf"(?:the )?(?:reason|problem|issue){_OF.replace('of>', 'of2>')} (?:was|turned out to be)(?: that| in| due to|(?= (?:an?|the|our|my) )) |"
    rf"(?P<np>\S+(?: \S+){{0,5}}?)(?:(?:'s| (?:is|was|were|turned out to be|turns out to be)) caused by|(?:(?<!this)(?<!that)(?<!it) is| was| were| turned out to be) (?:due to|because of)|(?: was| were) because) )(?P<why>[^?;]+)$",
    *"cause culprit reason problem issue due because".split(),
)
_CAUSE_RU = russian(
    rf"^(?:(?:корневая |настоящая |основная )?причина{_OF_RU}(?: была| оказалась)?(?: в том, что| в|:| [—–-]) |причиной (?P<of_ru2>\S+(?: \S+){{0,2}}? )?(?:был[аои]?|оказал[асиь]+|оказался) |"
    r"дело (?:было|оказалось) в (?:том, что )?|проблема (?:была|оказалась) в (?:том, что )?|виноват(?:а|о|ы)? (?:был[аои]? |оказал\w+ )?|"
    r"(?:(?:это|всё|все) )?(?:было|произошло|случилось|возникало) из-за (?:того, что )?)(?P<why>[^?;]+)$"
)
_DO = r"(?!to |not |if |when |unless |fix|help|so |it |that |this |they |you |we |i )[a-z]+(?:-[a-z]+)? "
_TO_FIX = r"(?:fix|solve|resolve|work around|get rid of)"
_WHAT_HELPS = worded(
    rf"^(?:(?:you|we|one|i) (?:need to|have to|must|should|can) )?(?!(?:please|can|could|would|try|we|you|i|let's|it|this|that|what|how|why|use an agent)\b)(?P<do>{_DO}.{{2,160}}?),? to {_TO_FIX} (?P<it>\S+(?: \S+){{0,5}})$"
    rf"|^to {_TO_FIX} (?P<it2>[^,]{{2,60}}), (?P<do2>(?:you (?:need to|have to|can|should) )?{_DO}.{{2,160}})$"
    rf"|^(?P<do3>(?:[a-z]+ing|a|an|the) .{{2,120}}?) (?:fixes|solves|resolves|works around|cures|helps with) (?P<it3>\S+(?: \S+){{0,5}})$"
    rf"|^(?:the |a |one |our )?(?:fix|workaround|work-around|remedy|solution|cure){_OF.replace('of>', 'it4>')} (?:is|was) to (?P<do4>.{{3,160}})$"
    r"|^(?:workaround|work-around|remedy|solution): (?P<do5>.{3,160})$",
    *"fix solv resolv work rid avoid cure remedy solution help".split(),
)
_WHAT_HELPS_RU = russian(
    r"^чтобы (?:исправить|починить|решить|обойти|устранить|избавиться от) (?P<it>[^,]{2,60}), (?P<do>(?:надо |нужно |достаточно )?\S+ .{2,160})$"
    r"|^(?:помогает|лечится|решается|чинится|обходится|исправляется) (?P<do2>(?!ли\b)\S.{3,160})$"
    r"|^(?P<do3>\S+(?: \S+){0,6}?) (?:помогает|решает|лечит|чинит) (?P<it3>это|проблему|\S+(?: \S+){0,3})$"
    r"|^(?:обходной путь|обходное решение|решение|лечение|средство)(?: —| –|:) (?P<do4>.{3,160})$"
)
_FAULT = compiled(
    r"^(?!.*\b(?:tests?|docs?|changelog|release|тест\w*)\b)\S.{0,80}? (?:was|were|had been) (?:wrong|missing|stale|expired|outdated|incorrect|misspelled|"
    r"invalid|null|none|empty|unset|swapped|duplicated|off by one|hard-?coded|too (?:long|short|small|large|big|low|high|strict|early|late)|"
    r"(?:not|never) (?:set|escaped|closed|initiali[sz]ed|awaited|released|checked|handled|encoded|decoded|committed|flushed|configured|defined|sent|passed|reset))\b"
    r"|^\S.{0,80}? был[аои]? (?:неверн|неправильн|пуст|устаревш|просроч|перепутан|не (?:задан|закрыт|экранирован|передан|проверен))\w*|^(?:там )?не хватал[ао] \S"
)
"""What was wrong, told right behind a fix."""

_FIX_END = compiled(
    r"\s+(?:by|in|on|with|when|where|so|and|for|after|at|using|via|из|в|во|на|с|путём|теперь|тем|через|когда)\b|[,;:.!(]\s|\s[—–-]\s|[.!,]$"
)


def find_fix(clause: str) -> Finding | None:
    """Return that something is fixed, as *clause* tells; its subject is what was broken, ``""`` for what was spoken of."""
    if _WORKS_NOW.match(clause):
        return Finding(rule=WORKS_NOW, type=ClaimType.FIX, value=described(clause))
    broken = _broken(_EXCLAMATION.sub("", clause))
    if broken is None:
        return None
    return Finding(
        rule="work.fix",
        type=ClaimType.FIX,
        subject=broken,
        attribute=BUG if broken else "",
        value=described(clause),
        path=file_in(clause),
        confidence=STATED,
    )


def find_causes(clause: str) -> Iterator[Finding]:
    """Yield the cause of a bug, or what helps against it; without a subject when it is of what was spoken of."""
    if match := _CAUSE.match(clause) or _CAUSE_RU.match(clause):
        yield from _about(CAUSE, _group(match, "why"), _group(match, "np", "of", "of2", "of_ru", "of_ru2"))
    elif match := _WHAT_HELPS.match(clause) or _WHAT_HELPS_RU.match(clause):
        what = _group(match, "do", "do2", "do3", "do4", "do5")
        yield from _about(REMEDY, what, _group(match, "it", "it2", "it3", "it4"))


def find_fault(text: str, *, fixed: str) -> Finding | None:
    """Return the cause that a sentence right behind a fix tells by what was wrong; *fixed* is the fix's subject."""
    if not _FAULT.match(text):
        return None
    value = _ARTICLE.sub("", described(text))
    return Finding(rule="work.fault", type=ClaimType.FACT, subject=fixed, attribute=CAUSE, value=value)


def _group(match: re.Match[str], *names: str) -> str:
    groups = match.groupdict()
    return next((groups[name] for name in names if groups.get(name)), "").strip(EDGES)


def _about(attribute: str, what: str, of: str) -> Iterator[Finding]:
    is_named = bool(of) and not _PRONOUN.fullmatch(of)
    subject = _fixed_subject(of) if is_named else ""
    if not is_named or (subject and _HAS_PROBLEM.search(of)):
        yield Finding(
            rule=f"work.{attribute}",
            type=ClaimType.FACT,
            subject=subject,
            attribute=attribute,
            value=_ARTICLE.sub("", described(what)),
            path=file_in(what),
            confidence=STATED,
        )


_EXCLAMATION = compiled(r"^(?:ok|okay|great|yes|yay|well) ")
_FAILING = compiled(r"^(?:the |a |our )?(?:flaky|failing|broken|crashing|hanging) (?=[\w`])")
_PROBLEM_AT = compiled(rf"(?:the |a |an )?{_PROBLEM}(?: [45]\d\d)? (?:in|with|of|on|в|во|с|на) (.+)")
_PROBLEM_OF = compiled(r"(?:баг|ошибк|падени|проблем|зависани|сбо|утечк)\w* (?!в |на |при |с |[45]\d\d)(.+)")
_ARTICLE = compiled(r"^(?:the|a|an) ")
_HAS_PROBLEM = compiled(rf"\b{_PROBLEM}\b")


def _broken(clause: str) -> str | None:
    """Return what *clause* says is broken no longer, ``""`` for what was spoken of; ``None`` when it says no such thing."""
    if match := _FIXED.match(clause) or _FIXED_RU.match(clause) or _FIXED_BY.match(clause):
        rest = _group(match, "rest", "rest2")
        return "" if not rest or _PRONOUN.match(rest) else _fixed_subject(rest)
    match = (
        _FIX_IS_IN.match(clause)
        or _NOT_SEEN.match(clause)
        or _CAUSED.match(clause)
        or _CAUSED_RU.match(clause)
        or _IS_OVER.match(clause)
        or _IS_FIXED.match(clause)
        or _REPORTED_FIXED.match(clause)
        or _IS_OVER_RU.match(clause)
        or _IS_FIXED_RU.match(clause)
    )
    if match:
        broken = _group(match, "np", "np2")
        return "" if _PRONOUN.match(broken) else _fixed_subject(broken)
    if match := _NO_LONGER.match(clause) or _WORKS_AGAIN.match(clause):
        return _fixed_subject(match["np"]) or None
    return None


def _fixed_subject(rest: str) -> str:
    """Return what was broken: the noun before a problem word, or the place behind it."""
    rest = _FAILING.sub("", rest)
    while place := _PROBLEM_AT.match(rest) or _PROBLEM_OF.match(rest):
        rest = place[1]
    head = _FIX_END.split(f"{rest} ", maxsplit=1)[0].strip(EDGES)
    named = re.sub(rf"\s+{_PROBLEM}(?!\w).*$", "", head, flags=re.IGNORECASE)
    if named == head and len(head.split()) > 4:  # a clause, not a name
        return ""
    head = named
    if re.fullmatch(rf"(?:the |a |an )?{_PROBLEM}", head, re.IGNORECASE) or re.match(
        r"(?:in|by|with|в) ", rest, re.IGNORECASE
    ):
        return ""
    return trouble_subject(head)
