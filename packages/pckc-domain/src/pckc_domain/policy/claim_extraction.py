"""
From one event, and the few before it, to claim candidates.

Rules stay silent unless they are sure: what they miss is still searchable as verbatim evidence. People's sentences are
read by all rules, agents' by those that speak of the project, tools' output only by its structure.
"""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.claim import Candidate, ClaimType, Polarity
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.belief_gate import is_human
from pckc_domain.policy.choice_rules import chosen, find_choices
from pckc_domain.policy.code_rules import Reading, read_tool_event
from pckc_domain.policy.evidence import own_text
from pckc_domain.policy.findings import IMPORTANCE, STATED, Finding
from pckc_domain.policy.personal_rules import find_personal
from pckc_domain.policy.personal_rules_russian import find_personal_russian
from pckc_domain.policy.sentences import Sentence, lone_condition, sentences, split_condition, stated_date
from pckc_domain.policy.setting_rules import find_settings
from pckc_domain.policy.standing_rules import find_rules
from pckc_domain.policy.subjects import kind_of_value, normalize_value
from pckc_domain.policy.work_rules import find_work, labelled, split_label

CONTEXT_EVENTS = 4
"""How many spoken events before one may give it its meaning (`yes, do that`; `no, use X`; `except on Windows`)."""

_SPOKEN = frozenset({EventKind.PROMPT, EventKind.ANNOTATION, EventKind.RESPONSE, EventKind.AGENT_MESSAGE})
_AGENT = frozenset({EventKind.RESPONSE, EventKind.AGENT_MESSAGE})

