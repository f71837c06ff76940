"""Graphs of C++, PHP, Ruby, Lua, Zig, Elixir and Julia follow a work tree."""

from hypothesis import settings
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.policy.graph.declared.languages import RULES_OF
from pckc_domain.policy.graph.declared.linker import DeclaredLinker
from pckc_domain.testing.graph_machine import GraphFollowsTree, Language
from pckc_domain.usecases.read_code import SerialReading

CPP = Language(
    name="cpp",
    paths=("src/a.cpp", "src/a.hpp", "src/b.hpp", "src/t.c"),
    lines=(
        '#include "a.hpp"',
        '#include "b.hpp"',
        "namespace n { struct Box { Box(int x); void open(); virtual int size() = 0; }; }",
        "n::Box::Box(int x) { open(); }",
        "namespace n { void Box::open() { size(); } struct Big : Box { int size() { return 2; } }; }",
        "using namespace n;",
        "void run(Box *box) { box->open(); Box made(3); table.start(1); }",
        "static int start(int x) { return x; }",
        "struct ops table = { .start = start };",
        "class API_X Broken : {",
    ),
)
PHP = Language(
    name="php",
    paths=("src/A.php", "src/B.php", "index.php"),
    lines=(
        "<?php",
        "namespace App;",
        "use App\\{A, B as C};",
        "use function App\\go;",
        "class A extends B { use T; function __construct(private B $b) { $this->b->run(); } }",
        "class B { function run() { go(new A($this)); } static function make(): self { return new self(); } }",
        "trait T { function said() { $this->run(); } }",
        "function go($x) { A::make()->said(); C::make()->run(); }",
        "go(1);",
        "function (",
    ),
)
RUBY = Language(
    name="ruby",
    paths=("lib/a.rb", "lib/b.rb", "main.rb"),
    lines=(
        'require_relative "lib/a"',
        "class A < B\n  include M\n  attr_reader :b\n  def initialize = @b = B.new\n  def go = said(b.run)\nend",
        "class B\n  def self.make = new\n  def run\n    helper\n  end\nend",
        "module M\n  def said\n    B.make.run\n  end\nend",
        "def helper\n  A.new.go\nend",
        "helper",
        "class << broken",
    ),
)
LUA = Language(
    name="lua",
    paths=("a.lua", "b.lua", "c/init.lua"),
    lines=(
        'local a = require("a")',
        'local b = require("b")',
        'local c = require("c")',
        "local M = {}\nM.__index = M",
        "function M.new() return setmetatable({}, M) end",
        "function M:run() return self:step() end",
        "function M:step() shared() end",
        "function shared() a.new():run() b.M.new() end",
        "local function shared() return c.new() end",
        "return M",
        "return { new = shared }",
        "function broken(",
    ),
)
ZIG = Language(
    name="zig",
    paths=("src/a.zig", "src/b.zig"),
    lines=(
        'const a = @import("a.zig");',
        'pub const Box = @import("b.zig").Box;',
        "pub const Box = struct { pub fn init() Box { return .{}; } pub fn run(self: *Box) void { go(); } };",
        "pub fn go() void { var box = a.Box.init(); box.run(); }",
        "fn List(comptime T: type) type { return struct { pub fn add(self: *@This()) void { go(); } }; }",
        "test { var list = List(u8){}; list.add(); }",
        "fn broken( {",
    ),
)
ELIXIR = Language(
    name="elixir",
    paths=("lib/a.ex", "lib/b.ex"),
    lines=(
        "defmodule A do\n  import B\n  def run(x), do: x |> step() |> B.go(1)\n  def step(x), do: x\nend",
        "defmodule B do\n  alias C.A\n  def go(x, y \\\\ 1), do: A.run(x)\n  def step(x, y), do: P.show(x)\nend",
        "defmodule C.A do\n  use B\n  def run(x), do: step(x, 1)\nend",
        "defprotocol P do\n  def show(x)\nend",
        "defimpl P, for: A do\n  def show(x), do: A.run(x)\nend",
        "defmodule broken",
    ),
)
JULIA = Language(
    name="julia",
    paths=("a.jl", "b.jl", "src/M.jl"),
    lines=(
        'include("a.jl")',
        'include("b.jl")',
        'include("src/M.jl")',
        "using .M",
        "module M\nexport f\nf(x::Int) = g(x)\nend",
        "struct P\n  x::Int\nend",
        "f(p::P) = g(p.x)",
        "g(x) = f(P(x))",
        "g(x, y) = M.f(x)",
        "f(g(1))",
        "function broken(",
    ),
)

NAMES = ("cpp", "php", "ruby", "lua", "zig", "elixir", "julia")


class ScriptsFollowTree(GraphFollowsTree):
    """With what tree-sitter reads."""

    languages = (CPP, PHP, RUBY, LUA, ZIG, ELIXIR, JULIA)
    linkers = tuple(map(DeclaredLinker, (RULES_OF[name] for name in NAMES)))
    reading = SerialReading(TreeSitterCodeReader())


TestScriptsFollowTree = ScriptsFollowTree.TestCase
TestScriptsFollowTree.settings = settings(max_examples=40, stateful_step_count=16, deadline=None)
