"""However long a question is, only so much of it is looked at."""

import attrs
import pytest
from pckc_domain.model.bounds import MAX_QUERY_CHARACTERS
from pckc_domain.model.memory import MemoryRequest
from pckc_domain.model.recall import SearchRequest
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.usecases.compile import ContextRequest

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
