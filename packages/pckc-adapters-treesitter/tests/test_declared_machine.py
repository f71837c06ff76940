"""
Whatever is edited, deleted, renamed, added and taken back: the stored graph is that of a fresh link.

Programs are made of snippets that call and build on each other, in files that may or may not be there.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from pckc_adapters_treesitter.code_reader import TreeSitterCodeReader
from pckc_domain.model.linking import FileChange
from pckc_domain.model.progress import ignore_progress
from pckc_domain.policy.graph.declared.languages import RULES_OF
from pckc_domain.policy.graph.declared.linker import DeclaredLinker
from pckc_domain.testing.link_memory import DictLinkMemory

READER = TreeSitterCodeReader()


@attrs.frozen
class Program:
    """Paths at which files may stand, snippets they may hold, and what begins a file at a path."""

    language: str
    paths: tuple[str, ...]
    snippets: tuple[str, ...]
    settings: tuple[Mapping[str, str], ...] = ({},)

    def text(self, path: str, chosen: Sequence[int]) -> str:
        """Return a file."""
        body = "\n".join(self.snippets[number] for number in chosen)
        return f"{_HEADS[self.language](path, body)}\n{body}\n"


def _go_head(path: str, body: str) -> str:
    folder = path.partition("/")[0]
    used = [f'import "m/{other}"' for other in ("p", "q") if f"{other}." in body and other != folder]
    return "\n".join([f"package {folder}", *used])


def _java_head(path: str, body: str) -> str:
    folder = path.partition("/")[0]
    other = "q" if folder == "p" else "p"
    return f"package {folder};\nimport {other}.*;\nimport java.util.List;\nimport {other}.Base;" + (
        "" if body else "\n"
    )


def _rust_head(path: str, _: str) -> str:
    return "mod p;\nmod q;\nuse p::*;" if path == "src/lib.rs" else "use crate::q::make;\nuse super::*;"


def _space_head(pattern: str) -> Any:
    """Return the head of a file whose namespace is its folder and that takes all of the other folder's names."""

    def head(path: str, _: str) -> str:
        own = path.partition("/")[0]
        return pattern.format(own=own, other="q" if own == "p" else "p")

    return head


_HEADS: Mapping[str, Any] = {
    "csharp": _space_head("using {other};\nnamespace {own};"),
    "kotlin": _space_head("package {own}\nimport {other}.*"),
    "scala": _space_head("package {own}\nimport {other}._"),
    "swift": lambda _, __: "",
    "go": _go_head,
    "java": _java_head,
    "cpp": lambda path, _: "" if path == "base.h" else '#include "base.h"\n#include "more.h"',
    "rust": _rust_head,
    "ruby": lambda _, __: "",
    "julia": lambda path, _: 'include("p.jl")\ninclude("q.jl")' if path == "main.jl" else "",
}

