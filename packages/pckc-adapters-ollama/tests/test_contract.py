"""The embedder and the distiller keep their ports' contracts; with ``PCKC_TEST_OLLAMA_URL`` on a real Ollama."""

import os
from collections.abc import Iterator

import pytest
from pckc_adapters_ollama.backend import DISTILLER, EMBEDDER
from pckc_domain.ports.distiller import Distiller
from pckc_domain.ports.embedder import Embedder
from pckc_domain.ports.service import Service
from pckc_domain.testing.distiller_contract import DistillerContract
from pckc_domain.testing.embedder_contract import EmbedderContract


class TestEmbedder(EmbedderContract):
    """EmbeddingGemma by default."""

    @pytest.fixture
    def embedder(self, url: str) -> Iterator[Embedder]:
        model = os.environ.get("PCKC_TEST_OLLAMA_EMBEDDER", "embeddinggemma")
        with EMBEDDER.open(EMBEDDER.settings(url=url, model=model)) as embedder:
            yield embedder

    def test_it_tells_who_it_is(self, embedder: Embedder) -> None:
        assert isinstance(embedder, Service)
        assert embedder.describe().startswith("Ollama ")


class TestDistiller(DistillerContract):
    """A chat model."""

    @pytest.fixture
    def distiller(self, url: str) -> Iterator[Distiller]:
        model = os.environ.get("PCKC_TEST_OLLAMA_MODEL", "reader")
        with DISTILLER.open(DISTILLER.settings(url=url, model=model)) as distiller:
            yield distiller

    def test_it_tells_who_it_is(self, distiller: Distiller) -> None:
        assert isinstance(distiller, Service)
        assert distiller.describe().startswith("Ollama ")