_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|yes|yep|yeah|no|nope|well|wait|hey|hi|hello|sorry|right|sure|great|thanks|update|correction|reminder|"
    r"important|in short|for the record|as a reminder|fyi|btw|by the way|да|нет|ок|окей|привет|слушай|спасибо|важно|поправка|итак)[,:;!.—–]+\s*"
    r"|(?:also|and|but|so|actually|please|note(?: that)?|"
    r"remember(?: that)?|please remember(?: that)?|keep in mind(?: that)?|just so you know|btw|today|yesterday|last week|last month|currently|now|"
    r"ну|так|и|а|но|кстати|запомни(?:,? что)?|учти(?:,? что)?|имей в виду(?:,? что)?|напоминаю|"
    r"вчера|сегодня|теперь|сейчас|на самом деле|вообще)(?:[,:;!.—–]+\s*|\s+))+",
    re.IGNORECASE,
)
_OPENING = re.compile(r"(?!(?:if|when|whenever|while|unless|because|since|если|когда|пока)\b)[^,:;—–]{2,45}(?:[,:]|\s[—–])\s+", re.IGNORECASE)
_OPENING_WE = re.compile(
    r"(?:after|following|in|on|at|last|this|today|yesterday|finally|eventually|после|в|на|вчера|сегодня|наконец|обсудили)\b"
    r"[^,:;]{0,60}?[\s,]+(?=(?:we|мы|решили)\b)",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^(?:yes|yep|yeah|yup|sure|ok(?:ay)?|sounds good|agreed|go ahead|do (?:it|that)|please do|let's do (?:it|that)|confirmed|"
    r"approved|perfect|great|lgtm|absolutely|definitely|good idea|makes sense|да|ага|давай(?:те)?|хорошо|окей|ок|согласен|согласна|"
    r"делай|сделай так|так и сделай|подтверждаю|отлично|конечно|верно|именно)"
    r"(?:[\s,.!]+(?:yes|please|sure|ok|okay|do (?:it|that|so)|go ahead|go for it|let's do (?:it|that|this)|let's go|sounds good|good idea|"
    r"that's (?:fine|good|right|correct|great)|agreed|thanks|thank you|perfect|makes sense|with that|then|так|давай(?:те)?|делай|сделай|"
    r"сделай так|согласен|согласна|хорошо|спасибо|пожалуйста|именно так|поехали|отлично|верно))*[\s.!]*$",
    re.IGNORECASE,
)
_CORRECT = re.compile(
    r"^(?:yes[,.!]? )?(?:that's (?:right|correct|true)|correct|exactly|right|true|confirmed|да,? верно|верно|именно(?: так)?|"
    r"правильно|всё верно|точно|подтверждаю)[\s.!]*$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"^(?:no|nope|нет|не)[,.!—\s]+(?:let's |давай(?:те)? |лучше |please )*(?:use|go with|take|make it|используй(?:те)?|возьми|возьмём|бери)\s+"
    r"(?P<x>[\w`.+#@/-]+(?: \d[\d.]*)?)(?:\s+(?:instead|please|вместо этого|лучше))*[\s.!]*$",
    re.IGNORECASE,
)
_PROPOSAL = re.compile(
    r"^(?:i(?:'d)? (?:suggest|propose|recommend)(?: that)?(?: we| you| to)?(?: using)?|(?:should|shall) (?:i|we)|do you want (?:me|us) to|"
    r"would you like (?:me|us) to|how about(?: we)?(?: using)?|my (?:suggestion|recommendation|proposal)(?: is|:)(?: to)?|"
    r"we (?:could|should)|i can|предлагаю|рекомендую|советую|может,? (?:нам )?|хотите,? (?:я )?|хочешь,? (?:я )?|стоит ли|давай(?:те)?)\s+(?P<what>.+)",
    re.IGNORECASE,
)
_VERBS = re.compile(
    r"^(?:use|using|switch|move|migrate|replace|set|change|bump|raise|lower|increase|decrease|reduce|upgrade|downgrade|pin|enable|"
    r"disable|turn|go with|adopt|использовать|перейти|заменить|взять|поставить|установить|включить|отключить|увеличить|уменьшить)\b",
    re.IGNORECASE,
)
_ORDERS = (
    (r"^(?:using|использовать|взять) ", "use "),
    (r"^перейти на ", "use "),
)


def extract_candidates(event: Event, before: Sequence[Event], *, said_at: datetime) -> tuple[Candidate, ...]:
    """
    Return the claim candidates of *event*, in order of position; the belief gate has not judged them yet.

    Args:
        event: Evidence, redacted; see ``evidence.why_not_evidence``.
        before: Up to `CONTEXT_EVENTS` spoken events before it, oldest first.
        said_at: When it was said, aware UTC: what `in May` is read against.
    """
    if event.kind not in _SPOKEN:
        return tuple(_from_reading(event, reading) for reading in read_tool_event(event))
    confirmed = tuple(_confirmations(event, before, said_at)) if is_human(event) else ()
    if confirmed:
        return confirmed
    found: list[Candidate] = []
    for text, position in own_text(event):
        for sentence in sentences(text, position):
            if condition := lone_condition(sentence.text):
                found += _narrowed(event, sentence, condition, found, before, said_at)
            else:
                found += _read(event, sentence, said_at)
    return tuple(found)


def is_spoken(event: Event) -> bool:
    """Return whether a person or an agent said *event*."""
    return event.kind in _SPOKEN


def speaker_of(event: Event) -> str:
    """Return the subject of `I` in *event*."""
    return event.speaker.casefold().strip() or "user"


def _read(event: Event, sentence: Sentence, said_at: datetime) -> Iterator[Candidate]:
    seen = set()
    for finding, condition in find_in_sentence(event, sentence):
        key = (finding.type, finding.subject, finding.attribute, finding.value, finding.polarity)
        if key not in seen:
            seen.add(key)
            yield _candidate(finding, sentence, condition=condition, said_at=said_at)


def find_in_sentence(event: Event, sentence: Sentence) -> Iterator[tuple[Finding, str]]:
    """Yield what the rules find in one sentence of *event*, each with the condition that limits it."""
    clause = strip_lead(_straight(sentence.text))
    if clause.endswith(":"):  # it only leads to what follows
        return
    if is_human(event) and not sentence.is_question:
        personal = [
            *find_personal(sentence.text, speaker_of(event)),
            *find_personal_russian(sentence.text, speaker_of(event)),
        ]
        if personal:
            yield from ((finding, "") for finding in personal)
            return
    label, rest = split_label(clause)
    limited, condition = split_condition(rest)
    limited = limited.rstrip(" .!")
    if label == "bug" or label == "task" or label == "fix" or label == "question":
        yield labelled(label, rest), ""
        return
    for part in _parts(limited):
        if found := tuple(_project_findings(event, sentence, part)):
            yield from ((_typed(finding, label), condition) for finding in found)
            return
    if label:
        yield labelled(label, rest), ""


def _parts(clause: str) -> Iterator[str]:
    """Yield a clause, and what follows a short opening of it (`Heads up, …`, `After a long debate we …`)."""
    yield clause
    for opening in (_OPENING.match(clause), _OPENING_WE.match(clause)):
        if opening:
            yield strip_lead(clause[opening.end() :])


def _typed(finding: Finding, label: str) -> Finding:
    """Give a finding the type that its sentence's label names."""
    if label in {"decision", "constraint"}:
        return attrs.evolve(finding, type=ClaimType(label), is_standing=label == "constraint", confidence=STATED)
    return finding


def _project_findings(event: Event, sentence: Sentence, clause: str) -> Iterator[Finding]:
    if sentence.is_question:
        if is_human(event):
            yield from find_work(sentence.text, is_question=True)
        return
    by_person = is_human(event)
    rules = (
        lambda: find_rules(clause, sentence=sentence.text) if by_person else iter(()),
        lambda: find_choices(clause, by_person=by_person),
        lambda: find_settings(clause),
        lambda: find_work(clause, is_question=False),
    )
    for rule in rules:
        if found := tuple(rule()):
            yield from found
            return


def strip_lead(text: str) -> str:
    """Return a sentence without the words that only lead into it (`by the way,`, `кстати,`)."""
    match = _LEAD.match(text)
    if match is None or match.end() >= len(text) - 2:
        return text
    lead = match[0].strip(" ,:;!.—–").casefold()
    if lead == "remember" and re.match(r"to\b", text[match.end() :]):
        return text
    return text[match.end() :]


def _straight(text: str) -> str:
    """Return *text* with typewriter apostrophes, character by character, as the rules spell them."""
    return text.replace("’", "'")


def _candidate(
    finding: Finding, sentence: Sentence, *, condition: str = "", said_at: datetime, text: str = ""
) -> Candidate:
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


def _from_reading(event: Event, reading: Reading) -> Candidate:
    finding = reading.finding
    return Candidate(
        type=finding.type,
        subject=finding.subject,
        attribute=finding.attribute,
        value=finding.value,
        polarity=finding.polarity,
        path=finding.path,
        text=event.text[reading.start : reading.end],
        start=reading.start,
        end=reading.end,
        rule=finding.rule,
        confidence=finding.confidence,
        importance=IMPORTANCE[finding.type],
    )


def _narrowed(
    event: Event,
    sentence: Sentence,
    condition: str,
    found: Sequence[Candidate],
    before: Sequence[Event],
    said_at: datetime,
) -> Iterator[Candidate]:
    """Yield what a lone limit (`Except on Windows.`) makes of the claim before it, by the same speaker."""
    broad = found[-1] if found else None
    for earlier in reversed(before):
        if broad is not None:
            break
        if earlier.kind is event.kind and earlier.speaker == event.speaker:
            candidates = extract_candidates(earlier, (), said_at=said_at)
            broad = candidates[-1] if candidates else None
            break
    if broad is not None and not broad.condition:
        yield attrs.evolve(
            broad,
            condition=condition,
            text=f"{broad.text} {sentence.text}",
            start=sentence.start,
            end=sentence.end,
            rule=f"{broad.rule}.narrowed",
        )


def _confirmations(event: Event, before: Sequence[Event], said_at: datetime) -> Iterator[Candidate]:
    """Yield what a person's short answer (`yes, do that`; `no, use X instead`) makes of the agent's last message."""
    text = event.text.strip()
    agent = before[-1] if before else None
    if len(text) > 120 or agent is None or agent.kind not in _AGENT:
        return
    start = event.text.index(text)
    answer = Sentence(text, start, start + len(text))
    if match := _INSTEAD.match(text):
        yield from _corrected(answer, match["x"], agent, said_at)
        return
    accepts, agrees = _YES.match(text), _CORRECT.match(text)
    if not accepts and not agrees:
        return
    proposals = _proposals(agent)
    if proposals:
        for finding, proposal in proposals:
            yield attrs.evolve(
                _candidate(finding, answer, said_at=said_at, text=proposal.text), rule=f"{finding.rule}.confirmed"
            )
    elif agrees or re.match(r"(?:да|yes|yep|yeah)[\s.!]*$", text, re.IGNORECASE):
        yield from _agreed(answer, agent, said_at)


def _agreed(answer: Sentence, agent: Event, said_at: datetime) -> Iterator[Candidate]:
    """Yield the agent's statements that *answer* calls correct, when there are few enough to know which."""
    stated = [candidate for candidate in extract_candidates(agent, (), said_at=said_at)]
    if 1 <= len(stated) <= 2:
        for candidate in stated:
            yield attrs.evolve(candidate, start=answer.start, end=answer.end, rule=f"{candidate.rule}.confirmed")


def _proposals(agent: Event) -> list[tuple[Finding, Sentence]]:
    """Return what the last proposing sentence of an agent's message would decide."""
    spoken = [sentence for text, position in own_text(agent) for sentence in sentences(text, position)]
    for sentence in reversed(spoken):
        match = _PROPOSAL.match(strip_lead(sentence.text))
        if match is None:
            continue
        what = re.sub(r"^(?:we|i|you|to) ", "", match["what"].rstrip(" ?.!"), flags=re.IGNORECASE)
        if not _VERBS.match(what):
            continue
        for pattern, order in _ORDERS:
            what = re.sub(pattern, order, what, flags=re.IGNORECASE)
        found = tuple(find_choices(what, by_person=True)) or tuple(find_settings(what))
        return [(attrs.evolve(finding, type=ClaimType.DECISION, confidence=STATED), sentence) for finding in found]
    return []


def _corrected(answer: Sentence, x: str, agent: Event, said_at: datetime) -> Iterator[Candidate]:
    """Yield the decision for *x* in the slot that the agent's proposal or statement spoke of."""
    proposed = _proposals(agent) or [
        (finding, sentence)
        for text, position in own_text(agent)
        for sentence in sentences(text, position)
        for finding, _ in find_in_sentence(agent, sentence)
    ]
    for finding, _ in proposed[-1:]:
        if finding.value == "yes" and not finding.attribute.startswith(("uses ", "in use")):
            continue
        value = normalize_value(x)
        if finding.value == "yes":
            purpose = finding.subject if finding.attribute.startswith("uses ") else ""
            other = chosen(x, purpose, rule="choice.instead", type=ClaimType.DECISION)
        elif kind_of_value(value) == kind_of_value(finding.value):
            other = attrs.evolve(
                finding, rule="choice.instead", type=ClaimType.DECISION, value=value, polarity=Polarity.POSITIVE
            )
        else:
            other = chosen(x, rule="choice.instead", type=ClaimType.DECISION)
        if other:
            yield _candidate(attrs.evolve(other, confidence=STATED), answer, said_at=said_at)
