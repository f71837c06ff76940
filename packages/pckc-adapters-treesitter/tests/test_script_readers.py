"""What the readers of C, C++, PHP, Ruby, Lua, Zig, Elixir and Julia say of symbols, comments, macros and deep code."""

import pytest
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.declared_facts import DeclaredFacts, TypeRef

LEVELS = 1_500

PROGRAMS: dict[str, tuple[str, list[str]]] = {
    "c": (
        """\
/* Adds up. */
int add(int a, int b);
static int twice(int a)
{
    /* WHY: it is fast */
    return add(a, a);
}
typedef struct node { struct node *next; } node_t;
enum color { RED, GREEN };
#define LIMIT 3
#define LOG(x) write(x)
static const int size = LIMIT;
int (*handler)(int);
""",
        [
            "function add | Adds up. | promised",
            "static function twice",
            "struct node",
            "public field node.next",
            "type_alias node_t",
            "enum color",
            "constant color.RED",
            "constant color.GREEN",
            "constant LIMIT",
            "function LOG",
            "static constant size",
            "variable handler",
        ],
    ),
    "cpp": (
        """\
namespace shop {
// Totals of a cart.
template <class T> class Cart : public Base<T> {
public:
    explicit Cart(int limit) : limit_(limit) {}
    // WHY: it is fast
    static int total(const T &item);
    operator bool() const;
private:
    int limit_ = 3;
};
using Id = long;
}
""",
        [
            "namespace shop",
            "class shop.Cart | Totals of a cart.",
            "public method shop.Cart.Cart",
            "public method shop.Cart.total | WHY: it is fast | promised",
            "public method shop.Cart.operator bool | promised",
            "private field shop.Cart.limit_",
            "type_alias shop.Id",
        ],
    ),
    "php": (
        """\
<?php
namespace App;
/** Totals of a cart. */
abstract class Cart extends Base implements Sums {
    const LIMIT = 3;
    private ?Item $item = null;
    public function __construct(protected int $count) {}
    // WHY: it is fast
    abstract public function total(): int;
}
trait Loud { private static function shout() {} }
enum Color { case Red; }
function top() {}
""",
        [
            "class Cart | Totals of a cart.",
            "public constant Cart.LIMIT",
            "private field Cart.item",
            "public method Cart.__construct",
            "protected field Cart.count",
            "public method Cart.total | WHY: it is fast | promised",
            "trait Loud",
            "private method Loud.shout",
            "enum Color",
            "constant Color.Red",
            "function top",
        ],
    ),
    "ruby": (
        """\
# Totals of a cart.
class Cart < Base
  include Loud
  LIMIT = 3
  attr_reader :items
  def initialize
    @items = []
  end
  def self.open = new
  private
  # WHY: it is fast
  def total; end
end
""",
        [
            "class Cart | Totals of a cart.",
            "constant Cart.LIMIT",
            "public field Cart.items",
            "public method Cart.initialize",
            "public method Cart.open",
            "private method Cart.total | WHY: it is fast",
            "field Cart.@items",
        ],
    ),
    "lua": (
        """\
-- Totals of a cart.
local Cart = {
  limit = 3,
}
Cart.__index = Cart
function Cart.new() return setmetatable({}, Cart) end
-- WHY: it is fast
function Cart:total() end
local function helper() end
function shared() end
return Cart
""",
        [
            "class Cart | Totals of a cart.",
            "field Cart.limit",
            "method Cart.new",
            "method Cart.total | WHY: it is fast",
            "local function helper",
            "function shared",
        ],
    ),
    "zig": (
        """\
/// Totals of a cart.
pub const Cart = struct {
    limit: u32 = 3,
    // WHY: it is fast
    pub fn total(self: *Cart) u32 { return self.limit; }
};
const Color = enum { red };
fn top() void {}
var count: u32 = 0;
""",
        [
            "public struct Cart | Totals of a cart.",
            "field Cart.limit",
            "public method Cart.total | WHY: it is fast",
            "private enum Color",
            "constant Color.red",
            "private function top",
            "private variable count",
        ],
    ),
    "elixir": (
        """\
defmodule Shop.Cart do
  @moduledoc "Totals of a cart."
  @limit 3
  defstruct [:items]
  @callback sum(term) :: integer
  @doc "All of it."
  def total(0), do: 0
  def total(n), do: n
  # WHY: it is fast
  defp helper, do: @limit
end
defprotocol Size do
  def size(x)
end
defimpl Size, for: Shop.Cart do
  def size(_), do: 1
end
""",
        [
            "namespace Shop",
            "namespace Shop.Cart | Totals of a cart.",
            "constant Shop.Cart.@limit",
            "field Shop.Cart.items",
            "function Shop.Cart.sum | promised",
            "public function Shop.Cart.total | All of it.",
            "private function Shop.Cart.helper | WHY: it is fast",
            "interface Size",
            "public method Size.size | promised",
            "class Size.Shop.Cart",
            "public method Size.Shop.Cart.size",
        ],
    ),
    "julia": (
        """\
module Shop
"Totals of a cart."
mutable struct Cart <: Base
    limit::Int
    Cart() = new(3)
end
abstract type Base end
const LIMIT = 3
# WHY: it is fast
total(cart::Cart) = cart.limit
function helper(x; y = 1) end
macro loud(x) end
end
""",
        [
            "namespace Shop",
            "struct Shop.Cart | Totals of a cart.",
            "field Shop.Cart.limit",
            "method Shop.Cart.Cart",
            "class Shop.Base",
            "constant Shop.LIMIT",
            "function Shop.total | WHY: it is fast",
            "function Shop.helper",
            "function Shop.@loud",
        ],
    ),
}

