"""The projection from a store into a real server: whatever happened, both answer the same."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from pckc_adapters_memgraph.graph_index import MemgraphGraphIndex
from pckc_adapters_memgraph.testing import ArcadeServer
from pckc_domain.testing.conversations import SCOPE
from pckc_domain.testing.graph_projection import Deed, Projected, deeds
from pckc_domain.testing.memory.canonical import MemoryCanonical

from .conftest import emptied


@pytest.fixture(scope="module")
def graphs(server: ArcadeServer) -> Iterator[MemgraphGraphIndex]:
    """Yield an index that examples share."""
    with emptied(server.settings) as index:
        yield index


@given(deeds)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_happened_the_index_answers_as_the_store(graphs: MemgraphGraphIndex, script: list[Deed]) -> None:
    mine = Projected(MemoryCanonical(), graphs)
    mine.serving.clear(SCOPE)
    for deed in script:
        mine.do(deed)
    mine.check()
