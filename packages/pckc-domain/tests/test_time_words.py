"""Words of the past in questions, and words of change in statements."""

import pytest
from pckc_domain.policy.time_words import Tense, tells_of_change, tense_of


@pytest.mark.parametrize(
    "query",
    [
        "Where did Ann live before Leeds?",
        "Which database did we use to run previously?",
        "Where was the key an hour ago?",
        "What was the original port?",
        "Где Анна жила раньше?",
        "Какой порт был сначала?",
    ],
)
def test_questions_about_what_held_before(query: str) -> None:
    assert tense_of(query) is Tense.BEFORE


@pytest.mark.parametrize(
    "query",
    [
        "What broke the nightly build?",
        "Who fixed the leak?",
        "Why were the tests red?",
        "Did Ann like the play?",
        "Когда переехал Борис?",
        "Что сломалось в сборке?",
        "Какой был порт?",
    ],
)
def test_questions_about_what_happened(query: str) -> None:
    assert tense_of(query) is Tense.NARRATED


@pytest.mark.parametrize(
    "query",
    [
        "Where does Ann live?",
        "Which database do we use now?",
        "What did we decide about logging?",
        "Which queue did we end up with?",
        "When is the launch?",
        "Is Bob still teaching?",
        "What need we pack for the trip?",
        "Has Ann paid the rent?",
        "",
        "Где теперь живёт Анна?",
        "Что мы решили про логи?",
        "Борис ещё работает в школе или нет?",
        "Сколько дней в неделе?",
    ],
)
def test_questions_about_the_present(query: str) -> None:
    assert tense_of(query) is Tense.PRESENT


@pytest.mark.parametrize(
    "text",
    ["We moved to Leeds.", "Use Redis instead.", "I no longer eat fish.", "Мы переехали в Тверь.", "Теперь порт 80."],
)
def test_statements_of_change(text: str) -> None:
    assert tells_of_change(text)


@pytest.mark.parametrize("text", ["We live in Leeds.", "The port is 80.", "I know the newt.", "Мы живём в Твери.", ""])
def test_statements_without_change(text: str) -> None:
    assert not tells_of_change(text)
