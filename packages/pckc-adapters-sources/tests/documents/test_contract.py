"""The document source keeps the contract of its port."""

import pytest
from pckc_domain.testing.document_contract import DocumentContract, DocumentShelf


class TestDocuments(DocumentContract):
    @pytest.fixture
    def shelf(self, shelf: DocumentShelf) -> DocumentShelf:
        return shelf
