"""One sentence of one event: what the claim rules read in it, as candidates."""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator
from datetime import datetime

import attrs

from pckc_domain.model.claim import Candidate, ClaimType, Polarity
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.belief_gate import is_human
from pckc_domain.policy.choice_rules import find_alternative, find_choices
from pckc_domain.policy.descriptions import FILE
from pckc_domain.policy.evidence import own_text
from pckc_domain.policy.findings import IMPORTANCE, STATED, Finding
from pckc_domain.policy.fix_rules import find_causes
from pckc_domain.policy.order_rules import find_bans, find_preferences
from pckc_domain.policy.owner_rules import find_owners
from pckc_domain.policy.personal_rules import find_personal
from pckc_domain.policy.personal_rules_russian import find_personal_russian
from pckc_domain.policy.property_rules import find_properties
from pckc_domain.policy.revocation_rules import find_revocations
from pckc_domain.policy.sentences import Sentence, own_words, sentences, split_condition, stated_date
from pckc_domain.policy.setting_rules import find_settings
from pckc_domain.policy.spelling import with_apostrophes
from pckc_domain.policy.standing_rules import find_rules
from pckc_domain.policy.store_rules import find_stores
from pckc_domain.policy.then_and_now import as_now
from pckc_domain.policy.vocabulary import RELATIVES
from pckc_domain.policy.work_rules import find_work, labelled, ordered_fix, orders_fix, split_label

_LEAD = re.compile(
    r"^(?:(?:lol|ok(?:ay)?|done|готово|сделано|yes|yep|yeah|no|nope|well|wait|hey|hi|hello|sorry|right|sure|great|thanks|update|correction|reminder|oops|scratch that|my mistake|my bad|i was wrong|ой|ошибся|"
    r"important|in short|for the record|as a reminder|fyi|btw|by the way|да|нет|ок|окей|привет|слушай|спасибо|важно|поправка|итак)[,:;!.—–]+\s*"
    r"|(?:also|and|but|so|actually|i meant(?: to say)?(?: that)?|please|пожалуйста|note(?: that)?|"
    r"remember(?: that)?|please remember(?: that)?|keep in mind(?: that)?|just so you know|btw|fyi|heads up|today|yesterday|last week|last month|currently|now|"
    r"ну|так|и|а|но|кстати|запомни(?:,? что)?|учти(?:,? что)?|имей в виду(?:,? что)?|напоминаю|"
    r"вчера|сегодня|теперь|сейчас|на самом деле|вообще|в итоге|в конце концов|короче)(?:[,:;!.—–]+\s*|\s+))+",
    re.IGNORECASE,
)
_FOREIGN = re.compile("[іїєґўјљњћђџүөқғңһәі]", re.IGNORECASE)
"""Letters of Cyrillic alphabets other than the Russian one."""

_COURTESY = re.compile(r",? (?:please|pls|plz|пожалуйста|плиз)$", re.IGNORECASE)
_MY = re.compile(r"^(?:my|мой|моя|моё|мое|мои) ", re.IGNORECASE)
_OPENING = re.compile(
    r"(?!(?:if|when|whenever|while|unless|because|since|если|когда|пока)\b)[^,:;—–]{2,45}(?:[,:]|\s[—–])\s+",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"^(?P<when>(?:when|if|before|after|once|когда|если|перед|после)\b[^,]{3,70}),\s+"
    r"(?=(?:please |пожалуйста,? )?(?:always|never|do not|don't|всегда|никогда|не)\b)",
    re.IGNORECASE,
)
_FRONTED = re.compile(
    r"^(?P<prep>for|для) (?P<what>(?:the |our )?[\w-]+(?: [\w-]+){0,2}?),? "
    r"(?P<rest>(?:(?:we|мы|the team)\b|решили|выбрали|используем|взяли|use\b|используй).+)$",
    re.IGNORECASE,
)
_OPENING_WE = re.compile(
    r"(?:after|following|in|on|at|last|this|today|yesterday|finally|eventually|после|в|на|вчера|сегодня|наконец|обсудили)\b"
    r"[^,:;]{0,60}?[\s,]+(?=(?:we|мы|решили|остановились|договорились|выбрали|перешли)\b)",
    re.IGNORECASE,
)


