"""Whatever is done to a work tree, the graph that follows it equals one made of it at once."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import attrs
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pckc_domain.model.graph import Graph, GraphLayer
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.linking import Linker
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.graph_sync import GraphSync
from pckc_domain.usecases.read_code import CodeReading

SCOPE = Scope(project="example.org/project")


@attrs.frozen(kw_only=True)
class Language:
    """
    What programs in a language are put together from.

    Attributes:
        paths: Where files may stand.
        lines: Statements; any rows of them make a file, if an odd one.
    """

    name: str
    paths: Sequence[str]
    lines: Sequence[str]


PYTHON = Language(
    name="python",
    paths=("a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "pkg/d.py", "tests/test_a.py"),
    lines=(
        "from a import f",
        "from b import f as g",
        "from pkg import *",
        "from pkg.c import Base",
        "from . import c",
        "import pkg.d",
        "import a, b",
        "def f(x=None):\n    return g()",
        "def g():\n    # WHY: it must\n    return f(g)",
        "class Base:\n    def run(self):\n        return self.step()\n    def step(self):\n        return f()",
        "class Child(Base):\n    def step(self):\n        return super().step()",
        "value = Child().run()",
        "pkg.d.f()",
        "c.Base().run()",
        "f(g)",
        "def broken(:",
    ),
)

SCRIPT = Language(
    name="javascript",
    paths=("web/a.js", "web/b.ts", "web/index.js", "web/package.json"),
    lines=(
        "import { f } from './a'",
        "import g, * as all from './b'",
        "export * from './a'",
        "export { Till as default } from './b'",
        "const a = require('./a')",
        '{"main": "index.js"}',
        "export function f(x) { return g(x) }",
        "export class Till { count() { return f(this) } }",
        "class Safe extends Till { count() { return super.count() } }",
        "const value = new Till().count()",
        "module.exports = { f }",
        "all.f(() => a.f())",
        "function broken( {",
    ),
)

GO = Language(
    name="go",
    paths=("go.mod", "main.go", "shop/shop.go", "shop/more.go", "tax/tax.go"),
    lines=(
        "module example.org/app",
        "package main",
        "package shop",
        "package tax",
        'import "example.org/app/shop"',
        'import t "example.org/app/tax"',
        "type Seller interface { Sell() int }",
        "type Shop struct { till Till }\ntype Till struct {}",
        "func (s Shop) Sell() int { return s.till.Count() + Rate() }",
        "func (t Till) Count() int { return 1 }",
        "func Rate() int { return 2 }",
        "func Open() Shop { return Shop{} }",
        "func main() { shop.Open().Sell(); t.Rate() }",
        "func any(s Seller) { s.Sell() }",
        "func broken( {",
    ),
)

JAVA = Language(
    name="java",
    paths=("a/Shop.java", "a/Till.java", "b/Main.java"),
    lines=(
        "package a;",
        "package b;",
        "import a.*;",
        "import a.Till;",
        "interface Seller { int sell(); }",
        "class Shop implements Seller { Till till = new Till(); public int sell() { return till.count(); } }",
        "class Till { int count() { return 1; } static Till open() { return new Till(); } }",
        "class Safe extends Till { int count() { return super.count(); } }",
        "class Main { void run(Seller s) { s.sell(); Till.open().count(); new Shop().sell(); } }",
        "class {",
    ),
)

C = Language(
    name="c",
    paths=("src/a.c", "src/a.h", "src/b.c"),
    lines=(
        '#include "a.h"',
        "int count(int x);",
        "int count(int x) { return x; }",
        "static int twice(int x) { return count(count(x)); }",
        "int run(void) { return twice(2) + missing(); }",
        "#define MACRO(x) count(x)",
        "int broken( {",
    ),
)


class GraphFollowsTree(RuleBasedStateMachine):
    """
    Edits, additions, deletions, renames and reverts, with a run now and then; to be given what is linked.

    Attributes:
        languages: What programs are written in.
        linkers: Link them.
        reading: Reads them.
    """

    languages: ClassVar[Sequence[Language]]
    linkers: ClassVar[Sequence[Linker]]
    reading: ClassVar[CodeReading]

    def __init__(self) -> None:
        super().__init__()
        self.source = MemoryRepository()
        self.canonical = MemoryCanonical()
        self.files: dict[str, bytes] = {}
        self.history: list[dict[str, bytes]] = []
        self.is_synced = False

    @rule(data=st.data())
    def write(self, data: st.DataObject) -> None:
        """Make or change a file."""
        language = data.draw(st.sampled_from(self.languages))
        path = data.draw(st.sampled_from(language.paths))
        lines = data.draw(st.lists(st.sampled_from(language.lines), max_size=5))
        self._become({**self.files, path: "\n".join(lines).encode()})

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        """Delete a file, if there is one."""
        if self.files:
            path = data.draw(st.sampled_from(sorted(self.files)))
            self._become({name: text for name, text in self.files.items() if name != path})

    @rule(data=st.data())
    def rename(self, data: st.DataObject) -> None:
        """Move a file to another place of its language."""
        if self.files:
            path = data.draw(st.sampled_from(sorted(self.files)))
            language = next(one for one in self.languages if path in one.paths)
            to = data.draw(st.sampled_from(language.paths))
            rest = {name: text for name, text in self.files.items() if name != path}
            self._become({**rest, to: self.files[path]})

    @rule(data=st.data())
    def revert(self, data: st.DataObject) -> None:
        """Bring back how everything was once."""
        if self.history:
            self._become(data.draw(st.sampled_from(self.history)))

    @rule()
    def sync(self) -> None:
        """Let the graph follow."""
        self._sync(self.canonical)
        self.is_synced = True

    @invariant()
    def equals_a_fresh_graph(self) -> None:
        """Node for node, edge for edge, call for call."""
        if self.is_synced:
            fresh = MemoryCanonical()
            self._sync(fresh)
            assert self._graph(self.canonical) == self._graph(fresh)

    def _become(self, files: Mapping[str, bytes]) -> None:
        self.history.append(self.files)
        for path in self.files.keys() - files.keys():
            self.source.remove(path)
        for path, text in files.items():
            if self.files.get(path) != text:
                self.source.write(path, text)
        self.files = dict(files)
        self.is_synced = False

    def _sync(self, canonical: MemoryCanonical) -> None:
        sync = GraphSync(canonical, self.source, FixedClock(), reading=self.reading, linkers=self.linkers)
        sync.run(SCOPE)

    def _graph(self, canonical: MemoryCanonical) -> Graph:
        with canonical.reading(SCOPE) as work:
            return work.graph(self.source.checkout().id, GraphLayer.REPOSITORY).links.whole()
