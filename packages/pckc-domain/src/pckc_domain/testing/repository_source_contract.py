"""What every repository source must do."""

import hashlib
from abc import abstractmethod
from typing import Protocol

import attrs
import pytest

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.identity import content_id
from pckc_domain.ports.sources import RepositorySource, SkippedFile, SourceFile, TreeChanges

ODD_NAMES = (
    "a b.py",
    "Ünïcødé/файл.md",
    "quo\"te's.txt",
    "tab\tand\nline.txt",
    "-dash.txt",
    "*.txt",
    "#x",
    "!y",
    "文.py",
)

OUTSIDE = ("../secret", "a/../../secret", "/etc/passwd", "..", "", "a//b", "./a", "a/..", "a\0b")


class Tree(Protocol):
    """A work tree that a test can change, and the source that reads it."""

    source: RepositorySource

    @abstractmethod
    def write(self, path: str, data: bytes) -> None:
        """Make or change a file; its time is old enough to be trusted and differs from all earlier ones."""

    @abstractmethod
    def remove(self, path: str) -> None:
        """Delete a file that is there."""


class RepositorySourceContract:
    """Inherit it and provide the fixture *tree*: an empty work tree."""

    @pytest.fixture
    def tree(self) -> Tree:
        """Return an empty work tree."""
        raise NotImplementedError

    def test_a_checkout_names_its_root_and_project(self, tree: Tree) -> None:
        checkout = tree.source.checkout()
        assert checkout.id == content_id("co", checkout.root)
        assert checkout.project
        assert checkout.indexed_at is None
        assert not checkout.is_complete
        assert tree.source.checkout() == checkout

    def test_an_empty_tree_has_no_files(self, tree: Tree) -> None:
        assert list(tree.source.scan({})) == []

    def test_a_scan_is_sorted_by_path(self, tree: Tree) -> None:
        paths = ["b.py", "a/z.py", "a-b.py", "a.py", "a/b/c.py", "Z.py"]
        for path in paths:
            tree.write(path, b"x = 1\n")
        assert [file.path for file in tree.source.scan({})] == sorted(paths)

    def test_a_scan_without_a_manifest_finds_everything_changed(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        (file,) = tree.source.scan({})
        assert (file.size_bytes, file.is_unchanged, file.skipped) == (6, False, "")

    def test_what_was_read_is_unchanged_afterwards(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        tree.write("empty.py", b"")
        tree.write("photo", b"\x00\x01\x02")
        manifest = read_all(tree.source)
        assert {file.path: (file.is_unchanged, file.skipped) for file in tree.source.scan(manifest)} == {
            "a.py": (True, ""),
            "empty.py": (True, ""),
            "photo": (True, "binary"),
        }

    def test_another_size_is_a_change(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        manifest = read_all(tree.source)
        manifest["a.py"] = attrs.evolve(manifest["a.py"], size_bytes=7)
        assert not next(tree.source.scan(manifest)).is_unchanged

    def test_another_time_is_a_change(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        tree.write("b.py", b"x = 1\n")
        manifest = read_all(tree.source)
        tree.write("a.py", b"x = 2\n")
        assert [file.is_unchanged for file in tree.source.scan(manifest)] == [False, True]

    def test_an_untrusted_time_is_a_change(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        manifest = {path: attrs.evolve(entry, mtime_ns=0) for path, entry in read_all(tree.source).items()}
        assert not next(tree.source.scan(manifest)).is_unchanged

    def test_a_removed_file_is_not_found(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        tree.write("b.py", b"x = 1\n")
        manifest = read_all(tree.source)
        tree.remove("a.py")
        assert [file.path for file in tree.source.scan(manifest)] == ["b.py"]

    def test_a_manifest_adds_no_files(self, tree: Tree) -> None:
        assert list(tree.source.scan({"a.py": ManifestEntry(path="a.py", size_bytes=1, mtime_ns=1)})) == []

    def test_reading_gives_text_and_hashes(self, tree: Tree) -> None:
        data = "\ufeffeins\r\nzwei\rdrei ü\n".encode()
        tree.write("docs/a.md", data)
        file = tree.source.read("docs/a.md")
        assert isinstance(file, SourceFile)
        assert file.path == "docs/a.md"
        assert file.text == "eins\nzwei\ndrei ü\n"
        assert file.encoding
        assert file.content_hash == hashlib.sha256(data).hexdigest()
        assert file.blob_hash == hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        assert file.size_bytes == len(data)
        assert file.mtime_ns > 0

    def test_the_empty_blob_has_gits_id(self, tree: Tree) -> None:
        tree.write("empty.txt", b"")
        file = tree.source.read("empty.txt")
        assert isinstance(file, SourceFile)
        assert (file.text, file.blob_hash) == ("", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")

    def test_reading_twice_gives_the_same(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        assert tree.source.read("a.py") == tree.source.read("a.py")

    def test_binary_files_are_skipped(self, tree: Tree) -> None:
        data = b"\x89PNG\r\n\x1a\n\x00\x00"
        tree.write("a.png", data)
        file = tree.source.read("a.png")
        assert isinstance(file, SkippedFile)
        assert (file.reason, file.size_bytes) == ("binary", len(data))
        assert file.content_hash == hashlib.sha256(data).hexdigest()

    def test_a_missing_file_is_gone(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        assert tree.source.read("b.py") == SkippedFile(path="b.py", reason="gone")

    @pytest.mark.parametrize("path", OUTSIDE)
    def test_paths_lead_nowhere_else(self, tree: Tree, path: str) -> None:
        tree.write("a/b", b"x")
        with pytest.raises(InvalidInputError):
            tree.source.read(path)

    @pytest.mark.parametrize("path", ODD_NAMES)
    def test_odd_names_are_names(self, tree: Tree, path: str) -> None:
        tree.write(path, b"x = 1\n")
        assert [file.path for file in tree.source.scan({})] == [path]
        file = tree.source.read(path)
        assert isinstance(file, SourceFile)
        assert file.path == path

    def test_changed_names_the_files_that_differ(self, tree: Tree) -> None:
        for path in ("same.py", "edited.py", "longer.py", "removed.py"):
            tree.write(path, b"x = 1\n")
        manifest = read_all(tree.source)
        tree.write("edited.py", b"x = 2\n")
        tree.write("longer.py", b"x = 10\n")
        tree.remove("removed.py")
        assert tree.source.changed(list(manifest.values())) == {"edited.py", "longer.py", "removed.py"}

    def test_a_file_written_again_as_it_was_has_not_changed(self, tree: Tree) -> None:
        tree.write("same.py", b"x = 1\n")
        entries = [attrs.evolve(entry, mtime_ns=12_345) for entry in read_all(tree.source).values()]
        assert tree.source.changed(entries) == frozenset()

    def test_changed_looks_into_files_whose_time_was_not_trusted(self, tree: Tree) -> None:
        tree.write("same.py", b"x = 1\n")
        tree.write("edited.py", b"x = 1\n")
        entries = [attrs.evolve(entry, mtime_ns=0) for entry in read_all(tree.source).values()]
        tree.write("edited.py", b"x = 2\n")
        assert tree.source.changed(entries) == {"edited.py"}

    def test_what_changed_is_counted(self, tree: Tree) -> None:
        """New, changed and gone files; one of another time and the same content is none, once it was read."""
        for name in ("same.md", "touched.md", "edited.md", "grown.md", "gone.md"):
            tree.write(name, b"as it was\n")
        manifest = {path: attrs.evolve(entry, document_id=path) for path, entry in read_all(tree.source).items()}
        assert tree.source.compare(manifest) == TreeChanges()
        tree.write("new.md", b"new\n")
        tree.write("touched.md", b"as it was\n")
        tree.write("edited.md", b"as it is!\n")
        tree.write("grown.md", b"as it was, and more\n")
        tree.remove("gone.md")
        assert tree.source.compare(manifest) == TreeChanges(added=1, changed=2, removed=1)
        unread = tree.source.compare(manifest, most_read=0)
        assert (unread.added, unread.removed) == (1, 1)
        assert unread.changed + unread.touched in (2, 3)

    def test_nothing_to_compare_nothing_changed(self, tree: Tree) -> None:
        tree.write("a.py", b"x = 1\n")
        assert tree.source.changed([]) == frozenset()


def read_all(source: RepositorySource) -> dict[str, ManifestEntry]:
    """Return the manifest of an index run."""
    return {scanned.path: _entry(source, scanned.path, scanned.skipped) for scanned in source.scan({})}


def _entry(source: RepositorySource, path: str, skipped: str) -> ManifestEntry:
    file = SkippedFile(path=path, reason=skipped) if skipped else source.read(path)
    return ManifestEntry(
        path=path,
        size_bytes=file.size_bytes,
        mtime_ns=file.mtime_ns,
        content_hash=file.content_hash,
        skipped=file.reason if isinstance(file, SkippedFile) else "",
    )
