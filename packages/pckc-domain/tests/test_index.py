"""Indexing a work tree: incremental, resumable, nothing secret, the same store whatever the way there."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_domain.model.code import CodeBlock
from pckc_domain.model.document import Document
from pckc_domain.model.passage import Layer, Paragraph, PassageFilter
from pckc_domain.model.progress import Progress
from pckc_domain.model.scope import Branch, Scope
from pckc_domain.ports.code_parser import CodeParser
from pckc_domain.ports.sources import SkippedFile, SourceFile
from pckc_domain.testing.fakes import FixedClock
from pckc_domain.testing.holdings import index_of
from pckc_domain.testing.memory.canonical import MemoryCanonical
from pckc_domain.testing.memory_source import MemoryRepository
from pckc_domain.usecases import index
from pckc_domain.usecases.index import STALE_VERSIONS_KEPT, Indexer, IndexReport

SCOPE = Scope(project="example.org/project")
TOKEN = "ghp_" + "k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI"
SECRET_FILE = f'API_TOKEN = "{TOKEN}"\n\n\ndef call():\n    """Must never log {TOKEN} anywhere."""\n'.encode()
PYTHON = b'def acquire(job):\n    """Must never be called twice."""\n    return job.lease()\n'
MARKDOWN = b"# Queue\n\nA worker must renew its lease every ten seconds.\n"
BINARY = b"\x00\xff\xfe\x00"


@pytest.fixture(autouse=True, scope="module")
def small_batches() -> Iterator[None]:
    """Two files a commit, so that a handful of files has borders to be interrupted at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "BATCH_FILES", 2)
        yield


class KilledError(Exception):
    """What a killed process looks like from inside."""


class Tree(MemoryRepository):
    """A work tree that remembers what was read, and may fail at a read."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        super().__init__(files)
        self.read_paths: list[str] = []
        self.reads_left: int | None = None

    def read(self, path: str, /) -> SourceFile | SkippedFile:
        if self.reads_left is not None:
            if not self.reads_left:
                raise KilledError
            self.reads_left -= 1
        self.read_paths.append(path)
        return super().read(path)


class Store:
    """A memory store with one tree to index into it."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.canonical = MemoryCanonical()
        self.clock = FixedClock()
        self.tree = Tree(files)

    def run(self, parser: CodeParser | None = None) -> IndexReport:
        self.tree.read_paths.clear()
        return Indexer(self.canonical, self.tree, self.clock, parser=parser).run(SCOPE)

    def versions(self, path: str) -> list[Document]:
        with self.canonical.reading(SCOPE) as work:
            return list(work.documents.at(path))

    def texts(self, layer: Layer = Layer.CHUNK, *, include_stale: bool = False) -> list[str]:
        with self.canonical.reading(SCOPE) as work:
            found = work.passages.find(layer, where=PassageFilter(include_stale=include_stale), limit=999)
        return [stored.passage.text for stored in found]

    def everything(self) -> str:
        """Every stored value in one string."""
        return repr(vars(self.canonical))


@pytest.fixture
def store() -> Store:
    """Return a store that holds one indexed tree."""
    store = Store({"src/lease.py": PYTHON, "docs/queue.md": MARKDOWN, "logo.png": BINARY})
    store.run()
    return store


def counts(report: IndexReport) -> tuple[int, int, int]:
    return report.unchanged, report.indexed, report.removed


