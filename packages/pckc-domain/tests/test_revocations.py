"""Standing rules and what revokes them, across sessions: whatever is imported first, and what forgetting undoes."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations

import pytest
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import ClaimStatus, LinkKind
from pckc_domain.policy.spelling import with_apostrophes
from pckc_domain.testing.conversations import SCOPE, START, tell
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.remember import Deriver

LINT = "Always run `make lint` before commit."
MOCKS = "Don't use mocks in tests."
OTHER = "Never commit to main."


def open_rules(canonical: MemoryCanonical) -> dict[str, ClaimStatus]:
    with canonical.reading(SCOPE) as work:
        found = work.claims.find(where=ClaimFilter(is_standing=True, is_open=True), limit=100)
        return {stored.claim.text: stored.claim.status for stored in found}


def told(days: Sequence[int], *sessions: str) -> MemoryCanonical:
    """A memory that came to know *sessions*, one a day, in the order of *days*."""
    canonical = MemoryCanonical()
    for day in days:
        tell(canonical, f"s{day}", [sessions[day]], start=START + timedelta(days=day))
    return canonical


@pytest.mark.parametrize(
    ("rule", "revocation"),
    [
        (LINT, "You don't need to run make lint any more."),
        (LINT, "Forget the rule about make lint."),
        (MOCKS, "The rule against mocks no longer applies."),
        (MOCKS, "You can use mocks again."),
        ("Всегда запускай make lint.", "Больше не нужно запускать make lint."),
    ],
)
def test_a_revocation_ends_the_rule_that_it_is_about_whatever_is_known_first(rule: str, revocation: str) -> None:
    for days in permutations(range(3)):
        assert open_rules(told(days, rule, OTHER, revocation)) == {OTHER: ClaimStatus.VERIFIED}


def test_a_permission_for_a_part_puts_the_ban_in_doubt_whatever_is_known_first() -> None:
    expected = {MOCKS: ClaimStatus.CONTESTED, OTHER: ClaimStatus.VERIFIED}
    for days in permutations(range(3)):
        canonical = told(days, MOCKS, OTHER, "Actually mocks are fine in unit tests.")
        assert open_rules(canonical) == expected
        with canonical.reading(SCOPE) as work:
            ban = next(one.claim for one in work.claims.find(where=ClaimFilter(), limit=100) if one.claim.text == MOCKS)
            assert ban.status_reason == "another claim lets some of it be: mocks / allowed in unit tests"
            assert [link.kind for link in work.links.of([ban.id])] == [LinkKind.CONTRADICTS]


def test_a_forgotten_revocation_ends_nothing() -> None:
    canonical = told(range(2), LINT, "You don't need to run make lint any more.")
    Eraser(canonical, Deriver(canonical, FixedClock())).forget_session(SCOPE, "s1")
    assert open_rules(canonical) == {LINT: ClaimStatus.VERIFIED}


def test_a_revocation_before_the_rule_ends_nothing() -> None:
    assert open_rules(told([0, 1], "You don't need to run make lint any more.", LINT)) == {LINT: ClaimStatus.VERIFIED}


def test_a_rule_said_again_is_in_doubt_no_more() -> None:
    sessions = (MOCKS, "Mocks are fine in unit tests.", f"No, {MOCKS}")
    for days in permutations(range(3)):
        assert open_rules(told(days, *sessions)) == {MOCKS: ClaimStatus.VERIFIED}


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("Dont push, it doesnt build and theyre waiting", "Don't push, it doesn't build and they're waiting"),
        ("you’re late, I CANT", "you're late, I CAN'T"),
        ("run dont.py, `dont`, /dont and x.dont", "run dont.py, `dont`, /dont and x.dont"),
        ("its value was ill, well before we were", "its value was ill, well before we were"),
    ],
)
def test_apostrophes_that_people_leave_out(text: str, spelt: str) -> None:
    assert with_apostrophes(text) == spelt


def test_a_claim_quotes_what_was_said_as_it_was_spelt() -> None:
    canonical = told([0], "Dont use mocks in tests.")
    assert open_rules(canonical) == {"Dont use mocks in tests.": ClaimStatus.VERIFIED}
