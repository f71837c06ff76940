"""What every code reader must do."""

from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.code_facts import CodeFacts
from pckc_domain.model.declared_facts import DeclaredFacts
from pckc_domain.model.linking import FileFacts
from pckc_domain.ports.code_reader import CodeReader
from pckc_domain.testing.code_parser_contract import ODD_TEXTS, PROGRAMS


class Nesting(NamedTuple):
    """What opens and closes a level of an expression."""

    opening: str
    closing: str


DEEP = (Nesting("f(", ")"), Nesting("[", "]"), Nesting("{", "}"), Nesting("a.", ""), Nesting("if x {", "}"))
LEVELS = 3_000


class CodeReaderContract:
    """Inherit it and provide the fixture *reader*."""

    @pytest.fixture
    def reader(self) -> CodeReader:
        """Return the reader under test."""
        raise NotImplementedError

    def test_it_has_languages_in_lower_case(self, reader: CodeReader) -> None:
        assert reader.languages()
        assert all(name == name.lower() for name in reader.languages())

    def test_an_unknown_language_is_invalid(self, reader: CodeReader) -> None:
        with pytest.raises(InvalidInputError):
            reader.facts("a.x", "", language="klingon")

    def test_symbols_are_found(self, reader: CodeReader) -> None:
        for language in sorted(reader.languages() & PROGRAMS.keys()):
            name = PROGRAMS[language].block[2]
            assert name in [symbol.name for symbol in symbols(read(reader, PROGRAMS[language].text, language))], (
                language
            )

    def test_bytes_and_lines_are_right_whatever_stands_above(self, reader: CodeReader) -> None:
        for language in sorted(reader.languages() & PROGRAMS.keys()):
            text = PROGRAMS[language].text
            lead = "" if language == "php" else "\n"
            plain = symbols(read(reader, text, language))[1:]
            lower = symbols(read(reader, lead + text, language))[1:]
            assert [one.start_line + len(lead) for one in plain] == [one.start_line for one in lower], language
            assert [one.start_byte + len(lead) for one in plain] == [one.start_byte for one in lower], language

    @pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["no mark", "byte order mark"])
    @pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
    def test_a_symbol_is_in_its_bytes(self, reader: CodeReader, ends: str, mark: str) -> None:
        for language in sorted(reader.languages() & PROGRAMS.keys()):
            text = mark + PROGRAMS[language].text.replace("\n", ends)
            name = PROGRAMS[language].block[2]
            found = [symbol for symbol in symbols(read(reader, text, language)) if symbol.name == name]
            assert found, language
            for symbol in found:
                part = text.encode()[symbol.start_byte : symbol.end_byte].decode()
                assert name in part, language
                assert text.encode()[: symbol.start_byte].count(b"\n") + 1 == symbol.start_line, language

    def test_the_same_text_has_the_same_facts(self, reader: CodeReader) -> None:
        for language in sorted(reader.languages() & PROGRAMS.keys()):
            text = PROGRAMS[language].text
            assert read(reader, text, language) == read(reader, text, language)

    @pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
    def test_any_text_is_accepted(self, reader: CodeReader, text: str) -> None:
        for language in sorted(reader.languages()):
            check(reader.facts("a/b.x", text, language=language), text)

    def test_broken_code_is_said_to_be(self, reader: CodeReader) -> None:
        for language in sorted(reader.languages() & PROGRAMS.keys()):
            text = PROGRAMS[language].text + "\n)]} ((( \x01 %%%\n"
            facts = reader.facts("a/b.x", text, language=language)
            assert facts is None or facts.problems, language

    @pytest.mark.parametrize("level", DEEP, ids=[level.opening for level in DEEP])
    def test_deep_nesting_is_read(self, reader: CodeReader, level: Nesting) -> None:
        text = f"x = {level.opening * LEVELS}y{level.closing * LEVELS}\n"
        for language in sorted(reader.languages()):
            check(reader.facts("a/b.x", text, language=language), text)

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_broken_code_yields_what_can_be_read(self, reader: CodeReader, data: st.DataObject) -> None:
        language = data.draw(st.sampled_from(sorted(reader.languages() & PROGRAMS.keys())))
        texts = st.sampled_from([program.text for program in PROGRAMS.values()])
        pieces = st.tuples(texts, st.integers(0, 60), st.integers(0, 60)).map(lambda cut: cut[0][cut[1] : cut[2]])
        text = "".join(data.draw(st.lists(st.one_of(pieces, texts, st.text(max_size=8)), max_size=12)))
        check(reader.facts("a/b.x", text, language=language), text)


class Symbol(NamedTuple):
    """A symbol of either kind of facts."""

    parent: int
    name: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int


def symbols(facts: FileFacts) -> list[Symbol]:
    """Return what a file declares, its module first."""
    declared = facts.scopes if isinstance(facts, CodeFacts) else facts.declarations
    return [
        Symbol(one.parent, one.name, one.start_line, one.end_line, one.start_byte, one.end_byte) for one in declared
    ]


def read(reader: CodeReader, text: str, language: str) -> FileFacts:
    """Return the facts of a text on which no reader may give up."""
    facts = reader.facts("a/b.x", text, language=language)
    assert facts is not None, language
    return facts


def check(facts: FileFacts | None, text: str) -> None:
    """Fail unless *facts* keep the port's promises about *text*."""
    if facts is None:
        return
    assert facts.path == "a/b.x"
    size = len(text.encode("utf-8", "replace"))
    found = symbols(facts)
    assert found[0].parent == -1
    for index, one in enumerate(found):
        assert -1 <= one.parent < max(index, 1)
        assert 1 <= one.start_line <= one.end_line
        assert 0 <= one.start_byte <= one.end_byte <= size
    if isinstance(facts, DeclaredFacts):
        assert all(0 <= fact.declaration < len(found) for fact in facts.imports)
    assert all(0 <= note.scope < len(found) for note in facts.rationale)
