"""Rules for work: bugs, fixes, tasks, open questions, and statements that carry their type as a label."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.model.identity import normalize
from pckc_domain.policy.findings import NP, STATED, Finding, compiled, russian, worded
from pckc_domain.policy.subjects import normalize_subject

BUG = "bug"
TASK = "task"

WORKS_NOW = "work.works_now"
"""Rule of a fix that says only that something works: nothing without the bug spoken of before."""

FILE = r"(?:[\w.-]+/)*[\w-]+\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala|lua|ex|sql|sh|toml|ya?ml|json|md|html|css|vue|tf|ini|cfg)"
FILE_NAME = re.compile(rf"(?<![\w/.-])({FILE})(?![\w/-])")
_CODE_NAME = re.compile(r"`([^`\s]{2,60})`|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+|\w+\(\))")
_LABELS = {
    "bug": "bug|known bug|баг|ошибка|проблема",
    "fix": "fix|fixed|bugfix|исправлено|фикс|исправление",
    "task": "todo|fixme|task|action item|задача|сделать",
    "question": "open question|question to decide|tbd|to be decided|открытый вопрос|вопрос на будущее",
    "decision": "decision|decided|agreed|adr|решение|решено",
    "constraint": "constraint|rule|hard rule|requirement|правило|ограничение|требование",
    "fact": "fact|факт",
}
_LABELLED = compiled(
    "^(?:"
    + "|".join(rf"(?P<{name}>{words})" for name, words in _LABELS.items())
    + r")(?:\([\w ]+\))?\s*[:—–]\s*(?P<rest>\S.+)"
)
_BUG_VERB = (
    r"(?:crash(?:es|ed)?|fails?|hangs?|breaks?(?=$|[.,!]| (?:on|when|if|after|with|in|every|again)\b)|throws?|(?:is|are) (?:broken|failing|crashing)|(?:doesn't|does not|don't|do not) work|"
    r"leaks?|freezes?|panics?|segfaults?|blows? up|chokes?|dies|deadlocks?|stalls?|gets? stuck|(?:stopped|stops) working|corrupts?|"
    r"keeps? (?:on )?(?:crashing|failing|hanging|breaking|throwing|freezing|timing out|restarting)|"
    r"умирает|виснет|висит|глючит|отваливается|перестал[аои]? работать|returns? (?:a |an )?(?:5\d\d|4\d\d|error|wrong|duplicates?|garbage|stale)|"
    r"times? out|loses? (?:data|messages|events)|падает|падают|не работает|не работают|зависает|зависают|ломается|"
    r"крашится|вылетает|сломал[аои]?сь|сломался|сломан[аоы]?|возвращает (?:5\d\d|4\d\d|ошибку|дубли))"
)
_BUG_WORDS = (
    *"crash fail hang break throw broken work leak freeze panic segfault blow choke dies deadlock stall stuck".split(),
    *"corrupt keep return time lose умирает виснет висит глючит отвалива перестал пада работа зависа лома краш".split(),
    *"вылет слома возвращ".split(),
)
"""A part of each verb of `_BUG_VERB`."""

_ADVERBS = (
    r"(?:(?:\w+ly|still|always|sometimes|often|also|now|just|never|теперь|снова|опять|всё ещё|все еще|постоянно|часто|регулярно|"
    r"периодически|иногда|всегда|вдруг|почему-то) )*"
)
_ANY_VERB = (
    rf"(?:{_BUG_VERB}|returns?|shows?|ignores?|raises?|duplicates?|overflows?|accepts?|sends?|drops?|loses?|"
    r"(?:is|are) (?:wrong|missing|empty|slow|not \w+)|(?:isn't|aren't|doesn't|don't|does not|do not|can't|cannot|won't) \w+|"
    r"возвращает|показывает|теряет|теряются|игнорирует|не \w+|дублирует(?:ся)?|тормозит)"
)
_BUG_SUBJECT = compiled(rf"^{NP} {_ADVERBS}{_ANY_VERB}\b")
_BUG_ACTOR = compiled(
    r"^(?P<np>(?:the |a )?[\w`./-]+(?: [\w`./-]+){0,2}?) (?!(?:is|was|as|this|has|its|does)\b)[a-z]{2,}[^s\W]s\b"
)
_BUG_PLACE = compiled(
    r"\b(?:in|on|with|when using|в|во|с|на) (?P<np>(?:the )?[\w`./-]+(?: [\w`./-]+){0,2}?)(?=$|[.,;:!]| (?:when|if|on|after|with|for|when|при|когда|если)\b)"
)
_BUG = worded(
    rf"^(?:we found that |i noticed that |i see that |there(?:'s| is) a bug:? |i found a bug:? )?"
    rf"(?P<np2>(?:the |our )?[\w`'’./-]+(?: [\w`'’./-]+){{0,4}}?) {_ADVERBS}(?P<v>{_BUG_VERB})\b",
    *_BUG_WORDS,
)
_BUG_IN = compiled(
    r"^(?:there(?:'s| is)|we have|i found|у нас|есть|нашёл|нашел|нашла) (?:a |an |another )?(?:bug|regression|memory leak|race condition|баг|ошибка|ошибку|утечка) (?:in|with|в|во|с) (?P<np2>(?:the )?[\w`./-]+(?: [\w`./-]+){0,3}?)(?=$|[.,;:!]| (?:when|if|on|that|after|при|когда|если)\b)"
)
_PROBLEM = r"(?:bugs?|crash(?:es)?|issues?|errors?|problems?|failures?|(?:memory )?leaks?|hangs?|regressions?|race|flak\w+|баг\w*|ошибк\w+|падени\w+|проблем\w+|утечк\w+)"
_FIXED = compiled(
    r"^(?:(?:i|we)(?:'ve| have)? )?(?:just |now |finally |also )?(?:fixed|resolved(?! (?:to|as)\b)|repaired|patched)\b\s*(?P<rest>.*)"
)
_FIXED_RU = russian(
    r"^(?:я |мы )?(?:уже |наконец )?(?:исправил[аи]?|починил[аи]?|пофиксил[аи]?|поправил[аи]?|устранил[аи]?)\s*(?P<rest>.*)"
)
_CAUSED = worded(
    rf"^{NP} (?:was|is) (?:caused by|due to) [^;]+[;,] (?:and )?(?:it (?:is|was) )?(?:now )?(?:fixed|resolved|solved)\b",
    "caused by",
    "due to",
)
_CAUSED_RU = russian(
    rf"^{NP} (?:был[аои]?|возникал[аои]?) (?:вызван[аоы]? |из-за )[^;]+[;,] (?:и )?(?:уже |теперь )?(?:исправ|почин)"
)
_IS_FIXED = worded(
    rf"^{NP} (?:is|are|was|were|has been|have been) (?:now |finally |already )?(?:fixed|resolved)(?=$|[.,;!]| (?:now|in|since|by|again|thanks)\b)",
    "fixed",
    "resolved",
)
_IS_FIXED_RU = russian(rf"^{NP} (?:уже |теперь )?(?:исправлен[аоы]?|починен[аоы]?|пофикшен[аоы]?)(?!\w)")
_NO_LONGER = worded(
    rf"^{NP} (?:no longer|больше не) (?P<v>crash\w*|fails?|hangs?|breaks?|throws?|leaks?|freezes?|times? out|падает|зависает|ломается|крашится)\b",
    "no longer",
    "больше не",
)
_WORKS_NOW = compiled(
    r"^(?:(?:that|this|it|everything|all) )?(?:has |really |actually )?(?:fixed (?:it|that|the (?:bug|issue|problem|crash|error))|"
    r"solved (?:it|the (?:issue|problem))|works (?:now|again|fine now)|is (?:working|fixed|solved|gone)(?: now)?|did the trick)(?=$|[.,!])"
    r"|^(?:(?:теперь )?(?:всё |все )?работает|(?:всё |все )?заработало|(?:это )?помогло|(?:всё |все )?починилось|ошибка ушла)(?=$|[.,!])"
)
_TASK = compiled(
    r"^(?:(?:we|i) (?:still |also )?(?:need|have) to (?P<a>(?:add|write|fix|update|remove|migrate|implement|refactor|document|"
    r"test|upgrade|deploy|rename|replace|split|delete|publish|release|rotate|back ?up|set up|clean up|move) .+)"
    r"|(?:don't forget|remember|remind me) to (?P<b>.+)|(?:мне |нам )?(?:ещё |еще )?(?:надо|нужно|необходимо)(?: ещё| еще| будет)? (?P<c>(?:добавить|исправить|"
    r"написать|обновить|удалить|перенести|реализовать|сделать|покрыть|задокументировать|переписать|убрать|починить|настроить|"
    r"выложить|выпустить|переименовать|заменить|поднять) .+)|не забудь(?:те)? (?P<d>.+)|напомни(?:те)?(?: мне)? (?P<e>.+))"
)
_TASK_PLACE = compiled(r"\b(?:to|in|for|from|of|в|из|для|на) (?P<np>(?:the |our )?[\w`./-]+(?: [\w`./-]+){0,2})[.!]?$")
_OPEN = compiled(
    r"^(?:should (?:we|i) (?:\S+ ){2,}\S+\?|do we want .+\?|(?:we|i) (?:still )?(?:haven't|have not) decided .+|(?:we )?(?:still )?need to decide .+|"
    r"(?:it(?:'s| is) )?(?:still )?(?:undecided|an open question) .+|(?:мы )?(?:ещё|еще|пока) не решили.+|"
    r"(?:надо|нужно) (?:ещё |еще )?решить.+|стоит ли нам .+\?|нам стоит .+\?)"
)
_BARE_VERB = compiled(r"(?:crash|fail|hang|break|throw|leak|freeze|panic|segfault|time out)|(?:return|lose) .*")
_PRONOUN = compiled(r"^(?:it|this|that|them|the (?:bug|issue|problem|crash)|это|его|её|баг|проблему|ошибку)\b")
_EDGES = " \t.!,;:"


def find_work(clause: str, *, is_question: bool) -> Iterator[Finding]:
    """Yield the bug, fix, task or open question that *clause* states; a question is only ever an open question."""
    if _OPEN.match(clause):
        yield Finding(rule="work.question", type=ClaimType.OPEN_QUESTION, value=described(clause))
    elif is_question:
        return
    elif _WORKS_NOW.match(clause):
        yield Finding(rule=WORKS_NOW, type=ClaimType.FIX, value=described(clause))
    elif fix := _fix(clause):
        yield fix
    elif match := _TASK.match(clause):
        yield task(next(filter(None, match.groups())), rule="work.task")
    elif (match := _BUG_IN.match(clause) or _bug(clause)) and (subject := normalize_subject(match["np2"])):
        yield Finding(
            rule="work.bug",
            type=ClaimType.BUG,
            subject=subject,
            attribute=BUG,
            value=described(clause),
            path=file_in(clause),
        )


def _bug(clause: str) -> re.Match[str] | None:
    """Match a malfunction; a bare verb is one behind a plural only: `tests fail`, not `a memory leak`."""
    match = _BUG.match(clause)
    if match and _BARE_VERB.fullmatch(match["v"]) and not match["np2"].rstrip(_EDGES).endswith("s"):
        return None
    return match


def split_label(clause: str) -> tuple[str, str]:
    """Return the type's name and the rest of a sentence such as `Bug: …`; ``""`` and the sentence when it has no label."""
    if match := _LABELLED.match(clause):
        return str(match.lastgroup and next(name for name in _LABELS if match[name])), match["rest"]
    return "", clause


