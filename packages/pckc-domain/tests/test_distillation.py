"""The deterministic distiller: what it reads, what it leaves, and that every quote stands in its chunk."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.claim import ClaimType
from pckc_domain.model.distillation import DistilledClaim, SourceChunk
from pckc_domain.policy.curation import is_verbatim
from pckc_domain.policy.distillation.distil import distil
from pckc_domain.policy.judging.judge import compare
from pckc_domain.usecases.rule_distiller import RuleDistiller


def claims(text: str, *, heading: str = "") -> tuple[DistilledClaim, ...]:
    return distil(SourceChunk(title="A title", place="section=1", heading=heading, text=text)).claims


def kinds(text: str) -> list[ClaimType]:
    return [claim.type for claim in claims(text)]


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("A message broker is a program that passes messages between services.", "message broker"),
        ("The **event loop** is a construct that waits for events and runs their handlers.", "event loop"),
        ("Backpressure refers to a signal that slows producers down.", "backpressure"),
        ("Latency is the time between a request and its answer.", "latency"),
        ("By idempotence we mean that a repeated call changes nothing.", "idempotence"),
        ("A cache that is written on each change is called a write-through cache.", "write-through cache"),
        ("- **Dead letter**: a message that nobody could read.", "dead letter"),
        ("- **Dead letter** — a message that nobody could read.", "dead letter"),
        ("- `ack`: the confirmation sent by a consumer.", "ack"),
        ("- Offset: the position of a consumer in a partition.", "offset"),
        ("**Shard**: one part of a table that lives on a node.", "shard"),
        ("Offset\n: The position of a consumer.", "offset"),
        ("Брокер сообщений — это программа, которая передаёт сообщения.", "брокер сообщений"),
        ("Индекс — структура данных, ускоряющая поиск.", "индекс"),
        ("Кворум представляет собой большинство узлов кластера.", "кворум"),
        ("- **Сегмент** — часть таблицы на одном узле.", "сегмент"),
        ("- Смещение: позиция потребителя в разделе.", "смещение"),
        ("Часть таблицы, которая лежит на одном узле, называется сегмент.", "сегмент"),
    ],
)
def test_definitions(text: str, subject: str) -> None:
    (claim,) = claims(text)

    assert claim.type is ClaimType.DEFINITION
    assert claim.subject == subject
    assert claim.attribute == ""


@pytest.mark.parametrize(
    "text",
    [
        "This is a list of everything we could find.",
        "It is a good idea to restart the server.",
        "The server is a lot faster now.",
        "- Note: the list below is not complete.",
        "- Пример: запуск сервера на своей машине.",
    ],
)
def test_what_looks_like_a_definition_and_is_none(text: str) -> None:
    assert ClaimType.DEFINITION not in kinds(text)


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("The default timeout is 30 seconds.", ("default timeout", "value", "30s")),
        ("The service listens on port 8080.", ("service", "port", "8080")),
        ("`max_retries` defaults to 5.", ("default max_retries", "value", "5")),
        ("- **Request timeout**: 30 s", ("request", "timeout", "30s")),
        ("The gateway is written in Go.", ("gateway", "language", "go")),
        ("The release date is 2024-05-01.", ("release date", "value", "2024-05-01")),
        ("Тайм-аут по умолчанию — 30 секунд.", ("тайм-аут по умолчанию", "value", "30s")),
        ("Сервис работает на порту 8080.", ("сервис", "port", "8080")),
    ],
)
def test_facts_fill_slots(text: str, slot: tuple[str, str, str]) -> None:
    (claim,) = claims(text)

    assert claim.type is ClaimType.FACT
    assert (claim.subject, claim.attribute, claim.value) == slot


@pytest.mark.parametrize(
    "text",
    [
        "We use PostgreSQL for storage.",  # whose `we` it is, a document's reader cannot tell
        "The timeout is 5 seconds in tests.",  # a limit has no place in a distilled claim
        "Set the port to 8080.",
        "Версия 2.0 вышла 1 мая 2024.",
    ],
)
def test_no_slot_where_the_sentence_says_less(text: str) -> None:
    assert not any(claim.attribute for claim in claims(text))


def test_tables_and_code_are_kept_as_they_are() -> None:
    table = "| Name | Port |\n|------|------|\n| api | 8080 |\n| db | 5432 |"
    code = "def send(x):\n\n    return x"
    text = f"## Ports\n\n{table}\n\n```python\n{code}\n```\n\nSome words.\n\n    for x in range(3):\n        print(x)\n"

    found = claims(text)

    assert [(claim.type, claim.text) for claim in found] == [
        (ClaimType.TABLE, table),
        (ClaimType.CODE, code),
        (ClaimType.CODE, "    for x in range(3):\n        print(x)"),
    ]
    assert {claim.subject for claim in found} == {"Ports"}


@pytest.mark.parametrize(
    "text",
    [
        "| [Home](/) | [Docs](/docs) |\n|---|---|\n| [Blog](/blog) | [About](/about) |",
        "```text\nsome output of a program\n```",
        "```\n```",
        "- an item\n\n    its second paragraph, indented as code is\n",
    ],
)
def test_what_is_no_table_and_no_code(text: str) -> None:
    assert not {ClaimType.TABLE, ClaimType.CODE} & set(kinds(text))


def test_a_fence_that_the_chunk_cuts_off_is_code() -> None:
    (claim,) = claims("```sh\nmake install\nmake test")

    assert (claim.type, claim.text) == (ClaimType.CODE, "make install\nmake test")


def test_indented_prose_is_no_code() -> None:
    text = "    Workers must never share a connection (see the manual\n    of the driver), as it is not thread-safe.\n"

    assert kinds(text) == [ClaimType.TEXT]
    assert kinds("Run it:\n\n    make install\n    make test\n") == [ClaimType.CODE]


def test_rules_are_read_wherever_their_json_stands() -> None:
    text = (
        'As in {"if": ["calls", "writes"], "then": "affects"}, or:\n\n'
        '```json\n{"then": "needs",\n "if": "imports"}\n```\n\n{"if": "a b", "then": "c"}\n\n{"if": [], "then": "c"}\n'
    )

    made = distil(SourceChunk(title="", place="", text=text))

    assert [json.loads(claim.value) for claim in made.claims] == [
        {"if": ["calls", "writes"], "then": "affects"},
        {"if": ["imports"], "then": "needs"},
    ]
    assert {claim.type for claim in made.claims} == {ClaimType.LOGICAL_RULE}
    assert len(made.refused) == 2


def test_a_rule_in_words_stays_words() -> None:
    assert ClaimType.LOGICAL_RULE not in kinds("If a module imports another module, then it depends on that module.")


@pytest.mark.parametrize(
    "text",
    [
        "Workers must never share a connection.",
        "Chlorophyll absorbs light mostly in the blue and red part of the spectrum.",
        "The transcontinental railroad reached Sacramento in 1869.",
        "Хлорофилл поглощает свет в синей и красной части спектра.",
        "Очередь хранит до 1000 сообщений в PostgreSQL.",
    ],
)
def test_informative_sentences_are_kept(text: str) -> None:
    (claim,) = claims(text)

    assert (claim.type, claim.text, claim.quote) == (ClaimType.TEXT, text, text)


@pytest.mark.parametrize(
    "text",
    [
        "Should workers share a connection to PostgreSQL 16?",
        "Perhaps the workers must share a connection.",
        "Возможно, очередь хранит 1000 сообщений в PostgreSQL.",
        "Click here to read the PostgreSQL 16 manual.",
        "Thanks for reading about the 10 rules of PostgreSQL!",
        "It must never be shared between 2 workers.",
        "We use cookies to improve your experience on 3 sites.",
        "Copyright 2024 Example Corporation, all rights reserved.",
        "The sun was nice that day.",
        "## See also\n\n- PostgreSQL must be tuned with 5 settings.",
        "[Home](/) | [Docs](/docs) | [Blog](/blog)",
        "Подпишитесь на нашу рассылку о PostgreSQL 16.",
    ],
)
def test_noise_is_left(text: str) -> None:
    assert claims(text) == ()


def test_skipping_ends_with_the_section() -> None:
    text = "# A\n\n## See also\n\nRedis stores 5 keys in memory.\n\n## Use\n\nRedis stores 6 keys in memory.\n"

    assert [claim.text for claim in claims(text)] == ["Redis stores 6 keys in memory."]


def test_a_quote_keeps_its_line_breaks_and_marks() -> None:
    text = "> The queue stores **every** message in\n> PostgreSQL 16 before it answers.\n"

    (claim,) = claims(text)

    assert claim.quote == "The queue stores **every** message in\n> PostgreSQL 16 before it answers."
    assert claim.text == "The queue stores every message in PostgreSQL 16 before it answers."


def test_a_sentence_around_a_rule_is_quoted_with_it() -> None:
    text = 'The engine uses the rule {"if": "calls", "then": "needs"} for all 5 layers of the Core.'

    assert all(claim.quote in text for claim in claims(text))


LINES = st.sampled_from(
    [
        "# Heading",
        "A broker is a program that passes messages.",
        "The timeout is 30 seconds.",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "```python",
        "x = f(1)",
        "```",
        "    y = g(2)",
        "- **Term**: what it means here",
        "> Workers must never share `a_b`.",
        "",
        '{"if": "a", "then": "b"}',
        '{"if": ["a",',
        "Кэш — это память для частых ответов.",
        "Term\n: a meaning of it",
        "\tcol\tcol",
        "<!-- x -->",
    ]
)


@given(st.one_of(st.lists(LINES, max_size=20).map("\n".join), st.text(max_size=300)))
def test_every_quote_stands_in_its_chunk(text: str) -> None:
    made = claims(text)

    assert all(claim.quote and claim.quote in text for claim in made)
    assert all(0 <= claim.confidence <= 1 and claim.text for claim in made)
    assert all(is_verbatim(claim.text, claim.quote) for claim in made)
    assert made == claims(text)


@pytest.mark.parametrize("heading", ["", "Settings"])
@pytest.mark.parametrize(
    "text",
    [
        "Zorvex supports IPv6.",
        "Zorvex does not support IPv6.",
        "Zorvex no longer supports IPv6.",
        "Perun is a compiler.",
        "Orla is a file format.",
        "Перун — компилятор.",
        "Перун поддерживает IPv6.",
        "Перун не поддерживает IPv6.",
        "Zorvex runs in one process.",
    ],
)
def test_a_short_sentence_about_a_name_is_a_claim_in_its_own_words(text: str, heading: str) -> None:
    (claim,) = claims(text, heading=heading)

    assert (claim.text, claim.quote) == (text, text)


@pytest.mark.parametrize(
    "text",
    [
        "Installing takes time.",
        "Bananas are yellow.",
        "Everything works fine.",
        "It is fast.",
        "Docs: see below.",
        "Configuration is easy.",
        "Version is a number.",
        "Settings.",
        "Это просто работает.",
    ],
)
def test_a_short_sentence_about_no_name_is_none(text: str) -> None:
    assert claims(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "**Dead letter** — a message that nobody could read.",
        "- `ack` - the confirmation sent by a consumer.",
        "Offset\n: The position of a consumer.",
        "> The queue stores **every** message in\n> PostgreSQL 16 before it answers.",
    ],
)
def test_the_words_of_a_claim_stand_in_its_quote(text: str) -> None:
    (claim,) = claims(text)

    assert is_verbatim(claim.text, claim.quote)


def test_a_huge_chunk_of_brackets_is_no_trouble() -> None:
    assert claims('{"if": [' * 20_000) == ()


def test_the_distiller_reads_and_judges_by_the_rules() -> None:
    distiller = RuleDistiller()
    others: Sequence[str] = ["The timeout is 60 seconds."]

    assert distiller.name == "rules"
    assert distiller.distil(SourceChunk(title="", place="", text="The timeout is 30 seconds.")).claims
    judgement = distiller.judge("The timeout is 30 seconds.", others)
    assert judgement is not None
    assert judgement.kind is compare("The timeout is 30 seconds.", others[0]).kind
