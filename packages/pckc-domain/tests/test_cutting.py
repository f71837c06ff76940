"""Tests of a whole document cut into its layers."""

from datetime import UTC, datetime
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.model.document import Document
from pckc_domain.model.identity import digest
from pckc_domain.model.passage import Chunk, GranularityLevel, Paragraph, Passage, Proposition, Summary
from pckc_domain.policy.cutting.chunking import MAX_TOKENS
from pckc_domain.policy.cutting.cut import cut, module_name
from pckc_domain.policy.document_kinds import classify
from pckc_domain.policy.tokens import count_tokens


def document(uri: str) -> Document:
    kind, source, language = classify(uri)
    return Document(
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


def passages(uri: str, text: str) -> tuple[Passage, ...]:
    return cut(document(uri), text).passages


P = TypeVar("P", bound=Passage)


def of(kind: type[P], found: tuple[Passage, ...]) -> list[P]:
    return [one for one in found if isinstance(one, kind)]


URIS = st.sampled_from(
    [
        "src/a/b.py",
        "a.go",
        "a.rs",
        "a.rb",
        "a.js",
        "a.md",
        "a.rst",
        "a.txt",
        "a.log",
        "a.yaml",
        "a.sql",
        "tests/test_a.py",
    ]
)
SCRAPS = st.sampled_from(
    [
        "\n",
        "\n",
        " ",
        "    ",
        "def f():",
        "class A:",
        '"""',
        "Returns a value.",
        "must never fail",
        "# note",
        "// x",
        "{",
        "}",
        "- item one two",
        "1. step",
        "```",
        "raise ValueError('no')",
        "X = 1",
        "漢字",
        "\ud800",
        "\0",
        "|a|b|",
    ]
)


@settings(max_examples=150)
@given(URIS, st.lists(SCRAPS, max_size=60).map("".join) | st.text(st.characters(exclude_categories=())))
def test_passages_are_sound(uri: str, text: str) -> None:
    content = cut(document(uri), text)
    assert content == cut(document(uri), text)
    found = content.passages
    lines = text.split("\n")
    assert len({one.id for one in found}) == len(found)
    for kind in (Chunk, Paragraph, Proposition, Summary):
        layer = of(kind, found)
        assert [one.ordinal for one in layer] == list(range(len(layer)))
        for one in layer:
            assert 1 <= one.start_line <= one.end_line <= len(lines)
            assert one.digest == digest("\n".join(lines[one.start_line - 1 : one.end_line]))
            assert one.text.strip()
    paragraphs = {one.id: one for one in of(Paragraph, found)}
    propositions = of(Proposition, found)
    for one in propositions:
        assert paragraphs[one.paragraph_id].start_line <= one.start_line <= paragraphs[one.paragraph_id].end_line
    assert len({one.normalized_hash for one in propositions}) == len(propositions)
    assert all(count_tokens(one.text) <= MAX_TOKENS for one in of(Chunk, found))
    assert bool(paragraphs) == bool(text.strip())


SIZE = 100_000
HOSTILE = {
    "blank lines": "\n",
    "quotes": '"',
    "open triple quotes": '"""\\',
    "comments": "#\n",
    "open brackets": "(\n",
    "open braces": "{\n",
    "broken definitions": "def f((:\n",
    "nested braces": "function a(){\n",
    "decorators": "@a\n# x\n",
    "one word": "x",
    "one line of words": "word must never ",
    "fences": "~~~\n```\n",
    "stars": "*a ",
    "open links": "[a](",
    "open comments": "<!--",
    "pipes": "|",
    "surrogates": "\ud800",
    "CJK": "漢",
    "open errors": " raise X(\n",
    "generics": "a <> ",
    "regular expressions": "(/[",
    "sections": ":raises A: b\n",
    "roles": ":a:`",
    "templates": "template<",
}


@pytest.mark.parametrize("uri", ["a.py", "a.md", "a.ts", "a.rs", "a.cpp"])
@pytest.mark.parametrize("scrap", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_cut_in_reasonable_time(uri: str, scrap: str) -> None:
    """A quadratic pattern would take minutes here."""
    text = scrap * (SIZE // len(scrap))
    found = passages(uri, text)
    assert bool(found) == bool(text.strip())


def test_deep_nesting() -> None:
    found = passages("a.py", "".join(" " * depth + "def f():\n" for depth in range(600)))
    assert max(len(one.heading_path) for one in of(Paragraph, found)) == 1
    assert passages("a.js", "function a(){\n" * 10_000 + "}\n" * 10_000)


CODE = '''"""Reads pages. Pages must be sorted."""

from pkg.store import open_store


class PageReader:
    """Reads one page after the other."""

    def read(self, client: HttpClient) -> str:
        """Return the next page."""
        return client.get()


def _hidden():
    pass
'''


def test_layers_of_a_module() -> None:
    found = passages("src/pkg/reader.py", CODE)
    (window,) = of(Chunk, found)
    assert (window.module, window.tags) == ("pkg.reader", ("code", "python"))
    assert window.symbols == ("PageReader", "read", "_hidden")
    header, reader, hidden = of(Paragraph, found)
    assert (reader.section_heading, reader.summary) == ("PageReader", "Reads one page after the other.")
    assert (reader.start_line, reader.end_line) == (6, 11)
    rule = next(one for one in of(Proposition, found) if "must" in one.text)
    assert (rule.paragraph_id, rule.subject) == (header.id, "pkg.reader")
    (summary,) = of(Summary, found)
    assert summary.level is GranularityLevel.MODULE
    assert summary.purpose == "Reads pages."
    assert summary.key_symbols == ("PageReader", "PageReader.read", "_hidden")
    assert summary.responsibilities[0] == "PageReader: Reads one page after the other."
    assert summary.constraints_mentioned == ("`pkg.reader`: Pages must be sorted.",)
    assert summary.important_interactions == ("pkg.store", "HttpClient")
    assert hidden.symbol_names == ("_hidden",)


def test_layers_of_a_document() -> None:
    found = passages(
        "README.md",
        "[![ci](x)](y)\n\n# Tool\n\nTool reads pages\nfor you.\n\n## Rules\n\n- Never write twice to `store.db`\n",
    )
    (summary,) = of(Summary, found)
    assert summary.level is GranularityLevel.DOCUMENT
    assert summary.text.startswith("Tool: Tool reads pages for you.\n")
    assert summary.purpose == "Tool reads pages for you."
    assert summary.key_symbols == ("store.db",)


def test_long_files_also_have_summaries_of_clusters() -> None:
    text = "".join(f"def f{number}():\n" + "    x = 1\n" * 50 + "\n\n" for number in range(20))
    levels = [one.level for one in of(Summary, passages("a.py", text))]
    assert levels == [GranularityLevel.MODULE] + [GranularityLevel.CHUNK] * 4


def test_equal_texts_have_ids_of_their_own() -> None:
    text = "def f():\n    pass\n\n\ndef f():\n    pass\n"
    first, second = of(Paragraph, passages("a.py", text))
    assert first.text == second.text
    assert first.id != second.id


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("src/pkg/a.py", "pkg.a"),
        ("packages/x-y/src/pkg/__init__.py", "pkg"),
        ("web/app/index.ts", "web.app"),
        ("tool.py", "tool"),
        ("https://x.y/z.html", "https://x.y/z"),
    ],
)
def test_module_names(uri: str, name: str) -> None:
    assert module_name(uri) == name
