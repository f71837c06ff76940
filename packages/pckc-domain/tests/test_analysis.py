"""Text analysis: what a text offers and what a query asks for must meet."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.analysis import (
    MAX_QUERY_PARTS,
    analyze_query,
    content_words,
    index_terms,
    is_prose,
    split_camel,
    stem_english,
    stem_russian,
    text_tokens,
)


def test_stop_words_are_dropped_from_prose_only() -> None:
    assert analyze_query("how do I retry a failed request").words == ("retry", "failed", "request")
    assert "if" in analyze_query("if (x[0] == None):").words
    assert analyze_query("who are you").words == ("who", "are", "you")


def test_identifiers_are_split_and_also_kept_whole_as_phrases() -> None:
    query = analyze_query("get_user_name")
    assert query.words == ("get", "user", "name")
    assert query.phrases == (("get", "user", "name"),)
    assert set(analyze_query("getUserName").words) == {"getusername", "get", "user", "name"}
    assert analyze_query("a.b.c()").phrases == (("a", "b", "c"),)


def test_camel_case_meets_snake_case() -> None:
    assert {"user", "name"} <= set(index_terms("def getUserName").split())
    assert split_camel("HTTPServerName2") == ("http", "server", "name", "2")


def test_quoted_text_is_a_phrase() -> None:
    assert ("exact", "words") in analyze_query('find "exact words" here').phrases
    assert ("точные", "слова") in analyze_query("найди «точные слова»").phrases


def test_russian_is_stemmed_on_both_sides() -> None:
    query = analyze_query("где хранятся пароли пользователей")
    offered = set(index_terms("Пароль пользователя хранится в хэше").split())
    assert set(query.terms) <= offered
    assert query.words == ()


def test_yo_and_ye_are_one_letter() -> None:
    assert set(analyze_query("ёлка").terms) == set(index_terms("елка").split())


def test_cjk_is_matched_by_bigrams() -> None:
    offered = set(index_terms("設定ファイルの場所").split())
    assert set(analyze_query("設定ファイル").terms) <= offered
    assert set(analyze_query("猫").terms) <= set(index_terms("黒猫").split())


def test_names_with_symbols_have_terms() -> None:
    for name in ("C++", "c#", ".NET", "--no-verify"):
        assert set(analyze_query(name).terms) & set(index_terms(f"uses {name} here").split()), name


def test_prose_is_told_from_code() -> None:
    assert is_prose("what is the default timeout of the client")
    assert not is_prose("foo(bar)[0] -> baz")
    assert not is_prose("TimeoutError in connect")


def test_content_words_keep_order() -> None:
    assert content_words("where is the cache of the parser") == ("cache", "parser")


@given(st.text())
def test_any_query_is_analysed(query: str) -> None:
    parts = analyze_query(query)
    assert len(parts.words) <= MAX_QUERY_PARTS
    assert len(parts.terms) <= MAX_QUERY_PARTS
    assert all(part.strip() for part in (*parts.words, *parts.terms))
    assert all(len(phrase) > 1 for phrase in parts.phrases)


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF)))
def test_a_latin_text_offers_the_words_of_the_same_query(text: str) -> None:
    offered = {*text_tokens(text), *index_terms(text).split()}
    assert set(analyze_query(text).words) <= offered


@given(st.text())
def test_terms_are_distinct_and_stable(text: str) -> None:
    terms = index_terms(text).split()
    assert len(terms) == len(set(terms))
    assert index_terms(text) == index_terms(text)


def test_a_huge_query_is_bounded() -> None:
    query = analyze_query(" ".join(f"word{number}" for number in range(20_000)))
    assert len(query.words) == MAX_QUERY_PARTS


@pytest.mark.parametrize(("stem", "ending"), [(stem_english, "izations"), (stem_russian, "ованиями")])
def test_threads_stem_at_once(stem: Callable[[str], str], ending: str) -> None:
    """A stemmer holds the word that it is at: each of many threads gets the stems that it would get alone."""
    words = ["".join(letters) + ending for letters in product("bcdfgklmnpрст", repeat=3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        stem.cache_clear()  # type: ignore[attr-defined]  # it is cached
        with ThreadPoolExecutor(8) as threads:
            stems = list(threads.map(lambda part: [stem(word) for word in words[part::8]], range(8)))
    finally:
        sys.setswitchinterval(interval)
    stem.cache_clear()  # type: ignore[attr-defined]  # it is cached
    assert stems == [[stem(word) for word in words[part::8]] for part in range(8)]
