"""A folder to read from."""

from pathlib import Path

import attrs
import pytest
from pckc_adapters_sources.documents.settings import DocumentSettings
from pckc_adapters_sources.documents.source import Documents
from pckc_domain.testing.document_contract import DocumentShelf


@attrs.frozen
class FolderShelf(DocumentShelf):
    """Files below one folder."""

    source: Documents
    folder: Path

    def write(self, name: str, data: bytes) -> str:
        """Make or replace a file; return its path."""
        path = self.folder / name
        path.write_bytes(data)
        return str(path)


@pytest.fixture
def shelf(tmp_path: Path) -> FolderShelf:
    """Return an empty folder, the only one that may be read."""
    return FolderShelf(Documents(DocumentSettings(folders=(str(tmp_path),), timeout_seconds=30)), tmp_path)
