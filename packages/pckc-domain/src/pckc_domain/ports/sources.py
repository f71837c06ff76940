"""Ports that read the outside world."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import attrs

from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.scope import Checkout


@attrs.frozen(kw_only=True)
class ScannedFile:
    """
    A path as stat sees it.

    Attributes:
        path: Repository-relative POSIX path.
        size_bytes: Length.
        mtime_ns: Modification time; 0 when it is too recent to be trusted.
        is_unchanged: Size and time equal the manifest's entry.
        skipped: Why it will not be read; ``""`` when it may be.
    """

    path: str
    size_bytes: int
    mtime_ns: int
    is_unchanged: bool
    skipped: str = ""


@attrs.frozen(kw_only=True)
class SourceFile:
    """
    A file that was read.

    Attributes:
        path: Repository-relative POSIX path.
        text: Decoded text with ``\\n`` line ends and without a byte order mark.
        encoding: How it was decoded.
        content_hash: SHA-256 of the bytes.
        blob_hash: Git blob id of the bytes.
        size_bytes: Length of the bytes.
        mtime_ns: Modification time before reading; 0 when it changed meanwhile or is too recent to be trusted.
    """

    path: str
    text: str
    encoding: str
    content_hash: str
    blob_hash: str
    size_bytes: int
    mtime_ns: int


@attrs.frozen(kw_only=True)
class SkippedFile:
    """A file that was not read, and why (binary, minified, generated, vendored, too large, unreadable, gone …)."""

    path: str
    reason: str
    content_hash: str = ""
    size_bytes: int = 0
    mtime_ns: int = 0


@attrs.frozen(kw_only=True)
class TreeChanges:
    """
    How many files are not as a manifest has them; those that would be skipped do not count.

    Attributes:
        added: Files that it does not name.
        changed: Files whose content is another one.
        removed: Files that are gone, or are left out now.
        touched: Files of another time that were not read: their content may be another one, or the same.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    touched: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.touched)


class ComparableTree(Protocol):
    """Tells how much of a work tree is another."""

    @abstractmethod
    def compare(
        self,
        manifest: Mapping[str, ManifestEntry],
        /,
        *,
        made_at: datetime | None = None,
        most_read: int | None = None,
    ) -> TreeChanges:
        """
        Count what is not as *manifest* has it, faster than a scan where little is.

        Args:
            manifest: All files of the work tree, by path, as they were.
            made_at: When it was made: what it does not name and is older was left out then and need not be looked at.
            most_read: Read no more files of a kind than that; ``None`` reads each whose size and name do not tell. New
                ones that are not read count.
        """


class RepositorySource(ComparableTree, Protocol):
    """Reads one work tree."""

    @abstractmethod
    def checkout(self) -> Checkout:
        """Describe the work tree: root, project identity and branch; ``indexed_at`` is ``None``."""

    @abstractmethod
    def scan(self, manifest: Mapping[str, ManifestEntry], /) -> Iterator[ScannedFile]:
        """
        Yield every file to consider, by path, compared with *manifest*. Files ignored by git or ``.pckcignore`` do
        not appear; submodules, links out of the tree and such appear with a reason.
        """

    @abstractmethod
    def read(self, path: str, /) -> SourceFile | SkippedFile:
        """
        Read one file.

        Raises:
            InvalidInputError: *path* leads out of the work tree.
        """

    @abstractmethod
    def changed(self, entries: Sequence[ManifestEntry], /) -> frozenset[str]:
        """Return the paths among *entries* whose content is no longer the entry's, or that are gone."""

    @abstractmethod
    def difference(self, revision: str, /) -> str:
        """
        Return the unified diff from *revision*, such as a commit or a branch, to the files as they are.

        Raises:
            InvalidInputError: There is no such revision, or no history at all.
        """
