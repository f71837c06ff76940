# ruff: noqa: PTH111, PTH112 - pathlib costs more than the whole comparison
"""
``pckc sync`` on a tree where nothing changed.

Nothing heavy is imported here: the answer must come in less than 100 ms as a whole process. The two adapters' probes
are standard library only; whatever is unusual is left to the ordinary command.
"""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pckc_adapters_sqlite.manifest_probe import GraphMeta


def answer_unchanged(arguments: Sequence[str]) -> bool:
    """Return whether ``pckc sync`` with these *arguments* was answered: the tree equals the manifest."""
    options = _parse(arguments)
    if options is None:
        return False
    from pckc_adapters_sources.repository.process import GitError
    from pckc_domain.errors import PckcError

    try:
        return _answer(options)
    except (GitError, PckcError, OSError):
        return False


def _answer(options: dict[str, str]) -> bool:
    started = time.perf_counter()
    from pckc_adapters_sources.repository.listing import find_root, start_listing, stat_paths

    from pckc_mcp import locations
    from pckc_mcp.hooks.spool import is_waiting
    from pckc_mcp.sync_mark import branch_at, main_tree, read_mark, settings_stamp

    settled = locations.find_root(Path(options["--project"]))
    root = find_root(str(settled))
    listing = start_listing(root)
    mark = read_mark(settled)
    paths = listing.paths()
    if is_waiting(main_tree(settled)):
        return False  # what hooks told is taken in by the ordinary command
    if mark is None or not mark.store or mark.stamp != settings_stamp(settled) or not listing.is_git:
        return False
    if mark.is_chosen != bool(options["--store"]) or (mark.is_chosen and mark.store != _resolved(options["--store"])):
        return False
    from pckc_adapters_sqlite.manifest_probe import read_manifest
    from pckc_domain.model.identity import content_id
    from pckc_domain.policy.recipe import GRAPH_RECIPE, RECIPE

    found = read_manifest(mark.store, content_id("co", root))
    if found is None:
        return False
    meta, entries = found
    if paths != [path for path, _, _ in entries] or meta.branch_name != branch_at(Path(root)):
        return False
    if meta.recipe.partition("+")[0] != RECIPE or meta.commit_sha is None:
        return False  # the first commit gives a project its name
    graph = meta.graph
    if mark.has_graph and (graph is None or not graph.is_complete or graph.updated_at_us != meta.indexed_at_us):
        return False
    if mark.has_graph and graph is not None and graph.recipe.partition("+")[0] != GRAPH_RECIPE:
        return False
    for status, (_, size, mtime_ns) in zip(stat_paths(root, paths), entries, strict=True):
        if status is None or status.st_size != size or status.st_mtime_ns != mtime_ns:
            return False
    skipped = meta.skipped
    coverage = {"files": _coverage(len(entries), skipped)}
    if mark.has_graph and graph is not None:
        coverage["graph"] = _coverage(graph.files, graph.skipped)
    form = {
        "schema": {"name": "pckc.index", "version": 1},
        "coverage": coverage,
        "project": meta.project,
        "root": root,
        "branch": meta.branch_name,
        "indexed": 0,
        "unchanged": len(entries) - sum(skipped.values()),
        "removed": 0,
        "skipped": skipped,
        "redacted": {},
        "bytes_read": 0,
        "facts": 0,
        "facts_left_out": 0,
        "graph": _unchanged_graph(graph) if mark.has_graph and graph is not None else None,
        "embedded": 0,
        "embed_seconds": 0.0,
        "seconds": round(time.perf_counter() - started, 3),
    }
    if options["--json"]:
        sys.stdout.write(json.dumps(form) + "\n")
    elif not options["--quiet"]:
        sys.stdout.write(f"{form['unchanged']} file{'' if form['unchanged'] == 1 else 's'}, nothing changed\n")
    return True


def _coverage(total: int, skipped: Mapping[str, int]) -> dict[str, int]:
    return {"indexed": total - sum(skipped.values()), "total": total, "behind": 0}


def _unchanged_graph(graph: "GraphMeta") -> dict[str, object]:
    """Return what a run over an unchanged graph says, as `forms.graph_report_form` does."""
    return {
        "files": graph.files,
        "read": 0,
        "linked": 0,
        "removed": 0,
        "is_anew": False,
        "skipped": graph.skipped,
        "seconds": 0.0,
    }


def _resolved(store: str) -> str:
    return os.path.realpath(os.path.expanduser(store))


def _parse(arguments: Sequence[str]) -> dict[str, str] | None:
    """Read the few options that this path knows; ``None`` leaves the command to the ordinary one."""
    from pckc_mcp.sync_mark import OVERRIDES

    environ = os.environ
    if any(map(environ.get, OVERRIDES)):
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
