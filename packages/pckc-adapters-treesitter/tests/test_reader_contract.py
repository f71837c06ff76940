"""The code reader keeps the port's contract."""

from collections.abc import Iterator

import pytest
from pckc_adapters_treesitter.backend import CODE_READER
from pckc_adapters_treesitter.readers import READERS
from pckc_domain.ports.code_reader import CodeReader
from pckc_domain.testing.code_reader_contract import CodeReaderContract


class TestTreeSitterCodeReader(CodeReaderContract):
    @pytest.fixture
    def reader(self) -> Iterator[CodeReader]:
        with CODE_READER.open(CODE_READER.settings()) as reader:
            yield reader

    def test_every_reader_has_its_grammar(self, reader: CodeReader) -> None:
        assert reader.languages() == READERS.keys()
