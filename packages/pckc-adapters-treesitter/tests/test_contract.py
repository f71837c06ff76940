"""The adapter keeps the port's contract."""

from collections.abc import Iterator

import pytest
from pckc_adapters_treesitter.backend import CODE_PARSER
from pckc_domain.ports.code_parser import CodeParser
from pckc_domain.testing.code_parser_contract import PROGRAMS, CodeParserContract


class TestTreeSitter(CodeParserContract):
    @pytest.fixture
    def parser(self) -> Iterator[CodeParser]:
        with CODE_PARSER.open(CODE_PARSER.settings()) as parser:
            yield parser

    def test_every_grammar_is_installed(self, parser: CodeParser) -> None:
        assert parser.languages() == PROGRAMS.keys()
