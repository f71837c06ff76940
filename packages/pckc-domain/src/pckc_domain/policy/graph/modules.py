"""Which file or folder of a repository an import of Python means."""

import sys
from collections.abc import Sequence

import attrs

_ROOTS = ("", "src", "lib", "python")
_STANDARD = sys.stdlib_module_names


@attrs.frozen
class File:
    """A module of the repository; *index* is its place in the table."""

    index: int


@attrs.frozen
class Folder:
    """A namespace package: a folder without ``__init__.py`` that holds modules."""

    path: str


class Modules:
    """
    The modules of a repository, found the way Python finds them.

    The folders searched are the one that holds the importing file's outermost package, then the usual roots. The
    standard library comes before every root but the first.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = list(paths)
        self._files = {path.rsplit(".", 1)[0]: index for index, path in reversed(list(enumerate(paths)))}
        self._folders = {""}
        for path in paths:
            folder = path.rpartition("/")[0]
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]
        tops = {self._root_of(path) for path in paths if path.endswith("/__init__.py")}
        self._roots = list(dict.fromkeys([*(root for root in _ROOTS if root in self._folders), *sorted(tops)]))

    def find(self, importer: int, module: str, level: int) -> File | Folder | None:
        """Return what ``import module`` finds in the file *importer*; *level* counts leading dots."""
        path = self._paths[importer]
        if level:
            folder = path.rpartition("/")[0]
            for _ in range(level - 1):
                if not folder:
                    return None
                folder = folder.rpartition("/")[0]
            return self._at(folder, module)
        own = self._root_of(path)
        found = self._at(own, module)
        if isinstance(found, File):
            return found
        if module.partition(".")[0] in _STANDARD:
            return None
        for root in self._roots:
            other = self._at(root, module)
            if isinstance(other, File):
                return other
            found = found or other
        return found

    def inside(self, owner: File | Folder, name: str) -> File | Folder | None:
        """Return the module *name* of a package."""
        if isinstance(owner, Folder):
            return self._at(owner.path, name)
        path = self._paths[owner.index]
        if not path.endswith(("/__init__.py", "/__init__.pyi")) and path != "__init__.py":
            return None
        return self._at(path.rpartition("/")[0], name)

    def _at(self, folder: str, module: str) -> File | Folder | None:
        path = f"{folder}/{module.replace('.', '/')}" if folder and module else folder or module.replace(".", "/")
        index = self._files.get(f"{path}/__init__" if path else "__init__")
        if index is None and module:
            index = self._files.get(path)
        if index is not None:
            return File(index)
        return Folder(path) if path in self._folders and path else None

    def _root_of(self, path: str) -> str:
        """Return the folder that holds the outermost package of *path*."""
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/__init__" in self._files:
            folder = folder.rpartition("/")[0]
        return folder
