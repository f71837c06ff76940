"""What the readers of Rust, C#, Kotlin, Scala and Swift say of symbols, comments, broken and deeply nested code."""

import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.declared_facts import DeclaredFacts, TypeRef
from pckc_domain.model.graph import NodeKind

LEVELS = 5_000
SUFFIXES = {"rust": "rs", "csharp": "cs", "kotlin": "kt", "scala": "scala", "swift": "swift"}

PROGRAMS = {
    "rust": """\
/// Totals of a cart.
#[derive(Debug)]
pub(crate) struct Cart<T: Item> { pub items: Vec<T>, limit: usize }
pub trait Item { fn price(&self) -> i64; }
pub enum State { Open(u8), Closed }
pub const LIMIT: usize = 3;
type Id = u64;
mod inner { pub fn f() {} }
impl<T: Item> Cart<T> {
    // WHY: rounds down
    pub fn total(&self) -> i64 { 0 }
    fn new() -> Self { Cart { items: vec![], limit: LIMIT } }
}
""",
    "csharp": """\
namespace Shop.Core;
/// <summary>Totals of a cart.</summary>
public partial class Cart<T> : Base, IItem where T : IItem
{
    public const int Limit = 3;
    private List<T> items;
    public int Count => items.Count;
    public int Size { get; set; }
    // WHY: rounds down
    public static long Total(T item) { return 0; }
    internal Cart() : base() { }
    enum State { Open, Closed }
    interface IItem { long Price(); }
    delegate void Done(int x);
}
""",
    "kotlin": """\
package shop
/** Totals of a cart. */
class Cart<T : Item>(val items: List<T>) : Base() {
    private var limit: Int = 3
    val count: Int get() = items.size
    // WHY: rounds down
    fun total(): Long = 0
    companion object { const val LIMIT = 3 }
}
interface Item {
    fun price(): Long
}
enum class State { OPEN, CLOSED }
typealias Id = Long
object Registry
""",
    "scala": """\
package shop
/** Totals of a cart. */
class Cart[T <: Item](val items: List[T]) extends Base with Item {
  private var limit: Int = 3
  def count: Int = items.size
  // WHY: rounds down
  def total(): Long = 0
  type Id = Long
}
trait Item { def price(): Long }
object Cart { val Limit = 3 }
""",
    "swift": """\
/// Totals of a cart.
public class Cart<T: Item>: Base {
    private var items: [T] = []
    var count: Int { items.count }
    // WHY: rounds down
    static func total() -> Int { return 0 }
    init(limit: Int) {}
}
protocol Item { func price() -> Int }
enum State { case open, closed(Int) }
typealias Id = Int
extension Cart { func more() {} }
""",
}

SYMBOLS = {
    "rust": "Cart.items:field Cart.limit:field Cart:struct Id:type_alias Item.price:method Item:trait LIMIT:constant "
    "State.Closed:constant State.Open:constant State:enum inner.f:function inner:namespace new:method total:method",
    "csharp": "Cart.Cart:method Cart.Count:method Cart.Done:type_alias Cart.IItem.Price:method Cart.IItem:interface "
    "Cart.Limit:constant Cart.Size:field Cart.State.Closed:constant Cart.State.Open:constant Cart.State:enum "
    "Cart.Total:method Cart.items:field Cart:class",
    "kotlin": "Cart.Companion.LIMIT:constant Cart.Companion:class Cart.count:method Cart.items:field Cart.limit:field "
    "Cart.total:method Cart:class Id:type_alias Item.price:method Item:interface Registry:class State.CLOSED:constant "
    "State.OPEN:constant State:enum",
    "scala": "Cart.Id:type_alias Cart.Limit:constant Cart.count:method Cart.items:field Cart.limit:field "
    "Cart.total:method Cart:class Cart:class Item.price:method Item:trait",
    "swift": "Cart.count:method Cart.init:method Cart.items:field Cart.total:method Cart:class Id:type_alias "
    "Item.price:method Item:interface State.closed:constant State.open:constant State:enum more:method",
}

