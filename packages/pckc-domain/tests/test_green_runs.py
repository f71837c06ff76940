"""A green run ends the failures in its scope, whichever session saw them, and no others."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.claim import Assertion
from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import Branch
from pckc_domain.model.session import Event, EventKind, Session
from pckc_domain.policy.changes import leavings
from pckc_domain.policy.derivation import derive
from pckc_domain.policy.green_runs import run_of
from pckc_domain.policy.reconcile.fold import settle_slot
from pckc_domain.policy.slots import slot_key

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
ROOT = "/home/me/shop"
RED = "FAILED tests/test_cart.py::test_sum - assert 1 == 2\n1 failed, 2 passed in 0.12s"
GREEN = "....\n4 passed in 0.31s"


def run(name: str, day: int, command: str, output: str, *, branch: str = "main", cwd: str = ROOT) -> list[Assertion]:
    """Return what a session with one command asserts, on a day."""
    at = START + timedelta(days=day)
    session = Session(id=name, source_id=name, host="claude", started_at=at, cwd=cwd, branch=Branch(name=branch))
    kinds = ((EventKind.COMMAND, command), (EventKind.TEST_RESULT, output))
    events = [
        Event(id=content_id(name, kind), session_id=name, seq=seq, kind=kind, time=at, text=text, branch=branch)
        for seq, (kind, text) in enumerate(kinds)
    ]
    return list(derive(session, events, recorded_at=at).assertions)


def current(*runs: list[Assertion]) -> set[str]:
    """Return the tests that failed, as far as it is believed after these runs."""
    slots: dict[str, list[Assertion]] = {}
    for assertions in runs:
        for one in assertions:
            slots.setdefault(slot_key(one.claim), []).append(one)
    left = [end for of_slot in slots.values() for end in leavings(settle_slot(of_slot))]
    beliefs = [settle_slot(of_slot, left=left) for of_slot in slots.values()]
    claims = [claim for one in beliefs for claim in one.claims if claim.valid_to is None]
    assert all(claim.attribute != "green run" for claim in claims)
    return {claim.subject for claim in claims if claim.value == "failed"}


FAILED = {"tests/test_cart.py::test_sum"}


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "uv run pytest -q -n 2",
        "python -m pytest tests -q 2>&1 | tail -3",
        "pytest tests/test_cart.py",
        "pytest tests/test_cart.py::test_sum",
        "pytest ./tests/ tests_more",
        "ruff check . && .venv/bin/pytest --tb=short -x",
        f"cd {ROOT} && pytest",
        "cd tests && pytest test_cart.py",
        "CI=1 make test",
    ],
)
def test_a_green_run_ends_the_failures_that_it_covers(command: str) -> None:
    red = run("a", 1, "pytest", RED)
    assert current(red) == FAILED
    assert current(red, run("b", 2, command, GREEN)) == set()


@pytest.mark.parametrize(
    "command",
    [
        "pytest tests/test_order.py",
        "pytest tests/test_cart",
        "pytest tests/test_cart.py::test_other",
        "pytest -k total",
        "pytest -m 'not slow'",
        "pytest --lf",
        "pytest --ignore=tests/test_cart.py",
        "pytest --deselect tests/test_cart.py::test_sum",
        "cd packages/api && pytest",
        "cd /home/me/other && pytest",
        "cd $ELSEWHERE && pytest",
        "pytest $CHANGED",
        "pytest tests/test_order.py; pytest tests/test_b.py",
        "make test-unit",
        "git status",
        "npm run test:unit",
    ],
)
def test_a_run_that_may_leave_the_test_out_ends_nothing(command: str) -> None:
    assert current(run("a", 1, "pytest", RED), run("b", 2, command, GREEN)) == FAILED


def test_only_a_later_run_in_which_nothing_failed_counts() -> None:
    red = run("a", 5, "pytest", RED)
    assert current(red, run("b", 4, "pytest", GREEN)) == FAILED
    assert current(red, run("b", 6, "pytest", "1 failed, 3 passed in 0.2s")) == FAILED
    assert current(red, run("b", 6, "pytest", "no tests ran in 0.01s")) == FAILED


@pytest.mark.parametrize(
    "output", ["3 passed, 1 deselected in 0.2s", "== 3 passed, 2 skipped, 12 deselected in 0.2s =="]
)
def test_a_run_whose_settings_left_tests_out_ends_nothing(output: str) -> None:
    assert current(run("a", 1, "pytest", RED), run("b", 2, "pytest", output)) == FAILED
    cargo = run("a", 1, "cargo test", "test cart::sum ... FAILED")
    left_out = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.1s"
    assert current(cargo, run("b", 2, "cargo test", left_out)) == {"cart::sum"}
    assert current(cargo, run("b", 2, "cargo test", left_out.replace("7 f", "0 f"))) == set()


def test_what_fails_again_is_current_again() -> None:
    runs = run("a", 1, "pytest", RED), run("b", 2, "pytest", GREEN), run("c", 3, "pytest", RED)
    assert current(*runs) == FAILED


def test_branches_do_not_speak_for_each_other() -> None:
    red = run("a", 1, "pytest", RED, branch="feature")
    assert current(red, run("b", 2, "pytest", GREEN, branch="main")) == FAILED
    assert current(red, run("b", 2, "pytest", GREEN, branch="feature")) == set()


def test_a_folder_s_tests_are_its_own() -> None:
    red = run("a", 1, "cd packages/api && pytest", RED)
    assert current(red, run("b", 2, "cd packages/web && pytest -q", GREEN)) == FAILED
    assert current(red, run("b", 2, "pytest tests", GREEN)) == FAILED
    assert current(red, run("b", 2, "cd packages/api && pytest -q", GREEN)) == set()
    assert current(red, run("b", 2, "pytest packages/api", GREEN)) == set()
    assert current(red, run("b", 2, "pytest", GREEN)) == set()


@pytest.mark.parametrize(
    ("command", "red", "green", "other"),
    [
        ("npx vitest run", "FAIL src/cart.test.ts", "Tests  4 passed (4)", GREEN),
        ("npm test", "FAIL src/cart.test.ts", "Tests:       4 passed, 4 total", GREEN),
        ("go test ./...", "--- FAIL: TestSum (0.00s)", "ok  \tshop/cart\t0.012s", GREEN),
        ("cargo test", "test cart::sum ... FAILED", "test result: ok. 3 passed; 0 failed; 0 ignored", GREEN),
    ],
)
def test_each_family_of_runners_ends_its_own_failures(command: str, red: str, green: str, other: str) -> None:
    failures = run("a", 1, command, red)
    assert len(current(failures)) == 1
    assert current(failures, run("b", 2, "make test", other)) == current(failures)
    assert current(failures, run("b", 2, command, green)) == set()


def test_a_run_of_one_package_covers_no_test_that_names_no_file() -> None:
    failures = run("a", 1, "go test ./...", "--- FAIL: TestSum (0.00s)")
    assert len(current(failures, run("b", 2, "go test ./web/...", "ok  \tshop/web\t0.012s"))) == 1
    failures = run("a", 1, "cargo test", "test cart::sum ... FAILED")
    assert len(current(failures, run("b", 2, "cargo test web", "test result: ok. 3 passed"))) == 1


def test_of_two_runs_that_wait_a_result_may_be_either_s() -> None:
    at = START + timedelta(days=2)
    session = Session(id="b", source_id="b", host="claude", started_at=at, cwd=ROOT)
    lines = [
        (EventKind.COMMAND, "pytest tests/test_order.py"),
        (EventKind.COMMAND, "pytest"),
        (EventKind.TEST_RESULT, GREEN),
    ]
    events = [
        Event(id=f"b{seq}", session_id="b", seq=seq, kind=kind, time=at, text=text)
        for seq, (kind, text) in enumerate(lines)
    ]
    green = list(derive(session, events, recorded_at=at).assertions)
    assert current(run("a", 1, "pytest", RED), green) == FAILED


@given(st.text(max_size=200))
def test_no_command_line_is_too_odd(command: str) -> None:
    run_of(command, ROOT)
    run_of(f"cd {command} && pytest {command}", ROOT)
