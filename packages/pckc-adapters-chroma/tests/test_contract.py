"""The Chroma adapter keeps the contract: inside this process, and with its own server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pckc_adapters_chroma.backend import VECTOR, ChromaSettings
from pckc_adapters_chroma.testing import started
from pckc_domain.errors import BackendUnavailableError, ConfigurationError
from pckc_domain.model.scope import Scope
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.vector_contract import SPACE, VectorContract, items

SCOPE = Scope(project="sample")


class TestChromaInProcess(VectorContract):
    """Chroma as a library."""

    @pytest.fixture
    def vectors(self, tmp_path: Path) -> Iterator[VectorIndex]:
        """Yield an empty index."""
        with VECTOR.open(ChromaSettings(path=str(tmp_path / "chroma"))) as index:
            yield index


class TestChromaServer(VectorContract):
    """Chroma's own server, started here unless one is named."""

    @pytest.fixture
    def vectors(self, server: str) -> Iterator[VectorIndex]:
        """Yield an empty index."""
        with VECTOR.open(ChromaSettings(url=server)) as index:
            for scope in (SCOPE, Scope(project="another")):
                index.clear(scope)
            yield index


def test_what_is_stored_stays(tmp_path: Path) -> None:
    settings = ChromaSettings(path=str(tmp_path / "chroma"))
    with VECTOR.open(settings) as index:
        index.upsert(SCOPE, SPACE, items(30))
    with VECTOR.open(settings) as index:
        assert index.count(SCOPE, partitions=frozenset()) == 30
        assert index.search(SCOPE, SPACE, items(1)[0].vector, partitions=frozenset(), limit=1)[0].id == "item00000"


def test_claims_of_a_type_have_a_collection_of_their_own(server: str) -> None:
    import chromadb

    with VECTOR.open(ChromaSettings(url=server)) as index:
        index.clear(SCOPE)
        bug = next(iter(items(1)))
        index.upsert(SCOPE, SPACE, [type(bug)(id="b", partition="claim:bug", vector=bug.vector)])
        host, port = server.removeprefix("http://").split(":")
        names = [one.name for one in chromadb.HttpClient(host=host, port=int(port)).list_collections()]
        assert any(name.startswith("memories_bug") for name in names)
        index.clear(SCOPE)


def test_a_server_that_is_not_there_is_named_without_its_credentials() -> None:
    settings = ChromaSettings(url="http://me:secret@127.0.0.1:9")
    with pytest.raises(BackendUnavailableError) as raised, VECTOR.open(settings):
        pass
    assert "127.0.0.1:9" in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("settings", [{}, {"url": "http://x", "path": "y"}])
def test_one_engine_must_be_named(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        ChromaSettings(**settings)


def test_a_frozen_server_keeps_no_question_waiting(tmp_path: Path) -> None:
    """A question has a budget of its own, opening too; what is written may take longer."""
    with started(tmp_path) as server:
        settings = ChromaSettings(url=server.url, timeout_seconds=600, query_timeout_seconds=0.5)
        with VECTOR.open(settings) as index:
            index.upsert(SCOPE, SPACE, items(3))
            with server.frozen():
                with pytest.raises(BackendUnavailableError):
                    index.search(SCOPE, SPACE, items(1)[0].vector, partitions=frozenset(), limit=1)
                with pytest.raises(BackendUnavailableError):
                    index.count(SCOPE, partitions=frozenset())
                with pytest.raises(BackendUnavailableError), VECTOR.open(settings):
                    pass
            assert index.count(SCOPE, partitions=frozenset()) == 3
