"""The repository source."""

import hashlib
import os
import stat
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

from pckc_domain.errors import ConfigurationError, InvalidInputError
from pckc_domain.model.document import ManifestEntry
from pckc_domain.model.identity import content_id
from pckc_domain.model.scope import Branch, Checkout
from pckc_domain.ports.sources import RepositorySource, ScannedFile, SkippedFile, SourceFile, TreeChanges

from pckc_adapters_sources.repository import filters, reading
from pckc_adapters_sources.repository.decoding import decode
from pckc_adapters_sources.repository.errors import translated
from pckc_adapters_sources.repository.git import (
    WORK_TREE,
    branch_of,
    difference,
    is_bare,
    open_repository,
    path_identity,
    project_of,
)
from pckc_adapters_sources.repository.ignore import GITIGNORE, PCKCIGNORE, IgnoreRules
from pckc_adapters_sources.repository.listing import find_root, start_listing, stat_paths

NESTED = "nested repository"
SUBMODULE = "submodule"
UNDECODABLE_NAME = "undecodable name"

MAX_IGNORE_FILE_BYTES = 1 << 20


class WorkTree(RepositorySource):
    """
    Reads the work tree that *folder* belongs to; see `find_root`.

    Args:
        folder: Any folder of it.
        max_file_bytes: Larger files are skipped.
        ignore: Patterns as in ``.pckcignore``, relative to the root.

    Raises:
        ConfigurationError: *folder* is none or a bare repository, or its name is not UTF-8.
    """

    def __init__(self, folder: str, *, max_file_bytes: int, ignore: tuple[str, ...]) -> None:
        if not Path(folder).is_dir():
            raise ConfigurationError(f"{_shown(folder)} is not a folder", remedy="Set root to a project's folder")
        self._root = find_root(folder)
        if _shown(self._root) != self._root:
            raise ConfigurationError(f"The name of {_shown(self._root)} is not UTF-8", remedy="Rename the folder")
        if is_bare(self._root):
            raise ConfigurationError(f"{self._root} is a bare repository", remedy="git worktree add <folder>")
        self._max_file_bytes = max_file_bytes
        self._ignore = ignore

    def checkout(self) -> Checkout:
        """
        Describe the work tree.

        Raises:
            ConfigurationError: Git does not trust the folder.
            BackendError: Git failed.
        """
        repository = open_repository(self._root)
        return Checkout(
            id=content_id("co", self._root),
            root=self._root,
            project=project_of(repository) if repository else path_identity(self._root),
            branch=branch_of(repository) if repository else Branch(source_revision=WORK_TREE),
        )

    def scan(self, manifest: Mapping[str, ManifestEntry], /) -> Iterator[ScannedFile]:
        """
        Yield every file to consider, sorted by path, compared with *manifest*.

        A file is unchanged when its size and a trustworthy time equal its entry's, and so does the verdict on it: other
        settings make other verdicts. An unchanged file carries its entry's reason.

        Raises:
            ConfigurationError: Git does not trust the folder.
            BackendError: The listing failed.
        """
        now_ns = time.time_ns()
        listed, is_git = self._listed()
        looked = _Looked(listed, self._rules(listed, is_git=is_git), _real_folders(self._root))
        for path, status in zip(looked.paths, stat_paths(self._root, looked.paths), strict=True):
            found = self._scanned(path, status, looked, manifest, now_ns)
            if found is not None:
                yield found

    def compare(
        self,
        manifest: Mapping[str, ManifestEntry],
        /,
        *,
        made_at: datetime | None = None,
        most_read: int | None = None,
    ) -> TreeChanges:
        """
        Count what is not as *manifest* has it: see the port.

        Where ignore files have a say, the time of what *manifest* does not name is that of its last change of name,
        owner or content; a folder that was moved into the tree after *made_at* does not show there.

        Raises:
            ConfigurationError: Git does not trust the folder.
            BackendError: The listing failed.
        """
        now_ns = time.time_ns()
        listed, is_git = self._listed()
        # To ask the rules takes as long as all the rest: what was left out before is not asked again.
        left_out_ns = int(made_at.timestamp() * 1e9) if made_at and self._has_rules(listed, is_git=is_git) else 0
        kept: set[str] = set()
        doubtful: list[tuple[str, os.stat_result | None]] = []
        for path, status in zip(listed, stat_paths(self._root, listed), strict=True):
            entry = manifest.get(path)
            if entry is None:
                if status is None or status.st_ctime_ns >= left_out_ns:
                    doubtful.append((path, status))
            elif status is not None and entry.mtime_ns == status.st_mtime_ns and entry.size_bytes == status.st_size:
                kept.add(path)
            else:
                doubtful.append((path, status))
        new: list[str] = []
        differing: list[tuple[ManifestEntry, os.stat_result]] = []
        if doubtful:
            looked = _Looked(listed, self._rules(listed, is_git=is_git), _real_folders(self._root))
            for path, status in doubtful:
                found = self._scanned(path.removesuffix("/"), status, looked, manifest, now_ns)
                if found is None:
                    continue
                kept.add(found.path)
                entry = manifest.get(found.path)
                if entry is None and not found.skipped:
                    new.append(found.path)
                elif entry is not None and entry.document_id is not None and status is not None:
                    differing.append((entry, status))
        same_size = [entry for entry, status in differing if status.st_size == entry.size_bytes]
        read, unread = same_size[:most_read], same_size[len(same_size[:most_read]) :]
        looked_into = new[:most_read]
        return TreeChanges(
            added=len(new) - sum(isinstance(self.read(path), SkippedFile) for path in looked_into),
            changed=len(differing) - len(same_size) + sum(map(self._has_other_content, read)),
            removed=sum(entry.document_id is not None and path not in kept for path, entry in manifest.items()),
            touched=len(unread),
        )

    def _scanned(
        self,
        path: str,
        status: os.stat_result | None,
        looked: "_Looked",
        manifest: Mapping[str, ManifestEntry],
        now_ns: int,
    ) -> ScannedFile | None:
        """Return what a listed path is; ``None`` when it does not appear."""
        verdict = looked.rules.verdict(path) if looked.rules else None
        if verdict or not looked.is_real_folder(path.rpartition("/")[0]):
            return None
        if status is None:
            return None if _is_gone(Path(self._root, path)) else _unreadable(path)
        if stat.S_ISREG(status.st_mode):
            reason = "" if verdict is False else filters.path_reason(path)
            if not reason and status.st_size > self._max_file_bytes:
                reason = filters.TOO_LARGE
        elif stat.S_ISDIR(status.st_mode):
            if path not in looked.folders and _has_any_below(looked.paths, path):
                return None  # the index names a file that a folder replaced
            reason = self._folder_reason(path, looked.folders)
        else:
            reason = reading.mode_reason(self._root, f"{self._root}/{path}", status.st_mode)
        if not path.isascii() and _shown(path) != path:
            path, reason = _shown(path), UNDECODABLE_NAME
        return _compared(path, status, reason, manifest.get(path), now_ns)

    def read(self, path: str, /) -> SourceFile | SkippedFile:
        """
        Read one file; whether it is ignored or skipped by name is not asked again.

        Raises:
            InvalidInputError: *path* leads out of the work tree or into ``.git``.
        """
        reading.check_path(path)
        if _shown(path) != path:
            return SkippedFile(path=_shown(path), reason=UNDECODABLE_NAME)
        content = reading.read_content(self._root, path, self._max_file_bytes)
        if isinstance(content, SkippedFile):
            return content
        data = content.data
        content_hash = hashlib.sha256(data).hexdigest()
        reason = filters.bytes_reason(data)
        decoded = None if reason else decode(data)
        if decoded is not None:
            reason = filters.text_reason(decoded.text)
        if decoded is None or reason:
            return SkippedFile(
                path=path,
                reason=reason or filters.BINARY,
                content_hash=content_hash,
                size_bytes=len(data),
                mtime_ns=content.mtime_ns,
            )
        return SourceFile(
            path=path,
            text=decoded.text,
            encoding=decoded.encoding,
            content_hash=content_hash,
            blob_hash=_blob_hash(data),
            size_bytes=len(data),
            mtime_ns=content.mtime_ns,
        )

    def changed(self, entries: Sequence[ManifestEntry], /) -> frozenset[str]:
        """
        Return the paths among *entries* whose content is no longer the entry's, or that are gone.

        Where size and a trustworthy time are the entry's, nothing is read; where the size is, the content is hashed.
        """
        statuses = stat_paths(self._root, (entry.path for entry in entries))
        pairs = zip(entries, statuses, strict=True)
        return frozenset(entry.path for entry, status in pairs if status is None or self._differs(entry, status))

    def _differs(self, entry: ManifestEntry, status: os.stat_result) -> bool:
        if status.st_size != entry.size_bytes:
            return True
        if entry.mtime_ns and status.st_mtime_ns == entry.mtime_ns:
            return False
        return self._has_other_content(entry)

    def _has_other_content(self, entry: ManifestEntry) -> bool:
        try:
            return self.read(entry.path).content_hash != entry.content_hash
        except InvalidInputError:
            return True

    def difference(self, revision: str, /) -> str:
        """
        Return git's diff from *revision* to the files as they are.

        Raises:
            InvalidInputError: There is no such revision, or no git.
            BackendError: Git failed.
        """
        return difference(self._root, revision)

    def _listed(self) -> tuple[list[str], bool]:
        """Return all paths, as a `Listing` does, and whether git left out what it ignores."""
        with translated(self._root):
            listing = start_listing(self._root)
            return listing.paths(), listing.is_git

    def _rules(self, listed: list[str], *, is_git: bool) -> IgnoreRules:
        patterns = self._ignore if is_git else (*_excluded(self._root), *self._ignore)
        return IgnoreRules(patterns, _names_of_rules(is_git=is_git), listed, self._read_rules)

    def _has_rules(self, listed: list[str], *, is_git: bool) -> bool:
        names = _names_of_rules(is_git=is_git)
        return bool(self._ignore) or any(path.endswith(names) for path in listed) or not is_git

    def _read_rules(self, path: str) -> str:
        content = reading.read_content(self._root, path, MAX_IGNORE_FILE_BYTES)
        decoded = None if isinstance(content, SkippedFile) else decode(content.data)
        return decoded.text if decoded else ""

    def _folder_reason(self, path: str, folders: frozenset[str]) -> str:
        if path not in folders:
            return SUBMODULE
        return NESTED if os.path.lexists(f"{self._root}/{path}/.git") else reading.UNREADABLE


