"""``.pckcignore`` files and, outside git, ``.gitignore`` files."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

PCKCIGNORE = ".pckcignore"
GITIGNORE = ".gitignore"


class IgnoreRules:
    """
    The rules of one work tree, with gitignore's meaning: the last pattern that fits decides, a deeper file beats one
    further up, and what is inside an ignored folder cannot come back.

    Args:
        patterns: Rules of the root's folder, before those in its files.
        names: What ignore files are called; of two in one folder the later in the alphabet is stronger.
        paths: All paths of the work tree.
        read: Returns the text of the ignore file at a path, ``""`` when it cannot be read.
    """

    def __init__(
        self, patterns: Iterable[str], names: tuple[str, ...], paths: Iterable[str], read: Callable[[str], str]
    ) -> None:
        lines: dict[str, list[str]] = {"": list(patterns)}
        found = {path for path in paths if path.endswith(names) and path.rpartition("/")[2] in names} | set(names)
        for path in sorted(found):
            lines.setdefault(path.rpartition("/")[0], []).extend(read(path).splitlines())
        self._specs = {folder: _compiled(rules) for folder, rules in lines.items() if any(rules)}
        self._folder_verdict = cache(self._verdict_of_folder)

    def __bool__(self) -> bool:
        return bool(self._specs)

    def verdict(self, path: str) -> bool | None:
        """Return ``True`` when *path* is ignored, ``False`` when a ``!`` pattern asks for it, else ``None``."""
        return self._folder_verdict(path.rpartition("/")[0]) or self._last_match(path)

    def _verdict_of_folder(self, folder: str) -> bool | None:
        if not folder:
            return None
        return self._folder_verdict(folder.rpartition("/")[0]) or self._last_match(f"{folder}/")

    def _last_match(self, path: str) -> bool | None:
        folder = path.removesuffix("/")
        while folder:
            folder = folder.rpartition("/")[0]
            spec = self._specs.get(folder)
            if spec is not None:
                verdict = spec.check_file(path[len(folder) + 1 :] if folder else path).include
                if verdict is not None:
                    return verdict
        return None


def _compiled(lines: list[str]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec  # takes 50 ms to import, and few work trees need it

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(filter(_is_pattern, lines))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
