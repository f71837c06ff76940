"""Derivation: a whole session, its authorities, its silence about reasoning, its cost."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.model.claim import Assertion, Beliefs
from pckc_domain.model.proof import AuthorityClass, EventLocator, parse_locator
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.policy.belief_gate import DURABLE
from pckc_domain.policy.derivation import UNTIMED, Derivation, derive
from pckc_domain.policy.discretion import LAST_NOT_KEPT, NOT_KEPT, UNKEPT
from pckc_domain.policy.reconcile.fold import settle_slot
from pckc_domain.policy.slots import slot_key

START = datetime(2026, 1, 1, tzinfo=UTC)
CANARY = "quokka"


def session_of(name: str = "s") -> Session:
    return Session(id=name, source_id=name, host="plain", started_at=None)


def event(seq: int, kind: EventKind, text: str, session: str = "s", **more: Any) -> Event:
    more.setdefault("time", START + timedelta(minutes=seq))
    return Event(id=f"{session}{seq}", session_id=session, seq=seq, kind=kind, text=text, **more)


def derived(events: Sequence[Event], session: str = "s") -> Derivation:
    return derive(session_of(session), events, recorded_at=START)


def settled(assertions: Sequence[Assertion]) -> list[Beliefs]:
    slots: dict[str, list[Assertion]] = {}
    for assertion in assertions:
        slots.setdefault(slot_key(assertion.claim), []).append(assertion)
    return [settle_slot(slots[key]) for key in sorted(slots)]


def test_what_was_asked_not_to_be_kept_is_neither_evidence_nor_claim() -> None:
    """By a later message, too; what else was said is, and the reason is told without the words."""
    told = derived(
        [
            event(0, EventKind.PROMPT, f"The gateway's port is 8080. {NOT_KEPT}"),
            event(1, EventKind.PROMPT, NOT_KEPT),
            event(2, EventKind.PROMPT, f"We decided to use {CANARY} for the event bus."),
            event(3, EventKind.RESPONSE, "All right."),
            event(4, EventKind.PROMPT, LAST_NOT_KEPT),
        ]
    )
    assert [assertion.claim.value for assertion in told.assertions] == ["8080"]
    assert [passage.seq for passage in told.evidence] == [0, 3]
    assert [(one.seq, one.reason, one.excerpt) for one in told.rejections] == [
        (seq, UNKEPT, "") for seq in (0, 1, 2, 4)
    ]


TEXTS = st.sampled_from(
    [
        "The gateway's port is 8080.",
        "The gateway's port is 9090 now.",
        "We decided to use Kafka for the event bus.",
        "Never commit to main.",
        "Bug: the importer crashes on empty files.",
        "Fixed the importer crash on empty files.",
        "Fixed it.",
        "Should I switch from npm to pnpm?",
        "Yes, do that.",
        "No, use Redis instead.",
        "Except in tests.",
        "I moved to Porto.",
        "Я живу в Казани.",
        "MAX_SIZE = 5",
        "tests/test_importer.py::test_empty PASSED\n1 passed",
        "npm install left-pad@2",
        "maybe the port is 1",
        "",
    ]
)
STEPS = st.tuples(st.sampled_from(EventKind), TEXTS, st.booleans())


def events_of(steps: Sequence[tuple[EventKind, str, bool]], session: str = "s") -> list[Event]:
    return [
        event(seq, kind, text, session, is_sidechain=side, path="importer.py")
        for seq, (kind, text, side) in enumerate(steps)
    ]


@given(st.lists(STEPS, max_size=25))
def test_nothing_of_reasoning_or_turn_context_is_in_any_output(steps: list[tuple[EventKind, str, bool]]) -> None:
    hidden = {EventKind.REASONING, EventKind.TURN_CONTEXT}
    steps = [(kind, f"{text} {CANARY}. {text}" if kind in hidden else text, side) for kind, text, side in steps]
    result = derived(events_of(steps))
    assert CANARY not in repr(result)
    beliefs = settled(result.assertions)
    assert CANARY not in repr(beliefs)
    silenced = [(kind, "" if kind in hidden else text, side) for kind, text, side in steps]
    assert derived(events_of(silenced)) == result


@given(st.lists(STEPS, max_size=25))
def test_nothing_durable_rests_on_a_models_word(steps: list[tuple[EventKind, str, bool]]) -> None:
    events = events_of(steps)
    result = derived(events)
    for assertion in result.assertions:
        claim, proof = assertion.claim, assertion.proof
        assert (claim.status == "verified") == (claim.authority in DURABLE)
        assert claim.authority == proof.authority
        if proof.authority is AuthorityClass.USER_CONFIRMED:
            said = events[assertion.seq]
            assert said.kind in {EventKind.PROMPT, EventKind.ANNOTATION}
            assert not said.is_sidechain
    for beliefs in settled(result.assertions):
        for claim in beliefs.claims:
            assert (claim.status == "candidate") == (claim.authority is AuthorityClass.MODEL_INFERRED)


@given(st.lists(STEPS, max_size=25))
def test_proofs_can_be_followed(steps: list[tuple[EventKind, str, bool]]) -> None:
    events = events_of(steps)
    for assertion in derived(events).assertions:
        locator = parse_locator(assertion.proof.source_ref)
        assert isinstance(locator, EventLocator)
        assert events[locator.seq].text[locator.start : locator.end] == assertion.proof.excerpt
        assert assertion.proof.excerpt


@given(st.lists(STEPS, max_size=25), st.integers(0, 25))
def test_a_session_that_grows_keeps_what_it_said(steps: list[tuple[EventKind, str, bool]], cut: int) -> None:
    """What is derived from a prefix is part of what is derived from all; only deeds wait for their results."""
    events = events_of(steps)
    part, whole = derived(events[:cut]), derived(events)
    seqs = {one.seq for one in events[:cut]}
    words = {one.seq for one in events[:cut] if one.kind not in {EventKind.COMMAND, EventKind.FILE_CHANGE}}
    said = [one.claim.id for one in part.assertions if one.seq in words]
    assert said == [one.claim.id for one in whole.assertions if one.seq in words]
    assert [one.text for one in part.evidence] == [one.text for one in whole.evidence if one.seq in seqs]


@given(st.lists(st.lists(STEPS, max_size=6), min_size=3, max_size=3))
@settings(max_examples=40)
def test_the_order_of_import_changes_no_belief(sessions: list[list[tuple[EventKind, str, bool]]]) -> None:
    parts = [derived(events_of(steps, name), name).assertions for name, steps in zip("abc", sessions, strict=True)]
    beliefs = [settled([one for part in order for one in part]) for order in permutations(parts)]
    assert all(one == beliefs[0] for one in beliefs)


@given(st.lists(STEPS, max_size=20))
def test_a_second_import_of_the_same_session_changes_no_belief(steps: list[tuple[EventKind, str, bool]]) -> None:
    once = derived(events_of(steps)).assertions
    again = derive(session_of(), events_of(steps), recorded_at=START + timedelta(days=9)).assertions
    assert settled(once) == settled([*once, *again])


NAMES = ["billing", "auth", "search", "mailer"]


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.integers(1000, 1003)), max_size=12))
def test_unrelated_facts_never_retire_each_other(said: list[tuple[str, int]]) -> None:
    events = [
        event(i, EventKind.PROMPT, f"The {name} service listens on port {port}.") for i, (name, port) in enumerate(said)
    ]
    claims = [claim for beliefs in settled(derived(events).assertions) for claim in beliefs.claims]
    current = {claim.subject: claim.value for claim in claims if claim.valid_to is None}
    assert current == {f"{name} service": str(port) for name, port in said}


def calls(count: int) -> int:
    """Return the number of function calls that deriving a session of *count* events takes."""
    texts = [
        "The gateway's port is 8080.",
        "I suggest we use Redis for caching.",
        "yes",
        "Fixed the bug.",
        "word " * 300,
    ]
    kinds = [
        EventKind.PROMPT,
        EventKind.AGENT_MESSAGE,
        EventKind.PROMPT,
        EventKind.AGENT_MESSAGE,
        EventKind.TOOL_RESULT,
    ]
    events = [event(i, kinds[i % 5], texts[i % 5] + str(i) * (i % 5 in (3, 4))) for i in range(count)]
    number = 0

    def count_call(_frame: object, what: str, _arg: object) -> None:
        nonlocal number
        number += what == "call"

    derived(events[:50])  # fills caches
    sys.setprofile(count_call)
    try:
        derived(events)
    finally:
        sys.setprofile(None)
    return number


def test_cost_is_linear_in_events() -> None:
    assert calls(2_000) < 2.2 * calls(1_000)


def test_a_passing_test_promotes_the_agents_fix_of_that_file_only() -> None:
    events = [
        event(0, EventKind.PROMPT, "Bug: login fails with 500."),
        event(1, EventKind.AGENT_MESSAGE, "Fixed in auth.py by escaping the plus."),
        event(2, EventKind.AGENT_MESSAGE, "Fixed the cart rounding bug in cart.py."),
        event(3, EventKind.COMMAND, "pytest tests/test_auth.py"),
        event(4, EventKind.TEST_RESULT, "3 passed in 0.1s", exit_code=0),
    ]
    verified = [one for one in derived(events).assertions if one.claim.authority is AuthorityClass.TEST_VERIFIED]
    assert {(one.claim.subject, one.claim.text) for one in verified} == {
        ("login", "Fixed in auth.py by escaping the plus."),
        ("pytest tests/test_auth.py", "3 passed in 0.1s"),
    }


def test_a_failed_run_promotes_nothing() -> None:
    events = [
        event(0, EventKind.AGENT_MESSAGE, "Fixed the cart rounding bug in cart.py."),
        event(1, EventKind.TEST_RESULT, "tests/test_cart.py 2 passed, 1 failed", exit_code=1),
    ]
    assert all(one.claim.status == "candidate" for one in derived(events).assertions)


def test_untimed_sessions_never_replace_dated_ones() -> None:
    dated = event(0, EventKind.PROMPT, "The gateway's port is 8080.", "a")
    untimed = event(0, EventKind.PROMPT, "The gateway's port is 9090.", "b", time=None)
    both = [*derived([dated], "a").assertions, *derived([untimed], "b").assertions]
    (beliefs,) = settled(both)
    assert [(claim.value, claim.valid_to is None) for claim in beliefs.claims] == [("9090", False), ("8080", True)]
    assert beliefs.claims[0].valid_from == UNTIMED


def test_a_replayed_event_is_the_same_assertion() -> None:
    said = event(0, EventKind.PROMPT, "The gateway's port is 8080.")
    replay = attrs.evolve(said, session_id="fork", seq=7, is_replay=True)
    one = derived([said]).assertions[0]
    other = derived([replay], "fork").assertions[0]
    assert one.claim.id == other.claim.id


def test_every_refusal_is_listed_with_rule_and_reason() -> None:
    events = [
        event(0, EventKind.REASONING, "The port is 1."),
        event(1, EventKind.PROMPT, "<system-reminder>The port is 2.</system-reminder>"),
        event(2, EventKind.PROMPT, "Maybe the port is 3."),
        event(3, EventKind.AGENT_MESSAGE, "The port is 4."),
    ]
    rejections = derived(events).rejections
    assert [(one.seq, one.rule) for one in rejections] == [
        (0, "gate.kind"),
        (1, "evidence"),
        (2, "gate.hedged"),
        (3, "gate.model_inferred"),
    ]
    assert [one.excerpt for one in rejections] == ["", "", "Maybe the port is 3.", "The port is 4."]
    assert all(one.reason for one in rejections)


INSTALL = "pip install httpx==0.28.1"


def test_a_deed_counts_unless_its_result_failed() -> None:
    command = event(0, EventKind.COMMAND, INSTALL)
    result = event(1, EventKind.TOOL_RESULT, "ok", exit_code=0)
    failed = event(1, EventKind.TOOL_RESULT, "No matching distribution", exit_code=1)
    denied = event(1, EventKind.TOOL_RESULT, "The user doesn't want to proceed with this tool use.")
    after = event(2, EventKind.AGENT_MESSAGE, "Done.")
    assert [len(derived(events).assertions) for events in ([command], [command, result, after])] == [1, 1]
    assert [derived([command, outcome, after]).assertions for outcome in (failed, denied)] == [(), ()]
    assert derived([command, failed]).assertions == ()


def test_a_failing_test_does_not_undo_the_change_before_it() -> None:
    change = event(0, EventKind.FILE_CHANGE, "MAX_SIZE = 5", path="a.py")
    failed_test = event(1, EventKind.TEST_RESULT, "1 failed", exit_code=1)
    failed_edit = event(1, EventKind.TOOL_RESULT, "String to replace not found", exit_code=1, path="a.py")
    assert len(derived([change, failed_test]).assertions) == 1
    assert derived([change, failed_edit]).assertions == ()


def test_a_deed_keeps_its_own_time() -> None:
    events = [event(0, EventKind.COMMAND, INSTALL), event(5, EventKind.TOOL_RESULT, "ok", exit_code=0)]
    assert [one.claim.valid_from for one in derived(events).assertions] == [START]
