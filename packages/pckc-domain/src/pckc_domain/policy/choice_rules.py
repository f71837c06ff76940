"""Rules for choices: what is used for what, and what was switched to. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

import attrs

from pckc_domain.model.claim import ClaimType, Polarity
from pckc_domain.policy.choosing import chosen, chosen_by, is_platform
from pckc_domain.policy.findings import NP, Finding, compiled, russian, type_of_change, worded
from pckc_domain.policy.purposes import by_purpose
from pckc_domain.policy.subjects import (
    YES,
    joined_versions,
    kind_of_value,
    named_version,
    normalize_subject,
    normalize_value,
)

_X = r"(?P<x>(?:the |a |an )?[\w`.+#@/-]+(?: [\w`.+#@/-]+){0,3}?)"
_Y = r"(?P<y>[\w`'’.+#@/-]+(?: [\w`'’.+#@/-]+){0,4}?)"
_STOP = (
    r"(?=\s*(?:$|[,.;:!?()]|\s(?:for|as|in|on|with|because|since|instead|rather|so|to|and|when|over|now|from|by|"
    r"everywhere|anymore|any more|going|at|locally|where|which|due|but|before|after|until|today|again|"
    r"yesterday|recently|(?:last|this|earlier this) (?:night|week|month|quarter|year|spring|summer|autumn|fall|winter|\w+day)|"
    r"для|в|на|вместо|потому|так|чтобы|с|и|а|по|из|теперь|поскольку|везде|локально|как|вчера|сегодня|недавно)\b))"
)
_NOT = r"(?:\s+(?:instead of|rather than|over|вместо)|,? (?:and )?not|,? (?:а |и )?не) (?:the |an? )?"
_TAIL = (
    rf"(?:{_NOT}(?P<z>[\w`.+#@/-]*[\w`+#](?: [\w`.+#@/-]*[\w`+#]){{0,2}}?)(?=$|[,.;:!?)]| (?:for|as|in|on|with|для|в|на)\b))?"
    rf"(?:,?\s+(?:for|для) {_Y}{_STOP}|\s+(?:as|в качестве) (?:the |a |our )?(?P<role>[\w-]+(?: [\w-]+){{0,2}}?){_STOP})?"
    rf"(?:{_NOT}(?P<z2>[\w`.+#@/-]*[\w`+#](?: [\w`.+#@/-]*[\w`+#]){{0,2}}?)(?=$|[,.;:!?)]| (?:for|as|in|on|with|для|в|на)\b))?(?P<instead>\s+(?:instead|вместо этого))?"
)
_USE = "use|go with|adopt|stick (?:with|to)|keep using|standardi[sz]e on|pick|choose"
_DECIDED = compiled(
    r"^(?:(?:(?:the )?team|we all|we|i)(?:'ve| have)?(?: |(?=')))?(?:finally |just |all |both )?"
    r"(?:(?:decided|agreed|opted|voted|the (?:final )?decision is)(?: that we(?:'ll| will)?)?(?: (?P<not>not))?(?: to)? "
    rf"(?:{_USE}|switch to|move to|migrate to)|(?:settled|decided|agreed|landed|converged|standardi[sz]ed) on|ended up (?:with|using)|opted for|"
    r"went (?:with|for)|chose|picked"
    rf"|(?:'re|are| are) (?:going with|going to use|settling on)|(?:will|'ll) (?:use|be using|go with|adopt|stick with)) {_X}{_STOP}{_TAIL}"
)
_AGAINST = compiled(
    rf"^(?:(?:(?:the )?team|we|i)(?:'ve| have)? )?(?:finally )?(?P<not>decided against|voted against|ruled out)(?: using)? {_X}{_STOP}{_TAIL}"
)
_AGAINST_RU = russian(rf"^(?:мы )?(?:решили )?(?P<not>отказаться от|обойтись без) {_X}{_STOP}{_TAIL}")
_DECIDED_RU = russian(
    r"^(?:мы |я |команда )?(?:(?:решили?|решила|договорились|условились)(?: (?P<not>не))? "
    r"(?:использовать|взять|брать|применять|перейти на|оставить|выбрать)|выбрали?|остановились на|будем использовать"
    rf"|переходим на) {_X}{_STOP}{_TAIL}"
)
_LETS = compiled(rf"^(?:let's|let us) (?P<not>not )?(?:{_USE}|switch to|move to) {_X}{_STOP}{_TAIL}")
_LETS_RU = russian(
    rf"^давай(?:те)? (?P<not>не )?(?:будем )?(?:использовать|возьм[её]м|брать|перейд[её]м на|используем) {_X}{_STOP}{_TAIL}"
)
_ORDER = compiled(rf"^(?P<not>don't |do not )?(?P<verb>use|switch to|go with|stick with) {_X}{_STOP}{_TAIL}")
_ORDER_RU = russian(rf"^(?P<not>не )?(?P<verb>используй|используйте|бери|возьми|перейди(?:те)? на) {_X}{_STOP}{_TAIL}")
_STATE = compiled(
    r"^(?:in (?:this|our) (?:project|repo(?:sitory)?|codebase),? )?we(?:'re| are)? (?:now |currently |still |also )?"
    rf"(?P<not>no longer |don't |do not |never |not )?(?:use|using|run on|rely on|(?P<back>back (?:on|to|with))|(?P<on>on|target(?:ing)?)) {_X}{_STOP}{_TAIL}"
)
_STATE_RU = russian(
    rf"^(?:у нас |мы )?(?:теперь |сейчас |уже )?(?P<not>больше не |не )?(?:используем|используется|юзаем) {_X}{_STOP}{_TAIL}"
)
_USES = worded(
    rf"^{NP} (?:now |currently |still )?(?P<not>no longer |does not |doesn't |do not |don't )?uses? {_X}{_STOP}{_TAIL}",
    "use",
)
_USES_RU = russian(rf"^{NP} (?:теперь |сейчас )?(?P<not>больше не |не )?(?:использует|используют) {_X}{_STOP}{_TAIL}")
_RUNS_ON = compiled(
    rf"^{NP} (?:(?:is|are|was|has been|have been) (?:now |currently |finally )?(?:on|running on|backed by|powered by|built on|built with|"
    rf"based on|moved to|migrated to|ported to|rewritten in)|(?:now |currently )?(?:runs on|relies on|switched to|moved to|migrated to)) "
    rf"{_X}{_STOP}"
)
_RUNS_ON_RU = russian(
    rf"^{NP} (?:(?:теперь|сейчас|уже) на|(?:теперь |сейчас |уже )?(?:работает|переехала?|переехало|переехали|перешёл|перешел|перешла|"
    rf"перешли|переведён|переведена|построена?|написана?) на) {_X}{_STOP}"
)
_DROPPED = compiled(
    rf"^we(?:'ve| have)? (?P<not>dropped|removed|stopped using|abandoned|got rid of) {_X}{_STOP}{_TAIL}"
)
_DROPPED_RU = russian(rf"^(?:мы )?(?P<not>отказались от|перестали использовать|убрали) {_X}{_STOP}{_TAIL}")
_MOVED = worded(
    r"^(?P<lead>(?:(?:we|i)(?:'ve|'re|'m| have| are| am)? )?(?:just |finally |now |recently )?(?:(?:decided|agreed) to )?|let's |please )"
    r"(?:switch|switched|switching|move|moved|moving|migrate|migrated|migrating|port|ported) "
    rf"(?:(?!(?:from|to|over)\b)(?:the |our )?(?P<y>[\w`'-]+(?: [\w`'-]+){{0,3}}?) )?(?:over )?"
    rf"(?:from (?P<z>[\w`.+#@/-]+(?: (?:[\d.]+|(?-i:[A-Z])\w+))?) )?to (?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){{0,2}}?){_STOP}"
    rf"(?:\s+for (?P<y2>[\w`'-]+(?: [\w`'-]+){{0,3}}?){_STOP})?",
    "switch",
    "mov",
    "migrat",
    "port",
)
_MOVED_RU = russian(
    r"^(?P<lead>(?:мы |я )?(?:решили |уже |теперь )?|давай(?:те)? )(?:перешли|переходим|перейти|перейди(?:те)?|перейд[её]м|переехали|"
    r"мигрировали|перенесли|перев[её]л[аи]?|переведи(?:те)?|переключились)"
    r"(?: (?!с |на )(?P<y>[\wё-]+(?: [\wё-]+){0,2}?))?(?: с (?P<z>[\w`.+#@/-]+(?: [\d.]+)?))? на (?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){0,2}?)"
    rf"{_STOP}(?:\s+для (?P<y2>[\wё-]+(?: [\wё-]+){{0,3}}?){_STOP})?"
)
_INSTEAD = compiled(
    r"^(?P<lead>)(?:instead of (?P<z>[\w`.+#@/-]+),? (?:we (?:now )?)?use"
    r"|вместо (?P<z2>[\w`.+#@/-]+) (?:мы )?(?:теперь )?(?:используем|используй(?:те)?)) "
    rf"(?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){{0,2}}?){_STOP}(?:\s+(?:for|для) (?P<y>[\w`'-]+(?: [\w`'-]+){{0,3}}?){_STOP})?"
)
_UPGRADED = worded(
    r"^(?P<lead>(?:(?:we|i)(?:'ve| have| are|'re)? )?(?:just |finally |now )?(?:(?:decided|agreed) to )?|let's )(?:upgrad|downgrad|updat)(?:e|ed|ing) "
    rf"(?:(?:the |our )?(?P<y>[\w`'-]+(?: [\w`'-]+){{0,3}}?) from (?P<z2>[\w`.+#@/-]+ [\d.]+) |(?:from (?P<z>[\w`.+#@/-]+(?: [\d.]+)?) )?)to (?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){{0,2}}?){_STOP}",
    "upgrad",
    "downgrad",
    "updat",
)
_UPGRADED_RU = russian(
    r"^(?P<lead>(?:мы |я )?(?:решили |уже |теперь )?)(?:обновились|обновиться|обновись|обновляемся|откатились|вернулись)(?: с (?P<z>[\w`.+#@/-]+(?: [\d.]+)?))? "
    rf"(?:до|на|к) (?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){{0,2}}?){_STOP}"
)
_REPLACED = worded(
    r"^(?P<lead>(?:(?:we|i)(?:'ve| have)? )?(?:just )?(?:(?:decided|agreed) to )?|let's |please )replaced? "
    rf"(?P<z>[\w`.+#@/-]+(?: [\d.]+)?) (?:with|by) (?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){{0,2}}?){_STOP}"
    rf"(?:\s+(?:for|in) (?P<y>[\w`'’-]+(?: [\w`'’-]+){{0,3}}?){_STOP})?",
    "replace",
)
_DITCHED = worded(
    r"^(?P<lead>(?:(?:we|i)(?:'ve|'re|'m| have| are| am)? )?(?:just |finally |now )?(?:(?:decided|agreed) to )?|let's )"
    r"(?:ditch(?:ed|ing)?|drop(?:ped|ping)?|abandon(?:ed|ing)?|swap(?:ped|ping)?(?: out)?|retir(?:e|ed|ing)|phas(?:e|ed|ing) out|"
    r"mov(?:e|ed|ing) away from|replac(?:e|ed|ing)|trad(?:e|ed|ing)) (?!(?:support|usage|use)\b)(?P<z>[\w`.+#@/-]+(?: [\d.]+)?) (?:in favou?r of|for|with) "
    rf"(?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){{0,2}}?){_STOP}(?:\s+(?:for|in) (?P<y>[\w`'-]+(?: [\w`'-]+){{0,3}}?){_STOP})?",
    "ditch",
    "drop",
    "abandon",
    "swap",
    "retir",
    "phas",
    "mov",
    "replac",
    "trad",
)
_DITCHED_RU = russian(
    r"^(?P<lead>(?:мы |я )?(?:решили )?)(?:отказались от|отказаться от|отказываемся от|меняем|уходим с|ушли с) (?P<z>[\w`.+#@/-]+) "
    r"(?:в пользу|на) (?P<x>[\w`.+#@/-]+(?: [\d.]+)?)"
    rf"{_STOP}(?:\s+(?:для|в) (?P<y>[\wё-]+(?: [\wё-]+){{0,3}}?){_STOP})?"
)
_REPLACED_RU = russian(
    r"^(?P<lead>(?:мы |я )?(?:решили )?|давай(?:те)? )замен(?:или|ил|ила|ить|им|и|ите) (?P<z>[\w`.+#@/-]+) на "
    rf"(?P<x>[\w`.+#@/-]+(?: [\d.]+)?){_STOP}(?:\s+(?:для|в) (?P<y>[\wё-]+(?: [\wё-]+){{0,3}}?){_STOP})?"
)
_PREFER = compiled(rf"^we prefer {_X}(?: (?:over|to) (?P<z>[\w`.+#@/-]+))?{_STOP}(?:\s+for {_Y}{_STOP})?")

_NOW = compiled(r"\bnow\b")
_AT_END = re.compile(r"(?: now| again| today| everywhere)?$", re.IGNORECASE)


def find_choices(clause: str, *, by_person: bool) -> Iterator[Finding]:
    """Yield the choices that *clause* states; orders (`use X`) count only *by_person*."""
    clause = joined_versions(clause)
    said = by_purpose(clause)
    orders = (_orders,) if by_person else ()
    for find, text in (
        (_moves, clause),
        (_replacements, clause),
        *((find, said) for find in (_decisions, *orders, _states, _platforms)),
    ):
        if found := tuple(find(text)):
            yield from found
            return


def find_alternative(clause: str) -> Iterator[Finding]:
    """Yield the choice of what takes the place of something banned: after `don't mock S3`, moto of `use moto` is a name."""
    clause = _INSTEAD_OF_IT.sub("", clause)
    match = _ORDER.match(clause) or _ORDER_RU.match(clause)
    if match and match.end() >= len(clause):
        yield from chosen_by(match, "choice.order", ClaimType.DECISION, is_name=True)


_INSTEAD_OF_IT = compiled(r"^(?:(?:instead|just|please|вместо этого|лучше),? )+")


def ordered(phrase: str, *, rule: str, is_negative: bool, is_standing: bool) -> Iterator[Finding]:
    """Yield the choice that a rule's *phrase* (`use X for Y`) states, when it says nothing else and leaves no doubt."""
    phrase = re.sub("^использовать ", "используй ", by_purpose(phrase), flags=re.IGNORECASE)
    match = _ORDER.match(phrase) or _ORDER_RU.match(phrase)
    if match is None or match.end() < len(phrase):
        return
    found = tuple(chosen_by(match, rule, ClaimType.CONSTRAINT, is_standing=is_standing))
    if not found or (found[0].value == YES and len(found) == 1):
        return  # no slot that two such rules share
    yield from (attrs.evolve(found[0], polarity=Polarity.NEGATIVE),) if is_negative else found


