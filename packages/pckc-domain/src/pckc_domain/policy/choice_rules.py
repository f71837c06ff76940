"""Rules for choices: what is used for what, and what was switched to. English and Russian."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

import attrs

from pckc_domain.model.claim import ClaimType, Polarity
from pckc_domain.policy.changes import IN_USE, USES
from pckc_domain.policy.findings import NP, STATED, Finding, compiled, polarity, russian, type_of_change, worded
from pckc_domain.policy.purposes import by_purpose
from pckc_domain.policy.subjects import (
    PROJECT_WORDS,
    VALUE,
    VERSION,
    YES,
    kind_of_value,
    named_version,
    names_kind,
    normalize_subject,
    normalize_value,
)
from pckc_domain.policy.vocabulary import ALSO_OF_KIND

_X = r"(?P<x>(?:the |a |an )?[\w`.+#@/-]+(?: [\w`.+#@/-]+){0,3}?)"
_Y = r"(?P<y>[\w`'’.+#@/-]+(?: [\w`'’.+#@/-]+){0,4}?)"
_STOP = (
    r"(?=\s*(?:$|[,.;:!?()]|\s(?:for|as|in|on|with|because|since|instead|rather|so|to|and|when|over|now|from|by|"
    r"everywhere|anymore|any more|going|at|locally|where|which|due|but|before|after|until|today|again|"
    r"для|в|на|вместо|потому|так|чтобы|с|и|а|по|из|теперь|поскольку|везде|локально|как)\b))"
)
_NOT = r"(?:\s+(?:instead of|rather than|over|вместо)|,? (?:and )?not|,? (?:а |и )?не) (?:the |an? )?"
_TAIL = (
    rf"(?:{_NOT}(?P<z>[\w`.+#@/-]*[\w`+#]))?"
    rf"(?:,?\s+(?:for|для) {_Y}{_STOP}|\s+(?:as|в качестве) (?:the |a |our )?(?P<role>[\w-]+(?: [\w-]+){{0,2}}?){_STOP})?"
    rf"(?:{_NOT}(?P<z2>[\w`.+#@/-]*[\w`+#]))?(?P<instead>\s+(?:instead|вместо этого))?"
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
    r"^(?P<lead>(?:(?:we|i)(?:'ve|'re|'m| have| are| am)? )?(?:just |finally |now )?(?:(?:decided|agreed) to )?|let's |please )"
    r"(?:switch|switched|switching|move|moved|moving|migrate|migrated|migrating|port|ported) "
    rf"(?:(?!(?:from|to|over)\b)(?:the |our )?(?P<y>[\w`'-]+(?: [\w`'-]+){{0,3}}?) )?(?:over )?"
    rf"(?:from (?P<z>[\w`.+#@/-]+(?: [\d.]+)?) )?to (?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){{0,2}}?){_STOP}"
    rf"(?:\s+for (?P<y2>[\w`'-]+(?: [\w`'-]+){{0,3}}?){_STOP})?",
    "switch",
    "mov",
    "migrat",
    "port",
)
_MOVED_RU = russian(
    r"^(?P<lead>(?:мы |я )?(?:решили |уже |теперь )?|давай(?:те)? )(?:перешли|переходим|перейти|перейди(?:те)?|перейд[её]м|переехали|"
    r"мигрировали|перев[её]л[аи]?|переведи(?:те)?|переключились)"
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
    rf"(?:from (?P<z>[\w`.+#@/-]+(?: [\d.]+)?) )?to (?P<x>[\w`.+#@/-]+(?: [\w`.+#@/-]+){{0,2}}?){_STOP}",
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
    r"mov(?:e|ed|ing) away from|replac(?:e|ed|ing)|trad(?:e|ed|ing)) (?P<z>[\w`.+#@/-]+(?: [\d.]+)?) (?:in favou?r of|for|with) "
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

_PURPOSE = re.compile(
    r"(?:\w+ ){0,2}(?:\w{3,}ing|\w+(?:ation|ance)|cache|caches|logs|tests|queues|ci|docs|auth|builds|storage|search|metrics|sessions|"
    r"deployments?|deploys|деплоя|http|requests|state|styles|charts|icons|e2e|migrations|jobs|background jobs|"
    r"\w+(?:ания|ения|ации|ирования)|тестов|логов|кеша|кэша|поиска|очередей|сборки|метрик|сессий|документации)"
)
_MORE = re.compile(
    r"\s*(?:(?:,|/|,?\s*\b(?:and|or|и|или)\b)\s*(?:also\s+)?v?\d"
    r"|(?:in|on|at|with|by|from|where|when|until|before|after|over|to|for|as|locally|в|на|с|из|по|для|локально|как)\b)",
    re.IGNORECASE,
)
"""What follows a choice that is one of several, or one for a place."""

_CODE = re.compile(r"\w[._/@+#-]\w|\+\+|\d")
"""What only a name in code has."""

_AT_END = re.compile(r"(?: now| again| today| everywhere)?$", re.IGNORECASE)
_ALSO = re.compile(r"\b(?:also|too|as well|latest|legacy|old|также|тоже)\b", re.IGNORECASE)
_NO_NAME = frozenset(
    """
    it this that them these those one something anything everything same other another new old existing following both
    either all any some my your his her their its caution care more less plain simple only just small large better
    of for to in on at by with from without as if when yet always never ever necessarily
    это этот эту его её их то такой такую новый новую другой другую один одну всё что-то
    """.split()
)


def find_choices(clause: str, *, by_person: bool) -> Iterator[Finding]:
    """Yield the choices that *clause* states; orders (`use X`) count only *by_person*."""
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
        yield from _chosen(match, "choice.order", ClaimType.DECISION, is_name=True)


_INSTEAD_OF_IT = compiled(r"^(?:(?:instead|just|please|вместо этого|лучше),? )+")


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
    is_name = is_name or bool(purpose or role or kind_of_value(normalize_value(instead_of)) or _CODE.search(instead_of))
    if not _is_name(x, value, has_purpose=is_name):
        return None
    kind = kind_of_value(value)
    if (also := ALSO_OF_KIND.get(value)) and names_kind(purpose or role, also):
        kind = also
    name, version = named_version(value) if is_sole and not negative else ("", "")
    if role and (not kind or names_kind(role, kind) or role == kind):
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


def _is_platform(x: str) -> bool:
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


def _chosen(
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
    old = "" if old.casefold() in _NO_NAME else old
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
    _, version = named_version(normalize_value(old))
    return f"{old.rpartition(' ')[0]} {x}" if version and re.fullmatch(r"v?\d[\d.]*", x) else x


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


def ordered(phrase: str, *, rule: str, is_negative: bool, is_standing: bool) -> Iterator[Finding]:
    """Yield the choice that a rule's *phrase* (`use X for Y`) states, when it says nothing else and leaves no doubt."""
    phrase = re.sub("^использовать ", "используй ", by_purpose(phrase), flags=re.IGNORECASE)
    match = _ORDER.match(phrase) or _ORDER_RU.match(phrase)
    if match is None or match.end() < len(phrase):
        return
    found = tuple(_chosen(match, rule, ClaimType.CONSTRAINT, is_standing=is_standing))
    if not found or (found[0].value == YES and len(found) == 1):
        return  # no slot that two such rules share
    yield from (attrs.evolve(found[0], polarity=Polarity.NEGATIVE),) if is_negative else found


