"""The parts of Markdown and text."""

from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.source import SourcePart
from pckc_domain.policy.document_parts import (
    LONGEST_NAME,
    markdown_parts,
    one_line,
    text_parts,
    title_of_markdown,
    with_unique_places,
)


def places(text: str) -> list[str]:
    """Return the places of Markdown's parts."""
    return [part.place for part in markdown_parts(text)]


def test_a_part_has_its_heading_and_what_stands_below_it() -> None:
    parts = markdown_parts("# A\n\nx\n\n## B\n\ny\n\n# C\n\nz")
    assert [(part.place, part.text) for part in parts] == [
        ("heading=A", "# A\n\nx"),
        ("heading=A > B", "## B\n\ny"),
        ("heading=C", "# C\n\nz"),
    ]


def test_a_heading_with_nothing_of_its_own_only_names_others() -> None:
    assert places("# A\n\n## B\n\nx\n\n# C\n") == ["heading=A > B"]


def test_levels_may_be_skipped() -> None:
    assert places("### A\n\nx\n\n# B\n\nx\n\n#### C\n\nx\n\n## D\n\nx") == [
        "heading=A",
        "heading=B",
        "heading=B > C",
        "heading=B > D",
    ]


def test_a_fence_is_no_heading_and_no_paragraph_ends_in_it() -> None:
    assert [part.text for part in markdown_parts("```\n# a\n\nb\n```\n\nafter")] == ["```\n# a\n\nb\n```", "after"]


def test_a_text_of_headings_alone_is_parted_by_paragraphs() -> None:
    assert [(part.place, part.text) for part in markdown_parts("# A\n\n# B")] == [
        ("paragraph=1", "# A"),
        ("paragraph=2", "# B"),
    ]


def test_underlined_headings() -> None:
    assert places("Title\n=====\n\nx\n\nBelow\n-----\n\ny") == ["heading=Title", "heading=Title > Below"]


def test_the_title_is_the_first_heading_of_the_highest_level() -> None:
    assert title_of_markdown("## Before\n\n# The title\n\n# Another") == "The title"
    assert title_of_markdown("words") == ""


def test_a_long_name_is_cut() -> None:
    assert len(one_line("word " * 100)) <= LONGEST_NAME
    assert one_line(" a\n  b ") == "a b"


def test_a_number_that_is_taken_is_passed_over() -> None:
    names = ["a", "a (2)", "a", "a", "b"]
    parts = with_unique_places([SourcePart(place=name, text="x") for name in names])
    assert [part.place for part in parts] == ["a", "a (2)", "a (3)", "a (4)", "b"]


LINES = st.lists(
    st.one_of(
        st.sampled_from(["# A", "## B", "", "```", "- x", "| a |", "---", "Under", "===", "#"]), st.text(max_size=9)
    ),
    max_size=30,
).map("\n".join)


@given(LINES)
def test_parts_hold_the_lines_of_the_text_in_order(text: str) -> None:
    for parts in (markdown_parts(text), text_parts(text)):
        assert len({part.place for part in parts}) == len(parts)
        rest = text
        for part in parts:
            assert part.text.strip()
            assert part.text in rest
            rest = rest.partition(part.text)[2]


@given(LINES)
def test_paragraphs_hold_every_word(text: str) -> None:
    assert " ".join(part.text for part in text_parts(text)).split() == text.split()
