"""Which file or folder of a repository an import of Python means."""

import sys
from collections.abc import Iterable, Iterator, Mapping

from pckc_domain.policy.graph.modules import File, Folder

_ROOTS = ("", "src", "lib", "python")
_STANDARD = sys.stdlib_module_names


class Modules:
    """
    The modules of a repository, found the way Python finds them.

    The folders searched are the one that holds the importing file's outermost package, then the usual roots. The
    standard library comes before every root but the first.
    """

    def __init__(self, paths: Iterable[str], _settings: Mapping[str, str]) -> None:
        ordered = sorted(paths)
        self._files = {path.rsplit(".", 1)[0]: path for path in reversed(ordered)}
        self._folders = {""}
        for path in ordered:
            folder = path.rpartition("/")[0]
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]
        tops = {self._root_of(path) for path in ordered if path.endswith("/__init__.py")}
        self._roots = list(dict.fromkeys([*(root for root in _ROOTS if root in self._folders), *sorted(tops)]))
        self.layout = tuple(self._roots)

    def find(self, importer: str, module: str, level: int, /) -> File | Folder | None:
        """Return what ``import module`` finds in the file *importer*; *level* counts leading dots."""
        if level:
            folder = importer.rpartition("/")[0]
            for _ in range(level - 1):
                if not folder:
                    return None
                folder = folder.rpartition("/")[0]
            return self._at(folder, module)
        own = self._root_of(importer)
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

    def inside(self, owner: File | Folder, name: str, /) -> File | Folder | None:
        """Return the module *name* of a package."""
        if isinstance(owner, Folder):
            return self._at(owner.path, name)
        path = owner.path
        if not path.endswith(("/__init__.py", "/__init__.pyi")) and path != "__init__.py":
            return None
        return self._at(path.rpartition("/")[0], name)

    def asked(self, importer: str, module: str, level: int, /) -> Iterator[str]:
        """Return the last name of *module*, and the folders around the importing file that may be packages."""
        yield module.rpartition(".")[2]
        if not level:
            yield from (f"{part}/" for part in importer.split("/")[:-1])
        elif not module:
            yield from importer.split("/")[:-1]

    def names(self, path: str, /) -> Iterator[str]:
        """Return the file's own name; a package's folder is found by its name, and makes others' packages deeper."""
        folders = path.split("/")
        name = folders.pop().rsplit(".", 1)[0]
        yield name
        yield from folders
        if name == "__init__" and folders:
            yield f"{folders[-1]}/"

    def _at(self, folder: str, module: str) -> File | Folder | None:
        path = f"{folder}/{module.replace('.', '/')}" if folder and module else folder or module.replace(".", "/")
        found = self._files.get(f"{path}/__init__" if path else "__init__")
        if found is None and module:
            found = self._files.get(path)
        if found is not None:
            return File(found)
        return Folder(path) if path in self._folders and path else None

    def _root_of(self, path: str) -> str:
        """Return the folder that holds the outermost package of *path*."""
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/__init__" in self._files:
            folder = folder.rpartition("/")[0]
        return folder
