"""Words of the past in questions, and words of change in statements."""

import pytest
from pckc_domain.policy.time_words import asks_for_the_past, tells_of_change


@pytest.mark.parametrize(
    "query",
    [
        "Where did Ann live before Leeds?",
        "What was the first port?",
        "Which database had we used to run?",
        "What broke the nightly build?",
        "Where was the key an hour ago?",
        "Who fixed the leak?",
        "Где Анна жила раньше?",
        "Когда переехал Борис?",
        "Что сломалось в сборке?",
        "Какой был порт?",
    ],
)
def test_questions_about_the_past(query: str) -> None:
    assert asks_for_the_past(query)


@pytest.mark.parametrize(
    "query",
    [
        "Where does Ann live?",
        "Which database do we use now?",
        "When is the launch?",
        "Is Bob still teaching?",
        "What need we pack for the trip?",
        "Has Ann paid the rent?",
        "",
        "Где теперь живёт Анна?",
        "Борис ещё работает в школе или нет?",
        "Сколько дней в неделе?",
    ],
)
def test_questions_about_the_present(query: str) -> None:
    assert not asks_for_the_past(query)


@pytest.mark.parametrize(
    "text",
    ["We moved to Leeds.", "Use Redis instead.", "I no longer eat fish.", "Мы переехали в Тверь.", "Теперь порт 80."],
)
def test_statements_of_change(text: str) -> None:
    assert tells_of_change(text)


@pytest.mark.parametrize("text", ["We live in Leeds.", "The port is 80.", "I know the newt.", "Мы живём в Твери.", ""])
def test_statements_without_change(text: str) -> None:
    assert not tells_of_change(text)
