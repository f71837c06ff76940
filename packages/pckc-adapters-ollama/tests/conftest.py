"""The server that the tests ask: the stub, or a real Ollama that ``PCKC_TEST_OLLAMA_URL`` names."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pckc_adapters_embedded.backend import USE
from pckc_domain.ports.embedder import Embedder

sys.path.insert(0, str(Path(__file__).parent))  # the stub is imported by its bare name

from stub import Stub, serving

REAL_URL = os.environ.get("PCKC_TEST_OLLAMA_URL", "")


@pytest.fixture(scope="session")
def vectors() -> Iterator[Embedder]:
    with USE.open(USE.settings()) as embedder:
        yield embedder


@pytest.fixture
def stub(vectors: Embedder) -> Iterator[Stub]:
    with serving(Stub(vectors)) as server:
        yield server


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str:
    """Where the contracts' Ollama is."""
    if REAL_URL:
        return REAL_URL
    server: Stub = request.getfixturevalue("stub")
    return server.url
