"""A real Chroma server for the tests."""

import os
from collections.abc import Iterator

import pytest
from pckc_adapters_chroma.testing import started


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the server that ``PCKC_TEST_CHROMA_URL`` names, or of one that is started here."""
    if named := os.environ.get("PCKC_TEST_CHROMA_URL"):
        yield named
        return
    with started(tmp_path_factory.mktemp("chroma")) as one:
        yield one.url
