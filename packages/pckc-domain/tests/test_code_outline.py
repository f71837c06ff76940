"""Tests of definitions found without a parser."""

import ast
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.model.code import CodeBlock
from pckc_domain.policy.cutting.code_languages import LANGUAGES
from pckc_domain.policy.cutting.code_outline import Definition, outline
from pckc_domain.policy.cutting.masking import mask
from pckc_domain.policy.cutting.python_outline import MAX_DEPTH, module_docstring
from pckc_domain.policy.cutting.source_text import SourceText

STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])


def outlined(text: str, language: str) -> list[Definition]:
    return outline(mask(SourceText(text), language), language)


def places(text: str, language: str) -> list[tuple[str, str, int, int]]:
    return [(found.kind, found.qualified_name, found.start, found.end) for found in outlined(text, language)]


def by_syntax_tree(text: str) -> set[tuple[str, int, bool]]:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {
        (
            node.name,
            min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]),
            ast.get_docstring(node, clean=False) is not None,
        )
        for node in ast.walk(ast.parse(text))
        if isinstance(node, definitions)
    }


@pytest.mark.parametrize(
    "name",
    [
        "argparse",
        "subprocess",
        "typing",
        "dataclasses",
        "inspect",
        "tokenize",
        "textwrap",
        "asyncio/base_events",
        "unittest/mock",
    ],
)
def test_python_definitions_are_those_of_the_syntax_tree(name: str) -> None:
    text = (STANDARD_LIBRARY / f"{name}.py").read_text(encoding="utf-8")
    found = {(one.name, one.start, one.docstring is not None) for one in outlined(text, "python")}
    assert found == by_syntax_tree(text)


TRICKY = '''"""Module.

def not_me(): pass
"""
x = [
1, 2,
]
def first(
    a,
) -> int:
    """Doc.

def nor_me(): pass
"""
    text = "# def no(): '"
    y = (
1)
    # def comment(): pass
    return 1
    # the end

@decorate(
    "a"
)
# about second
@other
async def second(): return {"a": 1}
class C:
    r"""Raw."""
    def m(self):
        def inner():
            pass
        return inner \\
  or 2
    value = 1
z = 2
'''


def test_python_is_not_fooled_by_strings_brackets_and_comments() -> None:
    assert places(TRICKY, "python") == [
        ("function", "first", 8, 20),
        ("function", "second", 22, 27),
        ("class", "C", 28, 35),
        ("method", "C.m", 30, 34),
        ("function", "C.m.inner", 31, 32),
    ]
    source = SourceText(TRICKY)
    span = module_docstring(mask(source, "python"))
    assert span is not None
    assert TRICKY[slice(*span)].endswith('pass\n"""')


def test_an_open_bracket_does_not_swallow_what_follows() -> None:
    assert places("x = (\ndef a():\n    pass\ndef b():\n    y = [1\n", "python") == [
        ("function", "a", 2, 3),
        ("function", "b", 4, 5),
    ]


