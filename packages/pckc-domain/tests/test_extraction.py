"""Tests of propositions: what is found, how it is worded, typed and trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.identity import normalize
from pckc_domain.model.passage import PropositionType
from pckc_domain.policy.cutting.code_outline import outline
from pckc_domain.policy.cutting.code_statements import code_candidates
from pckc_domain.policy.cutting.extraction import Candidate, Statement, classify, confidence, select
from pckc_domain.policy.cutting.markdown_outline import Markup, blocks
from pckc_domain.policy.cutting.masking import mask
from pckc_domain.policy.cutting.proposition_rules import CONFIDENCE
from pckc_domain.policy.cutting.prose_statements import prose_candidates
from pckc_domain.policy.cutting.source_text import SourceText


def of_code(text: str, language: str = "python", *, is_test: bool = False) -> list[Statement]:
    masked = mask(SourceText(text), language)
    definitions = outline(masked, language)
    return select(code_candidates(masked, definitions, language=language, module="pkg.mod", is_test=is_test))


def of_prose(text: str) -> list[Statement]:
    source = SourceText(text)
    return select(prose_candidates(source, blocks(source, Markup.MARKDOWN), title="Guide"))


def brief(statements: list[Statement]) -> list[tuple[str, str, int, int]]:
    return [(one.type.value, one.text, one.first, one.last) for one in statements]


PYTHON = '''"""Runs commands in a sandbox. Callers must own the directory."""

MAX_OUTPUT_BYTES = 1_000
GREETING = "hello"
COMMAND_ALLOWLIST = frozenset({"git", "ls"})


class Runner:
    """
    Runs one command
    at a time.

    Raises:
        OSError: The directory is gone.
        ValueError: The command is empty.
    """

    timeout_seconds: float = 30.0

    def run(self, command):
        """Run *command* and return its output.

        Returns:
            The decoded output.
        """
        if not command:
            raise ValueError(
                "command "
                "is empty"
            )
        # The lock must be held here,
        # never release it early. It is nice.
        # x = compute(1)
        return call(command, shell=False)  # plain remark
'''


def test_python() -> None:
    assert brief(of_code(PYTHON)) == [
        ("security_rule", "`pkg.mod`: Runs commands in a sandbox.", 1, 1),
        ("constraint", "`pkg.mod`: Callers must own the directory.", 1, 1),
        ("constraint", "`MAX_OUTPUT_BYTES` = 1_000 in `pkg.mod`", 3, 3),
        ("implementation_detail", '`GREETING` = "hello" in `pkg.mod`', 4, 4),
        ("implementation_detail", '`COMMAND_ALLOWLIST` = frozenset({"git", "ls"}) in `pkg.mod`', 5, 5),
        (
            "security_rule",
            '`COMMAND_ALLOWLIST` in `pkg.mod` lists what is allowed or denied: frozenset({"git", "ls"})',
            5,
            5,
        ),
        ("implementation_detail", "`Runner`: Runs one command at a time.", 10, 11),
        ("risk", "`Runner` raises OSError: The directory is gone.", 14, 14),
        ("risk", "`Runner` raises ValueError: The command is empty.", 15, 15),
        ("constraint", "`Runner.timeout_seconds` defaults to 30.0 (type float)", 18, 18),
        ("behavior", "`Runner.run`: Run *command* and return its output.", 21, 21),
        ("behavior", "`Runner.run` returns the decoded output.", 24, 24),
        ("risk", "`Runner.run` raises ValueError: command is empty (if `not command`)", 27, 30),
        ("constraint", "`Runner.run`: The lock must be held here, never release it early.", 31, 32),
        ("security_rule", "`Runner.run` sets shell=False: `return call(command, shell=False) # plain remark`", 34, 34),
    ]


def test_fields_of_other_docstring_styles() -> None:
    sphinx = 'def f():\n    """Do it now please.\n\n    :raises KeyError: no such key\n    :returns: the found value\n    """\n'
    assert [one.text for one in of_code(sphinx)] == [
        "`f`: Do it now please.",
        "`f` raises KeyError: no such key",
        "`f` returns the found value",
    ]
    numpy = (
        'def f():\n    """Do it now please.\n\n    Raises\n    ------\n    KeyError\n        No such key.\n    """\n'
    )
    assert [one.text for one in of_code(numpy)] == ["`f`: Do it now please.", "`f` raises KeyError No such key."]


def test_what_tests_assert() -> None:
    text = "def test_reads_after_crash(store):\n    assert store.read() == 'last value'\n    with pytest.raises(KeyError):\n        store.get(1)\n"
    assert brief(of_code(text, is_test=True)) == [
        ("test_evidence", "Test `test_reads_after_crash` checks: reads after crash", 1, 4),
        ("test_evidence", "`test_reads_after_crash` asserts `store.read() == 'last value'`", 2, 2),
        ("test_evidence", "`test_reads_after_crash` asserts `with pytest.raises(KeyError)`", 3, 3),
    ]
    (invariant,) = of_code("def f(lock):\n    assert lock.is_held(), 'hold the lock'\n")
    assert invariant.type is PropositionType.CONSTRAINT


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("rust", "/// Pushes one value; never blocks.\npub fn push() {\n    if full { panic!(\"stack is full\"); }\n}\n",
         ["`push`: Pushes one value; never blocks.", "`push` panics: stack is full (if `full`)"]),
        ("go", "// Get must hold the lock.\nfunc (s *S) Get() error {\n\tif s == nil {\n\t\treturn errors.New(\"nil store here\")\n\t}\n}\n",
         ["`S.Get`: Get must hold the lock.", "`S.Get` returns an error: nil store here (if `s == nil`)"]),
        ("javascript", "/**\n * Adds two numbers exactly.\n * @throws {TypeError} on text\n */\nfunction add(a) {\n  if (!a) throw new TypeError('a is required');\n}\n",
         ["`add`: Adds two numbers exactly.", "`add` raises {TypeError} on text", "`add` throws TypeError: a is required (if `(!a)`)"]),
        ("toml", "[server]\nmax_connections = 10\n", ["`server.max_connections` = 10 in `pkg.mod`"]),
    ],
)  # fmt: skip
def test_other_languages(language: str, text: str, wanted: list[str]) -> None:
    assert [one.text for one in of_code(text, language)] == wanted


MARKDOWN = """# Store

