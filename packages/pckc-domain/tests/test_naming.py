"""Names: what a query asks for by name, and which passage defines it."""

import pytest
from pckc_domain.model.passage import Paragraph, StoredPassage
from pckc_domain.policy.cutting.cut import cut
from pckc_domain.policy.naming import (
    DEFINES_INSIDE,
    DEFINES_ITSELF,
    DEFINES_MEMBER,
    definition,
    names_in,
    names_of,
)
from pckc_domain.testing.samples import document

METHODS = "".join(f"    def step{number}(self):\n        return {number}\n\n" for number in range(40))
LONG = f"class Router:\n    def __init__(self):\n        self.rank = 1\n\n{METHODS}    step1.is_slow = True\n"
SMALL = "class Uploader:\n    def call(self):\n        return 1\n"
OVERLOADS = "@t.overload\ndef invoke(a: int) -> int: ...\n\n\ndef invoke(a):\n    return a\n"


def paragraphs(text: str, uri: str = "src/web/routing.py") -> list[StoredPassage]:
    content = cut(document(uri), text)
    return [
        StoredPassage(passage=passage, document=content.document)
        for passage in content.passages
        if isinstance(passage, Paragraph)
    ]


def defining(text: str, query: str) -> list[tuple[float, str]]:
    names = names_in(query)
    found = [(definition(stored, names), stored.passage.text.splitlines()[0].strip()) for stored in paragraphs(text)]
    return [(share, line) for share, line in found if share]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("session", ("session",)),
        (" QuerySet ", ("QuerySet",)),
        ("where is Session.send used", ("Session.send",)),
        ("a::b::C", ("a.b.C",)),
        ("fix foo() and `retry` in src/a_b.py", ("foo", "retry")),
        ("GZipMiddleware __init__", ("GZipMiddleware", "__init__")),
        ("the wrong Content-Length is sent", ()),
        ("shutil.Error: cannot move, then DecodeError", ()),
        ("subprocess.TimeoutExpired: after 3 s", ()),
        ("json.decoder.JSONDecodeError: Extra data", ()),
        ("DecodeError", ("DecodeError",)),
        ("read --dry_run of SQL", ()),
        ("", ()),
    ],
)
def test_identifiers_and_lone_words_are_names(query: str, expected: tuple[str, ...]) -> None:
    assert names_in(query) == expected


def test_a_definition_is_known_by_its_own_name() -> None:
    assert defining(SMALL, "Uploader") == [(DEFINES_ITSELF, "class Uploader:")]
    assert defining(SMALL, "uploader") == []
    assert defining(SMALL, "call") == [(DEFINES_INSIDE, "class Uploader:")]
    assert defining(SMALL, "Uploader.call") == [(DEFINES_INSIDE, "class Uploader:")]
    assert defining(SMALL, "Session.call") == []


def test_of_a_class_in_sections_the_one_that_opens_it_defines_it() -> None:
    assert defining(LONG, "Router") == [(DEFINES_ITSELF, "class Router:")]
    assert defining(LONG, "step7") == [(DEFINES_MEMBER, "def step7(self):")]
    assert defining(LONG, "Router.step7") == [(DEFINES_ITSELF, "def step7(self):")]


def test_a_module_may_stand_before_the_name() -> None:
    assert defining(LONG, "web.routing.Router") == [(DEFINES_ITSELF, "class Router:")]
    assert defining(LONG, "other.Router") == []


def test_overloads_and_prose_define_nothing() -> None:
    assert defining(OVERLOADS, "invoke") == [(DEFINES_ITSELF, "def invoke(a):")]
    assert [definition(stored, ("Router",)) for stored in paragraphs("# Router\n\nRoutes.", "docs/a.md")] == [0.0]


def test_a_passage_bears_its_heading_its_last_part_and_its_symbols() -> None:
    content = cut(document("src/a.py"), SMALL)
    assert all({"Uploader"} <= names_of(passage) for passage in content.passages if isinstance(passage, Paragraph))