class TestIncremental:
    def test_the_first_run_reads_everything(self) -> None:
        store = Store({"src/lease.py": PYTHON, "docs/queue.md": MARKDOWN, "logo.png": BINARY})
        report = store.run()
        assert counts(report) == (0, 2, 0)
        assert report.total == 2
        assert report.skipped == {"binary": 1}
        assert report.bytes_read == len(PYTHON) + len(MARKDOWN)
        assert report.checkout.is_complete
        assert report.checkout.indexed_at == store.clock.now()

    def test_an_unchanged_tree_is_not_read(self, store: Store) -> None:
        before = index_of(store.canonical, SCOPE)
        report = store.run()
        assert store.tree.read_paths == []
        assert counts(report) == (2, 0, 0)
        assert report.skipped == {"binary": 1}
        assert report.bytes_read == 0
        assert index_of(store.canonical, SCOPE) == before

    def test_only_what_changed_is_read(self, store: Store) -> None:
        store.tree.write("docs/queue.md", MARKDOWN + b"\nIt never retries.\n")
        assert counts(store.run()) == (1, 1, 0)
        assert store.tree.read_paths == ["docs/queue.md"]
        assert [document.is_stale for document in store.versions("docs/queue.md")] == [False, True]

    def test_a_touched_file_is_the_same_version(self, store: Store) -> None:
        before = store.versions("src/lease.py")
        store.clock.advance(timedelta(hours=1))
        store.tree.write("src/lease.py", PYTHON)
        assert counts(store.run()) == (1, 1, 0)
        assert store.versions("src/lease.py") == before

    def test_a_reverted_file_is_its_old_version_again_not_cut_anew(self, store: Store) -> None:
        (old,) = store.versions("docs/queue.md")
        store.clock.advance(timedelta(hours=1))
        store.tree.write("docs/queue.md", b"# Queue\n\nGone for a while.\n")
        store.run()
        store.tree.write("docs/queue.md", MARKDOWN)
        store.run()
        fresh, stale = store.versions("docs/queue.md")
        assert fresh == old
        assert stale.is_stale

    def test_a_removed_file_is_gone_with_its_old_versions(self, store: Store) -> None:
        store.tree.write("docs/queue.md", b"# Queue\n\nSecond version.\n")
        store.run()
        store.tree.remove("docs/queue.md")
        report = store.run()
        assert counts(report) == (1, 0, 1)
        assert store.versions("docs/queue.md") == []
        assert "Second version" not in store.everything()
        assert "renew its lease" not in store.everything()

    def test_a_renamed_file_is_found_under_its_new_name_only(self, store: Store) -> None:
        store.tree.remove("docs/queue.md")
        store.tree.write("docs/jobs.md", MARKDOWN)
        assert counts(store.run()) == (1, 1, 1)
        assert store.versions("docs/queue.md") == []
        assert [document.uri for document in store.versions("docs/jobs.md")] == ["docs/jobs.md"]

    def test_few_stale_versions_are_kept_the_newest_ones(self, store: Store) -> None:
        for number in range(STALE_VERSIONS_KEPT + 4):
            store.clock.advance(timedelta(hours=1))
            store.tree.write("docs/queue.md", b"# Queue\n\nThis is version %d.\n" % number)
            store.run()
        versions = store.versions("docs/queue.md")
        assert [document.is_stale for document in versions] == [False] + [True] * STALE_VERSIONS_KEPT
        kept = "\n".join(store.texts(include_stale=True))
        assert [number for number in range(7) if f"version {number}." in kept] == [3, 4, 5, 6]

    def test_from_scratch_reads_everything_and_changes_nothing(self, store: Store) -> None:
        before = index_of(store.canonical, SCOPE)
        report = Indexer(store.canonical, store.tree, store.clock).run(SCOPE, from_scratch=True)
        assert counts(report) == (0, 2, 0)
        assert index_of(store.canonical, SCOPE) == before

    def test_skipped_files_are_counted_by_reason_again_and_again(self) -> None:
        store = Store({"a.bin": BINARY, "b.bin": BINARY, "c.md": MARKDOWN})
        assert store.run().skipped == {"binary": 2}
        store.tree.write("a.bin", BINARY + b"\x01")
        assert store.run().skipped == {"binary": 2}
        store.tree.write("a.bin", MARKDOWN)
        report = store.run()
        assert report.skipped == {"binary": 1}
        assert counts(report) == (1, 1, 0)

    def test_a_file_that_turns_binary_leaves_no_fresh_passage(self, store: Store) -> None:
        store.tree.write("docs/queue.md", BINARY)
        report = store.run()
        assert report.skipped == {"binary": 2}
        assert [document.is_stale for document in store.versions("docs/queue.md")] == [True]
        assert not any("renew" in text for text in store.texts())

    def test_progress_ends_with_all_that_changed(self) -> None:
        steps: list[Progress] = []
        store = Store({f"{name}.md": MARKDOWN for name in "abcde"})
        Indexer(store.canonical, store.tree, store.clock).run(SCOPE, progress=steps.append)
        assert [(step.done, step.total) for step in steps] == [(2, 5), (4, 5), (5, 5)]

    def test_an_empty_tree_is_an_empty_index(self) -> None:
        report = Store().run()
        assert (counts(report), report.checkout.is_complete) == ((0, 0, 0), True)

    def test_units_carry_the_branch_they_were_first_seen_on(self, store: Store) -> None:
        store.tree.branch = Branch(name="feature", source_revision="worktree")
        store.tree.write("docs/new.md", MARKDOWN)
        assert store.run().checkout.branch.name == "feature"
        assert store.versions("docs/new.md")[0].branch.name == "feature"
        assert store.versions("docs/queue.md")[0].branch.name is None


class TestSecrets:
    def test_nothing_secret_is_stored(self) -> None:
        store = Store({"src/settings.py": SECRET_FILE})
        report = store.run()
        assert sum(report.redacted.values()) >= 2
        assert TOKEN not in store.everything()
        assert any("REDACTED" in text for text in store.texts())

    @given(st.sampled_from(["md", "py", "txt", "env", "json", "unknown"]), st.text(max_size=40), st.text(max_size=40))
    @settings(max_examples=40, deadline=None)
    def test_nor_in_any_kind_of_file(self, suffix: str, before: str, after: str) -> None:
        text = f"{before}\n\ntoken: {TOKEN}\nThe server must use {TOKEN} always.\n\n{after}"
        store = Store({f"notes.{suffix}": text.encode("utf-8", "replace")})
        store.run()
        assert TOKEN not in store.everything()