def labelled(label: str, rest: str) -> Finding:
    """Return what a labelled sentence says when no other rule reads more from it."""
    if label == "bug":
        subject = _bug_subject(rest)
        return Finding(
            rule="label.bug",
            type=ClaimType.BUG,
            subject=subject,
            attribute=BUG if subject else "",
            value=described(rest),
            path=file_in(rest),
            confidence=STATED,
        )
    if label == "fix":
        return _fix(f"fixed {rest}") or Finding(rule="label.fix", type=ClaimType.FIX, value=described(rest))
    if label == "task":
        return task(rest, rule="label.task")
    kinds = {"question": ClaimType.OPEN_QUESTION, "decision": ClaimType.DECISION, "constraint": ClaimType.CONSTRAINT}
    claim_type = kinds.get(label, ClaimType.FACT)
    return Finding(
        rule=f"label.{label}",
        type=claim_type,
        value=described(rest),
        confidence=STATED,
        is_standing=claim_type is ClaimType.CONSTRAINT,
    )


def task(what: str, *, rule: str) -> Finding:
    """Return the task to do *what*; its subject is the file, symbol or place that it names."""
    place = _TASK_PLACE.search(what.strip())
    subject = file_in(what) or _code_name(what) or (normalize_subject(place["np"]) if place else "")
    return Finding(
        rule=rule,
        type=ClaimType.TASK,
        subject=subject,
        attribute=TASK if subject else "",
        value=described(what),
        path=file_in(what),
        confidence=STATED,
    )


