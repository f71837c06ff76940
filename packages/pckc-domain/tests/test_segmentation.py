"""Tests of paragraphs and chunks."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.cutting.chunking import MAX_TOKENS, chunk
from pckc_domain.policy.cutting.code_outline import outline
from pckc_domain.policy.cutting.markdown_outline import BlockKind, Markup, blocks, plain
from pckc_domain.policy.cutting.masking import mask
from pckc_domain.policy.cutting.segmentation import (
    MAX_SECTION_LINES,
    MAX_SECTION_TOKENS,
    Section,
    segment_code,
    segment_prose,
)
from pckc_domain.policy.cutting.source_text import SourceText
from pckc_domain.policy.tokens import count_tokens


def code(text: str, language: str = "python") -> tuple[SourceText, list[Section]]:
    source = SourceText(text)
    return source, segment_code(source, outline(mask(source, language), language))


def prose(text: str, markup: Markup = Markup.MARKDOWN) -> tuple[SourceText, list[Section]]:
    source = SourceText(text)
    return source, segment_prose(source, blocks(source, markup))


def assert_tiles(source: SourceText, sections: Sequence[Section]) -> None:
    """Every line that is not blank is in exactly one section, in order, and texts are the lines."""
    held: list[int] = []
    for section in sections:
        assert section.text == source.lines(section.first, section.last)
        held += range(section.first, section.last + 1)
    assert held == sorted(set(held))
    blank = [number for number in range(1, source.line_count + 1) if not source.line(number).strip()]
    assert set(held) | set(blank) == set(range(1, source.line_count + 1))


CODE_LINES = st.sampled_from(
    [
        "", "  ", "import a", "x = [", "]", "def f(a):", "    def g(self):", "        return 1", "    return 2", "class A:", "@dec",
        '    """Doc."""', "'''", "# comment", "    # inner", "if x:", "else:", "func f() {", "}", "  }", "end", "fn f() {", "{", "éa",
    ]
)  # fmt: skip
PROSE_LINES = st.sampled_from(
    [
        "", " ", "# A", "## B", "### C #", "Title", "=====", "---", "----", "text here", "- item", "  more", "1. one", "> quote",
        "```", "~~~", "```py", "# not", "<!-- x", "-->", "| a | b |", "|---|---|", "+++", "    code", ".. note::", "^^^^",
    ]
)  # fmt: skip


@given(
    st.lists(CODE_LINES, max_size=60), st.sampled_from(["python", "go", "rust", "javascript", "ruby", "c", "toml", ""])
)
def test_code_sections_tile_the_text(lines: list[str], language: str) -> None:
    source, sections = code("\n".join(lines), language)
    assert_tiles(source, sections)


@given(st.lists(PROSE_LINES, max_size=60), st.sampled_from(Markup))
def test_prose_sections_tile_the_text(lines: list[str], markup: Markup) -> None:
    source, sections = prose("\n".join(lines), markup)
    assert_tiles(source, sections)
    found = blocks(source, markup)
    held = [number for block in found for number in range(block.first, block.last + 1) if source.line(number).strip()]
    assert held == [number for number in range(1, source.line_count + 1) if source.line(number).strip()]


@given(st.lists(CODE_LINES | st.just("word " * 900), max_size=60))
def test_chunks_hold_every_section_within_their_limit(lines: list[str]) -> None:
    source, sections = code("\n".join(lines))
    windows = chunk(source, sections)
    assert all(count_tokens(window.text) <= MAX_TOKENS for window in windows)
    assert "".join("".join(window.text.split()) for window in windows) == "".join(source.text.split())
    assert [window.first for window in windows] == sorted(window.first for window in windows)


def test_a_function_with_its_comments_and_decorators_is_a_paragraph() -> None:
    text = (
        '"""Doc."""\nimport a\n\nX = 1\n\n\n# about f\n@d\ndef f():\n    def g(): ...\n\n    return g\n\n\nprint(f())\n'
    )
    _, sections = code(text)
    assert [(one.first, one.last, one.heading, one.symbols) for one in sections] == [
        (1, 4, "", ()),
        (7, 12, "f", ("f", "g")),
        (15, 15, "", ()),
    ]


def test_a_long_class_yields_its_header_and_methods() -> None:
    body = "".join(f"    def m{number}(self):\n" + "        x = 1\n" * 30 + "\n" for number in range(3))
    _, sections = code('class A(B):\n    """Doc."""\n\n    field = 1\n\n' + body)
    assert [(one.heading, one.path, one.first, one.last) for one in sections] == [
        ("A", ("A",), 1, 4),
        ("A.m0", ("A", "m0"), 6, 36),
        ("A.m1", ("A", "m1"), 38, 68),
        ("A.m2", ("A", "m2"), 70, 100),
    ]


def test_a_short_class_stays_whole() -> None:
    _, sections = code("class A:\n    def m(self):\n        pass\n")
    assert [(one.heading, one.symbols) for one in sections] == [("A", ("A", "m"))]


def test_very_long_functions_are_cut_with_exact_ranges() -> None:
    source, sections = code("def f():\n" + "    x = call(1, 2, 3)\n" * 3_000)
    assert_tiles(source, sections)
    assert len(sections) > 7
    assert {one.heading for one in sections} == {"f"}
    for one in sections:
        assert one.last - one.first < MAX_SECTION_LINES
        assert count_tokens(one.text) <= MAX_SECTION_TOKENS


def test_a_minified_line_is_cut_into_parts_of_one_line() -> None:
    line = "a(b,c);" * 20_000
    source, sections = code(line, "javascript")
    assert {(one.first, one.last) for one in sections} == {(1, 1)}
    assert "".join(one.text for one in sections) == line
    windows = chunk(source, sections)
    assert all(count_tokens(window.text) <= MAX_TOKENS for window in windows)
    assert "".join(window.text for window in windows) == line


MARKDOWN = """---
title: x
---
Intro.