GO = Program(
    "go",
    ("p/a.go", "p/b.go", "p/a_test.go", "q/a.go", "q/b.go"),
    (
        "type A struct {\n\tB\n\tc C\n}",
        "type A struct{ b *B }",
        "type B struct{}",
        "type C interface {\n\tRun()\n\tStop() B\n}",
        "type C = B",
        "func (a *A) Run() { a.Stop(); a.c.Run(); a.b.Run() }",
        "func (b B) Stop() B { return b }",
        "func (b *B) Run() { b.Stop().Run() }",
        "// New makes.\nfunc New() *A { return &A{} }",
        "func New() C { return nil }",
        "func Use() {\n\t// TODO: less\n\tNew().Stop()\n\tx := New()\n\tx.Run()\n\thelper(x.Run)\n}",
        "func helper(f func()) { f() }",
        "type E struct{ f func() }\n\nfunc (e E) Call() { e.f() }\n\nvar table = []func(){Use, Near}",
        "func Keep(e *E) { e.f = Use; helper(Use); helper(Far) }",
        "func Pick() { e := &E{f: Far}; e.Call(); for _, f := range table { f() } }",
        "func Far() { q.New().Run(); q.Use(); var a q.A; a.Stop() }",
        "func Near(c C, a *A) { c.Stop().Run(); a.b.Stop(); p.Use() }",
        "type D struct{ q.A }",
        "func (d D) Go() { d.Run(); d.Stop(); d.A.Run() }",
    ),
    ({"go.mod": "module m\n"}, {"go.mod": "module n\n"}),
)
JAVA = Program(
    "java",
    ("p/Base.java", "p/Use.java", "p/UseTest.java", "q/Base.java", "q/More.java"),
    (
        "class Base { Item item; Item make() { return item; } void run() { make().go(); } }",
        "class Base<T> { T item; T make() { return item; } void run(T one) { run(make()); } }",
        "class Base implements Runner { public void run() { stop(); } void stop() {} }",
        "interface Runner { void run(); default void twice() { run(); run(); } }",
        "class Item extends Base { void go() { run(); } }",
        "class Item { Item() { go(); } void go() {} void go(int times) { go(); } }",
        "class Use { void all(List<Item> items) { for (Item i : items) i.go(); new Item().go(1); } }",
        "class Use { void all(Runner runner) { runner.run(); runner.twice(); new Base().run(); } }",
        "class Mine extends Base<Item> { void act() { make().go(); item.go(); super.run(null); } }",
        "class Mine implements Runner { public void run() { new Use().all(this); /* NOTE: once */ } }",
        "class Hold { Runnable r; Hold(Runnable r) { this.r = r; } void go() { r.run(); } }",
        "class Give { void a() { new Hold(this::b); new Hold(Item::go); } void b() {} }",
        "class Far { q.Base base; void act() { base.make().go(); p.Use use = new p.Use(); use.all(null); } }",
        "enum Kind { ONE, TWO; void pick() { ONE.pick(); new Mine().act(); } }",
    ),
)
CPP = Program(
    "cpp",
    ("base.h", "more.h", "base.cpp", "use.cpp", "lib/more.h"),
    (
        "struct Base { void run(); virtual int size() = 0; };",
        "struct Base { void run() { size(); } int size(); };",
        "void Base::run() { size(); helper(); }",
        "int Base::size() { return 1; }",
        "void helper();",
        "struct Holder { void (*f)(); void call() { f(); } };",
        "void fill(Holder *h) { h->f = helper; }\nvoid (*const fs[])() = {helper, all};\nvoid each() { fs[0](); }",
        "void helper() {}",
        "static void helper(int n) { helper(); }",
        "namespace n { struct Base { void run() {} }; void helper() {} }",
        "struct Mine : Base { int size() { run(); return 2; } };",
        "void use(Base *b) { b->run(); b->size(); helper(); n::helper(); }",
        "void all() { Mine m; m.run(); n::Base b; b.run(); helper(1); }",
    ),
)
RUST = Program(
    "rust",
    ("src/lib.rs", "src/p.rs", "src/q.rs", "src/q/mod.rs", "src/p/deep.rs"),
    (
        "pub struct A { b: B }",
        "pub struct B;",
        "pub trait Run { fn run(&self); fn twice(&self) { self.run(); } }",
        "impl Run for A { fn run(&self) { self.b.stop(); } }",
        "impl Run for B { fn run(&self) { self.twice(); } }",
        "impl B { pub fn stop(&self) -> B { make() } }",
        "pub fn make() -> B { B }",
        "pub fn make() -> A { A { b: crate::q::make() } }",
        "pub fn go(r: &dyn Run) { r.run(); make().stop(); crate::p::make(); }",
        "pub use crate::p::*;",
        "pub mod deep;",
        "pub fn all(items: Vec<A>) { for one in items { one.run(); go(&one); } }",
        "macro_rules! m { () => { make() } }",
        'pub fn twice() { m!(); println!("{:?}", make().stop()); }',
        "impl<T: Run> More for T {}\npub trait More: Run { fn more(&self) { self.run(); } }",
        "pub fn rest(a: A, b: B) { a.more(); b.more(); b.run(); }",
        "#[cfg(test)]\nmod tests {\n    use super::*;\n    struct F;\n"
        "    impl Run for F { fn run(&self) { all(vec![]); } }\n}",
    ),
)
RUBY = Program(
    "ruby",
    ("a.rb", "b.rb", "lib/c.rb", "spec/a_spec.rb"),
    (
        "class A < B\n  def run\n    super\n    help\n  end\nend",
        "class A\n  include M\n  def initialize\n    @b = B.new\n  end\n  def go\n    @b.run\n    run\n  end\nend",
        "class B\n  def run; end\n  def self.make\n    new\n  end\nend",
        "module M\n  def run\n    go\n  end\n  def help; end\nend",
        "def help\n  A.new.run\n  B.make.run\nend",
        "def all(x)\n  x.run\n  help\n  M.go\nend",
        "module N\n  class A\n    def run\n      B.new.run\n    end\n  end\n  class B < ::B\n  end\nend",
    ),
)
JULIA = Program(
    "julia",
    ("main.jl", "p.jl", "q.jl", "other.jl"),
    (
        "struct A\n    n::Int\nend",
        "abstract type Base end\nstruct B <: Base\n    a::A\nend",
        "run(a::A) = stop(a)",
        "run(b::B) = run(b.a)",
        "stop(x) = x",
        "stop(a::A, n) = run(a)",
        "module M\nexport go\ngo() = stop(1)\nstop(x) = x\nend",
        "using .M\nall(b::B) = (run(b); go(); M.stop(2))",
    ),
)
CSHARP = Program(
    "csharp",
    ("p/A.cs", "p/B.cs", "p/UseTests.cs", "q/C.cs"),
    (
        "public partial class A : Base { public int Size => Load(); B b; }",
        "public partial class A { int Load() { return b.Count; } public A(int n) : base(n) { } }",
        "public class B { public int Count { get { return Go(); } } int Go() => 1; }",
        "public class B { public int Count; private int Go(int n = 0) => n; }",
        "public class Base { protected Base(int n) { Run(); } public virtual void Run() { } }",
        "public interface IRun { void Run(); }",
        "public class Base : IRun { public void Run() { } public Base(int n) { } }",
        "public static class Ext { public static T Same<T>(this T one) => one; public static void "
        "Up(this A a) { a.Run(); } }",
        "class Use { void All(IRun run, A a) { run.Run(); a.Same().Up(); int n = a.Size; new "
        "A(1).Run(); Ext.Up(a); } }",
        "class Use { Func<A, int> f = a => a.Size; void All(List<A> l) { l.ForEach(x => x.Run()); f(null); } }",
        "namespace Inner { class B { public void Count() { } } class In { void F(B b, A a) { b.Count(); a.Run(); } } }",
    ),
)
KOTLIN = Program(
    "kotlin",
    ("p/a.kt", "p/b.kt", "p/bTest.kt", "q/c.kt"),
    (
        "class A(val b: B) : Base() {\n    val size: Int get() = load()\n    fun load() = b.count()\n}",
        "class B {\n    fun count(): Int = help()\n    companion object {\n        fun make(): B = B()\n    }\n}",
        "class B {\n    val count = 1\n    operator fun invoke() { help() }\n}",
        "open class Base : Run {\n    override fun run() { help() }\n}",
        "interface Run {\n    fun run()\n    fun twice() { run() }\n}",
        "private fun help(): Int = 1",
        "fun help(n: Int = 0): Int = n",
        "fun A.up() { run() }\nfun <T> T.same(): T = this",
        "fun <T : Run> T.same(): T = this\nval A.double: Int get() = size",
        "fun all(r: Run, a: A) {\n    r.twice()\n    a.same().up()\n    a.size\n    B.make().count()\n    a.b()\n}",
        "fun each(l: List<A>) {\n    l.forEach { it.up() }\n    val f: (A) -> Unit = { it.run() }\n"
        "    A(B()).apply { load() }\n}",
    ),
)
SCALA = Program(
    "scala",
    ("p/a.scala", "p/b.scala", "q/c.scala"),
    (
        "class A(b: B) extends Base with Run {\n  def size: Int = b.count()\n}",
        "class B {\n  def count(): Int = B.help\n}",
        "object B {\n  def help: Int = 1\n  def apply(n: Int): B = new B\n}",
        "case class B(n: Int) {\n  def count(): Int = n\n}",
        "trait Run {\n  def size: Int\n  def run(): Unit = size\n}",
        "abstract class Base {\n  def stop(): Unit = ()\n}",
        "object Use {\n  import B._\n  def all(r: Run, a: A): Unit = {\n    r.run()\n    a.stop()\n"
        "    B(1).count()\n    help\n  }\n}",
        "object Each {\n  def all(l: List[A]) = l.map(_.size)\n"
        "  def one(o: Option[A]) = o match { case Some(a) => a.stop() }\n}",
    ),
)
SWIFT = Program(
    "swift",
    ("a.swift", "b.swift", "Tests/bTests.swift"),
    (
        "class A: Base {\n    let b: B\n    var size: Int { b.count() }\n    init(b: B) { self.b = b; run() }\n}",
        "struct B {\n    func count() -> Int { return help() }\n    static func make() -> B { return B() }\n}",
        "enum B {\n    case one, two(A)\n    func count() -> Int { switch self { case .two(let a): "
        "a.run(); default: help() } }\n}",
        "class Base {\n    func run() { help() }\n}",
        "protocol Run { func run() }",
        "extension Run { func twice() { run() } }",
        "extension Base: Run {}",
        "extension A: Run { func run() {} }",
        "fileprivate func help() -> Int { return 1 }",
        "func help() -> Int { return 2 }",
        "func all(r: Run, a: A) {\n    r.twice()\n    a.twice()\n    _ = a.size\n    B.make().count()\n}",
        "func each(l: [A]) {\n    l.forEach { $0.run() }\n    let f: (A) -> Void = { $0.twice() }\n}",
    ),
)
PROGRAMS = {program.language: program for program in (GO, JAVA, CPP, RUST, RUBY, JULIA, CSHARP, KOTLIN, SCALA, SWIFT)}


