"""What a task or a bug report points at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.task_signs import MAX_SIGNS, Place, read_signs

PYTHON = """
Traceback (most recent call last):
  File "/srv/venv/lib/requests/sessions.py", line 701, in send
    r = adapter.send(request)
  File "/srv/venv/lib/requests/adapters.py", line 486, in <listcomp>
    resp = conn.urlopen()
requests.exceptions.ConnectionError: Max retries exceeded
"""


def test_python_names_the_innermost_frame_last() -> None:
    signs = read_signs(PYTHON)
    assert signs.frames == (
        Place(path="/srv/venv/lib/requests/adapters.py", line=486, function="<listcomp>"),
        Place(path="/srv/venv/lib/requests/sessions.py", line=701, function="send"),
    )
    assert signs.errors == ("ConnectionError", "Max retries exceeded")
    assert "send" in signs.names
    assert "<listcomp>" not in signs.names


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        (
            "    at Router.handle (/app/lib/index.js:284:7)",
            Place(path="/app/lib/index.js", line=284, function="Router.handle"),
        ),
        ("    at new Foo (file:///srv/foo.mjs:3:9)", Place(path="/srv/foo.mjs", line=3, function="Foo")),
        ("    at async C:\\app\\main.ts:5:1", Place(path="C:/app/main.ts", line=5)),
        ("\tat com.example.Main.run(Main.java:42)", Place(path="Main.java", line=42, function="com.example.Main.run")),
        (
            "  at A.Program.Main(String[] a) in C:\\src\\P.cs:line 12",
            Place(path="C:/src/P.cs", line=12, function="A.Program.Main"),
        ),
        ("app/models/user.rb:12:in `save'", Place(path="app/models/user.rb", line=12, function="save")),
        (
            "#0 /var/www/index.php(12): App\\Kernel->boot()",
            Place(path="/var/www/index.php", line=12, function="App\\Kernel->boot"),
        ),
        ("\t/go/src/app/main.go:12 +0x1d", Place(path="/go/src/app/main.go", line=12)),
        ("             at src/main.rs:4:5", Place(path="src/main.rs", line=4)),
    ],
)
def test_frames_of_other_languages(line: str, frame: Place) -> None:
    assert read_signs(f"it broke:\n{line}\n").frames == (frame,)


def test_paths_are_told_from_attributes_and_abbreviations() -> None:
    signs = read_signs("see src/app.py:12, docs/ and models.py; e.g. Session.send is fine, i.e. works. And `a/b.ts`.")
    assert [(place.path, place.line) for place in signs.places] == [
        ("src/app.py", 12),
        ("docs", 0),
        ("models.py", 0),
        ("a/b.ts", 0),
    ]
    assert "Session.send" in signs.names


def test_a_panic_names_its_message() -> None:
    assert read_signs("panic: runtime error: index out of range").errors == ("runtime error: index out of range",)
    assert read_signs("thread 'main' panicked at src/main.rs:4:5:\nboom").errors == ()


@given(st.text() | st.text(alphabet="a./\\:()\"' \n1A#+-@", max_size=400))
def test_any_text_is_read(text: str) -> None:
    signs = read_signs(text)
    for found in (signs.frames, signs.places, signs.errors, signs.names):
        assert len(found) <= MAX_SIGNS
        assert len(set(found)) == len(found)
    assert read_signs(text) == signs
