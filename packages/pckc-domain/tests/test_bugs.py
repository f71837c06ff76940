"""Bugs and what ends them, across sessions: whatever is imported first, and what forgetting undoes."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.belief import ClaimFilter
from pckc_domain.model.claim import ClaimType
from pckc_domain.policy.bug_likeness import says_no_more
from pckc_domain.policy.fix_rules import find_causes, find_fix
from pckc_domain.testing.belief_samples import claim
from pckc_domain.testing.conversations import SCOPE, START, tell
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.usecases.forget import Eraser
from pckc_domain.usecases.remember import Deriver

BUG = "Login fails with KeyError: token on Safari."
OTHER = "The exporter crashes after login."


def open_bugs(canonical: MemoryCanonical) -> set[str]:
    with canonical.reading(SCOPE) as work:
        where = ClaimFilter(types=frozenset({ClaimType.BUG}), is_open=True)
        return {stored.claim.text for stored in work.claims.find(where=where, limit=100)}


def told(days: Sequence[int], *sessions: str) -> MemoryCanonical:
    """A memory that came to know *sessions*, one a day, in the order of *days*."""
    canonical = MemoryCanonical()
    for day in days:
        tell(canonical, f"s{day}", [sessions[day]], start=START + timedelta(days=day))
    return canonical


@pytest.mark.parametrize(
    "fix",
    [
        "The Safari login bug is fixed.",
        "Fixed the KeyError on Safari: the cookie name was wrong.",
        "The Safari login works again.",
        "The Safari login no longer fails.",
    ],
)
def test_a_fix_ends_the_bug_that_it_means_whatever_is_known_first(fix: str) -> None:
    for days in permutations(range(3)):
        assert open_bugs(told(days, BUG, OTHER, fix)) == {OTHER}


@pytest.mark.parametrize(
    "fix", ["The login page bug is fixed.", "The Safari export is fixed.", "Fixed the KeyError in cart.py."]
)
def test_a_fix_of_something_else_ends_no_bug(fix: str) -> None:
    assert open_bugs(told(range(3), BUG, OTHER, fix)) == {BUG, OTHER}


def test_a_forgotten_fix_ends_nothing() -> None:
    canonical = told(range(2), BUG, "The Safari login bug is fixed.")
    Eraser(canonical, Deriver(canonical, FixedClock())).forget_session(SCOPE, "s1")
    assert open_bugs(canonical) == {BUG}


def test_a_fix_before_the_bug_ends_nothing() -> None:
    assert open_bugs(told([0, 1], "The Safari login bug is fixed.", BUG)) == {BUG}


WORDS = st.lists(
    st.sampled_from("crashes hangs on empty files without not a token Safari 500 again".split()), max_size=6
)


@given(WORDS, WORDS)
def test_who_says_no_more_says_the_same_or_less(words: list[str], more: list[str]) -> None:
    """Whatever is added, the shorter report says no more, but for a denial, which makes another bug."""
    short = claim(f"api {' '.join(words)}", type=ClaimType.BUG, subject="api")
    long = claim(f"api {' '.join([*words, *more])}", type=ClaimType.BUG, subject="api")
    assert says_no_more(short, than=short)
    adds_denial = not {"not", "without"}.isdisjoint(set(more) - set(words))
    assert says_no_more(short, than=long) is not adds_denial


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("The issue with the login on Safari has been resolved, turns out the cookie name was wrong", "login"),
        ("I've fixed the flaky test_refund, it was the timezone", "test_refund"),
        ("The flaky test is gone after pinning TZ", "test"),
        ("The 500 on the refund endpoint is fixed", "refund endpoint"),
        ("OK the login bug is solved", "login"),
        ("It's working again after the restart", ""),
        ("The deploy problem went away after upgrading node", "deploy"),
        ("We no longer see the timeout in the billing job", "billing job"),
        ("The memory leak in the worker has been plugged", "worker"),
        ("The fix for the login bug is merged", "login"),
        ("The login bug doesn't occur any more", "login"),
        ("Баг с падением импорта пофиксили вчера", "импорта"),
        ("Исправили ошибку 500 в эндпоинте возвратов: не учитывали запятую", "эндпоинте возвратов"),
        ("Тест test_refund больше не флакает", "test_refund"),
        ("Проблема ушла после обновления node", ""),
        ("Утечка памяти в воркере устранена", "воркере"),
        ("Экспорт теперь не падает", "экспорт"),
    ],
)
def test_what_is_fixed(text: str, broken: str) -> None:
    found = find_fix(text)
    assert found is not None
    assert found.subject == broken


@pytest.mark.parametrize(
    "text",
    [
        "Use a fixed seed", "A fixed parameter must be present", "Return fixed versions of the objects",
        "the bug is not fixed", "Make sure the login bug is fixed", "Once the login is fixed, deploy",
        "the service no longer returns XML",
        "The meeting is closed", "Every file is solved by itself", "нужно исправить логин", "баг ещё не исправлен",
        "I want it fixed by Friday", "the login should work now", "the price is fixed-point",
        "Nobody fixed the login bug", "The issue is closed as won't fix", "DNS is resolved by the sidecar",
        "Imports are resolved with webpack aliases", "The pipeline runs now on GitHub Actions", "Nothing is fixed yet",
        "Воркер снова работает по расписанию", "Сервис теперь работает на порту 8080", "The patch fixed nothing",
    ],
)  # fmt: skip
def test_what_is_no_fix(text: str) -> None:
    assert find_fix(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "This is because the list is sorted", "The reason is simple", "The problem is that we have no time",
        "The fix is ready", "The workaround is not nice", "Fix it", "Set it to 5", "Please try to fix it",
        "How to fix it", "Help me to fix it", "The problem was interesting", "This is due to historical reasons",
        "This approach solves the problem of slow builds", "The cause of death is unknown",
        "Delays are due to the weather",
        "The default is 5 because of the API limit", "Причина отказа от Redis в цене", "Помогает ли кеш",
    ],
)  # fmt: skip
def test_what_explains_no_bug(text: str) -> None:
    assert [*find_causes(text)] == []