class _Looked:
    """
    A listing with what decides about its paths.

    Attributes:
        paths: All of them, without the ``/`` of folders, sorted as they are shown.
        folders: Those that are folders not entered.
        rules: What ignore files say.
        is_real_folder: Whether a folder is none behind a link.
    """

    def __init__(self, listed: list[str], rules: IgnoreRules, is_real_folder: Callable[[str], bool]) -> None:
        self.folders = frozenset(path[:-1] for path in listed if path.endswith("/"))
        is_sorted = not self.folders and "".join(listed).isascii()
        self.paths = listed if is_sorted else sorted((path.removesuffix("/") for path in listed), key=_shown)
        self.rules = rules
        self.is_real_folder = is_real_folder


def _names_of_rules(*, is_git: bool) -> tuple[str, ...]:
    return (PCKCIGNORE,) if is_git else (GITIGNORE, PCKCIGNORE)


def _excluded(root: str) -> list[str]:
    """Return the rules that a clone keeps to itself, for when there is no git to apply them."""
    try:
        return Path(root, ".git", "info", "exclude").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []


def _real_folders(root: str) -> Callable[[str], bool]:
    """Tell of folders whether neither they nor one above them is a link: the index may name files behind one."""

    @cache
    def is_real(folder: str) -> bool:
        if not folder:
            return True
        return is_real(folder.rpartition("/")[0]) and not os.path.islink(f"{root}/{folder}")  # noqa: PTH114 - speed

    return is_real


