"""What goes wrong with servers is told clearly, without credentials, and soon."""

import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from pckc_adapters_memgraph.backend import GRAPH, MemgraphSettings
from pckc_adapters_memgraph.graph_index import MemgraphGraphIndex
from pckc_adapters_memgraph.testing import PASSWORD, ArcadeServer, free_port, started
from pckc_domain.errors import BackendError, BackendUnavailableError, ConfigurationError, PckcError
from pckc_domain.model.graph_index import IndexCount
from pckc_domain.model.scope import Scope
from pckc_domain.testing.graph_index_contract import GRAPH as GRAPH_NAME
from pckc_domain.testing.graph_index_contract import SCOPE, TRIANGLE, all_edges, edge, portions

from .conftest import driver_of, emptied


@pytest.fixture
def graphs(server: ArcadeServer) -> Iterator[MemgraphGraphIndex]:
    """Yield an empty index."""
    with emptied(server.settings) as index:
        yield index


def failure(settings: MemgraphSettings) -> PckcError:
    """Return what a question raises."""
    with GRAPH.open(settings) as index, pytest.raises(PckcError) as raised:
        index.count(SCOPE)
    assert raised.value.remedy
    assert PASSWORD not in repr(raised.value) + str(raised.value.remedy)
    return raised.value


def test_a_server_that_is_not_there() -> None:
    error = failure(MemgraphSettings(url=f"bolt://127.0.0.1:{free_port()}", retry_seconds=60))
    assert isinstance(error, BackendUnavailableError)
    assert "127.0.0.1" in error.message


def test_a_server_that_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        settings = MemgraphSettings(url=url, connect_timeout_seconds=0.3, retry_seconds=60)
        assert isinstance(failure(settings), BackendUnavailableError)


def test_a_wrong_password(server: ArcadeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCKC_TEST_OTHER", "guessed-wrong")
    error = failure(attrs.evolve(server.settings, password_variable="PCKC_TEST_OTHER"))
    assert isinstance(error, ConfigurationError)
    assert "guessed-wrong" not in error.message


def test_a_database_that_is_not_there(server: ArcadeServer) -> None:
    with GRAPH.open(attrs.evolve(server.settings, database="nowhere")) as index, pytest.raises(PckcError) as raised:
        index.count(SCOPE)
    assert isinstance(raised.value, BackendError | ConfigurationError)


def test_a_user_needs_a_password() -> None:
    with pytest.raises(ConfigurationError), GRAPH.open(MemgraphSettings(user="me")):
        pass


@pytest.mark.parametrize("url", ["bolt://me:secret@host:7687", "http://host", ""])
def test_an_address_holds_no_credentials(url: str) -> None:
    with pytest.raises(ValueError, match="url") as raised:
        MemgraphSettings(url=url)
    assert "secret" not in str(raised.value)


def test_a_server_that_stops_and_comes_back(tmp_path: Path) -> None:
    """What was acknowledged is still there; in between, the error comes, and no answer that is wrong."""
    with started(tmp_path) as server, GRAPH.open(attrs.evolve(server.settings, retry_seconds=0.2)) as index:
        index.replace(SCOPE, GRAPH_NAME, TRIANGLE)
        server.stop()
        for _ in range(2):
            with pytest.raises(BackendUnavailableError):
                index.replace(SCOPE, GRAPH_NAME, TRIANGLE[:1])
        server.start()
        assert index.count(SCOPE) == IndexCount(nodes=3, edges=3)
        index.replace(SCOPE, GRAPH_NAME, TRIANGLE)
        assert index.count(SCOPE) == IndexCount(nodes=3, edges=3)


def test_writers_that_meet_are_tried_again(graphs: MemgraphGraphIndex) -> None:
    """Four threads replace the same portions in different orders."""
    failures: list[BaseException] = []

    def write(order: int) -> None:
        try:
            for step in range(6):
                turned = TRIANGLE[(order + step) % 3 :] + TRIANGLE[: (order + step) % 3]
                graphs.replace(SCOPE, GRAPH_NAME, turned if order % 2 else turned[::-1])
        except BaseException as error:  # reported by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=write, args=(order,)) for order in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert graphs.count(SCOPE) == IndexCount(nodes=3, edges=3)
    assert all_edges(graphs, ["a", "b", "c"]) == [edge("a", "b"), edge("b", "c"), edge("c", "a")]


def test_what_is_stored_reads_as_documented(graphs: MemgraphGraphIndex, server: ArcadeServer) -> None:
    """Looked at past the adapter: names of labels and properties are part of what people query."""
    graphs.replace(SCOPE, GRAPH_NAME, portions({"a.py": ["a", "b"]}, [edge("a", "b")]))
    graphs.replace(Scope(tenant="other", project="sample"), GRAPH_NAME, TRIANGLE)
    query = """
        MATCH (s:PckcNode {tenant: 'local', project: 'sample'})-[r:RELATES]->(t:PckcNode)
        RETURN s.id, s.owner, s.layer, s.checkout, s.kind, s.name, s.path, r.kind, r.confidence, r.origin,
               r.is_inferred, r.layer, t.id
    """
    with driver_of(server.settings) as driver:
        [record] = driver.execute_query(query, database_="memgraph").records
    assert record.values() == [
        "a", "a.py", "repository", "co_one", "function", "name of a", "", "calls", 0.8, "call", True, "repository", "b"
    ]  # fmt: skip


def test_nothing_secret_is_logged(server: ArcadeServer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), emptied(server.settings) as index:
        index.replace(SCOPE, GRAPH_NAME, TRIANGLE)
    assert PASSWORD not in caplog.text