def described(text: str) -> str:
    """Return a description as a comparable value."""
    return normalize(text).strip(_EDGES)


def file_in(text: str) -> str:
    """Return the first file named in *text*, ``""`` when it names none."""
    match = FILE_NAME.search(text)
    return match[1] if match else ""


def _fix(clause: str) -> Finding | None:
    if match := _FIXED.match(clause) or _FIXED_RU.match(clause):
        rest = match["rest"].strip()
        subject = "" if not rest or _PRONOUN.match(rest) else _fixed_subject(rest)
    elif (
        match := _CAUSED.match(clause)
        or _CAUSED_RU.match(clause)
        or _IS_FIXED.match(clause)
        or _IS_FIXED_RU.match(clause)
    ):
        subject = "" if _PRONOUN.match(match["np"]) else _fixed_subject(match["np"])
    elif match := _NO_LONGER.match(clause):
        subject = normalize_subject(match["np"])
        if not subject:
            return None
    else:
        return None
    return Finding(
        rule="work.fix",
        type=ClaimType.FIX,
        subject=subject,
        attribute=BUG if subject else "",
        value=described(clause),
        path=file_in(clause),
        confidence=STATED,
    )


_FIX_END = compiled(
    r"\s+(?:by|in|on|with|when|where|so|and|for|after|at|using|via|из|в|во|на|с|путём|теперь|тем|через|когда)\b|[,;:.!(]\s|[.!,]$"
)