def _decisions(clause: str) -> Iterator[Finding]:
    if match := _AGAINST.match(clause) or _AGAINST_RU.match(clause):
        yield from chosen_by(match, "choice.against", ClaimType.DECISION)
    elif match := _DECIDED.match(clause) or _DECIDED_RU.match(clause):
        yield from chosen_by(match, "choice.decided", ClaimType.DECISION)
    elif match := _LETS.match(clause) or _LETS_RU.match(clause):
        yield from chosen_by(match, "choice.lets", ClaimType.DECISION)


def _orders(clause: str) -> Iterator[Finding]:
    if match := _ORDER.match(clause) or _ORDER_RU.match(clause):
        is_move = _SWITCHES.match(match["verb"])
        yield from chosen_by(match, "choice.order", ClaimType.TASK if is_move else ClaimType.DECISION)


_SWITCHES = compiled("switch|перейд")


def _states(clause: str) -> Iterator[Finding]:
    if match := _STATE.match(clause) or _STATE_RU.match(clause) or _DROPPED.match(clause) or _DROPPED_RU.match(clause):
        groups, value = match.groupdict(), normalize_value(match["x"])
        if groups.get("back") and not kind_of_value(value):
            return  # `back on Monday`
        is_of_kind = kind_of_value(value) and not _NOW.search(clause)
        is_version = bool(named_version(value)[1]) and not is_of_kind
        if groups.get("on") and not (is_version and _AT_END.match(clause, match.end())):
            return  # `on holiday`
        yield from chosen_by(match, "choice.state", ClaimType.FACT)
    elif match := _PREFER.match(clause):
        found = chosen(match["x"], match["y"] or "", rule="choice.prefer", type=ClaimType.CONSTRAINT, is_standing=True)
        if found:
            yield found
    elif (match := _USES.match(clause) or _USES_RU.match(clause)) and (subject := normalize_subject(match["np"])):
        yield from chosen_by(match, "choice.uses", ClaimType.FACT, subject)


