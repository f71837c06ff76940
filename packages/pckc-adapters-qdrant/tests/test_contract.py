"""The Qdrant adapter keeps the contract: with the client's own engine, and with a server where one is named."""

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pckc_adapters_qdrant.backend import VECTOR, QdrantSettings
from pckc_domain.errors import BackendUnavailableError, ConfigurationError
from pckc_domain.model.scope import Scope
from pckc_domain.ports.vector import VectorIndex
from pckc_domain.testing.vector_contract import SPACE, VectorContract, items

SERVER = os.environ.get("PCKC_TEST_QDRANT_URL", "")
SCOPE = Scope(project="sample")


class TestQdrantLocal(VectorContract):
    """The client's own engine."""

    recall = 1.0
    filters_inside = True

    @pytest.fixture
    def vectors(self) -> Iterator[VectorIndex]:
        """Yield an empty index."""
        with VECTOR.open(QdrantSettings(path=":memory:")) as index:
            yield index


@pytest.mark.skipif(
    not SERVER and os.environ.get("PCKC_REQUIRE_BACKENDS") != "1", reason="PCKC_TEST_QDRANT_URL names no Qdrant server"
)
class TestQdrantServer(VectorContract):
    """A genuine server."""

    filters_inside = True

    @pytest.fixture
    def vectors(self) -> Iterator[VectorIndex]:
        """Yield an empty index in a group of its own."""
        assert SERVER, "PCKC_REQUIRE_BACKENDS=1 asks for a server: set PCKC_TEST_QDRANT_URL"
        with VECTOR.open(QdrantSettings(url=SERVER, group=f"test-{uuid.uuid4().hex}")) as index:
            yield index


def test_what_is_stored_stays(tmp_path: Path) -> None:
    settings = QdrantSettings(path=str(tmp_path / "vectors"))
    with VECTOR.open(settings) as index:
        index.upsert(SCOPE, SPACE, items(30))
    with VECTOR.open(settings) as index:
        assert index.count(SCOPE, partitions=frozenset()) == 30
        assert index.search(SCOPE, SPACE, items(1)[0].vector, partitions=frozenset(), limit=1)[0].id == "item00000"


SECOND = """
import sys
from pckc_adapters_qdrant.backend import VECTOR, QdrantSettings
from pckc_domain.errors import BackendUnavailableError
try:
    with VECTOR.open(QdrantSettings(path=sys.argv[1])):
        print("opened")
except BackendUnavailableError as error:
    print(error.remedy)
"""


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "vectors")
    with VECTOR.open(QdrantSettings(path=path)):
        run = subprocess.run([sys.executable, "-c", SECOND, path], capture_output=True, text=True, check=True)
    assert "server" in run.stdout


def test_a_server_that_is_not_there_is_named_without_its_credentials() -> None:
    settings = QdrantSettings(url="http://me:secret@127.0.0.1:9", timeout_seconds=1)
    with VECTOR.open(settings) as index, pytest.raises(BackendUnavailableError) as raised:
        index.count(SCOPE, partitions=frozenset())
    assert "127.0.0.1:9" in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("settings", [{}, {"url": "http://x", "path": "y"}])
def test_one_engine_must_be_named(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        QdrantSettings(**settings)  # type: ignore[arg-type]  # texts only


class OldServer(BaseHTTPRequestHandler):
    """A Qdrant that has not heard of the queries used here."""

    def do_GET(self) -> None:
        said = b'{"title": "qdrant - vector search engine", "version": "1.7.4"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_an_older_server_is_refused() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), OldServer) as server:
        threading.Thread(target=server.serve_forever).start()
        settings = QdrantSettings(url=f"http://127.0.0.1:{server.server_address[1]}", timeout_seconds=5)
        try:
            with VECTOR.open(settings) as index, pytest.raises(ConfigurationError, match="too old") as raised:
                index.count(SCOPE, partitions=frozenset())
        finally:
            server.shutdown()
    assert "1.10" in raised.value.remedy
