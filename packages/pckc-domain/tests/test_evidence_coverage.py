"""Coverage: the share of a question's words that a passage holds, rarer words counting more."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.session import EventKind, Evidence
from pckc_domain.policy.analysis import index_terms
from pckc_domain.policy.evidence_coverage import WordWeights, evidence_coverages, spoken_words


def passage(text: str) -> Evidence:
    return Evidence(
        id=text,
        session_id="s",
        episode_id="e",
        event_id="v",
        seq=0,
        kind=EventKind.PROMPT,
        time=datetime(2026, 1, 1, tzinfo=UTC),
        text=text,
        start=0,
        end=len(text),
        terms=index_terms(text),
    )


def coverages(query: str, *texts: str) -> list[float]:
    return evidence_coverages(query, [spoken_words(passage(text)) for text in texts])


def test_all_words_cover_the_whole_and_none_nothing() -> None:
    assert coverages("the gateway's port", "Gateways have a port", "the sea") == [pytest.approx(1.0), 0.0]


def test_what_is_said_of_anything_does_not_count_beside_a_topic() -> None:
    assert coverages("which database do we use?", "The database is PostgreSQL", "use black") == [pytest.approx(1), 0]
    assert coverages("what do we use?", "use black") == [pytest.approx(1)]


def test_a_rare_word_counts_more() -> None:
    rare, common, *_ = coverages("gateway port", "gateway", "port", "port", "port", "port")
    assert rare > common > 0


def test_neither_length_nor_repetition_counts() -> None:
    short, long, *_ = coverages("gateway", "gateway", "the gateway stands behind the gateway of a gateway", "sea")
    assert short == long


def test_russian_words_match_in_any_case() -> None:
    assert coverages("квартира у парка", "Нашли квартиру рядом с парком", "Море") == [pytest.approx(1.0), 0.0]


def test_a_query_of_stop_words_alone_still_counts() -> None:
    assert coverages("who is he", "he is", "sea")[0] > 0


def test_nothing_to_cover() -> None:
    assert coverages("?!", "gateway") == [0.0]
    assert coverages("gateway") == []


@given(st.text(), st.lists(st.text(), max_size=4))
def test_coverage_is_a_share(query: str, texts: list[str]) -> None:
    assert all(0 <= value <= 1 + 1e-9 for value in coverages(query, *texts))


@given(st.lists(st.frozensets(st.sampled_from("abcdef")), min_size=1, max_size=6))
def test_a_share_is_whole_for_the_same_words_and_less_for_fewer(held: list[frozenset[str]]) -> None:
    weights, words = WordWeights(held), frozenset("abc")
    assert weights.share(words, words) == 1.0
    assert 0 < weights.share(words, frozenset("ab")) < 1
    assert weights.share(frozenset(), words) == weights.share(words, frozenset()) == 0.0
