"""Ids, locators and near-duplicates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.errors import InvalidInputError
from pckc_domain.model.identity import content_id, digest, normalize
from pckc_domain.model.proof import DocumentLocator, EventLocator, RepositoryLocator, parse_locator
from pckc_domain.policy.duplicates import without_near_duplicates

HASHES = st.text("0123456789abcdef", min_size=40, max_size=40)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
COUNTS = st.integers(0, 10**6)
LOCATORS = st.one_of(
    st.builds(RepositoryLocator, path=NAMES, blob_hash=HASHES, start_line=COUNTS, end_line=COUNTS),
    st.builds(EventLocator, session_id=NAMES, seq=COUNTS, start=COUNTS, end=COUNTS),
    st.builds(DocumentLocator, uri=NAMES, place=st.text(st.characters(exclude_categories=["Cs"]))),
)


@given(LOCATORS)
def test_a_locator_is_read_back(locator: RepositoryLocator | EventLocator | DocumentLocator) -> None:
    assert parse_locator(str(locator)) == locator


@pytest.mark.parametrize("text", ["", "repo:", "repo:a@zz#L1-L2", "http://x"])
def test_what_is_no_locator_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        parse_locator(text)


@given(st.lists(st.text()), st.lists(st.text()))
def test_ids_differ_when_parts_do(left: list[str], right: list[str]) -> None:
    assert (content_id("x", *left) == content_id("x", *right)) == (left == right)


def test_ids_are_stable() -> None:
    assert content_id("doc", "a", "b") == "doc_facdde7abf1eac5b301273ab"
    assert digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@given(st.text())
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalize(text)
    assert normalize(f"  {once} \n") == normalize(once)


def test_near_duplicates_are_dropped_in_order() -> None:
    long = " ".join(f"word{number}" for number in range(40))
    texts = ["A b c", "a  B c", long, f"{long} more", "other"]
    assert without_near_duplicates(texts, str, limit=10) == ["A b c", long, "other"]
    assert without_near_duplicates(texts, str, limit=2) == ["A b c", long]


@given(st.lists(st.text()))
def test_dropping_duplicates_is_idempotent(texts: list[str]) -> None:
    once = without_near_duplicates(texts, str, limit=100)
    assert without_near_duplicates(once, str, limit=100) == once