class Store:
    """A graph that is kept by linking again and again."""

    def __init__(self, language: str) -> None:
        self._linker = DeclaredLinker(RULES_OF[language])
        self._language = language
        self.memory = DictLinkMemory()
        self._texts: dict[str, str] = {}

    def update(self, texts: Mapping[str, str], project: Mapping[str, str]) -> int:
        """Link the difference to what is there, and return how many files were linked."""
        gone = sorted(self._texts.keys() - texts.keys())
        changes = []
        for path in sorted(texts):
            if self._texts.get(path) != texts[path]:
                facts = READER.facts(path, texts[path], language=self._language)
                assert facts is not None
                changes.append(FileChange(facts=facts, content_hash=texts[path]))
        linked = list(
            self._linker.link(
                changes,
                gone=gone,
                known=dict.fromkeys(texts, self._language),
                settings=project,
                memory=self.memory,
                progress=ignore_progress,
            )
        )
        self.memory.take(linked, gone)
        self._texts = dict(texts)
        return len(linked)


class Machine(RuleBasedStateMachine):
    """Edits of a program."""

    program = GO

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.before: dict[str, str] = {}
        self.settings = 0
        self.store = Store(self.program.language)

    def _change(self, texts: dict[str, str]) -> None:
        self.before, self.texts = self.texts, texts

    @rule(data=st.data())
    def write(self, data: st.DataObject) -> None:
        """Write some files."""
        texts = dict(self.texts)
        snippets = st.lists(st.integers(0, len(self.program.snippets) - 1), max_size=6)
        for path in data.draw(st.lists(st.sampled_from(self.program.paths), min_size=1, max_size=3, unique=True)):
            texts[path] = self.program.text(path, data.draw(snippets))
        self._change(texts)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """Delete a file."""
        gone = data.draw(st.sampled_from(self.program.paths))
        self._change({path: text for path, text in self.texts.items() if path != gone})

    @rule(data=st.data())
    def rename(self, data: st.DataObject) -> None:
        """Move a file, perhaps over another one."""
        source, target = data.draw(st.permutations(self.program.paths))[:2]
        texts = dict(self.texts)
        if source in texts:
            texts[target] = texts.pop(source)
        self._change(texts)

    @rule()
    def revert(self) -> None:
        """Take the last change back."""
        self._change(self.before)

    @rule()
    def configure(self) -> None:
        """Change the project's settings."""
        self.settings = (self.settings + 1) % len(self.program.settings)

    @invariant()
    def stored_equals_fresh(self) -> None:
        """Compare with a fresh link, node for node and edge for edge."""
        project = self.program.settings[self.settings]
        self.store.update(self.texts, project)
        fresh = Store(self.program.language)
        fresh.update(self.texts, project)
        assert self.store.memory.graphs == fresh.memory.graphs
        assert {path: self.store.memory.hashes[path] for path in self.texts} == self.texts


