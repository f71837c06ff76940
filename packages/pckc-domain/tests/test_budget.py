"""The budget split is exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.errors import InvalidInputError
from pckc_domain.policy.budget import split_budget


def test_the_seeds_example() -> None:
    split = split_budget(6000)
    assert (split.memory, split.knowledge, split.chunks, split.granular) == (3600, 2400, 1800, 600)


@given(st.integers(0, 10**9))
def test_the_shares_add_up(total: int) -> None:
    split = split_budget(total)
    assert split.memory + split.chunks + split.granular == total
    assert min(split.memory, split.chunks, split.granular) >= 0
    assert abs(split.memory - 0.6 * total) < 1
    assert abs(split.chunks - 0.75 * split.knowledge) < 1


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidInputError):
        split_budget(-1)