def _fixed_subject(rest: str) -> str:
    """Return what was broken: the noun before a problem word, or the place behind it."""
    if (place := re.match(rf"(?:the |a |an )?{_PROBLEM} (?:in|with|of|on|в|во|с) (.+)", rest, re.IGNORECASE)) or (
        place := re.match(r"падени[ея] (?!в |на |при )(.+)", rest, re.IGNORECASE)
    ):
        rest = place[1]
    head = _FIX_END.split(f"{rest} ", maxsplit=1)[0].strip(_EDGES)
    named = re.sub(rf"\s+{_PROBLEM}.*$", "", head, flags=re.IGNORECASE)
    if named == head and len(head.split()) > 4:  # a clause, not a name
        return ""
    head = named
    if re.fullmatch(rf"(?:the |a |an )?{_PROBLEM}", head, re.IGNORECASE) or re.match(
        r"(?:in|by|with|в) ", rest, re.IGNORECASE
    ):
        return ""
    return normalize_subject(head)


def _bug_subject(text: str) -> str:
    for pattern in (_BUG_SUBJECT, _BUG_ACTOR):
        if (match := pattern.match(text)) and (subject := normalize_subject(match["np"])):
            return subject
    if name := file_in(text) or _code_name(text):
        return name
    place = _BUG_PLACE.search(text)
    return normalize_subject(place["np"]) if place else ""


def _code_name(text: str) -> str:
    match = _CODE_NAME.search(text)
    return normalize_subject(match[1] or match[2]) if match else ""
