"""What a speaker asks not to keep is left out: as much as the request covers, and nothing because of other words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.discretion import LAST_NOT_KEPT, NOT_KEPT, without_unkept

PORT = "The API listens on port 8000."


@pytest.mark.parametrize(
    "said",
    [
        "My email is ivan@example.com, please do not store it.",
        "My name is Dr. Smith, don't store this.",
        "I live in Berlin - please do not remember this",
        "The deal is worth 5M, but don't record that.",
        "I earn 5000 (off the record).",
        "We're moving to Acme, but that's off the record.",
        "My phone is 555, please don't store my phone number.",
        "Мой email ivan@x.ru, не сохраняй его.",
        "Меня зовут Иван, не запоминай.",
    ],
)
def test_a_request_in_a_sentence_covers_it(said: str) -> None:
    assert without_unkept(f"{PORT} {said}\nWe use Redis.").text.split("\n") == [f"{PORT} {NOT_KEPT}", "We use Redis."]


@pytest.mark.parametrize(
    "said",
    [
        "Off the record: the acquisition closes in May. Acme pays.",
        "Between us, Bob is leaving. He goes in May.",
        "Don't remember this: my PIN is 4821",
        "Please do not keep this in memory:\n- one\n- two",
        "Don't write this down: I hate Jira",
        "Please don't save the following.\n\nI live in Oslo.",
        "Не для протокола: мы закрываем проект. Весной.",
        "Между нами, Боб уходит.",
        "Не запоминай это: мой пин 1234",
        "Это не записывай: зарплата 100",
        "Прошу не сохранять эту информацию: Боба уволят",
    ],
)
def test_a_request_that_opens_covers_the_rest_of_the_message(said: str) -> None:
    assert without_unkept(f"{PORT}\n{said}").text == f"{PORT}\n{NOT_KEPT}"


@pytest.mark.parametrize(
    "said",
    [
        "My salary is 100k. Please don't save this.",
        "This is off the record. We fire Bob.",
        "Please don't store this message.\n\nBob leaves.",
        "Don't keep any of this in your memory. I live in Oslo.",
        "Bob leaves. Keep this between us, please.",
        "Мы переезжаем в Берлин. Пожалуйста, не запоминай это.",
        "Пусть это останется между нами. Мы продаём компанию.",
    ],
)
def test_a_request_alone_covers_the_message(said: str) -> None:
    assert without_unkept(f"Hi.\n{said}").text == NOT_KEPT


@pytest.mark.parametrize(
    "said", ["Please don't remember that.", "Don't store what I just told you.", "не запоминай это", "Off the record."]
)
def test_a_message_that_says_nothing_else_is_about_the_last(said: str) -> None:
    assert without_unkept(said).text == LAST_NOT_KEPT


@pytest.mark.parametrize(
    "said",
    [
        "Do not store it in the database.",
        "If the form is empty, don't save it.",
        "We do not store passwords in plain text.",
        "Do not save this file yet.",
        "Don't save this as JSON.",
        "Please do not save this to disk.",
        "Don't store tokens in localStorage.",
        "Cookies are large, don't store them.",
        "Never store it unencrypted.",
        "The diff between us-east and us-west is big.",
        "The API between us and the vendor uses gRPC.",
        "I don't remember this bug.",
        "Why don't you remember this?",
        "Don't record the screen in tests.",
        'The dialog says "do not store this".',
        "```\ndon't store this\n```",
        "> don't store this",
        "Buttons: Save, Don't save.",
        "Remember that we use Redis.",
        "Do not forget to save it.",
        "The field is unknown, so don't write anything.",
        "Strip the id off the record, then save it.",
        "Не сохраняй файл до проверки.",
        "Не храни токены в localStorage.",
        "Не запоминай токен в сессии.",
        "Если форма пуста, не сохраняй её.",
        "Разница между нами и ними велика.",
    ],
)
def test_what_is_said_of_a_program_is_no_request(said: str) -> None:
    assert without_unkept(f"{PORT} \n{said}").text == f"{PORT} \n{said}"


def test_what_was_left_out_is_told_without_its_words() -> None:
    (finding,) = without_unkept("One.\nMy salary is 100k, don't store it.").findings
    assert (finding.kind, finding.line, finding.length) == ("asked-not-to-keep", 2, 34)


@given(
    st.lists(
        st.sampled_from(
            ["Off the record", "don't store it", "my x is 7", PORT, ":", ", ", ". ", "\n", " ", "не запоминай", "`"]
        )
        | st.text(max_size=8),
        max_size=9,
    ).map("".join)
)
def test_what_was_left_out_stays_out_and_nothing_more_goes(text: str) -> None:
    once = without_unkept(text)
    assert without_unkept(once.text) == (once.text, ())
    assert bool(once.findings) is (once.text != text)


@pytest.mark.parametrize(
    "unit", ["don't ", "not store ", "off the record ", "- ", "a.", "\n", "(", "между нами", "it "]
)
def test_hostile_repetition_ends(unit: str) -> None:
    without_unkept("don't save " + unit * (100_000 // len(unit)))
