"""Definitions: of a sample for each language, of the standard library, and of text that grammars get stuck in."""

import ast
import sysconfig
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_adapters_treesitter.code_parser import TreeSitter
from pckc_adapters_treesitter.outline import MAX_DEPTH
from pckc_domain.model.code import CodeBlock
from pckc_domain.model.document import Document
from pckc_domain.model.passage import Paragraph
from pckc_domain.policy.cutting.cut import cut
from pckc_domain.policy.document_kinds import classify

SAMPLES = Path(__file__).with_name("samples")
STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
PARSER = TreeSitter()

ENDLESS = 'b={:日<""""<]f:$\'\'\' '
"""The TypeScript grammar recovers from this for ever."""


def blocks(text: str, language: str) -> list[CodeBlock]:
    found = PARSER.blocks(text, language=language)
    assert found is not None
    return list(found)


def names(text: str, language: str) -> list[str]:
    return [".".join((*block.scope, block.name)) for block in blocks(text, language)]


@pytest.mark.parametrize("language", sorted(PARSER.languages()))
def test_the_definitions_of_a_sample(language: str) -> None:
    text = (SAMPLES / f"{language}.code").read_text(encoding="utf-8")
    found = [
        f"{block.start_line}-{block.end_line} {block.kind} {' > '.join((*block.scope, block.name))}"
        for block in blocks(text, language)
    ]
    assert found == (SAMPLES / f"{language}.blocks").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    "name", ["argparse", "ast", "asyncio/base_events", "dataclasses", "inspect", "typing", "unittest/mock"]
)
def test_python_definitions_are_those_of_the_syntax_tree(name: str) -> None:
    text = (STANDARD_LIBRARY / f"{name}.py").read_text(encoding="utf-8")
    lines = text.split("\n")
    expected = sorted(by_syntax_tree(ast.parse(text), ()))
    found = sorted((block.start_line, block.scope, block.name, block.end_line) for block in blocks(text, "python"))
    assert [one[:3] for one in found] == [one[:3] for one in expected]
    for (*_, end), (*_, exact) in zip(found, expected, strict=True):
        assert end >= exact
        assert all(not line.strip() or line.lstrip().startswith("#") for line in lines[exact:end])


def by_syntax_tree(node: ast.AST, scope: tuple[str, ...]) -> list[tuple[int, tuple[str, ...], str, int]]:
    """Return first line, scope, name and last line of the definitions below *node*."""
    found = []
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            found.append((first, scope, child.name, child.end_lineno or first))
            inner = (*scope, child.name)
        found += by_syntax_tree(child, inner)
    return found


def test_a_grammar_that_gets_stuck_is_given_up() -> None:
    assert PARSER.blocks(ENDLESS, language="typescript") is None
    assert names("function a() {}", "typescript") == ["a"], "the next text is read as ever"


def test_a_large_text_is_not_given_up() -> None:
    text = "x = [" + "(1, 2, 'b'), " * 50_000 + "]\ndef f(): pass\n"
    assert names(text, "python") == ["f"]


def test_definitions_nested_too_deep_belong_to_the_one_around_them() -> None:
    found = blocks("mod m {\n" * 3_000 + "}\n" * 3_000, "rust")
    assert [len(block.scope) for block in found] == list(range(MAX_DEPTH))


def test_broken_code_yields_what_can_be_read() -> None:
    assert names("class A {\n  int a() { }\n  int b( {\n}\nclass B { }\n", "java") == ["A", "A.a", "A.b", "A.B"]
    assert names("def a():\n    return (\n\ndef b():\n    pass\n", "python")[-1] == "b"


def test_names_are_cut_from_bytes() -> None:
    assert names("# ё 😀\nclass Ё:\n    def ы(self): return 'ж'\ndef z(): pass\n", "python") == ["Ё", "Ё.ы", "z"]


def test_template_arguments_are_no_part_of_a_scope() -> None:
    assert names("int a::Box<b::C>::get() { return 1; }\n", "cpp") == ["a.Box.get"]
    assert names("bool Box<T>::operator>(const Box& o) { return o; }\n", "cpp") == ["Box.operator>"]


SCRAPS = st.sampled_from(
    [
        "\n",
        "\n\n",
        "    ",
        "class A:\n",
        "def f():\n",
        "    pass\n",
        "@a\n",
        "# note\n",
        '"""',
        "(",
        ")",
        "x = 1\n",
        "é",
        "\0",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(SCRAPS, max_size=40).map("".join), st.sampled_from(["a.py", "a.rb", "a.rs", "a.ts"]))
def test_paragraphs_tile_a_file_whoever_finds_the_definitions(text: str, uri: str) -> None:
    kind, source, language = classify(uri)
    document = Document(
        id="doc_1",
        uri=uri,
        kind=kind,
        source=source,
        language=language,
        content_hash="",
        blob_hash="",
        size_bytes=0,
        indexed_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    written = {number for number, line in enumerate(text.split("\n"), 1) if line.strip()}
    for found in (None, PARSER.blocks(text, language=language)):
        passages = cut(document, text, blocks=found).passages
        spans = [(one.start_line, one.end_line) for one in passages if isinstance(one, Paragraph)]
        covered = [number for first, last in spans for number in range(first, last + 1)]
        assert written <= set(covered)
        assert len(covered) == len(set(covered)), "no line is in two paragraphs"