The store must survive
a crash. It is nice.

## Decision

We chose SQLite because it needs no server.

- Writers take a **short** lock,
  at most 50 ms long

| Option | Default |
|---|---|
| `timeout` | Thirty seconds at most |

## Установка

1. Установите пакет командой `pip install x`

Нельзя хранить пароли в открытом виде.

## Install

```sh
pip install pckc
```
"""


def test_markdown() -> None:
    assert [(*one, subject) for one, subject in zip(brief(of_prose(MARKDOWN)), subjects(MARKDOWN), strict=True)] == [
        ("constraint", "Store: The store must survive a crash.", 3, 4, "Store"),
        ("decision", "Store > Decision: We chose SQLite because it needs no server.", 8, 8, "Store > Decision"),
        ("decision", "Store > Decision: Writers take a short lock, at most 50 ms long", 10, 11, "Store > Decision"),
        ("constraint", "Option: `timeout`; Default: Thirty seconds at most", 15, 15, "Store > Decision"),
        (
            "procedure",
            "Store > Установка: Step 1: Установите пакет командой `pip install x`",
            19,
            19,
            "Store > Установка",
        ),
        ("constraint", "Store > Установка: Нельзя хранить пароли в открытом виде.", 21, 21, "Store > Установка"),
        ("procedure", "Store > Install: run `pip install pckc`", 26, 26, "Store > Install"),
    ]


def test_drawings_are_skipped_and_loose_tables_and_lists_read() -> None:
    assert of_prose("a must │ b\n   ▼\n\n{\n  never: 1\n}\n") == []
    assert brief(of_prose("Name\tRule\nport\tmust be above 1024\n")) == [
        ("constraint", "Name: port; Rule: must be above 1024", 2, 2)
    ]
    assert brief(of_prose("port: the number to listen on\nhost: the name to bind to\n")) == [
        ("implementation_detail", "Guide: port: the number to listen on", 1, 1),
        ("implementation_detail", "Guide: host: the name to bind to", 2, 2),
    ]


def subjects(text: str) -> list[str]:
    return [one.subject for one in of_prose(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("shell=false is enforced everywhere", PropositionType.SECURITY_RULE),
        ("we decided that clients must retry", PropositionType.DECISION),
        ("clients must retry", PropositionType.CONSTRAINT),
        ("it raises keyerror", PropositionType.RISK),
        ("verifies that the lock is held", PropositionType.TEST_EVIDENCE),
        ("step 2 of the upgrade", PropositionType.PROCEDURE),
        ("the port defaults to 80", PropositionType.BEHAVIOR),
        ("the domain layer is below", PropositionType.ARCHITECTURE),
        ("пользователь должен войти", PropositionType.CONSTRAINT),
        ("мы решили взять sqlite", PropositionType.DECISION),
        ("a plain remark on mustard and onlyness", None),
    ],
)
def test_types_by_words(text: str, kind: PropositionType | None) -> None:
    assert classify(text)[0] is kind


@given(st.sampled_from(PropositionType), st.integers(0, 9))
def test_confidence_stays_in_the_range_of_its_type(kind: PropositionType, evidence: int) -> None:
    low, high = CONFIDENCE[kind]
    assert low <= confidence(kind, evidence) <= confidence(kind, evidence + 1) <= high
    assert confidence(kind, 0) == low
    assert confidence(kind, 3) == high


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "...",
        "--- *** ---",
        "https://example.org/a/b/c",
        "two words",
        "Copyright 2020 the authors",
        "Licensed under the MIT terms here",
        "1 2 3 4 5 6 7 8 9",
    ],
)
def test_junk_is_no_proposition(text: str) -> None:
    assert select([Candidate(text, 1, 1)]) == []


def test_equal_texts_are_one_proposition() -> None:
    found = select([Candidate("The  Cache is LRU", 1, 1), Candidate("the cache is lru", 5, 5)])
    assert [(one.first, one.normalized) for one in found] == [(1, "the cache is lru")]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_sound_statements(text: str) -> None:
    for statements in (of_code(text), of_prose(text), of_code(text, "rust"), of_code(text, "yaml")):
        for one in statements:
            assert 1 <= one.first <= one.last <= text.count("\n") + 1
            assert one.normalized == normalize(one.text)
            assert "\n" not in one.text


# ruff: noqa: E501 - tables of samples read better on one line
