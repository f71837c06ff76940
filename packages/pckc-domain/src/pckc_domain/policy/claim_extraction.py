"""
From one event, and the few before it, to claim candidates.

Rules stay silent unless they are sure: what they miss is still searchable as verbatim evidence. People's sentences are
read by all rules, agents' by those that speak of the project, tools' output only by its structure.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

import attrs

from pckc_domain.model.claim import Candidate, ClaimType
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.answers import read_answer
from pckc_domain.policy.belief_gate import JEST, is_human
from pckc_domain.policy.choosing import denied, replacement
from pckc_domain.policy.code_rules import Reading, read_run, read_tool_event
from pckc_domain.policy.directives import MIN_STRENGTH, directive_strength
from pckc_domain.policy.findings import IMPORTANCE
from pckc_domain.policy.fix_rules import find_fault
from pckc_domain.policy.green_runs import Run
from pckc_domain.policy.reading import candidate_of, read_sentence, spoken_sentences
from pckc_domain.policy.sentences import Sentence, lone_condition
from pckc_domain.policy.subjects import YES

CONTEXT_EVENTS = 4
"""How many spoken events before one may give it its meaning (`yes, do that`; `no, use X`; `except on Windows`)."""

_NAME = r"[A-Z@][\w.+#/-]*\w(?: [A-Z\d][\w.+#-]*)?"
_FROM_NOW_ON = "(?i:from now on|теперь|отныне|с этого момента)"
_BARE_NAME = re.compile(
    rf"(?:(?:no|so|ok(?:ay)?|actually|нет|ок),? )?"
    rf"(?:(?P<x>{_NAME}),? (?:{_FROM_NOW_ON}|instead)|{_FROM_NOW_ON}[,:—–]*(?: [—–-])? (?P<y>{_NAME})"
    rf"|(?i:(?:we(?:'ve| have)? )?(?:just )?switched to|(?:мы )?переключились на) (?P<z>{_NAME})(?: now| теперь)?)[.!]*"
    rf"|(?i:no|nope|нет)[,.]? (?P<no>{_NAME})[.!]*"
)
"""A name of which is said only that it holds from then on, or in the place of the one before."""

_SPOKEN = frozenset({EventKind.PROMPT, EventKind.ANNOTATION, EventKind.RESPONSE, EventKind.AGENT_MESSAGE})


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
    confirmed = tuple(read_answer(event, before, said_at)) if is_human(event) else ()
    if confirmed:
        return confirmed
    found: list[Candidate] = []
    for sentence in spoken_sentences(event):
        if JEST.match(sentence.text.removeprefix("Just ").removeprefix("just ")):
            found.clear()  # `Just kidding.` takes back what was said
        elif condition := lone_condition(sentence.text):
            found += _narrowed(event, sentence, condition, found, before, said_at)
        else:
            read = tuple(read_sentence(event, sentence, said_at))
            found += (
                read
                or tuple(_from_now_on(event, sentence, found, before, said_at))
                or _fault(event, sentence, found, said_at)
            )
    return tuple(found)


def run_candidates(event: Event, run: Run) -> tuple[Candidate, ...]:
    """Return the claim candidates of *event* as the output of *run*: what passed as a whole."""
    return tuple(_from_reading(event, reading) for reading in read_run(event, run))


def unread_instructions(event: Event, read: Sequence[Candidate]) -> Iterator[str]:
    """Yield the sentences in which a user instructs an agent for all times, but in which no rule *read* anything."""
    if not is_human(event) or event.speaker:
        return
    for sentence in spoken_sentences(event):
        is_read = any(one.start < sentence.end and sentence.start < one.end for one in read)
        if not is_read and not sentence.is_question and directive_strength(sentence.text) >= MIN_STRENGTH:
            yield sentence.text


def is_spoken(event: Event) -> bool:
    """Return whether a person or an agent said *event*."""
    return event.kind in _SPOKEN


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


def _from_now_on(
    event: Event, sentence: Sentence, found: Sequence[Candidate], before: Sequence[Event], said_at: datetime
) -> Iterator[Candidate]:
    """Yield what a bare name (`Terraform from now on.`) makes of the choice that a user told of just before."""
    name = _BARE_NAME.fullmatch(sentence.text)
    if name is None or not is_human(event) or event.speaker or (name["no"] and _asks(before)):
        return
    last = found or next(
        (extract_candidates(one, (), said_at=said_at) for one in reversed(before) if is_human(one)), ()
    )
    for chosen in last[-1:]:
        x = name["x"] or name["y"] or name["z"] or name["no"]
        other = replacement(chosen.subject, chosen.attribute, chosen.value, x)
        if other and chosen.rule.startswith("choice."):
            left = denied(chosen) if chosen.value == YES else None
            for finding in filter(None, (other, left)):
                yield candidate_of(finding, sentence, condition=chosen.condition, said_at=said_at)


def _asks(before: Sequence[Event]) -> bool:
    """Whether the last thing said was a question: `no, X` answers that."""
    return bool(before) and not is_human(before[-1]) and before[-1].text.rstrip().endswith("?")


def _fault(event: Event, sentence: Sentence, found: Sequence[Candidate], said_at: datetime) -> tuple[Candidate, ...]:
    """Return the cause that a sentence tells right behind a fix: `Fixed the login. The cookie name was wrong.`"""
    fix = found[-1] if found and found[-1].type is ClaimType.FIX else None
    if fix is None or event.text[fix.end : sentence.start].strip():
        return ()
    fault = find_fault(sentence.text, fixed=fix.subject)
    return (candidate_of(fault, sentence, said_at=said_at),) if fault else ()


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
