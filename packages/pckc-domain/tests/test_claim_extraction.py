"""Extraction: spans are exact, dates are read against the event, any text is survived."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.claim import Candidate, ClaimType
from pckc_domain.model.session import Event, EventKind
from pckc_domain.policy.claim_extraction import extract_candidates

AT = datetime(2026, 6, 15, tzinfo=UTC)


def event(text: str, kind: EventKind = EventKind.PROMPT, path: str = "") -> Event:
    return Event(id="e", session_id="s", seq=0, kind=kind, time=AT, text=text, path=path)


def read(text: str, kind: EventKind = EventKind.PROMPT, path: str = "") -> tuple[Candidate, ...]:
    return extract_candidates(event(text, kind, path), (), said_at=AT)


def test_the_span_holds_the_sentence_verbatim() -> None:
    text = "Hello!\n\n- **The API's port is 8080.** And more.\n<system-reminder>x</system-reminder> Never push to main!"
    candidates = read(text)
    assert [candidate.text for candidate in candidates] == ["The API's port is 8080.**", "Never push to main!"]
    assert [text[one.start : one.end] for one in candidates] == [one.text for one in candidates]


def test_the_span_of_a_changed_setting_is_its_line() -> None:
    text = "@@ -1 +1 @@\n-LIMIT_SIZE = 1\n+LIMIT_SIZE = 2\n"
    (candidate,) = read(text, EventKind.FILE_CHANGE, "a.py")
    assert text[candidate.start : candidate.end] == "LIMIT_SIZE = 2"
    assert (candidate.subject, candidate.value, candidate.path) == ("limit_size", "2", "a.py")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("I moved to Porto in May.", datetime(2026, 5, 1, tzinfo=UTC)),
        ("I moved to Porto in September.", datetime(2025, 9, 1, tzinfo=UTC)),
        ("I joined Globex in March 2024.", datetime(2024, 3, 1, tzinfo=UTC)),
        ("The api port is 8080 since 2025-02-03.", datetime(2025, 2, 3, tzinfo=UTC)),
        ("I live in Porto since 5 March 2024.", datetime(2024, 3, 5, tzinfo=UTC)),
        ("The api port is 8080 since 2025-02-31.", None),
        ("The api port is 8080.", None),
        ("I moved to Porto last week.", None),
    ],
)
def test_plainly_stated_dates(text: str, date: datetime | None) -> None:
    (candidate,) = read(text)
    assert candidate.valid_from == date


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("We decided to store sessions on the edge.", "store sessions on the edge"),
        ("We have decided to put feature flags in LaunchDarkly.", "put feature flags in launchdarkly"),
        ("We've finally decided to keep the API versioned in the URL.", "keep the api versioned in the url"),
        ("We decided not to shard the ledger table.", "not to shard the ledger table"),
        ("Мы решили хранить сессии на краю сети.", "хранить сессии на краю сети"),
        ("Мы решили не хранить пароли в базе.", "не хранить пароли в базе"),
    ],
)
def test_what_was_decided_is_a_decision_in_its_own_words(text: str, value: str) -> None:
    (candidate,) = read(text)
    assert (candidate.type, candidate.value, candidate.subject) == (ClaimType.DECISION, value, "")
    assert candidate.text == text


@pytest.mark.parametrize(
    "text",
    [
        "Have we decided to store sessions in Postgres?", "We decided to do it this way.", "We decided to wait.",
        "If we decided to store sessions in Postgres, it would be slow.", "Мы решили сделать это так.", "Мы решили.",
        "They decided to store sessions in Postgres.", "We had almost decided to store sessions in Postgres.",
    ],
)  # fmt: skip
def test_what_only_sounds_decided_is_no_decision(text: str) -> None:
    assert not [one for one in read(text) if one.type is ClaimType.DECISION]


def test_a_model_decides_nothing() -> None:
    assert read("We decided to store sessions in Postgres.", EventKind.AGENT_MESSAGE) == ()


def test_a_failed_command_states_nothing() -> None:
    failed = Event(
        id="e", session_id="s", seq=0, kind=EventKind.COMMAND, time=AT, text="pip install a==1.0", exit_code=1
    )
    assert extract_candidates(failed, (), said_at=AT) == ()


def subjects(text: str, path: str) -> list[tuple[str, str]]:
    return [(one.subject, one.value) for one in read(text, EventKind.FILE_CHANGE, path)]


def test_settings_of_changed_files() -> None:
    assert subjects("[server]\nport = 80\n[db]\nport = 90", "a.toml") == [("server.port", "80"), ("db.port", "90")]
    assert subjects("port = 80", "a.toml") == []
    assert subjects("PORT=80\nHOST='x'", ".env") == [("port", "80"), ("host", "x")]
    assert subjects("port: 80\n  nested: 90", "a.yaml") == [("port", "80")]
    assert subjects("class A:\n    SIZE = 1\nclass B:\n    SIZE = 2", "a.py") == []
    assert subjects("SIZE = 1\nSIZE = 2", "a.py") == []
    assert subjects("    public static final int MAX_SIZE = 5;", "A.java") == [("max_size", "5")]
    assert subjects("SIZE = compute()\nOTHER_SIZE = 3  # why", "a.py") == [("other_size", "3")]


@pytest.mark.parametrize("kind", [EventKind.TOOL_RESULT, EventKind.ERROR, EventKind.COMMAND])
def test_prose_in_outputs_is_not_read(kind: EventKind) -> None:
    assert read("We decided to use Kafka for the bus. Never commit to main. The port is 80.", kind) == ()


WORDS = st.sampled_from(
    [
        *"the port is 8080 we use Kafka for never always must not fixed it TODO: I moved to my sister's name".split(),
        *"Anna from now on except in tests я живу в Риме баг: падает".split(),
        *"- ** ` ; . ? ! = → 数据 ’ https://a.b/c @@ +".split(),
        "\n",
    ]
)


@given(st.lists(WORDS, max_size=40).map(" ".join), st.sampled_from(EventKind))
def test_any_text_gives_exact_spans(text: str, kind: EventKind) -> None:
    for candidate in read(text, kind, "a.toml"):
        assert 0 <= candidate.start < candidate.end <= len(text)
        assert bool(candidate.subject) == bool(candidate.attribute)
        if ".narrowed" not in candidate.rule:
            assert text[candidate.start : candidate.end] == candidate.text


@given(st.text(max_size=300))
def test_arbitrary_text_is_survived(text: str) -> None:
    for kind in (EventKind.PROMPT, EventKind.AGENT_MESSAGE, EventKind.FILE_CHANGE, EventKind.TEST_RESULT):
        read(text, kind)
