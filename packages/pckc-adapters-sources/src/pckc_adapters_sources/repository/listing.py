# ruff: noqa: PTH113, PTH118, PTH120 - pathlib takes 8 ms to import and a while for each path
"""
Which files a work tree has.

Standard library only, and little of it: this is on the fast path of ``pckc sync``, which answers "nothing changed"
before anything heavier is imported.
"""

import os
import subprocess
from collections.abc import Iterable, Iterator

from pckc_adapters_sources.repository import process

SKIPPED_FOLDERS = frozenset(
    {
        ".hg", ".svn", ".bzr", "node_modules", "bower_components", ".venv", "venv", "__pycache__", "dist",
        "build", ".tox", ".nox", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".gradle",
        ".idea", ".cache",
    }
)  # fmt: skip
"""Folders that a walk outside git leaves out; inside git ``.gitignore`` says what to leave out."""


def find_root(start: str) -> str:
    """
    Return the resolved root of the work tree that the folder *start* belongs to.

    That is its nearest ancestor with a ``.git``, so that changing the folder does not change the project. A folder that
    git ignores there, such as a package inside ``.venv``, is its own root, and so is any folder outside git.
    """
    start = os.path.realpath(start)
    root = start
    while not is_work_tree(root):
        parent = os.path.dirname(root)
        if parent == root:
            return start
        root = parent
    return start if root != start and _is_ignored(root, os.path.relpath(start, root)) else root


def is_work_tree(folder: str) -> bool:
    """Tell whether *folder* is the top of a git work tree: a clone, a linked work tree or a submodule."""
    mark = os.path.join(folder, ".git")
    return os.path.isfile(mark) or os.path.isfile(os.path.join(mark, "HEAD"))


def _is_ignored(root: str, path: str) -> bool:
    try:
        process.run(root, "check-ignore", "--quiet", "--", path)
    except (process.GitError, process.GitMissingError):
        return False
    return True


class Listing:
    """A listing under way; see `start_listing`."""

    def __init__(self, root: str, git: "subprocess.Popen[bytes] | None") -> None:
        self._root = root
        self._git = git

    @property
    def is_git(self) -> bool:
        """Git makes the listing, so that git's ignore rules are applied already."""
        return self._git is not None

    def paths(self) -> list[str]:
        """
        Return the paths, relative to the root with ``/``, each once, sorted by code point.

        A path that ends in ``/`` is a folder that was not entered. Files that the index names but the disk lacks are
        included. Names that are not UTF-8 hold surrogate escapes, as in `os.fsdecode`. Call it once.

        Raises:
            GitError: Git failed for another reason than that the folder is no repository.
            OSError: The root cannot be read.
        """
        if self._git is not None:
            try:
                listed = process.finish(self._git).decode("utf-8", "surrogateescape")
                return sorted(set(filter(None, listed.split("\0"))))
            except process.GitError as error:
                if not error.is_outside:
                    raise
                self._git = None
        return sorted(_walk(self._root))


def start_listing(root: str) -> Listing:
    """
    Start to list the files of the work tree at *root* and return at once.

    With git: the tracked files and the others that no ignore rule names. Without git: every file but those in
    `SKIPPED_FOLDERS`; ``.gitignore`` files are left to the caller.
    """
    if not is_work_tree(root):
        return Listing(root, None)
    try:
        return Listing(root, process.start(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
    except process.GitMissingError:
        return Listing(root, None)


def stat_paths(root: str, paths: Iterable[str]) -> Iterator[os.stat_result | None]:
    """Yield for each of *paths* what ``lstat`` says, in order; ``None`` where it fails."""
    prefix = os.path.join(root, "")
    lstat = os.lstat
    for path in paths:
        try:
            yield lstat(prefix + path)
        except (OSError, ValueError):
            yield None


def _walk(root: str) -> Iterator[str]:
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(os.path.join(root, folder)))
        except OSError:
            if not folder:
                raise
            yield folder  # not readable
            continue
        if folder and any(entry.name == ".git" for entry in entries):
            yield folder  # another repository
            continue
        for entry in entries:
            if entry.name == ".git":
                continue
            if not entry.is_dir(follow_symlinks=False):
                yield folder + entry.name
            elif entry.name not in SKIPPED_FOLDERS:
                waiting.append(f"{folder}{entry.name}/")
