"""The server that the tests of this process share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import neo4j
import pytest
from pckc_adapters_memgraph.backend import GRAPH, MemgraphSettings
from pckc_adapters_memgraph.graph_index import MemgraphGraphIndex
from pckc_adapters_memgraph.testing import ArcadeServer, started


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArcadeServer]:
    """Yield the server that the tests of this process share."""
    with started(tmp_path_factory.mktemp("arcade")) as one:
        yield one


@contextmanager
def emptied(settings: MemgraphSettings) -> Iterator[MemgraphGraphIndex]:
    """Yield an index whose server holds nothing of PCKC's."""
    with GRAPH.open(settings) as index:
        assert isinstance(index, MemgraphGraphIndex)
        with driver_of(settings) as driver:
            driver.execute_query("MATCH (n:PckcNode) DETACH DELETE n", database_=settings.database or None)
        yield index


def driver_of(settings: MemgraphSettings) -> neo4j.Driver:
    """Return a driver that looks past the adapter."""
    auth = (settings.user, os.environ[settings.password_variable]) if settings.user else None
    return neo4j.GraphDatabase.driver(settings.url, auth=auth)
