"""The stored graph follows the work tree."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

import attrs
import pytest
from pckc_domain.errors import ConflictError
from pckc_domain.model.graph import Graph, GraphLayer
from pckc_domain.model.linking import GraphState
from pckc_domain.model.scope import Scope
from pckc_domain.policy.graph.declared.languages import RULES_OF
from pckc_domain.policy.graph.families import FAMILIES
from pckc_domain.policy.graph.linkers import all_linkers
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases import graph_sync
from pckc_domain.usecases.graph_sync import GraphSync
from pckc_domain.usecases.index import Indexer
from pckc_domain.usecases.read_code import CodeReading, CodeText, ReadCode, SerialReading

SCOPE = Scope(project="example.org/project")

PROJECT = {
    "pkg/__init__.py": b"",
    "pkg/a.py": b"from pkg.b import helper\n\n\ndef run():\n    return helper()\n",
    "pkg/b.py": b"def helper():\n    # WHY: it must be one\n    return 1\n",
    "README.md": b"# No code\n",
}


class Counted(CodeReading):
    """Counts what is read."""

    def __init__(self) -> None:
        self._serial = SerialReading()
        self.paths: list[str] = []

    def languages(self) -> frozenset[str]:
        """Return what is read."""
        return self._serial.languages()

    def read(self, files: Sequence[CodeText], /) -> Iterator[ReadCode]:
        """Read, and note the paths."""
        self.paths += [file.path for file in files]
        return self._serial.read(files)


class Tree:
    """A work tree, a store and what keeps its graph."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.source = MemoryRepository(files)
        self.canonical = MemoryCanonical()
        self.reading = Counted()
        self.clock = FixedClock()

    def sync(self, *, from_scratch: bool = False) -> graph_sync.GraphReport:
        """Bring the graph up to date; say what was done."""
        self.reading.paths.clear()
        sync = GraphSync(self.canonical, self.source, self.clock, reading=self.reading, linkers=all_linkers())
        return sync.run(SCOPE, from_scratch=from_scratch)

    def graph(self) -> Graph:
        """Return all of it."""
        with self.canonical.reading(SCOPE) as work:
            return work.graph(self.source.checkout().id, GraphLayer.REPOSITORY).links.whole()

    def state(self) -> GraphState:
        """Return its state."""
        with self.canonical.reading(SCOPE) as work:
            state = work.graph(self.source.checkout().id, GraphLayer.REPOSITORY).state.get()
        assert state is not None
        return state

    def fresh(self) -> Graph:
        """Return the graph of another store that sees this tree for the first time."""
        other = Tree({})
        other.source = self.source
        other.sync()
        return other.graph()

    def names(self) -> set[str]:
        """Return qualified names."""
        return {node.qualified_name for node in self.graph().nodes}

    def calls(self) -> set[tuple[str, str]]:
        """Return callers and callees."""
        graph = self.graph()
        return {
            (graph.by_id[edge.source].qualified_name, graph.by_id[edge.target].qualified_name)
            for edge in graph.edges
            if edge.kind == "calls"
        }


@pytest.fixture
def tree() -> Tree:
    """Return a tree whose graph is stored."""
    tree = Tree(dict(PROJECT))
    tree.sync()
    return tree


def test_a_first_run_reads_every_source_file() -> None:
    """And nothing else."""
    tree = Tree(dict(PROJECT))
    report = tree.sync()
    assert (report.files, report.read, report.is_anew) == (3, 3, True)
    assert tree.calls() == {("pkg.a.run", "pkg.b.helper")}


def test_an_unchanged_tree_is_not_read(tree: Tree) -> None:
    """Nor linked."""
    before = tree.state()
    report = tree.sync()
    assert (report.files, report.read, report.linked, report.is_anew) == (3, 0, 0, False)
    assert tree.state().revision == before.revision


