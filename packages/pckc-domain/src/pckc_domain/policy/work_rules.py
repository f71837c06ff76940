"""Rules for work: bugs, fixes, tasks, open questions, and statements that carry their type as a label."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator

from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.bug_attributes import BUG
from pckc_domain.policy.descriptions import EDGES, code_name_in, described, file_in, trouble_subject
from pckc_domain.policy.findings import NP, STATED, Finding, compiled, worded
from pckc_domain.policy.fix_rules import find_fix
from pckc_domain.policy.subjects import normalize_subject

TASK = "task"

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
_ORDERED = compiled(r"(?:fix|bugfix|фикс|исправление)\b")
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


def find_work(clause: str, *, is_question: bool) -> Iterator[Finding]:
    """Yield the bug, fix, task or open question that *clause* states; a question is only ever an open question."""
    if _OPEN.match(clause):
        yield Finding(rule="work.question", type=ClaimType.OPEN_QUESTION, value=described(clause))
    elif is_question:
        return
    elif fix := find_fix(clause):
        yield fix
    elif match := _TASK.match(clause):
        yield task(next(filter(None, match.groups())), rule="work.task")
    elif (match := _BUG_IN.match(clause) or _bug(clause)) and (subject := trouble_subject(match["np2"])):
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
    if match and _BARE_VERB.fullmatch(match["v"]) and not match["np2"].rstrip(EDGES).endswith("s"):
        return None
    return match


def split_label(clause: str) -> tuple[str, str]:
    """Return the type's name and the rest of a sentence such as `Bug: …`; ``""`` and the sentence when it has no label."""
    if match := _LABELLED.match(clause):
        return str(match.lastgroup and next(name for name in _LABELS if match[name])), match["rest"]
    return "", clause


def ordered_fix(rest: str) -> tuple[Finding, ...]:
    """Return the bug that a person's `Fix: …` asks to be fixed: so far, nothing is."""
    return (labelled("bug", rest),) if _BUG_IN.match(rest) or _bug(rest) else ()


def orders_fix(label: str, clause: str) -> bool:
    """Return whether a sentence with this *label* tells to fix something, rather than that it is fixed."""
    return label == "fix" and bool(_ORDERED.match(clause))


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
        return find_fix(f"fixed {rest}") or Finding(rule="label.fix", type=ClaimType.FIX, value=described(rest))
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
    subject = file_in(what) or code_name_in(what) or (normalize_subject(place["np"]) if place else "")
    return Finding(
        rule=rule,
        type=ClaimType.TASK,
        subject=subject,
        attribute=TASK if subject else "",
        value=described(what),
        path=file_in(what),
        confidence=STATED,
    )


def _bug_subject(text: str) -> str:
    for pattern in (_BUG_SUBJECT, _BUG_ACTOR):
        if (match := pattern.match(text)) and (subject := normalize_subject(match["np"])):
            return subject
    if name := file_in(text) or code_name_in(text):
        return name
    place = _BUG_PLACE.search(text)
    return normalize_subject(place["np"]) if place else ""
