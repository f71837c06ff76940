"""Standing instructions take the places kept for them, and nothing is lost."""

from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.question_forms import Request
from pckc_domain.policy.weaving import PLACES, woven

ITEMS = st.lists(st.integers(0, 30), unique=True, max_size=25)


@given(ITEMS, ITEMS, st.sampled_from(Request))
def test_each_item_once_and_none_of_the_found_lost(found: list[int], instructions: list[int], request: Request) -> None:
    result = woven(found, instructions, request)

    kept = instructions[: len(PLACES[request])]
    assert sorted(result) == sorted({*found, *kept})
    assert [item for item in result if item not in kept] == [item for item in found if item not in kept]
    assert [item for item in result if item in kept and item not in found] == [i for i in kept if i not in found]


@given(ITEMS, ITEMS, st.sampled_from(Request))
def test_an_instruction_is_never_told_later_for_being_one(
    found: list[int], instructions: list[int], request: Request
) -> None:
    result = woven(found, instructions, request)
    for item in found:
        ahead = [other for other in result[: result.index(item)] if other not in found[: found.index(item)]]
        assert all(other in instructions for other in ahead)


@given(ITEMS, ITEMS)
def test_a_question_about_what_was_said_is_left_alone(found: list[int], instructions: list[int]) -> None:
    assert woven(found, instructions, Request.NONE) == found


def test_the_places_of_a_request() -> None:
    found, instructions = list("abcdefgh"), list("123456789")

    assert "".join(woven(found, instructions, Request.CLEAR)[:10]) == "a1b2c34567"
    assert "".join(woven(found, instructions, Request.PERHAPS)[:10]) == "abc1d2e3f4"
    assert "".join(woven(found, ["1"], Request.CLEAR)) == "a1bcdefgh"
    assert "".join(woven([], ["1", "2"], Request.PERHAPS)) == "12"
    assert "".join(woven(found, ["a", "h"], Request.PERHAPS)) == "abchdefg"
