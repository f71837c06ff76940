"""Denials in claims: however they are worded they deny, and nothing of them becomes the name of a thing."""

import pytest
from pckc_domain.model.claim import ClaimType, Polarity
from pckc_domain.model.distillation import SourceChunk
from pckc_domain.model.verdict import VerdictKind
from pckc_domain.policy.denials import affirmed
from pckc_domain.policy.distillation.distil import distil
from pckc_domain.policy.judging.judge import compare

AFFIRMED = {"en": "The Alfa server listens on port 4100.", "ru": "Сервер Альфа слушает порт 4100."}
SUBJECTS = {"alfa server", "сервер альфа", ""}
FACTS = [
    "The Alfa server no longer listens on port 4100.",
    "The Alfa server does not listen on port 4100 any more.",
    "The Alfa server doesn't listen on port 4100 anymore.",
    "The Alfa server never listens on port 4100.",
    "The Alfa server is not listening on port 4100.",
    "The Alfa server isn’t listening on port 4100 any longer.",
    "The Alfa server listens on port 4100 no longer.",
    "Сервер Альфа больше не слушает порт 4100.",
    "Сервер Альфа уже не слушает порт 4100.",
    "Сервер Альфа вовсе не слушает порт 4100.",
    "Сервер Альфа никогда не слушает порт 4100.",
    "Сервер Альфа не слушает больше порт 4100.",
]
WORDS = [
    "The Alfa server has stopped listening on port 4100.",
    "The Alfa server ceased to listen on port 4100.",
    "The Alfa server hardly listens on port 4100.",
    "The Alfa server neither listens on port 4100 nor elsewhere.",
    "The Alfa server listens on no port 4100.",
    "Сервер Альфа перестал слушать порт 4100.",
]


@pytest.mark.parametrize("text", [*FACTS, *WORDS])
def test_a_denial_is_no_name(text: str) -> None:
    for claim in distil(SourceChunk(title="", place="", text=text)).claims:
        assert claim.subject in SUBJECTS
        assert claim.type is ClaimType.TEXT or claim.polarity is Polarity.NEGATIVE


@pytest.mark.parametrize("text", FACTS)
def test_a_denied_value_is_a_fact_that_denies(text: str) -> None:
    (claim,) = distil(SourceChunk(title="", place="", text=text)).claims

    assert (claim.type, claim.attribute, claim.value) == (ClaimType.FACT, "port", "4100")
    assert claim.polarity is Polarity.NEGATIVE


@pytest.mark.parametrize("text", [one for one in [*FACTS, *WORDS] if "neither" not in one and "no port" not in one])
def test_it_contradicts_what_it_denies(text: str) -> None:
    assert compare(text, AFFIRMED["en" if text.isascii() or "’" in text else "ru"]).kind is VerdictKind.CONTRADICTS


@pytest.mark.parametrize(
    ("denied", "other"),
    [
        ("The gateway is no longer written in Go.", "The gateway is written in Go."),
        ("Caching is no longer enabled in Alfa.", "Caching is enabled in Alfa."),
        ("Порт Альфы больше не 4100.", "Порт Альфы — 4100."),
        ("Альфа уже не использует PostgreSQL.", "Альфа использует PostgreSQL."),
        ("Zorvex no longer supports IPv6.", "Zorvex supports IPv6."),
    ],
)
def test_other_predicates_are_denied_too(denied: str, other: str) -> None:
    assert compare(denied, other).kind is VerdictKind.CONTRADICTS


@pytest.mark.parametrize(
    "text",
    [
        "The server listens on port 4100, not 4200",
        "It does not listen on a port but on a socket",
        "The never-ending loop runs on port 80",
        "The pool does not fail and never blocks",
        "Кэш хранит больше 100 записей",
    ],
)
def test_what_is_no_plain_denial_stays_as_it_is(text: str) -> None:
    assert affirmed(text) == (text, False)
