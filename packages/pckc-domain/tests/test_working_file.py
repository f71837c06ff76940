"""A moved text is found again, the nearest copy first, and in time that grows with the file alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.identity import digest
from pckc_domain.model.proof import RepositoryLocator
from pckc_domain.ports.sources import SkippedFile, SourceFile
from pckc_domain.usecases.working_file import MAX_HASHED_LINES, WorkingFile

LINES = st.lists(st.sampled_from(["a", "b", "", "    return"]), min_size=1, max_size=12)


def working(lines: list[str], blob_hash: str = "now") -> WorkingFile:
    text = "\n".join(lines)
    return WorkingFile(
        SourceFile(
            path="a.py", text=text, encoding="utf-8", content_hash="", blob_hash=blob_hash, size_bytes=0, mtime_ns=0
        )
    )


def located(first: int, length: int) -> RepositoryLocator:
    return RepositoryLocator(path="a.py", blob_hash="then", start_line=first, end_line=first + length - 1)


@given(LINES, LINES, st.integers(1, 15), st.booleans())
def test_the_nearest_copy_is_found_as_by_trying_every_place(
    lines: list[str], wanted: list[str], was: int, is_known: bool
) -> None:
    text = "\n".join(wanted)
    starts = [at for at in range(1, len(lines) - len(wanted) + 2) if lines[at - 1 : at - 1 + len(wanted)] == wanted]
    expected = min(starts, key=lambda at: (abs(at - was), at), default=0)
    found = working(lines).find(located(was, len(wanted)), digest(text), text=text if is_known else "")
    assert found == expected


def test_a_text_that_is_not_what_was_hashed_is_not_trusted() -> None:
    file = working(["one", "two", "three"])
    assert file.find(located(3, 1), digest("two"), text="a statement about two") == 2


def test_the_same_file_answers_where_it_was() -> None:
    assert working(["x"], blob_hash="then").find(located(7, 3), digest("gone")) == 7


def test_a_file_that_is_gone_has_nothing() -> None:
    file = WorkingFile(SkippedFile(path="a.py", reason="gone"))
    assert file.find(located(1, 1), digest("x"), text="x") == 0


@pytest.mark.parametrize("shift", [1, 300])
def test_a_long_text_in_a_long_file_is_looked_for_near_its_old_place(shift: int) -> None:
    length = 2_000
    lines = [f"line {number}" for number in range(6_000)]
    assert length * (len(lines) - length + 1) > MAX_HASHED_LINES
    wanted = digest("\n".join(lines[1_000 : 1_000 + length]))
    found = working(lines).find(located(1_001 - shift, length), wanted)
    assert found == (1_001 if shift <= MAX_HASHED_LINES // length // 2 else 0)