_IN_FILE = re.compile(rf"^(?:in|в) `?(?P<file>{FILE})`?,? (?P<rest>.+)$", re.IGNORECASE)
_IN_PROJECT = re.compile(r"^in (?:this|our) (?:project|repo|repository|codebase|app),? (?=(?:the|our) )", re.IGNORECASE)
_VALUE_IN_FILE = re.compile(
    rf"^(?P<rest>`?[A-Z][A-Z0-9_]{{2,}}`? (?:is|=|equals|was set to|is set to) \S+(?: \w+)?) in `?(?P<file>{FILE})`?$"
)
_COMPOUND = re.compile(
    r"(?:,| and|, and|, but|,? и|,? а) (?=(?:the|our) (?:[\w'-]+ ){1,4}(?:is|are|listens|runs|uses|lives) |"
    r"(?:now )?(?:we|we now|мы) (?:use|используем) )|[,;] (?=(?:(?:please|just|instead|лучше|вместо этого),? )*(?:use|используй(?:те)?) )",
    re.IGNORECASE,
)
_CHOSEN_WHERE = re.compile(
    r"\b(?:in|inside|within) (?:the|our) (?:[\w-]+ ){1,2}(?:app|service|package|module|worker|pipeline|image|container|"
    r"script|notebook|environment|library|backend|frontend|client|job|cluster|store)\b"
    r"|\bв (?:[\w-]+ )?(?:сервисе|модуле|пакете|воркере|пайплайне|образе|скрипте|окружении|бэкенде|фронтенде|кластере)\b"
    r"|\blocally\b|\bлокально\b",
    re.IGNORECASE,
)
"""A choice that names one of these is for it alone."""

_ORDER = re.compile(r"(?:please )?(?:use|используй)\b", re.IGNORECASE)
"""`To sort, use X` is no choice, `we no longer use Y, use X` is one."""

_DESCRIBED = frozenset({ClaimType.BUG, ClaimType.FIX, ClaimType.TASK, ClaimType.OPEN_QUESTION})
_AGREED = re.compile(
    r"^(?:(?:(?:the )?team|we all|we|мы)(?:'ve| have)? )?(?:(?:all )?(?:agreed|decided) that|(?:договорились|решили),? что) "
    r"(?P<what>(?!(?:it|this|that|he|she|they|i|you|это|он|она|они|я|ты)\b)(?:\S+ ){2,24}\S+)$"
    r"|^(?:мы )?договорились (?P<what2>(?:писать|хранить|называть|тестировать|коммитить|оформлять|вести|проверять) (?:\S+ ){1,20}\S+)$",
    re.IGNORECASE,
)
_DECIDED_TO = re.compile(
    r"^(?:(?:we all|we|the team|team)(?:'ve| have)? (?:(?:just|finally|all|both|now) )?decided (?P<what>(?:not )?to "
    r"[a-z-]+ (?!(?:it|this|that|so|them|him|her|you)\b)\S+(?: \S+){1,24})"
    r"|(?:мы|команда) (?:наконец |все |вместе )?решил[аи] "
    r"(?P<what2>(?:не )?[а-яё]{2,}(?:ть|ти|чь)(?:ся)? (?!(?:это|его|её|ее|их|так)\b)\S+(?: \S+){1,24}))$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^(?:(?:can|could|would|will) you(?: please| kindly| also| now)*|i(?:'d like| would like| want| need) you to|"
    r"(?:не )?(?:можешь|можете|мог(?:ла|ли)? бы(?: ты| вы)?)(?: ли)?(?: пожалуйста,?)?) (?P<what>.+?)[?.! ]*$",
    re.IGNORECASE,
)
_CORRECTS = re.compile(r"\W*(?:actually|no|correction|на самом деле|нет)\b", re.IGNORECASE)
_SHOULD_BE = re.compile(
    r" (?:should|must|has to|needs to) (?:now )?be (?!at |no |below |under |above |over |exactly |kept |stored |retained |\w+er than |(?:more|less) than )",
    re.IGNORECASE,
)


def spoken_sentences(event: Event) -> Iterator[Sentence]:
    """Yield the sentences of an event's own text, in order."""
    for text, position in own_text(event):
        yield from sentences(text, position)


def read_sentence(event: Event, sentence: Sentence, said_at: datetime) -> Iterator[Candidate]:
    """Yield the candidates of one sentence of *event*, each content once; none of one in a language not known."""
    if _FOREIGN.search(sentence.text):
        return
    seen = set()
    for finding, condition in find_in_sentence(event, sentence):
        key = (finding.type, finding.subject, finding.attribute, finding.value, finding.polarity)
        if key not in seen:
            seen.add(key)
            yield candidate_of(finding, sentence, condition=condition, said_at=said_at)