def _platforms(clause: str) -> Iterator[Finding]:
    """Read what a subject runs on now; only known kinds and versions, since much else may stand behind `on`."""
    match = _RUNS_ON.match(clause) or _RUNS_ON_RU.match(clause)
    if match and is_platform(match["x"]) and (subject := normalize_subject(match["np"])):
        yield from chosen_by(match, "choice.runs_on", ClaimType.FACT, subject)


def _moves(clause: str) -> Iterator[Finding]:
    patterns = (_MOVED, _MOVED_RU, _UPGRADED, _UPGRADED_RU)
    match = next(filter(None, (pattern.match(clause) for pattern in patterns)), None)
    if match and (match["z"] or is_platform(match.groupdict().get("z2") or match["x"])):
        yield from chosen_by(match, "choice.moved", type_of_change(match["lead"], match[0][match.end("lead") :]))


def _replacements(clause: str) -> Iterator[Finding]:
    patterns = (_REPLACED, _REPLACED_RU, _DITCHED, _DITCHED_RU)
    if match := next(filter(None, (pattern.match(clause) for pattern in patterns)), None):
        yield from chosen_by(match, "choice.moved", type_of_change(match["lead"], match[0][match.end("lead") :]))
    elif match := _INSTEAD.match(clause):
        yield from chosen_by(match, "choice.moved", ClaimType.DECISION)