PROGRAMS: dict[str, tuple[str, list[tuple[str, str, int, int]]]] = {
    "rust": (
        "use a;\n/// Doc {.\n#[derive(Debug)]\npub struct Stack<'a, T> {\n  items: Vec<&'a T>,\n}\n"
        "impl<'a, T> Stack<'a, T> {\n  pub fn push(&self, c: char) {\n    let b = '{'; let r = r#\"}\"{\"#;\n  }\n}\n"
        "impl fmt::Display for Stack<'_, u8> {\n  fn fmt(&self) {}\n}\nmod tests {\n  fn t() { /* } */ }\n}\n",
        [
            ("struct", "Stack", 4, 6),
            ("impl", "Stack", 7, 11),
            ("method", "Stack.push", 8, 10),
            ("impl", "Stack", 12, 14),
            ("method", "Stack.fmt", 13, 13),
            ("module", "tests", 15, 17),
            ("method", "tests.t", 16, 16),
        ],
    ),
    "go": (
        'package a\ntype S struct {\n\tm map[string]int\n}\nfunc (s *S) Get(k string) (int, error) {\n\tx := "{"\n\ty := `}`\n}\n'
        "func New() *S { return &S{} }\n",
        [("struct", "S", 2, 4), ("method", "S.Get", 5, 8), ("function", "New", 9, 9)],
    ),
    "javascript": (
        "export function add(a, b = {}) {\n  const re = /[{]\"/;\n  return `${a} {`;\n}\nconst f = async (x) => {\n  g();\n};\n"
        "class Foo extends Bar {\n  constructor(a) {\n    super(a);\n  }\n  static async run(x) {\n    if (x) { y(); }\n  }\n}\n",
        [
            ("function", "add", 1, 4),
            ("function", "f", 5, 7),
            ("class", "Foo", 8, 15),
            ("method", "Foo.constructor", 9, 11),
            ("method", "Foo.run", 12, 14),
        ],
    ),
    "java": (
        "class A<T> implements B {\n  @Override\n  public List<String> run(int a, Map<K, V> b) throws E {\n    if (a > 1) { return null; }\n  }\n"
        "  A(int x) {\n    this.x = x;\n  }\n}\n",
        [("class", "A", 1, 9), ("method", "A.run", 3, 5)],
    ),
    "c": (
        "static int add(int a, int b)\n{\n  char c = '}';\n  return a;\n}\nint proto(int);\nint main(void) { return add(1, 2); }\n",
        [("function", "add", 1, 5), ("function", "main", 7, 7)],
    ),
    "ruby": (
        'class G\n  def hi(n)\n    puts "end" if n\n  end\n  def self.make; new; end\nend\n',
        [("class", "G", 1, 6), ("method", "G.hi", 2, 4), ("method", "G.make", 5, 5)],
    ),
    "elixir": (
        "defmodule My.Mod do\n  def add(a, b) do\n    a + b\n  end\n  defp x, do: 1\nend\n",
        [("module", "My.Mod", 1, 6), ("method", "My.Mod.add", 2, 4), ("method", "My.Mod.x", 5, 5)],
    ),
    "kotlin": (
        "class A(val x: Int) {\n  fun foo() = x\n  suspend fun <T> bar(t: T): T {\n    return t\n  }\n}\n",
        [("class", "A", 1, 6), ("method", "A.foo", 2, 2), ("method", "A.bar", 3, 5)],
    ),
    "lua": (
        "local M = {}\nfunction M.add(a)\n  -- end\n  return a\nend\nreturn M\n",
        [("function", "M.add", 2, 5)],
    ),
    "php": (
        "<?php\nclass A {\n  public function foo($a = []) {\n    return '}';\n  }\n}\n",
        [("class", "A", 2, 6), ("method", "A.foo", 3, 5)],
    ),
    "swift": (
        "struct P {\n  init(x: Int) { self.x = x }\n  func go() -> Int {\n    return 1\n  }\n}\n",
        [("struct", "P", 1, 6), ("method", "P.init", 2, 2), ("method", "P.go", 3, 5)],
    ),
    "csharp": (
        "namespace N {\n  public class C : D {\n    public async Task<int> RunAsync(string a) {\n      return 1;\n    }\n  }\n}\n",
        [("namespace", "N", 1, 7), ("class", "N.C", 2, 6), ("method", "N.C.RunAsync", 3, 5)],
    ),
    "scala": (
        "object M {\n  def f(x: Int): Int = {\n    x\n  }\n  case class P(a: Int)\n}\n",
        [("object", "M", 1, 6), ("method", "M.f", 2, 4), ("class", "M.P", 5, 5)],
    ),
    "zig": (
        'const std = @import("std");\npub const P = struct {\n  x: i32,\n  pub fn init() P {\n    return .{};\n  }\n};\n',
        [("struct", "P", 2, 7), ("method", "P.init", 4, 6)],
    ),
    "julia": (
        "function f(x)\n  x #= end =#\nend\nstruct P\n  a\nend\n",
        [("function", "f", 1, 3), ("struct", "P", 4, 6)],
    ),
    "cpp": (
        "namespace a {\nclass Foo : public Bar {\n public:\n  int get() const { return x; }\n};\nint Foo::run(std::vector<int> v) {\n  return 1;\n}\n}\n",
        [
            ("namespace", "a", 1, 9),
            ("class", "a.Foo", 2, 5),
            ("method", "a.Foo.get", 4, 4),
            ("method", "a.Foo::run", 6, 8),
        ],
    ),
    "typescript": (
        "export interface A {\n  x: string;\n}\nexport abstract class B<T> {\n  private async go(a: T): Promise<void> {\n    return;\n  }\n}\n",
        [("interface", "A", 1, 3), ("class", "B", 4, 8), ("method", "B.go", 5, 7)],
    ),
    "shell": ('run() {\n  echo "}"\n}\n', [("function", "run", 1, 3)]),
}  # fmt: skip


@pytest.mark.parametrize("language", PROGRAMS)
def test_definitions(language: str) -> None:
    text, wanted = PROGRAMS[language]
    assert places(text, language) == wanted


def test_comments_and_attributes_above_belong_to_a_definition() -> None:
    struct = outlined(PROGRAMS["rust"][0], "rust")[0]
    assert (struct.first, struct.start) == (2, 4)
    assert outlined("#include <a>\nint f(void) {\n}\n", "c")[0].first == 2


BLOCKS = [CodeBlock(kind="function", name="f", scope=(), start_line=2, end_line=9)]


def test_a_parser_is_preferred_and_docstrings_are_kept() -> None:
    text = '# about f\n@d\ndef f():\n    """Doc."""\n'
    masked = mask(SourceText(text), "python")
    (found,) = outline(masked, "python", blocks=BLOCKS)
    assert (found.first, found.start, found.end) == (1, 2, 5)
    assert found.docstring is not None
    assert text[slice(*found.docstring)] == '"""Doc."""'
    assert outline(mask(SourceText("func f() {}"), "go"), "go")[0].end == 1


@given(st.sampled_from(["python", *LANGUAGES, "unknown"]), st.data())
def test_any_text_gives_nested_ranges(language: str, data: st.DataObject) -> None:
    scraps = [
        "def f():",
        "class A {",
        "function a(",
        "fn x() {",
        "}",
        "end",
        "  ",
        "\n",
        '"',
        "'''",
        "/*",
        "*/",
        "#",
        "(",
        ")",
        "`",
        "{",
        "\\",
        "é",
        "x = 1",
    ]
    text = "".join(data.draw(st.lists(st.sampled_from(scraps), max_size=40)))
    source = SourceText(text)
    masked = mask(source, language)
    assert len(masked.logical) == len(text) + 1
    around: list[Definition] = []
    previous = 0
    for found in outline(masked, language):
        assert 1 <= found.first <= found.start <= found.end <= source.line_count
        assert previous <= found.start
        previous = found.start
        while around and around[-1].end < found.start:
            around.pop()
        around.append(found)
    assert len(around) <= MAX_DEPTH + 1


# ruff: noqa: E501 - tables of samples read better on one line
