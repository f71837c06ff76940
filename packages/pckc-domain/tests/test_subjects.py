"""Subjects and values: the same thing said differently is one, other things stay apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.subjects import (
    joined_versions,
    kind_of_value,
    normalize_subject,
    normalize_value,
    split_attribute,
    subject_key,
    topic_key,
    value_key,
)


@pytest.mark.parametrize(
    "text",
    ["the auth service", "Auth Service", "`auth service`", "auth service's", "our  auth   service", "«auth service»"],
)
def test_spellings_of_one_subject(text: str) -> None:
    assert normalize_subject(text) == "auth service"


@pytest.mark.parametrize(
    "text",
    [
        "it",
        "This",
        "что-то",
        "what we need",
        "I'll",
        "b c d e f g",
        "",
        "--",
        "// note",
        "default",
        "this method",
        "port of",
    ],
)
def test_what_names_nothing_plainly(text: str) -> None:
    assert normalize_subject(text) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("шлюз", "шлюза"),
        ("сервис оплаты", "сервиса оплаты"),
        ("tests", "test"),
        ("Postgres", "PostgreSQL"),
        ("caching", "cache"),
    ],
)
def test_inflections_share_a_key(one: str, other: str) -> None:
    assert subject_key(one) == subject_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("auth.py", "auth.pyi"), ("src/a.py", "src/b.py"), ("max_size", "max_sizes"), ("шлюз", "шлюпка")]
)
def test_other_things_keep_their_keys(one: str, other: str) -> None:
    assert subject_key(one) != subject_key(other)


@pytest.mark.parametrize(
    ("spellings", "value"),
    [
        (("60 seconds", "60s", "1 minute", "1 мин", "60 секунд"), "60s"),
        (("500 ms", "0.5 s"), "0.5s"),
        (("10 MB", "10mb", "10 МБ"), "10mb"),
        (("1,000", "1000", "1_000"), "1000"),
        (("enabled", "On", "true", "включён", "включено"), "on"),
        (("disabled", "off", "False", "выключен", "отключена"), "off"),
        (("Postgres 16", "PostgreSQL 16", "`postgres 16`"), "postgresql 16"),
        (("v1.2.3", "1.2.3"), "1.2.3"),
        (("dev2", "Dev2"), "dev2"),
        (('"info"', "`info`", "Info."), "info"),
        (("50%", "50 %", "50 процентов"), "50%"),
        (("three", "3"), "3"),
    ],
)
def test_spellings_of_one_value(spellings: tuple[str, ...], value: str) -> None:
    assert {normalize_value(spelling) for spelling in spellings} == {value}


@pytest.mark.parametrize(
    ("one", "other"), [("10", "100"), ("8080", "8081"), ("5 minutes", "5 seconds"), ("1.2", "1.20"), ("porto", "paris")]
)
def test_other_values_stay_apart(one: str, other: str) -> None:
    assert value_key(normalize_value(one)) != value_key(normalize_value(other))


def test_cases_of_a_russian_value_share_a_key() -> None:
    assert value_key("казань") == value_key("казани")


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("the gateway's port", ("gateway", "port")),
        ("port of the gateway", ("gateway", "port")),
        ("порт шлюза", ("шлюза", "port")),
        ("порт у шлюза", ("шлюза", "port")),
        ("the port", ("port", "value")),
        ("the default branch", ("default branch", "value")),
        ("value of MAX_SIZE", ("max_size", "value")),
        ("max size of the pool", ("pool size", "maximum")),
        ("it", ("", "")),
        ("name of it", ("", "")),
    ],
)
def test_subject_and_attribute_of_a_phrase(phrase: str, expected: tuple[str, str]) -> None:
    assert split_attribute(phrase) == expected


def test_kinds_of_values() -> None:
    assert kind_of_value("postgresql 16") == "database"
    assert kind_of_value("redis") == ""


@given(st.text(max_size=40))
def test_normal_forms_are_stable(text: str) -> None:
    assert normalize_subject(normalize_subject(text)) in {normalize_subject(text), ""}
    assert subject_key(text) == subject_key(f" {text}\n")  # that of a key may be another: stems have stems
    assert isinstance(normalize_value(text), str)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("orders database", "database"), ("orders", "database")),
        (("orders database", "database"), ("базы заказов", "database")),
        (("job queue", "message queue"), ("очереди задач", "message queue")),
        (("queue", "message queue"), ("message queue", "value")),
    ],
)
def test_a_kind_is_named_once_and_in_either_language(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert topic_key(*one) == topic_key(*other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("orders database", "database"), ("базы пользователей", "database")),
        (("job queue", "message queue"), ("message queue", "value")),
        (("orders database", "database"), ("orders database", "port")),
    ],
)
def test_other_qualifiers_and_attributes_are_other_topics(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert topic_key(*one) != topic_key(*other)


@pytest.mark.parametrize(
    ("said", "joined"),
    [
        ("CI runs on Python 3.12 and 3.11 now", "CI runs on Python 3.11/3.12 now"),
        ("Node 18, 20, and Node 22", "Node 18/20/22"),
        ("Node 20 and 4 cores", "Node 20 and 4 cores"),
        ("Redis 7 and Kafka 3", "Redis 7 and Kafka 3"),
        ("option 2 and 3", "option 2 and 3"),
    ],
)
def test_versions_of_one_thing_are_one_value(said: str, joined: str) -> None:
    assert joined_versions(said) == joined