def _decisions(clause: str) -> Iterator[Finding]:
    if match := _AGAINST.match(clause) or _AGAINST_RU.match(clause):
        yield from _chosen(match, "choice.against", ClaimType.DECISION)
    elif match := _DECIDED.match(clause) or _DECIDED_RU.match(clause):
        yield from _chosen(match, "choice.decided", ClaimType.DECISION)
    elif match := _LETS.match(clause) or _LETS_RU.match(clause):
        yield from _chosen(match, "choice.lets", ClaimType.DECISION)


def _orders(clause: str) -> Iterator[Finding]:
    if match := _ORDER.match(clause) or _ORDER_RU.match(clause):
        is_move = _SWITCHES.match(match["verb"])
        yield from _chosen(match, "choice.order", ClaimType.TASK if is_move else ClaimType.DECISION)


_SWITCHES = compiled("switch|перейд")


def _states(clause: str) -> Iterator[Finding]:
    if match := _STATE.match(clause) or _STATE_RU.match(clause) or _DROPPED.match(clause) or _DROPPED_RU.match(clause):
        groups, value = match.groupdict(), normalize_value(match["x"])
        if groups.get("back") and not kind_of_value(value):
            return  # `back on Monday`
        is_version = bool(named_version(value)[1]) and not kind_of_value(value)
        if groups.get("on") and not (is_version and _AT_END.match(clause, match.end())):
            return  # `on holiday`
        yield from _chosen(match, "choice.state", ClaimType.FACT)
    elif match := _PREFER.match(clause):
        found = chosen(match["x"], match["y"] or "", rule="choice.prefer", type=ClaimType.CONSTRAINT, is_standing=True)
        if found:
            yield found
    elif (match := _USES.match(clause) or _USES_RU.match(clause)) and (subject := normalize_subject(match["np"])):
        yield from _chosen(match, "choice.uses", ClaimType.FACT, subject)


def _platforms(clause: str) -> Iterator[Finding]:
    """Read what a subject runs on now; only known kinds and versions, since much else may stand behind `on`."""
    match = _RUNS_ON.match(clause) or _RUNS_ON_RU.match(clause)
    if match and _is_platform(match["x"]) and (subject := normalize_subject(match["np"])):
        yield from _chosen(match, "choice.runs_on", ClaimType.FACT, subject)


def _moves(clause: str) -> Iterator[Finding]:
    patterns = (_MOVED, _MOVED_RU, _UPGRADED, _UPGRADED_RU)
    match = next(filter(None, (pattern.match(clause) for pattern in patterns)), None)
    if match and (match["z"] or _is_platform(match["x"])):
        yield from _chosen(match, "choice.moved", _type_of_move(match))


def _replacements(clause: str) -> Iterator[Finding]:
    patterns = (_REPLACED, _REPLACED_RU, _DITCHED, _DITCHED_RU)
    if match := next(filter(None, (pattern.match(clause) for pattern in patterns)), None):
        yield from _chosen(match, "choice.moved", _type_of_move(match))
    elif match := _INSTEAD.match(clause):
        yield from _chosen(match, "choice.moved", ClaimType.DECISION)


def _type_of_move(match: re.Match[str]) -> ClaimType:
    lead = match["lead"].casefold()
    deed = match[0][match.end("lead") :]
    if _DECIDES.search(lead):
        return ClaimType.DECISION
    ours = _OURS.match(deed)
    return type_of_change(lead or (ours[0] if ours else ""), is_past=bool(_PAST.match(deed)))


_DECIDES = compiled("decided|agreed|let's|решил|давай")
_PAST = compiled(r"[a-z]+ed\b|[а-яё]+л(?:[аи]|ись)?\b")
_OURS = compiled(r"[a-z]+ing\b|[а-яё]+(?:[иеё]м|мся)\b")
"""What the speakers are about to do themselves: `moving to X`, `переходим на X`."""
