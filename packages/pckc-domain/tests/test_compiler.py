"""The cover is small, within budget, not redundant, and independent of order and of irrelevant candidates."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.compiler import Candidate, choose_cover

GOALS = "abcdef"
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        id=st.integers(0, 10**6).map(str),
        tokens=st.integers(1, 50),
        covers=st.frozensets(st.sampled_from(GOALS)),
        worth=st.floats(0.01, 1),
    ),
    max_size=12,
    unique_by=lambda candidate: candidate.id,
)


def chosen_of(candidates: Sequence[Candidate], ids: Sequence[str]) -> list[Candidate]:
    by_id = {candidate.id: candidate for candidate in candidates}
    return [by_id[key] for key in ids]


def covered_by(candidates: Sequence[Candidate]) -> set[str]:
    return set().union(*(candidate.covers for candidate in candidates))


@given(CANDIDATES, st.integers(0, 120))
def test_never_over_budget(candidates: list[Candidate], budget: int) -> None:
    cover = choose_cover(candidates, budget_tokens=budget)
    assert sum(candidate.tokens for candidate in chosen_of(candidates, cover.chosen)) <= budget


@given(CANDIDATES, st.integers(0, 120))
def test_removing_any_chosen_one_loses_coverage(candidates: list[Candidate], budget: int) -> None:
    chosen = chosen_of(candidates, choose_cover(candidates, budget_tokens=budget).chosen)
    for candidate in chosen:
        assert covered_by([other for other in chosen if other is not candidate]) < covered_by(chosen)


@given(CANDIDATES)
def test_with_room_everything_that_can_be_covered_is(candidates: list[Candidate]) -> None:
    cover = choose_cover(candidates, budget_tokens=10_000)
    assert covered_by(chosen_of(candidates, cover.chosen)) == covered_by(candidates)


@given(CANDIDATES, st.integers(0, 120), st.randoms())
def test_the_order_of_candidates_does_not_matter(candidates: list[Candidate], budget: int, random: object) -> None:
    shuffled = sorted(candidates, key=lambda _: random.random())  # type: ignore[attr-defined]  # a Random
    assert choose_cover(candidates, budget_tokens=budget) == choose_cover(shuffled, budget_tokens=budget)


@given(CANDIDATES, st.integers(0, 120))
def test_an_irrelevant_candidate_changes_nothing(candidates: list[Candidate], budget: int) -> None:
    irrelevant = Candidate(id="irrelevant", tokens=1, covers=frozenset(), worth=1.0)
    assert (
        choose_cover(candidates, budget_tokens=budget).chosen
        == choose_cover([*candidates, irrelevant], budget_tokens=budget).chosen
    )


@given(CANDIDATES, st.integers(0, 120))
def test_every_candidate_is_chosen_or_excluded_with_a_reason(candidates: list[Candidate], budget: int) -> None:
    cover = choose_cover(candidates, budget_tokens=budget)
    assert set(cover.chosen).isdisjoint(cover.excluded)
    assert {*cover.chosen, *cover.excluded} == {candidate.id for candidate in candidates}
    assert all(cover.excluded.values())


def test_cheap_and_worthy_ones_win() -> None:
    dear = Candidate(id="dear", tokens=100, covers=frozenset("ab"), worth=0.5)
    cheap = Candidate(id="cheap", tokens=10, covers=frozenset("ab"), worth=0.5)
    assert choose_cover([dear, cheap], budget_tokens=500).chosen == ("cheap",)
