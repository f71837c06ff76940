"""Work trees, with and without git, keep the contract of repository sources."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pckc_adapters_sources.backend import REPOSITORY
from pckc_domain.ports.sources import RepositorySource
from pckc_domain.testing.repository_source_contract import RepositorySourceContract, Tree

LONG_AGO_NS = 1_700_000_000_123_456_789


class FolderTree(Tree):
    def __init__(self, root: Path, source: RepositorySource) -> None:
        self.source = source
        self._root = root
        self._writes = 0

    def write(self, path: str, data: bytes) -> None:
        target = self._root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        self._writes += 1
        os.utime(target, ns=(LONG_AGO_NS, LONG_AGO_NS + self._writes))

    def remove(self, path: str) -> None:
        (self._root / path).unlink()


class TestGitWorkTree(RepositorySourceContract):
    @pytest.fixture
    def tree(self, tmp_path: Path, git: Callable[..., str]) -> Iterator[Tree]:
        root = tmp_path / "tree"
        root.mkdir()
        git(root, "init", "--quiet")
        with REPOSITORY.open(REPOSITORY.settings(root=str(root))) as source:
            yield FolderTree(root, source)


class TestPlainFolder(RepositorySourceContract):
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Iterator[Tree]:
        root = tmp_path / "tree"
        root.mkdir()
        with REPOSITORY.open(REPOSITORY.settings(root=str(root))) as source:
            yield FolderTree(root, source)