@pytest.mark.parametrize("language", PROGRAMS)
def test_any_sequence_equals_a_fresh_link(language: str) -> None:
    machine = type(f"{language.title()}Machine", (Machine,), {"program": PROGRAMS[language]})
    run_state_machine_as_test(machine, settings=settings(max_examples=15, stateful_step_count=14, deadline=None))


def test_only_those_who_asked_are_linked_again() -> None:
    texts = {
        "p/a.go": "package p\n\nfunc Used() {}\n",
        "p/b.go": "package p\n\nfunc User() { Used() }\n",
        "q/c.go": "package q\n\nfunc Apart() {}\n",
    }
    store = Store("go")
    assert store.update(texts, {}) == 3
    assert store.update(texts, {}) == 0
    texts["p/a.go"] = "package p\n\nfunc Used() { println() }\n"
    assert store.update(texts, {}) == 1
    texts["p/a.go"] = "package p\n\nfunc Used(n int) {}\n"
    assert store.update(texts, {}) == 2
    texts["q/d.go"] = "package q\n\nfunc Other() {}\n"
    assert store.update(texts, {}) == 1


def test_what_was_not_found_is_asked_for() -> None:
    texts = {"p/b.go": "package p\n\nfunc User() { used() }\n"}
    store = Store("go")
    store.update(texts, {})
    assert not any(edge.kind == "calls" for edge in store.memory.graphs["p/b.go"].edges)
    texts["p/a.go"] = "package p\n\nfunc used() {}\n"
    assert store.update(texts, {}) == 2
    assert [edge.target for edge in store.memory.graphs["p/b.go"].edges if edge.kind == "calls"] == [
        "p/a.go#used#function#0"
    ]
