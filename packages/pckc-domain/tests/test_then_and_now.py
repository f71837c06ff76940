"""What is so, beside what was or is not."""

import pytest
from pckc_domain.policy.then_and_now import as_now


@pytest.mark.parametrize(
    ("said", "now"),
    [
        ("The server used to listen on port 7000, now 8000", "The server listens on port 8000"),
        ("The timeout was 30 seconds, now it's 60", "The timeout is 60 seconds"),
        ("We used to use npm, now pnpm", "We use pnpm"),
        ("Раньше сервер слушал порт 7000, теперь 8000", "сервер слушает порт 8000"),
        ("Раньше мы использовали npm, теперь pnpm", "мы используем pnpm"),
        ("The timeout is not 30 but 60 seconds", "The timeout is 60 seconds"),
        ("Порт не 8000, а 9000", "Порт — 9000"),
    ],
)
def test_what_is_so_now_is_a_clause_of_its_own(said: str, now: str) -> None:
    assert as_now(said) == now


@pytest.mark.parametrize(
    "said",
    [
        "The server used to listen on port 7000",
        "The timeout was 30 seconds, now I am not sure",
        "We use npm now",
        "Раньше сервер слушал порт 7000",
        "Проблема не в кеше, а в базе",
    ],
)
def test_what_does_not_say_both_stays_as_it_is(said: str) -> None:
    assert as_now(said) == said
