"""Where transcripts are looked for."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pckc_domain.errors import InvalidInputError


def default_places(environment: Mapping[str, str], home: Path) -> tuple[str, ...]:
    """Return the folders in which the hosts keep their sessions, whether they exist or not."""

    def base(variable: str, fallback: str) -> Path:
        return Path(environment.get(variable) or home / fallback)

    return (
        str(base("CLAUDE_CONFIG_DIR", ".claude") / "projects"),
        str(base("CODEX_HOME", ".codex") / "sessions"),
        str(home / ".gemini" / "tmp"),
        str(base("DSH_HOME", ".dsh") / "sessions"),
    )


def files_under(roots: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """
    Yield the resolved path of every file under *roots*, by path and once, and whether it was named itself.

    Links are followed for a root itself, and to files that lie under a root; folders behind links are not entered.

    Raises:
        InvalidInputError: A root does not exist, or is neither a file nor a folder.
    """
    found: dict[str, bool] = {}
    resolved = []
    for root in roots:
        path = Path(root).expanduser()
        if not path.exists():
            raise InvalidInputError(f"{root} does not exist", remedy="Name a transcript or a folder of them.")
        resolved.append(path.resolve())
    for path in resolved:
        if path.is_dir():
            for file in _walk(path):
                if any(file.is_relative_to(root) for root in resolved):
                    found.setdefault(str(file), False)
        elif path.is_file():
            found[str(path)] = True
        else:
            raise InvalidInputError(f"{path} is no regular file", remedy="Name a transcript or a folder of them.")
    yield from sorted(found.items())


def _walk(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            if path.is_symlink():
                path = path.resolve()
            if path.is_file():
                yield path
