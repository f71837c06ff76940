"""Coverage: the share of a question that a passage speaks of."""

import pytest
from pckc_domain.model.passage import Paragraph, StoredPassage
from pckc_domain.policy.analysis import analyze_query
from pckc_domain.policy.cutting.cut import cut
from pckc_domain.policy.passage_coverage import coverages
from pckc_domain.testing.samples import document


def stored(text: str, uri: str = "notes.md") -> StoredPassage:
    content = cut(document(uri), text)
    first = next(passage for passage in content.passages if isinstance(passage, Paragraph))
    return StoredPassage(passage=first, document=content.document)


def covered(query: str, *texts: str) -> list[float]:
    return coverages(analyze_query(query), [stored(text) for text in texts])


def test_more_of_the_question_covers_more() -> None:
    most, some, none = covered("how are bookings cancelled", "A cancelled booking.", "The booking.", "Weather.")
    assert most == 1.0
    assert 0.0 < some < most
    assert none == 0.0


def test_a_rare_word_covers_more_than_a_common_one() -> None:
    rare, common, _ = covered("berth sextant", "The sextant.", "The berth.", "Another berth.")
    assert rare > common > 0.0


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("retries", "It tries, then retried once."),
        ("query", "Two queries."),
        ("decode", "def b64decode(data): return urlDecode(data)"),
        ("стоянки", "Стоянку отменили."),
        ("--dry-run", "Pass --dry-run first."),
        ("東京", "東京都"),
    ],
)
def test_words_are_found_in_their_other_forms(query: str, text: str) -> None:
    assert covered(query, text, "Nothing at all.") == [1.0, 0.0]


def test_a_word_inside_another_does_not_count() -> None:
    assert covered("port", "Support and import.", "The port.") == [0.0, 1.0]


def test_headings_and_the_path_count() -> None:
    under = stored("# Sextant\n\nClean it weekly.", "tools/quadrant.md")
    assert coverages(analyze_query("quadrant sextant"), [under]) == [1.0]


def test_the_definition_of_a_name_covers_more_than_its_use() -> None:
    definition = stored("class SignedCookie:\n    pass\n", "a.py")
    use = stored("def load():\n    return SignedCookie()\n", "b.py")
    query = analyze_query("SignedCookie expiry policy")
    defined, used, _ = coverages(query, [definition, use, stored("The expiry policy.")])
    assert defined > used


def test_nothing_asked_and_nothing_found_cover_nothing() -> None:
    assert covered("", "A text.") == [0.0]
    assert covered("sextant", "A text.") == [0.0]
    assert coverages(analyze_query("sextant"), []) == []


def test_a_question_of_stop_words_alone_still_counts() -> None:
    assert covered("to be or not to be", "To be.", "Weather.") == [1.0, 0.0]