def test_one_edit_reads_one_file(tree: Tree) -> None:
    """The rest is linked from memory."""
    tree.source.write("pkg/b.py", b"def helper():\n    return other()\n\n\ndef other():\n    return 2\n")
    report = tree.sync()
    assert tree.reading.paths == ["pkg/b.py"]
    assert (report.read, report.is_anew) == (1, False)
    assert ("pkg.b.helper", "pkg.b.other") in tree.calls()
    assert tree.graph() == tree.fresh()


def test_a_touched_file_is_hashed_and_not_read(tree: Tree) -> None:
    """Its content is what counts."""
    tree.source.write("pkg/b.py", PROJECT["pkg/b.py"])
    assert tree.sync().read == 0


def test_deleting_renaming_and_bringing_back(tree: Tree) -> None:
    """Each equals a fresh graph."""
    before = tree.graph()
    tree.source.remove("pkg/b.py")
    assert tree.sync().removed == 1
    assert tree.calls() == set()
    assert tree.graph() == tree.fresh()
    tree.source.write("pkg/c.py", PROJECT["pkg/b.py"])
    tree.sync()
    assert "pkg.c.helper" in tree.names()
    tree.source.remove("pkg/c.py")
    tree.source.write("pkg/b.py", PROJECT["pkg/b.py"])
    tree.sync()
    assert tree.graph() == before


def test_what_cannot_be_read_is_noted(tree: Tree) -> None:
    """A file that becomes binary gives nothing any more, and is not looked at again."""
    tree.source.write("pkg/b.py", b"\x00\xff")
    report = tree.sync()
    assert report.skipped == {"binary": 1}
    assert tree.calls() == set()
    assert [one.skipped for one in tree.graph().coverage] == ["", "", "binary"]
    again = tree.sync()
    assert (again.read, again.linked, again.skipped) == (0, 0, {"binary": 1})
    assert tree.graph() == tree.fresh()
    tree.source.write("pkg/b.py", PROJECT["pkg/b.py"])
    tree.sync()
    assert tree.calls() == {("pkg.a.run", "pkg.b.helper")}


def test_an_index_run_tells_what_changed(tree: Tree) -> None:
    """Its manifest is taken for the tree, and its time for the graph's."""
    indexer = Indexer(tree.canonical, tree.source, tree.clock)
    tree.source.write("pkg/b.py", b"def helped():\n    return 1\n")
    tree.source.remove("pkg/a.py")
    report = indexer.run(SCOPE)
    sync = GraphSync(tree.canonical, tree.source, tree.clock, reading=tree.reading, linkers=all_linkers())
    sync.run(SCOPE, indexed=report)
    assert "pkg.b.helped" in tree.names()
    assert "pkg.a" not in tree.names()
    assert tree.state().updated_at == report.checkout.indexed_at


def test_after_an_index_run_only_what_it_touched_is_looked_at(tree: Tree) -> None:
    """The rest is taken from the graph, and the result is the same."""
    indexer = Indexer(tree.canonical, tree.source, tree.clock)
    sync = GraphSync(tree.canonical, tree.source, tree.clock, reading=tree.reading, linkers=all_linkers())
    sync.run(SCOPE, indexed=indexer.run(SCOPE))
    tree.clock.advance(timedelta(seconds=1))
    tree.source.write("pkg/b.py", b"def helper():\n    return run()\n\n\ndef run():\n    return 1\n")
    tree.source.write("pkg/new.py", b"from pkg.b import run\n\nrun()\n")
    tree.source.remove("README.md")
    tree.reading.paths.clear()
    report = sync.run(SCOPE, indexed=indexer.run(SCOPE))
    assert (report.files, sorted(tree.reading.paths)) == (4, ["pkg/b.py", "pkg/new.py"])
    assert tree.graph() == tree.fresh()
    tree.clock.advance(timedelta(seconds=1))
    tree.source.remove("pkg/new.py")
    assert sync.run(SCOPE, indexed=indexer.run(SCOPE)).removed == 1
    assert tree.graph() == tree.fresh()


