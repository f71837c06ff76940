"""What a work tree looks like from outside: two equal states hold the same files."""

import os
from pathlib import Path

from pckc_adapters_sources.repository.listing import start_listing, stat_paths
from pckc_adapters_sources.repository.process import GitError
from pckc_domain.errors import BackendUnavailableError

from pckc_mcp.sync_mark import git_folder

GIT_FILES = ("HEAD", "index", "logs/HEAD", "info/exclude")
"""Files of git that change with the branch, the commit, or what is tracked."""


def tree_state(root: Path) -> int:
    """
    Return a number that changes with every file, the branch, the commit and what git tracks or ignores.

    Raises:
        BackendUnavailableError: Git fails, or the root cannot be read.
    """
    try:
        listed = start_listing(str(root)).paths()
    except (GitError, OSError) as error:
        raise BackendUnavailableError(f"{root} cannot be listed: {error}") from error
    folder = git_folder(root)
    watched = [*listed, *(os.path.join(folder, name) for name in GIT_FILES)]  # noqa: PTH118 - joined ten thousand times
    return hash(tuple(zip(watched, map(_looks, stat_paths(str(root), watched)), strict=True)))


def _looks(status: os.stat_result | None) -> tuple[int, ...]:
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns) if status else ()
