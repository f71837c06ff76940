"""``pckc setup`` and ``pckc uninstall``: connect an agent host, and take that back."""

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from pckc_mcp.cli.output import note, print_json, print_text
from pckc_mcp.forms import answer
from pckc_mcp.locations import find_root
from pckc_mcp.setup.connecting import Change, connect, disconnect
from pckc_mcp.setup.wanted import NOTES, program, wanted

DONE = {"create": "written", "change": "changed", "delete": "deleted", "unchanged": "unchanged"}


def run(options: Namespace) -> int:
    """Change the host's files, or show how, and say what was done."""
    is_setup = options.command == "setup"
    project = find_root(Path()) if options.project else None
    files = wanted(options.host, project, os.environ, command=program(is_shared=project is not None))
    changes = (connect if is_setup else disconnect)(files, is_rehearsal=options.dry_run)
    hints = NOTES[options.host] if is_setup and not options.dry_run else ()
    if options.json:
        print_json(_form(options, changes, hints))
        return 0
    print_text("\n".join(_lines(changes, is_rehearsal=options.dry_run)))
    if not options.quiet:
        for line in (*(line for change in changes for line in change.notes), *hints):
            note(f"pckc: {line}")
    return 0


def _lines(changes: Sequence[Change], *, is_rehearsal: bool) -> Iterator[str]:
    for change in changes:
        if is_rehearsal:
            yield change.diff.rstrip("\n") or f"{change.path}: unchanged"
        else:
            kept = f" (as it was: {change.backup})" if change.backup else ""
            yield f"{change.path}: {DONE[change.action]}{kept}"


def _form(options: Namespace, changes: Sequence[Change], hints: Sequence[str]) -> dict[str, object]:
    return answer(
        options.command,
        {},
        host=options.host,
        level="project" if options.project else "user",
        dry_run=options.dry_run,
        files=[
            {
                "path": str(change.path),
                "action": change.action,
                "diff": change.diff,
                "backup": str(change.backup) if change.backup else None,
                "notes": list(change.notes),
            }
            for change in changes
        ],
        notes=list(hints),
    )
