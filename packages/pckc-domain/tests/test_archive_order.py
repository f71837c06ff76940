"""The same holdings give the same lines, in whatever order an engine returns what has none."""

from pckc_domain.model.holding import RememberedFile
from pckc_domain.usecases.archive import _converter  # the order of a set is seen nowhere else


def test_a_set_is_written_in_order() -> None:
    """Numbers that share a place in a hash table come out as they went in."""
    one, other = (RememberedFile(path="a.py", asked=frozenset(asked)) for asked in ((0, 8, 16), (16, 8, 0)))
    assert list(one.asked) != list(other.asked), "else nothing is tested"
    assert _converter().unstructure(one) == _converter().unstructure(other)
    assert _converter().unstructure(one)["asked"] == [0, 8, 16]
