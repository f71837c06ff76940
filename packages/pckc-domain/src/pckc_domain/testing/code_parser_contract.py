"""What every code parser must do."""

from typing import NamedTuple

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.code import CodeBlock
from pckc_domain.ports.code_parser import CodeParser


class Program(NamedTuple):
    """A program, and a definition in it as kind, scope and name, first and last line."""

    text: str
    block: tuple[str, tuple[str, ...], str, int, int]


PROGRAMS = {
    "c": Program("\nint add(int a) {\n  return a;\n}\n", ("function", (), "add", 2, 4)),
    "cpp": Program("class A {\n  int b() {\n  }\n};\n", ("method", ("A",), "b", 2, 3)),
    "csharp": Program("class A {\n  int B() {\n  }\n}\n", ("method", ("A",), "B", 2, 3)),
    "elixir": Program("defmodule A do\n  def b(x) do\n  end\nend\n", ("function", ("A",), "b", 2, 3)),
    "go": Program("package a\nfunc (s *A) B() {\n}\n", ("method", ("A",), "B", 2, 3)),
    "java": Program("class A {\n  int b() {\n  }\n}\n", ("method", ("A",), "b", 2, 3)),
    "javascript": Program("class A {\n  b() {\n  }\n}\n", ("method", ("A",), "b", 2, 3)),
    "julia": Program("module A\nfunction b(x)\nend\nend\n", ("function", ("A",), "b", 2, 3)),
    "kotlin": Program("class A {\n  fun b() {\n  }\n}\n", ("method", ("A",), "b", 2, 3)),
    "lua": Program("local function b()\n  return 1\nend\n", ("function", (), "b", 1, 3)),
    "php": Program("<?php\nclass A {\n  function b() {\n  }\n}\n", ("method", ("A",), "b", 3, 4)),
    "python": Program("class A:\n    @c\n    def b(self):\n        pass\n", ("method", ("A",), "b", 2, 4)),
    "ruby": Program("class A\n  def b\n  end\nend\n", ("method", ("A",), "b", 2, 3)),
    "rust": Program("impl A {\n  #[c]\n  fn b() {\n  }\n}\n", ("method", ("A",), "b", 2, 4)),
    "scala": Program("class A {\n  def b = {\n  }\n}\n", ("method", ("A",), "b", 2, 3)),
    "swift": Program("class A {\n  func b() {\n  }\n}\n", ("method", ("A",), "b", 2, 3)),
    "tsx": Program("class A {\n  b(): void {\n  }\n}\n", ("method", ("A",), "b", 2, 3)),
    "typescript": Program("class A {\n  b(): void {\n  }\n}\n", ("method", ("A",), "b", 2, 3)),
    "zig": Program("const A = struct {\n  fn b() void {\n  }\n};\n", ("method", ("A",), "b", 2, 3)),
}

ODD_TEXTS = {
    "empty": "",
    "blank": "\n \t\n",
    "NUL": "\0class A {}\0\n" * 20,
    "lone surrogates": "\ud800class\udfff {\n",
    "a byte order mark": "\ufeffclass A {}\n",
    "carriage returns": "class A {\r\n\r}\r\n",
    "open brackets": "({[" * 2_000,
    "nested brackets": "(" * 2_000 + ")" * 2_000,
    "nested blocks": "class A {\n" * 1_000 + "}\n" * 1_000,
    "one long line": "a = b + 1; " * 5_000,
    "open string": 'x = "' + "й" * 10_000,
}


class CodeParserContract:
    """Inherit it and provide the fixture *parser*."""

    @pytest.fixture
    def parser(self) -> CodeParser:
        """Return the parser under test."""
        raise NotImplementedError

    def test_it_has_languages_in_lower_case(self, parser: CodeParser) -> None:
        assert parser.languages()
        assert all(name == name.lower() for name in parser.languages())

    def test_an_unknown_language_is_invalid(self, parser: CodeParser) -> None:
        with pytest.raises(InvalidInputError):
            parser.blocks("", language="klingon")

    def test_a_definition_has_its_kind_scope_and_lines(self, parser: CodeParser) -> None:
        for language in sorted(parser.languages() & PROGRAMS.keys()):
            blocks = read(parser, PROGRAMS[language].text, language)
            found = [(one.kind, one.scope, one.name, one.start_line, one.end_line) for one in blocks]
            assert PROGRAMS[language].block in found, language

    def test_lines_count_from_the_first_of_the_text(self, parser: CodeParser) -> None:
        for language in sorted(parser.languages() & PROGRAMS.keys()):
            text = PROGRAMS[language].text
            lower = [
                attrs.evolve(one, start_line=one.start_line + 2, end_line=one.end_line + 2)
                for one in read(parser, text, language)
            ]
            assert read(parser, f"\n\n{text}", language) == lower, language

    def test_an_outer_definition_comes_before_an_inner_one(self, parser: CodeParser) -> None:
        for language in sorted(parser.languages() & PROGRAMS.keys()):
            blocks = read(parser, PROGRAMS[language].text, language)
            assert blocks == sorted(blocks, key=lambda block: (block.start_line, -block.end_line)), language

    def test_the_same_text_has_the_same_blocks(self, parser: CodeParser) -> None:
        for language in sorted(parser.languages() & PROGRAMS.keys()):
            text = PROGRAMS[language].text
            assert read(parser, text, language) == read(parser, text, language)

    @pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
    def test_any_text_is_accepted(self, parser: CodeParser, text: str) -> None:
        for language in sorted(parser.languages()):
            check(parser.blocks(text, language=language), text)

    @settings(
        max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )  # a parser keeps nothing between calls
    @given(data=st.data())
    def test_broken_code_yields_what_can_be_read(self, parser: CodeParser, data: st.DataObject) -> None:
        language = data.draw(st.sampled_from(sorted(parser.languages() & PROGRAMS.keys())))
        texts = st.sampled_from([program.text for program in PROGRAMS.values()])
        pieces = st.tuples(texts, st.integers(0, 60), st.integers(0, 60)).map(lambda cut: cut[0][cut[1] : cut[2]])
        text = "".join(data.draw(st.lists(st.one_of(pieces, texts, st.text(max_size=8)), max_size=12)))
        check(parser.blocks(text, language=language), text)


def read(parser: CodeParser, text: str, language: str) -> list[CodeBlock]:
    """Return the blocks of a text on which no parser may give up."""
    blocks = parser.blocks(text, language=language)
    assert blocks is not None, language
    return list(blocks)


def check(blocks: object, text: str) -> None:
    """Fail unless *blocks* keep the port's promises about *text*."""
    if blocks is None:
        return
    assert isinstance(blocks, list | tuple)
    last = text.count("\n") + 1
    starts = [block.start_line for block in blocks]
    assert starts == sorted(starts)
    for block in blocks:
        assert block.kind
        assert block.name
        assert 1 <= block.start_line <= block.end_line <= last
