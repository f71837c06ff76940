"""The opened embedders, loaded once for all tests."""

from collections.abc import Iterator

import pytest
from pckc_adapters_embedded.backend import BLEND, MINILM, USE
from pckc_domain.ports.embedder import Embedder


@pytest.fixture(scope="session")
def use() -> Iterator[Embedder]:
    with USE.open(USE.settings()) as embedder:
        yield embedder


@pytest.fixture(scope="session")
def minilm() -> Iterator[Embedder]:
    with MINILM.open(MINILM.settings()) as embedder:
        yield embedder


@pytest.fixture(scope="session")
def blend() -> Iterator[Embedder]:
    with BLEND.open(BLEND.settings()) as embedder:
        yield embedder


@pytest.fixture(params=["use", "minilm", "blend"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Each of them in turn."""
    opened: Embedder = request.getfixturevalue(request.param)
    return opened