def _compared(path: str, status: os.stat_result, reason: str, entry: ManifestEntry | None, now_ns: int) -> ScannedFile:
    mtime_ns = reading.trusted_mtime(status.st_mtime_ns, now_ns)
    is_unchanged = (
        entry is not None
        and mtime_ns != 0
        and mtime_ns == entry.mtime_ns
        and status.st_size == entry.size_bytes
        and (reason == entry.skipped or (not reason and entry.skipped in filters.CONTENT_REASONS))
    )
    return ScannedFile(
        path=path,
        size_bytes=status.st_size,
        mtime_ns=mtime_ns,
        is_unchanged=is_unchanged,
        skipped=entry.skipped if entry is not None and is_unchanged else reason,
    )


def _is_gone(location: Path) -> bool:
    try:
        location.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _unreadable(path: str) -> ScannedFile:
    return ScannedFile(path=_shown(path), size_bytes=0, mtime_ns=0, is_unchanged=False, skipped=reading.UNREADABLE)


def _has_any_below(paths: list[str], folder: str) -> bool:
    start = f"{folder}/"
    place = bisect_left(paths, start)
    return place < len(paths) and paths[place].startswith(start)


def _shown(path: str) -> str:
    """Return *path* with the bytes that are not UTF-8 escaped, so that it can be stored and printed."""
    return path if path.isascii() else path.encode("utf-8", "backslashreplace").decode()


def _blob_hash(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
