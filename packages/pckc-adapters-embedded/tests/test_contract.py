"""Each backend keeps the port's contract."""

import pytest
from pckc_domain.ports.embedder import Embedder
from pckc_domain.testing.embedder_contract import EmbedderContract


class TestUse(EmbedderContract):
    @pytest.fixture
    def embedder(self, use: Embedder) -> Embedder:
        return use


class TestMiniLm(EmbedderContract):
    @pytest.fixture
    def embedder(self, minilm: Embedder) -> Embedder:
        return minilm


class TestBlend(EmbedderContract):
    @pytest.fixture
    def embedder(self, blend: Embedder) -> Embedder:
        return blend
