"""No secret waits in the spool."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_sources.transcripts.hooks import hook_events, hook_record
from pckc_domain.policy.redaction import redact
from pckc_mcp.hooks.redacting import redacted

TOKEN = "ghp_" + "k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI"
PASSWORD = "Tr0ub4dor&3xyz"
CARD = 4242424242424242

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "told",
    [
        f"export GH={TOKEN}",
        {"command": f"git clone https://me:{TOKEN}@host/x.git"},
        {"password": PASSWORD},
        {"env": {"DB_PASSWORD": PASSWORD, "n": 1}},
        ["--password", PASSWORD],
        [{"deep": [{"text": f"line\nAuthorization: Bearer {TOKEN}\n"}]}],
        json.dumps({"command": "x", "password": PASSWORD}),
        json.dumps({"card": CARD, "password": PASSWORD}),
        {"card": CARD, "secret": TOKEN},
        {TOKEN: 1},
    ],
)
def test_no_secret_is_left(told: object) -> None:
    """In a text, under a name that tells of it, beside a word that does; and what is told keeps its shape."""
    clean = redacted({"tool_name": "Bash", "tool_input": told, "tool_response": {"stdout": "done"}})
    written = json.dumps(clean, ensure_ascii=False)
    assert not any(secret in written for secret in (TOKEN, PASSWORD, str(CARD)))
    assert "[REDACTED:" in written
    assert (clean["tool_name"], clean["tool_response"]) == ("Bash", {"stdout": "done"})
    assert type(clean["tool_input"]) is type(told)
    if isinstance(told, str) and told.startswith("{"):
        assert json.loads(clean["tool_input"]).keys() == json.loads(told).keys()


def test_a_prompt_is_spooled_without_what_it_asks_not_to_keep() -> None:
    """What a tool tells asks for nothing."""
    said = "Use tabs. My email is ivan@example.com, please do not store it."
    assert redacted({"prompt": said}) == {"prompt": "Use tabs. [REDACTED:asked-not-to-keep]"}
    assert redacted({"tool_response": said}) == {"tool_response": said}


@given(st.dictionaries(st.text(max_size=10), json_values, max_size=4))
def test_what_holds_no_secret_stays_as_it_is(data: dict[str, object]) -> None:
    """Whatever it is made of."""
    if redact(json.dumps(data, ensure_ascii=False)).findings or redact(str(data)).findings:
        return
    assert redacted(data) == data


def test_an_event_reads_as_if_it_had_been_redacted_later() -> None:
    """A transcript tells the same text, and is compared with it."""
    command = f"curl -H 'Authorization: Bearer {TOKEN}' https://example.org && echo 'a\\b \"q\"'"
    data = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": f"token={TOKEN}"}}
    line = {
        "id": "1",
        "at": 1.0,
        "host": "claude",
        "session": "s",
        "agent": "",
        "root": "/x",
        "branch": "",
        "event": "PostToolUse",
    }
    late, early = (
        [redact(event.text).text for event in hook_events(record)]
        for each in (data, redacted(data))
        if (record := hook_record({**line, "data": each}))
    )
    assert early == late
