"""The memory source keeps the contract of repository sources."""

import pytest
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.testing.repository_source_contract import RepositorySourceContract, Tree


class MemoryTree(Tree):
    def __init__(self) -> None:
        self.source = self._files = MemoryRepository()

    def write(self, path: str, data: bytes) -> None:
        self._files.write(path, data)

    def remove(self, path: str) -> None:
        self._files.remove(path)


class TestMemoryRepository(RepositorySourceContract):
    @pytest.fixture
    def tree(self) -> Tree:
        return MemoryTree()
