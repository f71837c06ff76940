"""The set is what it says: enough pairs, each of its own, in other words."""

from pathlib import Path

import pytest
from pckc_domain.policy.analysis import content_words

from .paraphrasing import LANGUAGES, by_pckc, measure, pairs, passages


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_are_many_distinct_and_halved(language: str) -> None:
    found = pairs(language)
    assert len(found) >= 120
    assert len({pair.question for pair in found}) == len(found)
    assert len(set(passages(language))) == len(passages(language)) >= 180
    assert sum(pair.is_held_out for pair in found) * 2 == len(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_share_hardly_a_word_with_their_question(language: str) -> None:
    shared = [set(content_words(pair.question)) & set(content_words(pair.passage)) for pair in pairs(language)]
    assert sum(map(len, shared)) / len(shared) < 0.5


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_alone_do_not_find_most(language: str, tmp_path: Path) -> None:
    with by_pckc(language, tmp_path, embedder="none") as lexical:
        found = measure(language, lexical, is_held_out=False)
    assert 0 < found.among_ten < 0.6
