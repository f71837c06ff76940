"""An index that does not answer is waited for once."""

from array import array
from collections.abc import Iterator

import pytest
from pckc_domain.errors import BackendUnavailableError
from pckc_domain.model.scope import Scope
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.memory.vector import MemoryVectorIndex
from pckc_domain.testing.vector_contract import SPACE, items
from pckc_mcp.vector_slot import REST_SECONDS, LateVectors

SCOPE = Scope(project="sample")
QUERY = array("f", items(1)[0].vector)


class Opening:
    """Opens an index, or fails; counts how often it is asked."""

    def __init__(self) -> None:
        self.is_down = True
        self.asked = 0

    def __call__(self) -> VectorIndex:
        self.asked += 1
        if self.is_down:
            raise BackendUnavailableError("down")
        return MemoryVectorIndex()


def test_questions_do_not_wait_again() -> None:
    times: Iterator[float] = iter([0.0, 1.0, 2.0, REST_SECONDS - 0.1, REST_SECONDS + 0.1])
    opening = Opening()
    vectors = LateVectors(opening, now=lambda: next(times))
    for _ in range(3):
        with pytest.raises(BackendUnavailableError, match="down"):
            vectors.search(SCOPE, SPACE, QUERY, partitions=frozenset(), limit=1)
    with pytest.raises(BackendUnavailableError, match="down"):
        vectors.count(SCOPE, partitions=frozenset())
    assert opening.asked == 1
    opening.is_down = False
    assert vectors.count(SCOPE, partitions=frozenset()) == 0
    assert opening.asked == 2


def test_what_is_written_tries_anew_and_opens_it_for_questions() -> None:
    opening = Opening()
    vectors = LateVectors(opening, now=lambda: 0.0)
    with pytest.raises(BackendUnavailableError):
        vectors.count(SCOPE, partitions=frozenset())
    opening.is_down = False
    vectors.upsert(SCOPE, SPACE, items(3))
    assert vectors.count(SCOPE, partitions=frozenset()) == 3