def find_in_sentence(event: Event, sentence: Sentence) -> Iterator[tuple[Finding, str]]:
    """Yield what the rules find in one sentence of *event*, each with the condition that limits it."""
    sentence = attrs.evolve(sentence, text=with_apostrophes(sentence.text))
    said = own_words(sentence.text)
    clause = strip_lead(said)
    if clause.endswith(":"):  # it only leads to what follows
        return
    if is_human(event) and not sentence.is_question:
        personal = [
            *find_personal(said, speaker_of(event)),
            *find_personal_russian(said, speaker_of(event)),
        ]
        if personal:
            yield from ((finding, "") for finding in personal)
            return
    if not event.speaker:  # between several people `my app` is one of many
        clause = _mine(clause)
    label, rest = split_label(clause)
    limited, condition = split_condition(rest)
    limited = _COURTESY.sub("", limited.rstrip(" .!"))
    if orders_fix(label, clause) and event.kind is EventKind.PROMPT:
        yield from ((finding, "") for finding in ordered_fix(rest))
        return
    if label in {"bug", "task", "fix", "question"}:
        yield labelled(label, rest), ""
        return
    if when := _WHEN.match(limited):
        limited, condition = limited[when.end() :], when["when"].casefold()
    limited, path = _split_file(limited)
    for part in _parts(limited):
        if found := tuple(_compound_findings(event, sentence, part)):
            yield from (
                (_typed(_placed(finding, path), label), _condition(condition, finding, limited)) for finding in found
            )
            return
    if label:
        yield labelled(label, rest), ""


def _parts(clause: str) -> Iterator[str]:
    """Yield a clause, and what follows a short opening of it (`Heads up, …`, `After a long debate we …`)."""
    yield clause
    if fronted := _FRONTED.match(clause):
        yield f"{fronted['rest']} {fronted['prep'].casefold()} {fronted['what']}"
    for opening in (_OPENING.match(clause), _OPENING_WE.match(clause)):
        if opening:
            yield strip_lead(clause[opening.end() :])


def _split_file(clause: str) -> tuple[str, str]:
    """Return what a clause says of a file (`In src/server.py the port is 80`), and that file; ``""`` when of none."""
    if match := _IN_FILE.match(clause):
        return match["rest"], match["file"]
    if (match := _VALUE_IN_FILE.match(clause)) is not None:
        return match["rest"], match["file"]
    return _IN_PROJECT.sub("", clause), ""


def _condition(condition: str, finding: Finding, clause: str) -> str:
    """Return what limits a *finding*: the sentence's own *condition*, and what the rule that read it found."""
    return " ".join(filter(None, (finding.condition, condition))) or _where_chosen(finding, clause)


def _where_chosen(finding: Finding, clause: str) -> str:
    """Return the part of the project for which alone *clause* makes a choice, ``""`` when it makes it for all."""
    where = _CHOSEN_WHERE.search(clause) if finding.rule.startswith("choice.") else None
    return where[0].casefold() if where else ""


def _placed(finding: Finding, path: str) -> Finding:
    return attrs.evolve(finding, path=path) if path and not finding.path else finding


def _compound_findings(event: Event, sentence: Sentence, clause: str) -> tuple[Finding, ...]:
    """Return what each part of `X is 1 and the Y is 2` says; a bug's or task's description is never taken apart."""
    whole = tuple(_project_findings(event, sentence, clause))
    parts = _COMPOUND.split(clause) if not sentence.is_question else [clause]
    if len(parts) == 1 or any(finding.type in _DESCRIBED for finding in whole):
        return whole
    each = tuple(_each_part(event, sentence, parts))
    if whole and not each[0]:
        return whole
    stated = [found for found, part in zip(each, parts, strict=True) if each[0] or not _ORDER.match(part)]
    return tuple(finding for found in stated for finding in found)


def _each_part(event: Event, sentence: Sentence, parts: list[str]) -> Iterator[tuple[Finding, ...]]:
    """Yield what each part says: beside an order to use something else, a ban is general, and what to use is a name."""
    is_order = is_human(event) and not event.speaker
    is_banned = False
    for part, after in zip(parts, [*parts[1:], ""], strict=True):
        found = tuple(find_alternative(part)) if is_banned and is_human(event) else ()
        if not found and is_order and any(find_alternative(after)):
            found = tuple(find_bans(part, sentence=sentence.text, is_general=True))
        found = found or tuple(_project_findings(event, sentence, strip_lead(part)))
        is_banned = bool(found) and all(one.polarity is Polarity.NEGATIVE for one in found)
        yield found


