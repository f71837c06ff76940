"""What the reader of JavaScript and TypeScript says of a file."""

import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_adapters_treesitter.readers.javascript.facts import LONGEST_LINE
from pckc_domain.model.code_facts import Call, CodeFacts, Import, New, ScopeFacts
from pckc_domain.model.graph import EdgeKind, NodeKind
from pckc_domain.policy.graph.assemble import build_graph

READER = TreeSitterCodeReader()


def read(text: str, language: str = "typescript") -> CodeFacts:
    facts = READER.facts("src/a.ts", text, language=language)
    assert isinstance(facts, CodeFacts)
    return facts


def scope(facts: CodeFacts, name: str) -> ScopeFacts:
    [found] = [one for one in facts.scopes if one.name == name]
    return found


TYPED = """/** Carts of the shop. */
export
  class Cart<T extends Item> extends Base implements Priced {
  static count = 0;
  #total: number = 0;
  /**
   * Adds an item.
   * @param item the item
   */
  private add(item: T): this { return this; }
  protected abstract check(): void;
  get total() { return this.#total; }
}
// WHY: prices are whole cents
export interface Priced { total: number; price(): number }
export type Id = string | number;
export enum Kind { A, B = 2 }
export const LIMIT = 10;
/** Says größe. */
const größe = async (a, { b }) => { await a(b); };
export function over(a: string): void;
export function over(a: any) {}
namespace Inner { export function deep() {} }
const table = { run() {}, stop: () => {} };
declare function given(a: Cart<any>): Priced;
"""


def test_symbols() -> None:
    facts = read(TYPED)
    assert scope(facts, "Cart").doc == "Carts of the shop."
    assert scope(facts, "Cart").start_line == 2
    assert scope(facts, "Cart").visibility == "public"
    assert scope(facts, "add").doc == "Adds an item."
    assert scope(facts, "add").signature == "private add(item: T): this"
    assert scope(facts, "add").visibility == "private"
    assert scope(facts, "check").visibility == "protected"
    assert scope(facts, "check").is_abstract
    assert scope(facts, "price").is_abstract
    assert scope(facts, "größe").is_async
    assert scope(facts, "größe").doc == "Says größe."
    assert [one.name for one in facts.scopes].count("over") == 1
    assert facts.exports == ("Cart", "Priced", "Id", "Kind", "LIMIT", "over")
    assert [(one.mark, one.text, facts.scopes[one.scope].name) for one in facts.rationale] == [
        ("WHY", "prices are whole cents", "Priced")
    ]
    assert facts.problems == ()


def test_bytes() -> None:
    for text in (TYPED, "\ufeff" + TYPED.replace("\n", "\r\n")):
        facts = read(text)
        source = text.encode()
        for one in facts.scopes:
            part = source[one.start_byte : one.end_byte].decode()
            assert one.parent < 0 or one.name in part or part.startswith(("async", "{", "() =>")), one.name


def test_kinds_of_nodes() -> None:
    kinds = {node.qualified_name.removeprefix("src.a."): node.kind for node in build_graph([read(TYPED)]).nodes}
    assert kinds["Cart"] is NodeKind.CLASS
    assert kinds["Cart.add"] is NodeKind.METHOD
    assert kinds["Cart.#total"] is kinds["Priced.total"] is NodeKind.FIELD
    assert kinds["Priced"] is NodeKind.INTERFACE
    assert kinds["Id"] is NodeKind.TYPE_ALIAS
    assert kinds["Kind"] is NodeKind.ENUM
    assert kinds["LIMIT"] is NodeKind.CONSTANT
    assert kinds["Inner"] is kinds["table"] is NodeKind.NAMESPACE
    assert kinds["Inner.deep"] is kinds["table.run"] is kinds["table.stop"] is NodeKind.FUNCTION


def test_imports_of_every_form() -> None:
    text = """
    import a, { b as c } from "./one";
    import * as d from "./two";
    import e = require("./three");
    import "./four";
    export { f } from "./five";
    const g = require("./six"), h = import("./seven");
    """
    found = [(one.module, one.name) for one in read(text).steps if isinstance(one, Import)]
    assert found == [
        ("./one", "default"), ("./one", "b"), ("./two", ""), ("./three", "module.exports"), ("./four", ""),
        ("./five", "f"), ("./six", "module.exports"), ("./seven", ""),
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
def test_broken_code_yields_what_can_be_read(language: str) -> None:
    facts = read("function good() { inner(); }\nclass { ( =>\nfunction other() {}\n\0\nlast();\n", language)
    assert {"good", "other"} <= {one.name for one in facts.scopes}
    assert facts.problems
    assert all(problem.startswith("line ") for problem in facts.problems)
    assert "last" in {facts.sites[one.site].text for one in facts.steps if isinstance(one, Call)}


def test_what_a_program_wrote_is_left_out() -> None:
    facts = read("f(1);" * LONGEST_LINE, "javascript")
    assert facts.steps == ()
    assert len(facts.scopes) == 1
    assert facts.problems[0].startswith("left out: a line of 100000 bytes")
    assert read("f(1);\n" * LONGEST_LINE, "javascript").steps


NESTED = {
    "calls": ("f(", "1", ")"),
    "functions": ("f(function () {", "", "})"),
    "objects": ("x = {a() { return ", "1", "}}"),
    "attributes": ("<A b={", "1", "}/>"),
    "elements": ("<A>", "", "</A>"),
    "patterns": ("[", "a", "]"),
    "defaults": ("(a = ", "1", ") => 1"),
    "blocks": ("{", "", "}"),
}


LEVELS = 400


@pytest.mark.parametrize("form", NESTED)
def test_nesting_without_end_is_said(form: str) -> None:
    opening, middle, closing = NESTED[form]
    head, tail = ("let ", "= b") if form == "patterns" else ("x = ", "") if form == "defaults" else ("", "")
    facts = read(f"{head}{opening * LEVELS}{middle}{closing * LEVELS}{tail};\n", "tsx")
    assert facts.problems == ("line 1: nested too deep",)


def test_long_chains_are_read_whole() -> None:
    facts = read("a" + "\n.b()" * 5_000 + ";\nx = " + "\n+ ".join(["f()"] * 5_000), "javascript")
    assert sum(isinstance(one, Call) for one in facts.steps) == 10_000
    assert facts.problems == ()


def test_construction_is_told_from_calls() -> None:
    steps = read("new A(); B(); <C/>;", "tsx").steps
    assert [type(one) for one in steps if isinstance(one, Call | New)] == [New, Call, Call]


def test_a_call_shows_the_imports_by_which_its_name_came() -> None:
    texts = {
        "main.ts": 'import { go } from "./barrel";\ngo();\n',
        "barrel.ts": 'export { start as go } from "./lib";\n',
        "lib.ts": "export function start() {}\n",
    }
    files = [READER.facts(path, text, language="typescript") for path, text in texts.items()]
    graph = build_graph([one for one in files if isinstance(one, CodeFacts)])
    [call] = [edge for edge in graph.edges if edge.kind is EdgeKind.CALLS]
    assert [(link.path, link.text) for link in call.imports] == [
        ("main.ts", 'import { go } from "./barrel"'),
        ("barrel.ts", 'import { start } from "./lib"'),
    ]
