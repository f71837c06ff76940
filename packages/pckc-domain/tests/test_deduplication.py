"""Which claims are one, and which of two is kept."""

from datetime import UTC, datetime

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.claim import Claim, ClaimStatus, ClaimType, Governance
from pckc_domain.model.proof import AuthorityClass
from pckc_domain.policy.deduplication import (
    DUPLICATE_COSINE,
    better_proven,
    content_hash,
    is_duplicate,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CLAIM = Claim(
    id="a",
    type=ClaimType.TEXT,
    text="The index is rebuilt every night.",
    confidence=0.7,
    importance=0.5,
    authority=AuthorityClass.DOCUMENT_DERIVED,
    status=ClaimStatus.CANDIDATE,
    valid_from=NOW,
    recorded_at=NOW,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The timeout is 30 seconds.", "The timeout is 60 seconds."),
        ("The queue keeps messages.", "The queue does not keep messages."),
        ("Очередь хранит сообщения.", "Очередь не хранит сообщения."),
        ("Version 1.2.3 is required.", "Version 1.2.4 is required."),
        ("Writes are synchronous.", "Writes are asynchronous."),
        ("Call `open_store` first.", "Call `close_store` first."),
    ],
)
def test_what_differs_in_substance_is_never_merged(one: str, other: str) -> None:
    assert not is_duplicate(ClaimType.TEXT, one, other, 1.0, threshold=0.0)


def test_the_threshold_decides_what_words_do_not() -> None:
    one, other = "The index is rebuilt every night.", "Each night the index gets rebuilt."

    assert is_duplicate(ClaimType.TEXT, one, other, DUPLICATE_COSINE)
    assert not is_duplicate(ClaimType.TEXT, one, other, DUPLICATE_COSINE - 0.01)
    assert is_duplicate(ClaimType.TEXT, one, other, 0.6, threshold=0.6)


@pytest.mark.parametrize("type", [ClaimType.CODE, ClaimType.TABLE, ClaimType.LOGICAL_RULE])
def test_code_tables_and_rules_are_one_only_when_equal(type: ClaimType) -> None:
    assert is_duplicate(type, "x = f(a)\n", "x = f(a)", 0.0)
    assert not is_duplicate(type, "x = f(a)", "X = f(a)", 1.0)


def test_types_are_apart() -> None:
    assert content_hash(ClaimType.TEXT, "a") != content_hash(ClaimType.FACT, "a")


@pytest.mark.parametrize(
    ("change", "proofs"),
    [
        ({"governance": Governance.PINNED}, 1),
        ({"authority": AuthorityClass.TOOL_VERIFIED}, 1),
        ({"status": ClaimStatus.VERIFIED}, 1),
        ({}, 3),
        ({"confidence": 0.9}, 2),
        ({"valid_from": datetime(2025, 1, 1, tzinfo=UTC)}, 2),
    ],
)
def test_the_better_proven_is_kept(change: dict[str, object], proofs: int) -> None:
    better = attrs.evolve(CLAIM, id="z", **change)
    proofs_of_other = 2 if proofs != 1 else 5

    assert better_proven(better, proofs, CLAIM, proofs_of_other).id == "z"
    assert better_proven(CLAIM, proofs_of_other, better, proofs).id == "z"


@given(st.text(max_size=60), st.text(max_size=60), st.floats(-1, 1))
def test_it_is_symmetric(one: str, other: str, cosine: float) -> None:
    assert is_duplicate(ClaimType.TEXT, one, other, cosine) is is_duplicate(ClaimType.TEXT, other, one, cosine)