# One

## Two `a.b`
```sh
# no heading
```
Setext *three*
--------------
<!--
# hidden
-->
text

# Four
"""


def test_headings_nest_and_fences_comments_and_front_matter_hide_them() -> None:
    _, sections = prose(MARKDOWN)
    assert [(one.first, one.last, one.path) for one in sections] == [
        (1, 4, ()),
        (6, 11, ("One", "Two `a.b`")),
        (12, 17, ("One", "Setext three")),
        (19, 19, ("Four",)),
    ]
    assert sections[1].symbols == ("a.b",)


def test_underlined_headings_of_plain_text() -> None:
    text = "=====\nTitle\n=====\n\nIntro.\n\nPart\n----\nText.\n\nDeeper\n~~~~~~\nMore.\n\nNext\n----\nEnd.\n"
    _, sections = prose(text, Markup.UNDERLINED)
    assert [one.path for one in sections if one.heading] == [
        ("Title",),
        ("Title", "Part"),
        ("Title", "Part", "Deeper"),
        ("Title", "Next"),
    ]


def test_titles_without_a_mark_head_plain_text() -> None:
    text = "Store design\n\nThe store keeps pages.\n\nWhy no server?\n\nIt is one file.\n\nOpen points\n\nNone.\n"
    _, sections = prose(text, Markup.UNDERLINED)
    assert [(one.heading, one.first, one.last) for one in sections] == [("Store design", 1, 7), ("Open points", 9, 11)]


def test_items_keep_their_hard_wrapped_lines() -> None:
    found = blocks(SourceText("- one\n  more\n  - two\n\ntext\n3) three\n"), Markup.MARKDOWN)
    assert [(one.kind, one.first, one.last, one.level, one.label) for one in found] == [
        (BlockKind.ITEM, 1, 2, 0, ""),
        (BlockKind.ITEM, 3, 3, 2, ""),
        (BlockKind.PARAGRAPH, 5, 5, 0, ""),
        (BlockKind.ITEM, 6, 6, 0, "3"),
    ]


def test_plain_text_loses_its_markup() -> None:
    assert plain("A **bold**\n _word_, [a link](https://x.y/z_(a)), `co*d*e`, snake_case_name ![i](j)") == (
        "A bold word, a link, `co*d*e`, snake_case_name i"
    )


# ruff: noqa: E501 - tables of samples read better on one line
