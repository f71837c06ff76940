"""Whatever is done to a work tree, the graph that follows it equals one made of it at once."""

from collections.abc import Mapping, Sequence

import attrs
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from pckc_domain.model.graph import Graph, GraphLayer
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.linking import Linker
from pckc_domain.policy.graph.whole_linker import WholeLinker
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases.graph_sync import GraphSync
from pckc_domain.usecases.read_code import SerialReading

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

LANGUAGES = (PYTHON,)


def linkers() -> Sequence[Linker]:
    """Return what links the languages."""
    return [WholeLinker()]


class GraphFollowsTree(RuleBasedStateMachine):
    """Edits, additions, deletions, renames and reverts, with a run now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.source = MemoryRepository()
        self.canonical = MemoryCanonical()
        self.files: dict[str, bytes] = {}
        self.history: list[dict[str, bytes]] = []
        self.is_synced = False

    @rule(data=st.data(), language=st.sampled_from(LANGUAGES))
    def write(self, data: st.DataObject, language: Language) -> None:
        """Make or change a file."""
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
            language = next(one for one in LANGUAGES if path in one.paths)
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
        sync = GraphSync(canonical, self.source, FixedClock(), reading=SerialReading(), linkers=linkers())
        sync.run(SCOPE)

    def _graph(self, canonical: MemoryCanonical) -> Graph:
        with canonical.reading(SCOPE) as work:
            return work.graph(self.source.checkout().id, GraphLayer.REPOSITORY).links.whole()


TestGraphFollowsTree = GraphFollowsTree.TestCase
TestGraphFollowsTree.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
