"""What a question tells of itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.question_forms import (
    Request,
    in_first_person,
    named_speakers,
    request_of,
    speaks_of_the_asker,
    without_names,
)

SPEAKERS = ("Ann", "Bob Smith", "Катя", "Олег")


@pytest.mark.parametrize(
    "query",
    [
        "Write a haiku about rain.",
        "Add a column for the phone number",
        "Can you shorten this paragraph?",
        "What should I wear to a wedding?",
        "How do I boil an egg?",
        "Please explain monads.",
        "Напиши стихотворение о дожде.",
        "Переведи это письмо.",
        "Что мне приготовить на ужин?",
    ],
)
def test_clear_requests(query: str) -> None:
    assert request_of(query) is Request.CLEAR


@pytest.mark.parametrize("query", ["Is aspirin safe for children?", "How much is a return ticket to Lyon?"])
def test_general_questions_may_be_requests(query: str) -> None:
    assert request_of(query) is Request.PERHAPS


@pytest.mark.parametrize(
    "query",
    [
        "Where does Ann work?",
        "What did we decide about logging?",
        "Which port does the server use?",
        "What is my dog called?",
        "Remind me what we said about logging.",
        "Где работает Катя?",
        "Какой у нас порт?",
        "",
    ],
)
def test_questions_about_what_was_said(query: str) -> None:
    assert request_of(query, speakers=named_speakers(query, SPEAKERS)) is Request.NONE


@pytest.mark.parametrize(
    ("query", "expected"),
    [("Where do I live?", True), ("What is our port?", True), ("Где мой ключ?", True), ("Where does Ian live?", False)],
)
def test_the_asker(query: str, expected: bool) -> None:
    assert speaks_of_the_asker(query) is expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Does Ann know Smith's brother?", {"Ann", "Bob Smith"}),
        ("Что подарить Олегу и Кате?", {"Олег", "Катя"}),
        ("Where is the annex?", set()),
    ],
)
def test_named_speakers(query: str, expected: set[str]) -> None:
    assert named_speakers(query, SPEAKERS) == expected


def test_a_question_as_its_answer_would_be_worded() -> None:
    assert in_first_person("What is Ann's job, and does Ann like it?", {"Ann"}) == "What is my job, and does I like it?"
    assert in_first_person("Где живёт Олег?", {"Олег"}) == "Где живёт я?"
    assert in_first_person("What is Annex?", {"Ann"}) == "What is Annex?"


def test_a_question_without_its_names() -> None:
    assert without_names("What is Ann's job?", {"Ann"}).split() == ["What", "is", "job?"]


@given(st.text(), st.frozensets(st.text(min_size=1), max_size=3))
def test_any_text_and_any_name_are_fine(query: str, speakers: frozenset[str]) -> None:
    named = named_speakers(query, speakers)
    assert named <= speakers
    if not named:
        assert without_names(query, named) == in_first_person(query, named) == query
    assert request_of(query, speakers=named) in Request