DEEP = {
    "c": ["int x{};", "struct A {{ {} int y; }};", "x = {};"],
    "cpp": ["f({})", "x{}();", "namespace a {{ {} }}", "A<{}> x;"],
    "php": ["<?php $x{};", "<?php $x = {};", "<?php {} = $c;"],
    "ruby": ["{}", "x = {}"],
    "lua": ["x = {}", "{}()", "local t = {}"],
    "zig": ["const x: {}T = 1;", "fn f() {} {{}}", "const x = {};"],
    "elixir": ["x = {}", "{} |> b"],
    "julia": ["f(x::{}) = 1", "x = {}", "{}.b()"],
}
PIECES = [
    ("[", "]"),
    ("(", ")"),
    ("a.", "b"),
    ("[]", ""),
    ("->a", ""),
    ("A<", ">"),
    ("A(", ")"),
    ("{a=", "1}"),
    ("[$a,", "]"),
]


def facts(text: str, language: str, path: str = "a/b.x") -> DeclaredFacts:
    found = TreeSitterCodeReader().facts(path, text, language=language)
    assert isinstance(found, DeclaredFacts)
    return found


def symbols(found: DeclaredFacts) -> list[str]:
    names = [""]
    rows = []
    for one in found.declarations[1:]:
        names.append(f"{names[one.parent]}.{one.name}".lstrip("."))
        words = [one.visibility, str(one.kind), names[-1]]
        notes = [one.doc, "" if one.has_body else "promised"]
        rows.append(" | ".join([" ".join(filter(None, words)), *filter(None, notes)]))
    return rows


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_the_symbols_of_a_program(language: str) -> None:
    text, expected = PROGRAMS[language]
    found = facts(text, language)
    assert not found.problems
    assert sorted(symbols(found)) == sorted(expected)


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_a_reason_belongs_to_what_it_speaks_of(language: str) -> None:
    found = facts(PROGRAMS[language][0], language)
    (reason,) = found.rationale
    owner = found.declarations[reason.scope].name
    assert (reason.mark, reason.text) == ("WHY", "it is fast")
    assert owner == {"c": "twice", "elixir": "helper"}.get(language, "total")


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_bytes_and_lines_hold_after_odd_characters(language: str) -> None:
    text = PROGRAMS[language][0]
    comment = {"php": "", "lua": "-- é\n", "ruby": "# é\n", "elixir": "# é\n", "julia": "# é\n"}.get(language, "// é\n")
    moved = "\ufeff" + (comment + text).replace("\n", "\r\n")
    plain, odd = facts(text, language).declarations, facts(moved, language).declarations
    assert [one.name for one in plain] == [one.name for one in odd]
    source = moved.encode()
    for one in odd[1:]:
        assert source[: one.start_byte].count(b"\n") == one.start_line - 1


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_broken_code_yields_what_can_be_read(language: str) -> None:
    found = facts(PROGRAMS[language][0] + "\n)]} (((( \n", language)
    assert found.problems
    assert len(found.declarations) >= 4


@pytest.mark.parametrize("language", sorted(DEEP))
def test_deep_nesting_is_read(language: str) -> None:
    for frame in DEEP[language]:
        for opening, closing in PIECES:
            facts(frame.format(opening * LEVELS + "y" + closing * LEVELS) + "\n", language)


def test_macros_hide_no_declaration() -> None:
    found = facts(
        "FW_BEGIN\nFW_LOCAL void flush() {}\nclass FW_DECL(1) FW_API Widget : public Object {\n    FW_OBJECT\npublic:\n"
        "    FW_SLOT void paint() FW_NOTHROW { flush(); }\n};\nFW_END\n",
        "cpp",
    )
    assert symbols(found) == ["function flush", "class Widget", "public method Widget.paint"]
    assert found.declarations[2].bases == (TypeRef("Object"),)
    assert "void paint()" in found.declarations[3].signature


def test_a_header_named_like_c_may_speak_cpp() -> None:
    found = facts("namespace n {\nclass A {\npublic:\n    int f();\n};\n}\n", "c", "a/b.h")
    assert symbols(found) == ["namespace n", "class n.A", "public method n.A.f | promised"]
    assert found.language == "c"


def test_a_type_of_php_is_what_it_may_be_besides_null() -> None:
    found = facts("<?php\nclass A { private ?B $b; private B|null $c; private int|string $d; }\n", "php")
    assert [one.type for one in found.declarations[2:]] == [TypeRef("B"), TypeRef("B"), None]
