"""The gate: whose word an event is, and which texts never become claims."""

from datetime import UTC, datetime

import attrs
import pytest
from pckc_domain.model.claim import Candidate
from pckc_domain.model.proof import AuthorityClass
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.belief_gate import DURABLE, authority_of, is_human, why_not_admitted
from pckc_domain.policy.claim_extraction import extract_candidates

AT = datetime(2026, 6, 15, tzinfo=UTC)


def event(kind: EventKind, text: str = "", *, is_sidechain: bool = False) -> Event:
    return Event(id="e", session_id="s", seq=0, kind=kind, time=AT, text=text, is_sidechain=is_sidechain)


def read(text: str) -> tuple[Candidate, ...]:
    return extract_candidates(event(EventKind.PROMPT, text), (), said_at=AT)


def test_every_kind_has_its_authority() -> None:
    silent = {kind for kind in EventKind if authority_of(event(kind)) is None}
    assert silent == {EventKind.REASONING, EventKind.TURN_CONTEXT, EventKind.SUMMARY}
    durable = {kind for kind in EventKind if authority_of(event(kind)) in DURABLE}
    assert durable == {
        EventKind.PROMPT,
        EventKind.ANNOTATION,
        EventKind.TOOL_RESULT,
        EventKind.COMMAND,
        EventKind.FILE_CHANGE,
        EventKind.ERROR,
        EventKind.TEST_RESULT,
    }


def test_a_sub_agents_prompt_is_a_models_word_its_tools_are_tools() -> None:
    prompt = event(EventKind.PROMPT, is_sidechain=True)
    assert authority_of(prompt) is AuthorityClass.MODEL_INFERRED
    assert not is_human(prompt)
    assert authority_of(event(EventKind.FILE_CHANGE, is_sidechain=True)) is AuthorityClass.TOOL_VERIFIED


@pytest.mark.parametrize(
    "hedge",
    [
        "Maybe {}",
        "I guess {}",
        "Probably {}",
        "I think {}",
        "{}, perhaps.",
        "{}, I suppose.",
        "{} as far as I know.",
        "Кажется, {}",
        "Не уверен, но {}",
        "Наверное, {}",
        "Возможно, {}",
        "{}, вроде.",
    ],
)
def test_hedged_text_is_never_admitted(hedge: str) -> None:
    plain = "we decided to use Kafka for the event bus"
    assert [why_not_admitted(candidate) for candidate in read(plain)] == [("", "")]
    assert all(why_not_admitted(candidate)[0] == "gate.hedged" for candidate in read(hedge.format(plain)))


@pytest.mark.parametrize("text", ["The docs say the port is 99.", "Previously we used Kafka for the bus."])
def test_reported_and_past_text_is_never_admitted(text: str) -> None:
    assert all(why_not_admitted(candidate)[0] == "gate.reported" for candidate in read(text))


def test_a_secret_is_no_value() -> None:
    (candidate,) = read("The admin host is `[REDACTED:host]`.")
    assert why_not_admitted(candidate)[0] == "gate.secret"


def test_what_tells_nothing_but_a_secret_is_refused_and_what_tells_more_is_not() -> None:
    (candidate,) = read("We decided to use Kafka for the event bus")
    told = attrs.evolve(candidate, value="", text="We decided: the deploy key is [REDACTED:key]")
    assert why_not_admitted(told)[0] == "gate.secret"
    assert why_not_admitted(attrs.evolve(told, value="Kafka")) == ("", "")