def test_another_recipe_makes_the_graph_anew(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is read again."""
    monkeypatch.setattr(graph_sync, "GRAPH_RECIPE", "other")
    report = tree.sync()
    assert (report.read, report.is_anew) == (3, True)
    assert tree.graph() == tree.fresh()


def test_from_scratch(tree: Tree) -> None:
    """The graph is made anew and is the same."""
    before = tree.graph()
    assert tree.sync(from_scratch=True).read == 3
    assert tree.graph() == before


def test_many_files_are_stored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same result."""
    monkeypatch.setattr(graph_sync, "BATCH_FILES", 1)
    tree = Tree(dict(PROJECT))
    tree.sync()
    assert tree.state().is_complete
    assert tree.calls() == {("pkg.a.run", "pkg.b.helper")}


def test_an_interrupted_run_is_made_anew(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it left says that it is incomplete."""
    monkeypatch.setattr(graph_sync, "BATCH_FILES", 1)
    for path in PROJECT:
        tree.source.write(path, PROJECT[path] + b"\n# more\n")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(graph_sync._Run, "_hash_of", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tree.sync()
    assert not tree.state().is_complete
    assert tree.sync().is_anew
    assert tree.graph() == tree.fresh()


def test_a_run_that_was_overtaken_starts_again(tree: Tree) -> None:
    """Two at once end with one graph."""
    tree.source.write("pkg/b.py", b"def helper():\n    return 3\n")
    runs = []

    class Overtaken(Counted):
        def read(self, files: Sequence[CodeText], /) -> Iterator[ReadCode]:
            runs.append(len(files))
            tree.sync()
            return super().read(files)

    sync = GraphSync(tree.canonical, tree.source, tree.clock, reading=Overtaken(), linkers=all_linkers())
    report = sync.run(SCOPE)
    assert (runs, report.read) == ([1], 0)
    assert tree.graph() == tree.fresh()


def test_a_run_that_is_always_overtaken_gives_up(tree: Tree) -> None:
    """It says so."""

    class Busy(Counted):
        def read(self, files: Sequence[CodeText], /) -> Iterator[ReadCode]:
            with tree.canonical.writing(SCOPE) as work:
                graph = work.graph(tree.source.checkout().id, GraphLayer.REPOSITORY)
                state = graph.state.get()
                assert state is not None
                graph.state.put(attrs.evolve(state, revision=state.revision + 1))
            return super().read(files)

    tree.source.write("pkg/b.py", b"def helper():\n    return 4\n")
    sync = GraphSync(tree.canonical, tree.source, tree.clock, reading=Busy(), linkers=all_linkers())
    with pytest.raises(ConflictError):
        sync.run(SCOPE)


def test_deep_nesting_leaves_a_module(tree: Tree) -> None:
    """And says why there is no more."""
    tree.source.write("pkg/deep.py", b"x = " + b"(" * 20_000 + b")" * 20_000)
    tree.sync()
    coverage = {one.path: one for one in tree.graph().coverage}
    assert coverage["pkg/deep.py"].problems
    assert "pkg.deep" in tree.names()


def test_secrets_do_not_reach_the_graph(tree: Tree) -> None:
    """Signatures and comments hold what the text holds."""
    secret = b"ghp_" + b"a1B2c3D4e5" * 3 + b"abcdef"
    tree.source.write("pkg/s.py", b'def f(token="' + secret + b'"):\n    # NOTE: ' + secret + b"\n    return token\n")
    tree.sync()
    assert secret.decode() not in repr(tree.graph())


def test_every_language_has_one_linker() -> None:
    """What linkers that are made late say of themselves holds."""
    said = [language for linker in all_linkers() for language in linker.languages()]
    assert len(said) == len(set(said))
    assert set(said) == FAMILIES.keys() | RULES_OF.keys()