class WholeFileParser(CodeParser):
    """A parser that sees one definition, from the first line to the last."""

    def languages(self) -> frozenset[str]:
        return frozenset({"python"})

    def blocks(self, text: str, /, *, language: str) -> list[CodeBlock]:
        last = text.rstrip("\n").count("\n") + 1
        return [CodeBlock(kind="function", name="whole", scope=(), start_line=1, end_line=last)]


class TestRecipe:
    def test_another_parser_cuts_every_file_again(self, store: Store) -> None:
        (old,) = store.versions("src/lease.py")
        assert counts(store.run(WholeFileParser())) == (0, 2, 0)
        new, stale = store.versions("src/lease.py")
        assert (stale.id, stale.is_stale) == (old.id, True)
        assert new.id != old.id
        assert self.symbols(store) == [("whole",)]

    def test_an_interrupted_change_of_recipe_goes_on(self, store: Store) -> None:
        store.tree.write("docs/more.md", MARKDOWN)
        store.tree.reads_left = 2
        with pytest.raises(KilledError):
            store.run(WholeFileParser())
        store.tree.reads_left = None
        store.run(WholeFileParser())
        assert self.symbols(store) == [("whole",)]
        undisturbed = MemoryCanonical()
        Indexer(undisturbed, store.tree, store.clock, parser=WholeFileParser()).run(SCOPE)
        assert index_of(store.canonical, SCOPE) == index_of(undisturbed, SCOPE)

    @staticmethod
    def symbols(store: Store) -> list[tuple[str, ...]]:
        where = PassageFilter(uris=frozenset({"src/lease.py"}))
        with store.canonical.reading(SCOPE) as work:
            found = work.passages.find(Layer.PARAGRAPH, where=where, limit=9)
        return [stored.passage.symbol_names for stored in found if isinstance(stored.passage, Paragraph)]


PATHS = ("a.py", "b.md", "docs/c.md", "src/d.py", "e.bin", "f.txt")
CONTENTS = (PYTHON, MARKDOWN, BINARY, SECRET_FILE, b"", b"Some plain words that must be kept.\n")
EDITS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(CONTENTS)),
    st.tuples(st.just("remove"), st.sampled_from(PATHS), st.none()),
    st.tuples(st.just("index"), st.none(), st.none()),
    st.tuples(st.just("interrupted"), st.sampled_from(("read", "commit")), st.integers(0, 5)),
)


class TestInterruption:
    def test_whole_documents_are_left_and_the_run_is_marked(self) -> None:
        store = Store({f"{name}.md": b"# %s\n\nIt must hold.\n" % name.encode() for name in "abcde"})
        store.tree.reads_left = 3
        with pytest.raises(KilledError):
            store.run()
        with store.canonical.reading(SCOPE) as work:
            (checkout,) = work.manifest.checkouts()
            held = work.manifest.entries(checkout.id)
        assert not checkout.is_complete
        assert [entry.path for entry in held] == ["a.md", "b.md"]
        store.tree.reads_left = None
        report = store.run()
        assert counts(report) == (2, 3, 0)
        assert store.tree.read_paths == ["c.md", "d.md", "e.md"]

    @given(st.lists(EDITS, max_size=14))
    @settings(max_examples=120, deadline=None)
    def test_any_way_leads_to_the_index_of_the_final_tree(self, script: list[tuple[str, str | None, object]]) -> None:
        store = Store()
        for act, target, what in script:
            if act == "write" and target and isinstance(what, bytes):
                store.tree.write(target, what)
            elif act == "remove" and target and any(file.path == target for file in store.tree.scan({})):
                store.tree.remove(target)
            elif act == "index":
                store.run()
            elif act == "interrupted" and isinstance(what, int):
                self.interrupt(store, target == "read", what)
        store.run()
        fresh = MemoryCanonical()
        Indexer(fresh, store.tree, store.clock).run(SCOPE)
        assert index_of(store.canonical, SCOPE) == index_of(fresh, SCOPE)
        assert TOKEN not in store.everything()

    @staticmethod
    def interrupt(store: Store, at_read: bool, steps: int) -> None:
        """Run and fail at a read, or right after a commit."""
        commits = 0

        def fail(_: Progress) -> None:
            nonlocal commits
            commits += 1
            if commits > steps:
                raise KilledError

        store.tree.reads_left = steps if at_read else None
        listener = (lambda _: None) if at_read else fail
        try:
            Indexer(store.canonical, store.tree, store.clock).run(SCOPE, progress=listener)
        except KilledError:
            pass
        finally:
            store.tree.reads_left = None
