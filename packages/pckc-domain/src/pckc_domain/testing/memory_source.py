"""A repository source that keeps its files in memory."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import Branch, Checkout
from pckc_domain.ports.sources import RepositorySource, ScannedFile, SkippedFile, SourceFile, TreeChanges

TICK_NS = 1_000_000_000


class MemoryRepository(RepositorySource):
    """
    A work tree in memory; every write is one second later than the one before.

    Args:
        files: Content by path.
        project: The project's identity.
        root: Where the work tree claims to be.
        branch: What is checked out.
    """

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        *,
        project: str = "example.org/project",
        root: str = "/project",
        branch: Branch | None = None,
    ) -> None:
        self.branch = branch or Branch(source_revision="worktree")
        self._project = project
        self._root = root
        self._files: dict[str, tuple[bytes, int]] = {}
        self._time_ns = 0
        for path, data in (files or {}).items():
            self.write(path, data)

    def write(self, path: str, data: bytes) -> None:
        """Make or change a file."""
        self._time_ns += TICK_NS
        self._files[path] = (data, self._time_ns)

    def remove(self, path: str) -> None:
        """Delete a file that is there."""
        del self._files[path]

    def checkout(self) -> Checkout:
        """Describe the work tree."""
        return Checkout(id=content_id("co", self._root), root=self._root, project=self._project, branch=self.branch)

    def scan(self, manifest: Mapping[str, ManifestEntry], /) -> Iterator[ScannedFile]:
        """Yield every file, by path; an unchanged one carries its entry's reason."""
        for path, (data, mtime_ns) in sorted(self._files.items()):
            entry = manifest.get(path)
            is_unchanged = entry is not None and (entry.size_bytes, entry.mtime_ns) == (len(data), mtime_ns)
            yield ScannedFile(
                path=path,
                size_bytes=len(data),
                mtime_ns=mtime_ns,
                is_unchanged=is_unchanged,
                skipped=entry.skipped if entry is not None and is_unchanged else "",
            )

    def read(self, path: str, /) -> SourceFile | SkippedFile:
        """
        Read one file: UTF-8 with or without a byte order mark; anything else is binary.

        Raises:
            InvalidInputError: *path* is absolute or not canonical.
        """
        if "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
            raise InvalidInputError(f"Not a path inside the work tree: {path!r}")
        if path not in self._files:
            return SkippedFile(path=path, reason="gone")
        data, mtime_ns = self._files[path]
        content_hash = hashlib.sha256(data).hexdigest()
        text = _decoded(data)
        if text is None:
            return SkippedFile(
                path=path, reason="binary", content_hash=content_hash, size_bytes=len(data), mtime_ns=mtime_ns
            )
        return SourceFile(
            path=path,
            text=text,
            encoding="utf-8",
            content_hash=content_hash,
            blob_hash=hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest(),
            size_bytes=len(data),
            mtime_ns=mtime_ns,
        )

    def changed(self, entries: Sequence[ManifestEntry], /) -> frozenset[str]:
        """Return the paths among *entries* that differ from them or are gone."""
        return frozenset(entry.path for entry in entries if self._differs(entry))

    def compare(
        self,
        manifest: Mapping[str, ManifestEntry],
        /,
        *,
        made_at: datetime | None = None,
        most_read: int | None = None,
    ) -> TreeChanges:
        """Count what differs; everything is in memory and can be read."""
        del made_at, most_read
        known = [entry for entry in manifest.values() if entry.document_id is not None]
        there = [entry for entry in known if entry.path in self._files]
        return TreeChanges(
            added=sum(1 for path in self._files if path not in manifest),
            changed=len(self.changed(there)),
            removed=len(known) - len(there),
        )

    def difference(self, revision: str, /) -> str:
        """Refuse: nothing remembers what was there before."""
        raise InvalidInputError(f"there is no revision {revision!r}", remedy="this work tree has no history")

    def _differs(self, entry: ManifestEntry) -> bool:
        data, mtime_ns = self._files.get(entry.path, (b"", -1))
        if mtime_ns < 0 or entry.size_bytes != len(data):
            return True
        if entry.mtime_ns and entry.mtime_ns == mtime_ns:
            return False
        return hashlib.sha256(data).hexdigest() != entry.content_hash


def _decoded(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")
