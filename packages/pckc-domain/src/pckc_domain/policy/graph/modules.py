"""How an import finds a file: what each family of languages answers for itself."""

from collections.abc import Hashable, Iterable
from typing import Protocol

import attrs


@attrs.frozen
class File:
    """A module of the repository, by its path."""

    path: str


@attrs.frozen
class Folder:
    """A folder that is a module without a file of its own."""

    path: str


class ModuleTable(Protocol):
    """The modules of one set of paths and settings."""

    @property
    def layout(self) -> Hashable:
        """
        Return what every answer rests on beside the names asked for.

        While it is equal, a new or removed file changes only answers that `asked` for one of its `names`.
        """

    def find(self, importer: str, module: str, level: int, /) -> File | Folder | None:
        """Return what the text *module* of an import means in the file at *importer*; *level* counts leading dots."""

    def inside(self, owner: File | Folder, name: str, /) -> File | Folder | None:
        """Return the module *name* that is a part of another module."""

    def asked(self, importer: str, module: str, level: int, /) -> Iterable[str]:
        """Return the names that `find` looks for."""

    def names(self, path: str, /) -> Iterable[str]:
        """Return the names under which the file at *path*, and folders it brings, can be looked for."""


class Finding(ModuleTable):
    """A table that remembers what it found."""

    def __init__(self, table: ModuleTable) -> None:
        self._table = table
        self._found: dict[tuple[str, str, int], File | Folder | None] = {}

    @property
    def layout(self) -> Hashable:
        """See `ModuleTable`."""
        return self._table.layout

    def find(self, importer: str, module: str, level: int, /) -> File | Folder | None:
        """See `ModuleTable`; all files of a folder share the answer."""
        key = (importer.rpartition("/")[0], module, level)
        if key not in self._found:
            self._found[key] = self._table.find(importer, module, level)
        return self._found[key]

    def inside(self, owner: File | Folder, name: str, /) -> File | Folder | None:
        """See `ModuleTable`."""
        return self._table.inside(owner, name)

    def asked(self, importer: str, module: str, level: int, /) -> Iterable[str]:
        """See `ModuleTable`."""
        return self._table.asked(importer, module, level)

    def names(self, path: str, /) -> Iterable[str]:
        """See `ModuleTable`."""
        return self._table.names(path)


def module_name(path: str) -> str:
    """Return the dotted name of the file at *path*, from the project's root."""
    name = path.rsplit(".", 1)[0].replace("/", ".")
    return name.removesuffix(".__init__") if name != "__init__" else name
