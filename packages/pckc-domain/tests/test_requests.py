"""What is asked for is a task, until an agent reports that it was done."""

from datetime import UTC, datetime, timedelta

import pytest
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.proof import AuthorityClass, parse_locator
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.policy.derivation import Derivation, derive

START = datetime(2026, 5, 1, tzinfo=UTC)
ASKED = "Increase the chunk size to 16 MiB."


def derived(*said: tuple[EventKind, str], is_sidechain: bool = False) -> Derivation:
    events = [
        Event(
            id=f"e{seq}",
            session_id="s",
            seq=seq,
            kind=kind,
            time=START + timedelta(minutes=seq),
            text=text,
            is_sidechain=is_sidechain,
        )
        for seq, (kind, text) in enumerate(said)
    ]
    return derive(Session(id="s", source_id="s", host="plain", started_at=None), events, recorded_at=START)


def vouched(derivation: Derivation) -> list[tuple[ClaimType, str]]:
    """Return type and value of what a person vouches for."""
    claims = (one.claim for one in derivation.assertions if one.claim.authority is AuthorityClass.USER_CONFIRMED)
    return [(claim.type, claim.value) for claim in claims]


@pytest.mark.parametrize(
    "report",
    [
        "Done.", "All done!", "Done: the chunk size is now 16 MiB.",
        "I increased the chunk size to 16 MiB in config.py.",
        "Chunk size updated to 16 MiB.", "✅ Set the chunk size to 16 MiB.", "Done. I ran the tests, too.", "Готово.",
    ],
)  # fmt: skip
def test_a_report_makes_a_fact_of_a_request(report: str) -> None:
    derivation = derived((EventKind.PROMPT, ASKED), (EventKind.AGENT_MESSAGE, report))

    assert vouched(derivation) == [(ClaimType.TASK, "16mib"), (ClaimType.FACT, "16mib")]
    fact = next(one for one in derivation.assertions if one.claim.type is ClaimType.FACT and one.seq == 0)
    assert (fact.proof.excerpt, fact.proof.observed_at) == (ASKED, START + timedelta(minutes=1))
    assert (fact.claim.subject, fact.claim.attribute) == ("chunk", "size")
    assert parse_locator(fact.proof.source_ref) is not None


@pytest.mark.parametrize(
    "said",
    [
        "The chunk size is now 8 MiB.", "I'll increase the chunk size to 16 MiB.", "The block size is now 16 MiB.",
        "I tried to increase the chunk size to 16 MiB, but the build fails.",
        "Should I increase the chunk size to 16 MiB?",
        "The chunk size is now 16 MiB in tests.", "I guess the chunk size is now 16 MiB.", "Is it done?", "OK.",
    ],
)  # fmt: skip
def test_what_is_no_report_leaves_the_task(said: str) -> None:
    derivation = derived((EventKind.PROMPT, ASKED), (EventKind.AGENT_MESSAGE, said))

    assert vouched(derivation) == [(ClaimType.TASK, "16mib")]


def test_done_reports_what_the_last_prompt_asked_for() -> None:
    derivation = derived(
        (EventKind.PROMPT, ASKED),
        (EventKind.PROMPT, "Set the retry limit to 5. Set the pool size to 9."),
        (EventKind.AGENT_MESSAGE, "Done."),
    )

    facts = sorted(value for kind, value in vouched(derivation) if kind is ClaimType.FACT)
    assert facts == ["5", "9"]


def test_one_request_is_reported_once() -> None:
    derivation = derived(
        (EventKind.PROMPT, ASKED), (EventKind.AGENT_MESSAGE, "Done."), (EventKind.AGENT_MESSAGE, "All done.")
    )

    assert vouched(derivation) == [(ClaimType.TASK, "16mib"), (ClaimType.FACT, "16mib")]


def test_between_agents_nobody_vouches() -> None:
    derivation = derived((EventKind.PROMPT, ASKED), (EventKind.AGENT_MESSAGE, "Done."), is_sidechain=True)

    assert vouched(derivation) == []


def test_an_instruction_that_no_rule_reads_is_told() -> None:
    text = "Whatever happens, every answer goes through the glossary first. The port is 8080. Does every test pass?"

    unread = [one.excerpt for one in derived((EventKind.PROMPT, text)).rejections if one.rule == "extraction.unread"]

    assert unread == ["Whatever happens, every answer goes through the glossary first."]