DEEP = {
    "rust": [
        ("fn f() { m!(", "(", "x", ")", "); }"),
        ("fn f(x: ", "V<", "u8", ">", ") {}"),
        ("use ", "a::{", "b", "}", ";"),
        ("fn f() { let ", "(", "a", ",)", " = x; }"),
    ],
    "csharp": [("class C { ", "L<", "int", ">", " x; }"), ("class C { int X() { return ", "x => ", "1", "", "; } }")],
    "kotlin": [("val x: ", "L<", "Int", ">", ""), ("fun f() { ", "{ ", "g()", "}", " }")],
    "scala": [
        ("object A { val x: ", "L[", "Int", "]", " = y }"),
        ("object A { x match { case ", "(", "a", ",b)", " => 1 } }"),
    ],
    "swift": [("let x: ", "[", "Int", "]", ""), ("", "extension A {", "", "}", ""), ("let ", "(", "a, b", ")", " = x")],
}


def read(language: str, text: str) -> DeclaredFacts:
    facts = TreeSitterCodeReader().facts(f"src/cart.{SUFFIXES[language]}", text, language=language)
    assert isinstance(facts, DeclaredFacts)
    return facts


def symbols(facts: DeclaredFacts) -> str:
    names = [""]
    found = []
    for one in facts.declarations[1:]:
        around = names[one.parent]
        names.append(f"{around}.{one.name}" if around else one.name)
        if one.kind is not NodeKind.LAMBDA:
            found.append(f"{names[-1]}:{one.kind}")
    return " ".join(sorted(found))


@pytest.mark.parametrize("language", sorted(PROGRAMS))
class TestSymbols:
    def test_all_are_found(self, language: str) -> None:
        assert symbols(read(language, PROGRAMS[language])) == SYMBOLS[language]

    def test_documentation_and_places(self, language: str) -> None:
        text = PROGRAMS[language]
        facts = read(language, text)
        cart = facts.declarations[1]
        assert cart.doc == "Totals of a cart."
        assert "Cart" in cart.signature
        assert text.encode()[cart.start_byte : cart.end_byte].decode().startswith(("#[derive", "public", "class"))
        total = next(one for one in facts.declarations if one.name.lower() == "total")
        assert text.split("\n")[total.start_line - 1].strip().startswith(("pub", "public", "fun", "def", "static"))
        assert [(one.mark, one.text, facts.declarations[one.scope]) for one in facts.rationale] == [
            ("WHY", "rounds down", total)
        ]

    def test_broken_code_keeps_what_can_be_read(self, language: str) -> None:
        whole = read(language, PROGRAMS[language])
        assert whole.problems == ()
        broken = read(language, PROGRAMS[language] + "\n)]} ((( %%%\n")
        assert broken.problems
        assert len(broken.declarations) >= len(whole.declarations) // 3

    def test_other_letters_and_line_ends_move_nothing(self, language: str) -> None:
        text = PROGRAMS[language].replace("Totals", "Čísla ₿ 🦀").replace("\n", "\r\n")
        facts = read(language, "\ufeff" + text)
        assert symbols(facts) == SYMBOLS[language]
        source = ("\ufeff" + text).encode()
        for one in facts.declarations[1:]:
            assert one.name.encode() in source[one.start_byte : one.end_byte] or one.name == "Companion"
            assert source[: one.start_byte].count(b"\n") == one.start_line - 1

    def test_deep_nesting_ends(self, language: str) -> None:
        for before, opening, middle, closing, behind in DEEP[language]:
            read(language, before + opening * LEVELS + middle + closing * LEVELS + behind)


def test_rust_paths_are_absolute() -> None:
    facts = read("rust", "use crate::a::{b, c as d};\nmod inner { use super::*; fn f() { super::g(); } }\n")
    assert [(one.module, one.name, one.alias) for one in facts.imports] == [
        ("src/.a", "b", "b"),
        ("src/.a", "c", "d"),
        ("src/.cart", "*", ""),
    ]


def test_rust_holders_are_seen_through() -> None:
    facts = read("rust", "fn f(a: Arc<Box<dyn Draw>>, b: &'a mut Vec<Foo>, c: impl Fn(u8) -> Bar) {}\n")
    assert [one.type for one in facts.declarations[1].parameters] == [
        TypeRef("Draw"),
        TypeRef("[]", (TypeRef("Foo"),)),
        TypeRef("->", (TypeRef("u8"), TypeRef("Bar"))),
    ]
