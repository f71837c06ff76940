# ruff: noqa: PTH110, PTH111, PTH112, PTH113, PTH118, PTH123 - pathlib costs more than the whole comparison
"""
``pckc sync`` on a tree where nothing changed.

Nothing heavy is imported here: the answer must come in less than 100 ms as a whole process. The two adapters' probes
are standard library only; whatever is unusual is left to the ordinary command.
"""

import json
import os
import sys
from collections.abc import Sequence


def answer_unchanged(arguments: Sequence[str]) -> bool:
    """Return whether ``pckc sync`` with these *arguments* was answered: the tree equals the manifest."""
    options = _parse(arguments)
    if options is None:
        return False
    from pckc_adapters_sources.repository.process import GitError

    try:
        return _answer(options)
    except (GitError, OSError):
        return False


def _answer(options: dict[str, str]) -> bool:
    from pckc_adapters_sources.repository.listing import find_root, start_listing, stat_paths

    root = find_root(options["--project"])
    listing = start_listing(root)
    store = options["--store"] or _remembered(root)
    if not store or os.path.exists(os.path.join(root, "pckc.toml")):
        return False
    from pckc_adapters_sqlite.manifest_probe import read_manifest
    from pckc_domain.model.identity import content_id
    from pckc_domain.policy.recipe import RECIPE

    found = read_manifest(store, content_id("co", root))
    paths = listing.paths()
    if found is None or not listing.is_git:
        return False
    meta, entries = found
    if paths != [path for path, _, _ in entries] or meta.branch_name != _branch(root):
        return False
    if meta.recipe.partition("+")[0] != RECIPE:
        return False
    for status, (_, size, mtime_ns) in zip(stat_paths(root, paths), entries, strict=True):
        if status is None or status.st_size != size or status.st_mtime_ns != mtime_ns:
            return False
    _print(options, meta.project, root, meta.branch_name, len(entries))
    return True


def _parse(arguments: Sequence[str]) -> dict[str, str] | None:
    """Read the few options that this path knows; ``None`` leaves the command to the ordinary one."""
    environ = os.environ
    if environ.get("PCKC_CANONICAL") or environ.get("PCKC_CODE_PARSER"):
        return None
    options = {
        "--project": environ.get("PCKC_PROJECT") or ".",
        "--store": environ.get("PCKC_STORE") or "",
        "--json": "",
        "--quiet": "",
    }
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name in ("--json", "--quiet") and not equals:
            options[name] = "yes"
        elif name in ("--project", "--store") and (equals or rest):
            options[name] = value if equals else rest.pop(0)
        elif name != "--no-embed":
            return None
    return options if os.path.isdir(options["--project"]) else None


def _remembered(root: str) -> str:
    from pckc_domain.model.identity import content_id

    base = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    try:
        with open(os.path.join(base, "pckc", "checkouts", content_id("co", root)), encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _branch(root: str) -> str | None:
    """Return the branch that is checked out, read from the files that git writes; ``None`` when detached."""
    folder = os.path.join(root, ".git")
    try:
        if os.path.isfile(folder):
            with open(folder, encoding="utf-8") as file:
                folder = os.path.join(root, file.read().strip().removeprefix("gitdir: "))
        with open(os.path.join(folder, "HEAD"), encoding="utf-8") as file:
            head = file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None


def _print(options: dict[str, str], project: str, root: str, branch: str | None, total: int) -> None:
    if not options["--json"]:
        if not options["--quiet"]:
            sys.stdout.write(f"{total} files, nothing changed\n")
        return
    form = {
        "schema": {"name": "pckc.index", "version": 1},
        "coverage": {"files": {"indexed": total, "total": total, "behind": 0}},
        "project": project,
        "root": root,
        "branch": branch,
        "indexed": 0,
        "unchanged": total,
        "removed": 0,
    }
    sys.stdout.write(json.dumps(form) + "\n")
