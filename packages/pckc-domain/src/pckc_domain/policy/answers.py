"""
Short answers to an agent: `yes, do that`, `correct`, `no, use X instead`.

A person who agrees to an agent's proposal or statement makes it their own: the claim keeps the agent's words, and the
answer is its proof.
"""

# ruff: noqa: E501  # patterns and word lists read best on one line

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.claim import Candidate, ClaimType
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.choice_rules import find_choices
from pckc_domain.policy.choosing import replacement
from pckc_domain.policy.findings import STATED, Finding
from pckc_domain.policy.reading import candidate_of, find_in_sentence, read_sentence, spoken_sentences, strip_lead
from pckc_domain.policy.sentences import Sentence
from pckc_domain.policy.setting_rules import find_settings

MAX_ANSWER = 120
"""A longer text is no short answer: it is read for itself."""

MAX_AGREED = 2
"""More statements than this in the agent's message, and a bare `correct` does not say which it means."""

_AGENT = frozenset({EventKind.RESPONSE, EventKind.AGENT_MESSAGE})
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
_TAG = re.compile(r",? (?:right|correct|yes|is that right|верно|правильно|так|да)\?$", re.IGNORECASE)
_VERBS = re.compile(
    r"^(?:use|using|switch|move|migrate|replace|set|change|bump|raise|lower|increase|decrease|reduce|upgrade|downgrade|pin|enable|"
    r"disable|turn|go with|adopt|использовать|перейти|заменить|взять|поставить|установить|включить|отключить|увеличить|уменьшить)\b",
    re.IGNORECASE,
)
_ORDERS = (
    (r"^(?:using|использовать|взять) ", "use "),
    (r"^перейти на ", "use "),
)


def read_answer(event: Event, before: Sequence[Event], said_at: datetime) -> Iterator[Candidate]:
    """Yield what a person's short answer (`yes, do that`; `no, use X instead`) makes of the agent's last message."""
    text = event.text.strip()
    agent = before[-1] if before else None
    if len(text) > MAX_ANSWER or agent is None or agent.kind not in _AGENT:
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
                candidate_of(finding, answer, said_at=said_at, text=proposal.text), rule=f"{finding.rule}.confirmed"
            )
    elif agrees or re.match(r"(?:да|yes|yep|yeah)[\s.!]*$", text, re.IGNORECASE):
        yield from _agreed(answer, agent, said_at)


def _agreed(answer: Sentence, agent: Event, said_at: datetime) -> Iterator[Candidate]:
    """Yield the agent's statements that *answer* calls correct, when there are few enough to know which."""
    stated = [
        candidate
        for sentence in spoken_sentences(agent)
        for candidate in read_sentence(agent, _without_tag(sentence), said_at)
    ]
    if 1 <= len(stated) <= MAX_AGREED:
        for candidate in stated:
            yield attrs.evolve(candidate, start=answer.start, end=answer.end, rule=f"{candidate.rule}.confirmed")


def _without_tag(sentence: Sentence) -> Sentence:
    """Return what `The port is 80, right?` asks to confirm."""
    match = _TAG.search(sentence.text)
    if match is None:
        return sentence
    return Sentence(sentence.text[: match.start()], sentence.start, sentence.start + match.start())


def _proposals(agent: Event) -> list[tuple[Finding, Sentence]]:
    """Return what the last proposing sentence of an agent's message would decide."""
    for sentence in reversed(tuple(spoken_sentences(agent))):
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
        (finding, sentence) for sentence in spoken_sentences(agent) for finding, _ in find_in_sentence(agent, sentence)
    ]
    for finding, _ in proposed[-1:]:
        if other := replacement(finding.subject, finding.attribute, finding.value, x):
            yield candidate_of(other, answer, said_at=said_at)