def _typed(finding: Finding, label: str) -> Finding:
    """Give a finding the type that its sentence's label names."""
    if label in {"decision", "constraint"}:
        return attrs.evolve(finding, type=ClaimType(label), is_standing=label == "constraint", confidence=STATED)
    return finding


def _project_findings(event: Event, sentence: Sentence, clause: str) -> Iterator[Finding]:
    asked = _ASKED.match(clause) if is_human(event) else None
    if asked:
        yield from (one for one in _asked_for(asked["what"]) if one.polarity is Polarity.POSITIVE)
    if sentence.is_question:
        if is_human(event) and not asked:
            yield from find_work(sentence.text, is_question=True)
        return
    by_person = is_human(event)
    if by_person and (agreed := _AGREED.match(clause)):
        yield _agreed(event, sentence, agreed["what"] or agreed["what2"])
        return
    if _CORRECTS.match(sentence.text):  # `Actually the timeout should be 50 s`
        clause = _SHOULD_BE.sub(" is ", clause)
    now = as_now(clause)
    is_order = by_person and not event.speaker  # several people do not instruct each other
    found = (
        (by_person and tuple(find_revocations(clause, sentence=sentence.text)))
        or (by_person and tuple(find_rules(clause, sentence=sentence.text)))
        or tuple(find_causes(clause))
        or tuple(find_choices(now, by_person=is_order))
        or tuple(find_stores(now, by_person=by_person))
        or tuple(find_settings(now))
        or (not event.speaker and tuple(find_owners(clause)))
        or tuple(find_work(clause, is_question=False))
        or (not event.speaker and tuple(find_properties(now)))
        or (is_order and tuple(find_bans(clause, sentence=sentence.text)))
        or (is_order and tuple(find_preferences(clause, sentence=sentence.text)))
        or (is_order and tuple(_decided_to(clause)))
        or ()
    )
    yield from (one for one in found if one.type is not ClaimType.TASK or one.polarity is Polarity.POSITIVE)


def _asked_for(what: str) -> Iterator[Finding]:
    """Yield the task that somebody politely asks for: `could you raise the limit to 5?`."""
    found = tuple(find_choices(what, by_person=True)) or tuple(find_settings(what))
    yield from (one for one in found if one.type is ClaimType.TASK)


def _agreed(event: Event, sentence: Sentence, what: str) -> Finding:
    """Return the decision that `we agreed that …` tells of: in the slot of what it says, else in its own words."""
    found = next(_project_findings(event, sentence, strip_lead(what)), None)
    if found and found.type not in _DESCRIBED:
        return attrs.evolve(found, type=ClaimType.DECISION, confidence=STATED)
    return labelled("decision", what)


def _decided_to(clause: str) -> Iterator[Finding]:
    """Yield the decision to do something that no other rule knows how to read, in its own words."""
    if match := _DECIDED_TO.match(clause):
        yield labelled("decision", (match["what"] or match["what2"]).removeprefix("to "))


def strip_lead(text: str) -> str:
    """Return a sentence without the words that only lead into it (`by the way,`, `кстати,`)."""
    match = _LEAD.match(text)
    if match is None or match.end() >= len(text) - 2:
        return text
    lead = match[0].strip(" ,:;!.—–").casefold()
    if lead == "remember" and re.match(r"to\b", text[match.end() :]):
        return text
    return text[match.end() :]


def _mine(clause: str) -> str:
    """Return a clause without its leading `my`, unless that is a relative: `my app` is the app, `my friend's` is not."""
    rest = _MY.sub("", clause)
    owner = rest.split("'s ")[0].split(" ")[0].casefold()
    return clause if owner in RELATIVES else rest


def candidate_of(
    finding: Finding, sentence: Sentence, *, condition: str = "", said_at: datetime, text: str = ""
) -> Candidate:
    """Return what *sentence* vouches for as a candidate; its words, or *text* when it only agrees to those."""
    return Candidate(
        type=finding.type,
        subject=finding.subject,
        attribute=finding.attribute,
        value=finding.value,
        polarity=finding.polarity,
        condition=condition,
        path=finding.path,
        text=text or sentence.text,
        start=sentence.start,
        end=sentence.end,
        rule=finding.rule,
        confidence=finding.confidence,
        importance=IMPORTANCE[finding.type],
        is_standing=finding.is_standing,
        valid_from=stated_date(sentence.text, said_at=said_at, is_event=finding.is_event),
    )


def speaker_of(event: Event) -> str:
    """Return the subject of `I` in *event*."""
    return event.speaker.casefold().strip() or "user"
