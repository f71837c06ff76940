"""Which files may be read."""

import stat
from collections.abc import Sequence
from pathlib import Path

from pckc_domain.errors import InvalidInputError


class Folders:
    """
    The folders that files may be read from.

    Args:
        folders: Their paths; links are resolved when a file is asked for. A relative path to a file starts where this
            process runs, else in the first of the folders that has such a file.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = [Path(folder).expanduser() for folder in folders]

    def admitted(self, location: str) -> Path:
        """
        Return the resolved path of the file at *location*.

        Raises:
            InvalidInputError: There is no such file, it is outside the folders, or it is a
                folder, a pipe or a device.
        """
        if not location or "\0" in location:
            raise InvalidInputError("A path is empty or holds a NUL")
        try:
            path = self._found(location).resolve()
            inside = any(path.is_relative_to(folder.resolve()) for folder in self._folders)
            mode = path.stat().st_mode if inside else 0
        except (OSError, RuntimeError, ValueError) as error:
            raise InvalidInputError(
                f"{location!r} cannot be read: {_reason(error)}", remedy="Check the path"
            ) from error
        if not inside:
            allowed = ", ".join(str(folder.resolve()) for folder in self._folders) or "none"
            raise InvalidInputError(
                f"{location!r} is outside the folders that documents are read from: {allowed}",
                remedy="Add its folder to folders under [documents], or copy it into one of them",
            )
        if not stat.S_ISREG(mode):
            raise InvalidInputError(f"{location!r} is no file", remedy="Give the files one by one")
        return path

    def _found(self, location: str) -> Path:
        path = Path(location).expanduser()
        places = [path, *(folder / path for folder in self._folders)]
        return next((place for place in places if place.exists()), path)


def _reason(error: Exception) -> str:
    return (error.strerror or "") if isinstance(error, OSError) else str(error)
