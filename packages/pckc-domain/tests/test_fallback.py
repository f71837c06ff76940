"""Symbols of languages without a reader: by patterns, with lines, bytes and comments that say why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.model.graph import NodeKind
from pckc_domain.policy.document_kinds import LANGUAGES
from pckc_domain.policy.graph.declared.languages import RULES_OF
from pckc_domain.policy.graph.fallback import FALLBACK_LANGUAGES, fallback_facts

SHELL = """#!/bin/sh
# Builds it.
# TODO: faster
build() {
  naïve "é"
}

function clean {
  rm -rf out
}
"""

PROGRAMS = {
    "shell": (SHELL, ["function build 4-6", "function clean 8-10"]),
    "sql": (
        "-- Users\nCREATE TABLE IF NOT EXISTS users (\n  id int\n);\n\ncreate or replace function add_user(n text)\n"
        "returns int as $$\nbegin end $$;\n",
        ["struct users 2-4", "function add_user 6-8"],
    ),
    "perl": (
        "package Foo::Bar;\nuse strict;\nsub new {\n  my $class = shift;\n}\nsub run { }\n1;\n",
        ["namespace Foo::Bar 1-2", "function new 3-5", "function run 6-7"],
    ),
    "r": (
        "add <- function(a, b) {\n  a + b\n}\ninner = function(x) x\n",
        ["function add 1-3", "function inner 4-4"],
    ),
    "dart": (
        "class A extends B {\n  void run() {\n    go();\n  }\n}\nvoid main() {\n}\n",
        ["class A 1-5", "method A.run 2-4", "function main 6-7"],
    ),
    "powershell": ("function Get-It {\n  1\n}\nclass Box {\n}\n", ["function Get-It 1-3", "class Box 4-5"]),
    "haskell": (
        "module A.B where\n\nadd :: Int -> Int\nadd x = x\n\ndata T = T\n",
        ["namespace A.B 1-1", "function add 3-4", "struct T 6-6"],
    ),
    "erlang": (
        "-module(a).\nf(0) -> 1;\nf(N) -> N.\ng() ->\n  ok.\n",
        ["namespace a 1-1", "function f 2-3", "function g 4-5"],
    ),
    "proto": (
        "message A {\n  int32 x = 1;\n}\nservice S {\n}\n",
        ["struct A 1-3", "interface S 4-5"],
    ),
}


def symbols(text: str, language: str) -> list[str]:
    found = fallback_facts("a/b.x", text, language=language).declarations
    names: list[str] = []
    rows = []
    for one in found:
        outer = names[one.parent] if one.parent > 0 else ""
        names.append(f"{outer}.{one.name}" if outer else one.name)
        rows.append(f"{one.kind} {names[-1]} {one.start_line}-{one.end_line}")
    assert rows[0].startswith("module b ")
    return rows[1:]


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_the_symbols_of_a_program(language: str) -> None:
    text, expected = PROGRAMS[language]
    assert symbols(text, language) == expected


def test_documentation_and_reasons() -> None:
    facts = fallback_facts("bin/build.sh", SHELL, language="shell")
    build = facts.declarations[1]
    assert build.doc == "Builds it."
    assert build.signature == "build()"
    assert [(one.mark, one.text, one.line, one.scope) for one in facts.rationale] == [("TODO", "faster", 3, 1)]


def test_an_unknown_language_has_its_module_alone() -> None:
    facts = fallback_facts("a/b.x", SHELL, language="klingon")
    assert [one.kind for one in facts.declarations] == [NodeKind.MODULE]


def test_the_languages_are_known_and_linked() -> None:
    assert set(LANGUAGES.values()) >= FALLBACK_LANGUAGES
    assert RULES_OF.keys() >= FALLBACK_LANGUAGES


@settings(max_examples=60, deadline=None)
@given(
    language=st.sampled_from(sorted(FALLBACK_LANGUAGES)),
    lines=st.lists(
        st.one_of(
            st.sampled_from(["f() {", "sub é {", "}", "create table t (", "class A {", "# NOTE x", "\tlet f x ="]),
            st.text(max_size=8),
        ),
        max_size=20,
    ),
)
def test_any_text_has_sound_symbols(language: str, lines: list[str]) -> None:
    text = "\n".join(lines)
    source = text.encode("utf-8", "replace")
    found = fallback_facts("a/b.x", text, language=language)
    count = text.count("\n") + 1
    for index, one in enumerate(found.declarations):
        assert -1 <= one.parent < index
        assert 1 <= one.start_line <= one.end_line <= count
        assert 0 <= one.start_byte <= one.end_byte <= len(source)
        assert source[: one.start_byte].count(b"\n") == one.start_line - 1
    assert all(0 <= reason.scope < len(found.declarations) for reason in found.rationale)
