"""The adapter keeps the contract: on ArcadeDB, and on a genuine Memgraph where one is named."""

import os
from collections.abc import Iterator

import pytest
from pckc_adapters_memgraph.backend import MemgraphSettings
from pckc_adapters_memgraph.graph_index import MemgraphGraphIndex
from pckc_adapters_memgraph.testing import ArcadeServer
from pckc_domain.testing.graph_index_contract import GraphIndexContract
from pckc_domain.testing.rule_engine_contract import RuleEngineContract

from .conftest import emptied

MEMGRAPH = os.environ.get("PCKC_TEST_MEMGRAPH_URL", "")


class TestArcade(GraphIndexContract):
    """A server that speaks Bolt and openCypher."""

    @pytest.fixture
    def graphs(self, server: ArcadeServer) -> Iterator[MemgraphGraphIndex]:
        """Yield an empty index."""
        with emptied(server.settings) as index:
            yield index


class TestArcadeRules(RuleEngineContract):
    """Rules applied on such a server."""

    @pytest.fixture
    def engine(self, server: ArcadeServer) -> Iterator[MemgraphGraphIndex]:
        """Yield an empty index."""
        with emptied(server.settings) as index:
            yield index


_NO_MEMGRAPH = pytest.mark.skipif(
    not MEMGRAPH and os.environ.get("PCKC_REQUIRE_BACKENDS") != "1", reason="PCKC_TEST_MEMGRAPH_URL names no Memgraph"
)


@_NO_MEMGRAPH
class TestMemgraphRules(RuleEngineContract):
    """Rules applied on a genuine Memgraph."""

    @pytest.fixture
    def engine(self) -> Iterator[MemgraphGraphIndex]:
        """Yield an empty index."""
        assert MEMGRAPH, "PCKC_REQUIRE_BACKENDS=1 asks for a server: set PCKC_TEST_MEMGRAPH_URL"
        with emptied(MemgraphSettings(url=MEMGRAPH)) as index:
            yield index


@_NO_MEMGRAPH
class TestMemgraph(GraphIndexContract):
    """A genuine Memgraph."""

    @pytest.fixture
    def graphs(self) -> Iterator[MemgraphGraphIndex]:
        """Yield an empty index."""
        assert MEMGRAPH, "PCKC_REQUIRE_BACKENDS=1 asks for a server: set PCKC_TEST_MEMGRAPH_URL"
        with emptied(MemgraphSettings(url=MEMGRAPH)) as index:
            yield index
