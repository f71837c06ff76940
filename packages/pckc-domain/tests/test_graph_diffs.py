"""Unified diffs."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.errors import InvalidInputError
from pckc_domain.policy.graph.diffs import FileDiff, Hunk, parse_diff

GIT = """\
diff --git a/src/one.py b/src/one.py
index 111..222 100644
--- a/src/one.py
+++ b/src/one.py
@@ -1,4 +1,4 @@ def f():
 a
-b
+B
 c
 d
@@ -10,2 +10,3 @@
 x
+--- not a head
 y
\\ No newline at end of file
diff --git a/old name.py b/new name.py
similarity index 100%
rename from old name.py
rename to new name.py
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
diff --git "a/caf\\303\\251.py" "b/caf\\303\\251.py"
--- "a/caf\\303\\251.py"
+++ "b/caf\\303\\251.py"
@@ -0,0 +1 @@
+x
"""


def test_what_git_writes() -> None:
    files = parse_diff(GIT)
    assert [(one.old_path, one.new_path) for one in files] == [
        ("src/one.py", "src/one.py"),
        ("old name.py", "new name.py"),
        ("gone.py", ""),
        ("café.py", "café.py"),
    ]
    assert [sorted(set(hunk.changed(is_applied=True))) for hunk in files[0].hunks] == [[1, 2], [11]]
    assert [sorted(set(hunk.changed(is_applied=False))) for hunk in files[0].hunks] == [[2], [10]]
    assert list(files[3].hunks[0].changed(is_applied=True)) == [1]


def test_plain_diffs_have_two_lines_of_head() -> None:
    first = "--- one.py\t2026-01-01\n+++ one.py\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n"
    text = f"{first}--- two.py\n+++ two.py\n@@ -1 +1 @@\n-c\n+d\n"
    assert [one.new_path for one in parse_diff(text)] == ["one.py", "two.py"]


def test_nothing_is_no_change() -> None:
    assert parse_diff("") == ()


def test_other_text_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="diff"):
        parse_diff("hello\nworld\n")


lines = st.lists(st.sampled_from("abc"), max_size=12)


@given(lines, lines, st.integers(0, 3))
def test_changed_lines_are_those_that_differ(before: list[str], after: list[str], context: int) -> None:
    text = "".join(difflib.unified_diff([f"{x}\n" for x in before], [f"{x}\n" for x in after], "a/f", "b/f", n=context))
    files = parse_diff(text)
    assert bool(files) == (before != after)
    for one in files:
        assert one.is_applied_to("".join(f"{x}\n" for x in after))
        changed = {line for hunk in one.hunks for line in hunk.changed(is_applied=True)}
        kept = [x for number, x in enumerate(after, start=1) if number not in changed]
        assert changed <= set(range(len(after) + 1))
        assert _is_subsequence(kept, before)


def _is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(one in rest for one in part)


@given(st.text(alphabet='-+@ ab\\\n"0123456789,/', max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for given_text in (text, f"--- a/x\n+++ b/x\n{text}", f"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n{text}"):
        try:
            parse_diff(given_text)
        except InvalidInputError:
            assert given_text.strip()


def test_names_that_a_diff_takes_away() -> None:
    lines = (
        "-def gone(x):",
        "-    return x",
        "-export async function left() {",
        "-class Moved:",
        "+class Moved(Base):",
        "-func (s *Store) Save(k string) {",
        "-x = 1",
        " def kept():",
    )
    diff = FileDiff(old_path="a.py", new_path="a.py", hunks=(Hunk(old_start=1, new_start=1, lines=lines),))
    assert diff.removed_names() == ("gone", "left", "Save")
