"""However long a question is, only so much of it is looked at; what is handed over and too long is refused."""

from typing import Any

import attrs
import pytest
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.bounds import (
    MAX_CLAIM_CHARACTERS,
    MAX_EXHIBIT_CHARACTERS,
    MAX_NAME_CHARACTERS,
    MAX_QUERY_CHARACTERS,
    MAX_REASON_CHARACTERS,
)
from pckc_domain.model.claim import ClaimType, Governance
from pckc_domain.model.distillation import DistilledClaim
from pckc_domain.model.memory import MemoryRequest
from pckc_domain.model.recall import SearchRequest
from pckc_domain.model.reflection import Outcome, Reflection
from pckc_domain.model.scope import Scope
from pckc_domain.model.trace import TraceKind
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.testing.curated_world import CuratedWorld
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.cite import Citer
from pckc_domain.usecases.compile import ContextRequest
from pckc_domain.usecases.gaps import GapKeeper
from pckc_domain.usecases.govern import Governor
from pckc_domain.usecases.reflect import Reflector
from pckc_domain.usecases.traces import Tracer

LONG = "word " * MAX_QUERY_CHARACTERS
HEAD = LONG[:MAX_QUERY_CHARACTERS]


@pytest.mark.parametrize("kind", [SearchRequest, MemoryRequest])
def test_a_request_holds_what_is_looked_at(kind: type[SearchRequest] | type[MemoryRequest]) -> None:
    """Whoever reads it, reads no more."""
    request = kind(query=LONG)
    assert request.query == HEAD
    assert attrs.evolve(request, query=f"{LONG}more").query == HEAD
    assert kind(query="short é").query == "short é"


def test_a_task_is_as_long() -> None:
    assert ContextRequest(task=LONG).task == HEAD


def test_what_stands_behind_is_not_looked_for() -> None:
    assert analyze_query(f"{LONG} okapi") == analyze_query(LONG)


SCOPE = Scope(project="p")


def _reflect(**parts: Any) -> tuple[Outcome, str, int]:
    item = Reflection(**{"type": ClaimType.FACT, "text": "The port is 80."} | parts)
    (one,) = Reflector(MemoryCanonical(), MemoryRepository(), FixedClock()).write(SCOPE, [item])
    return one.outcome, one.reason, len(one.text)


@pytest.mark.parametrize("part", ["text", "subject", "attribute", "value", "path"])
def test_a_claim_says_one_thing(part: str) -> None:
    longest = "a" * MAX_CLAIM_CHARACTERS
    assert _reflect(**{part: longest})[0] is Outcome.CANDIDATE
    outcome, reason, said = _reflect(**{part: f"{longest}a"})
    assert outcome is Outcome.REJECTED
    assert str(MAX_CLAIM_CHARACTERS) in reason
    assert "pckc ingest" in reason
    assert said <= MAX_CLAIM_CHARACTERS


@pytest.mark.parametrize("kind", [ClaimType.CODE, ClaimType.TABLE])
def test_code_and_tables_may_be_longer(kind: ClaimType) -> None:
    assert _reflect(type=kind, text="x = 1\n" * 1_000)[0] is Outcome.CANDIDATE
    assert _reflect(type=kind, text="a" * (MAX_EXHIBIT_CHARACTERS + 1))[0] is Outcome.REJECTED


@pytest.mark.parametrize("part", ["text", "quote", "subject", "value"])
def test_a_citation_is_as_long(part: str) -> None:
    read = DistilledClaim(type=ClaimType.TEXT, text="It is so.", quote="It is so.", confidence=0.5, rule="me")
    with pytest.raises(InvalidInputError, match="characters"):
        Citer(MemoryCanonical(), FixedClock()).cite(
            SCOPE, "text:a", attrs.evolve(read, **{part: "a" * (MAX_EXHIBIT_CHARACTERS + 1)}), by="me"
        )


def test_names_are_short() -> None:
    name, canonical, clock = "a" * (MAX_NAME_CHARACTERS + 1), MemoryCanonical(), FixedClock()
    item = Reflection(type=ClaimType.FACT, text="The port is 80.")
    with pytest.raises(InvalidInputError, match="session's id"):
        Reflector(canonical, MemoryRepository(), clock).write(SCOPE, [item], session_id=name)
    with pytest.raises(InvalidInputError, match="session's id"):
        Tracer(canonical, clock).add(SCOPE, TraceKind.PLAN, "Ask.", session_id=name)
    with pytest.raises(InvalidInputError, match="title"):
        CuratedWorld(canonical).ingester.ingest_text(SCOPE, "The port is 80.", title=name)


def test_reasons_are_short() -> None:
    canonical, reason = MemoryCanonical(), "a" * (MAX_REASON_CHARACTERS + 1)
    gaps = GapKeeper(canonical, FixedClock())
    known = gaps.add(SCOPE, "What is the port?", reason=reason[1:])
    with pytest.raises(InvalidInputError, match="the reason has"):
        gaps.add(SCOPE, "What is the host?", reason=reason)
    with pytest.raises(InvalidInputError, match="the reason has"):
        gaps.update(SCOPE, known.id, reason=reason)
    with pytest.raises(InvalidInputError, match="the reason has"):
        Governor(canonical, FixedClock()).decide(SCOPE, "claim_x", Governance.PINNED, actor="me", reason=reason)
