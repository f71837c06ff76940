"""The memory graph index keeps the contract."""

import pytest
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.graph_index import IndexEdge, IndexNode, Portion
from pckc_domain.ports.graph_index import GraphIndex
from pckc_domain.testing.graph_index_contract import GraphIndexContract
from pckc_domain.testing.memory.graph_index import MemoryGraphIndex


class TestMemoryGraphIndex(GraphIndexContract):
    """The memory graph index."""

    @pytest.fixture
    def graphs(self) -> GraphIndex:
        """Return an empty index."""
        return MemoryGraphIndex()


def test_a_portion_speaks_of_its_own_nodes() -> None:
    own, foreign = (
        IndexNode(id="a", kind="function", name="a"),
        IndexEdge(source="b", target="c", kind="calls", confidence=1.0, origin="call"),
    )
    with pytest.raises(InvalidInputError):
        Portion(owner="f", nodes=(own,), edges=(foreign,))
