"""Adds to a host's files what it needs, and takes exactly that back."""

import difflib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

import attrs

from pckc_mcp.setup import files, json_document, toml_document, yaml_document
from pckc_mcp.setup.files import Found
from pckc_mcp.setup.wanted import Wanted

DOCUMENTS: dict[str, ModuleType] = {"json": json_document, "toml": toml_document, "yaml": yaml_document}


@attrs.frozen(kw_only=True)
class Change:
    """
    What is to become of one file, or became of it.

    Attributes:
        path: The file.
        action: create, change, delete or unchanged.
        diff: What changes, as a unified diff; ``""`` when nothing does.
        notes: What was left as it is, and why.
        backup: What stood there before; ``None`` when nothing was kept.
    """

    path: Path
    action: str
    diff: str
    notes: tuple[str, ...] = ()
    backup: Path | None = None


def connect(wanted: Sequence[Wanted], *, is_rehearsal: bool) -> list[Change]:
    """
    Add what is *wanted*; a rehearsal writes nothing. Nothing is written either when one of the files is refused.

    Raises:
        InvalidInputError: A file cannot be understood.
        BackendError: A file cannot be written; those before it are.
    """
    planned, are_own = [], []
    for each in wanted:
        found = files.find(each.path)
        _, notes = DOCUMENTS[each.kind].add(found.text, each)
        planned.append(_planned(found, _added(each, found), notes))
        are_own.append(_is_all_own(each, found))
    if is_rehearsal:
        return planned
    return [
        attrs.evolve(plan, backup=files.change(each.path, partial(_added, each), keeps_backup=not is_own))
        for each, plan, is_own in zip(wanted, planned, are_own, strict=True)
    ]


def disconnect(wanted: Sequence[Wanted], *, is_rehearsal: bool) -> list[Change]:
    """
    Take back what `connect` added; files that it made and nobody changed are deleted.

    Raises:
        InvalidInputError: As `connect`.
        BackendError: As `connect`.
    """
    planned, origins = [], []
    for each in wanted:
        found = files.find(each.path)
        _, notes = DOCUMENTS[each.kind].remove(found.text, each)
        planned.append(_planned(found, _restored(each, found), notes))
        origins.append(_origin(each, found))
    if is_rehearsal:
        return planned
    changes = []
    for each, plan, origin in zip(wanted, planned, origins, strict=True):
        is_lossless = origin is not None or plan.action == "delete"
        backup = files.change(each.path, partial(_restored, each), keeps_backup=not is_lossless)
        if origin:
            origin.unlink(missing_ok=True)
        changes.append(attrs.evolve(plan, backup=backup, notes=(*plan.notes, *_left(each, backup))))
    return changes


def _left(wanted: Wanted, named: Path | None) -> Iterator[str]:
    """Name the backups that stay, less the one that is named already."""
    if others := [str(one) for one in files.backups(wanted.path) if one != named]:
        yield f"earlier backups are left, delete them when you miss nothing: {', '.join(others)}"


def _is_all_own(wanted: Wanted, found: Found) -> bool:
    """Return whether nothing but what `connect` writes stands in the file, in whatever spelling of the command."""
    left, _ = DOCUMENTS[wanted.kind].remove(found.text, wanted)
    return left != found.text and left.strip() in ("", "{}", "[]")


def _is_made(wanted: Wanted, found: Found) -> bool:
    """Return whether `connect` made the file: all is its own, and it has kept nothing that stood there before."""
    document = DOCUMENTS[wanted.kind]
    kept = (files.find(backup).text for backup in files.backups(wanted.path))
    return _is_all_own(wanted, found) and not any(document.remove(text, wanted)[0] == text for text in kept)


def _added(wanted: Wanted, found: Found) -> bytes | None:
    text, _ = DOCUMENTS[wanted.kind].add(found.text, wanted)
    return found.raw if text == found.text else found.encoded(text)


def _restored(wanted: Wanted, found: Found) -> bytes | None:
    """Return what stood in the file before, byte for byte if nobody changed it since, else without what is PCKC's."""
    document = DOCUMENTS[wanted.kind]
    text, _ = document.remove(found.text, wanted)
    if found.raw is None or text == found.text:
        return found.raw
    origin = _origin(wanted, found)
    if origin is not None:
        return origin.read_bytes()
    return None if _is_made(wanted, found) else found.encoded(text)


def _origin(wanted: Wanted, found: Found) -> Path | None:
    """Return the backup from which `connect` made what stands in the file now."""
    document = DOCUMENTS[wanted.kind]
    for backup in files.backups(wanted.path):
        before = files.find(backup)
        if document.remove(before.text, wanted)[0] != before.text:
            continue
        if document.add(before.text, wanted)[0] == found.text:
            return backup
    return None


def _planned(found: Found, new: bytes | None, notes: Sequence[str]) -> Change:
    if new == found.raw:
        return Change(path=found.path, action="unchanged", diff="", notes=tuple(notes))
    action = "delete" if new is None else "create" if found.raw is None else "change"
    return Change(path=found.path, action=action, diff=_diff(found, new), notes=tuple(notes))


def _diff(found: Found, new: bytes | None) -> str:
    before = found.text.splitlines(keepends=True)
    after = (new or b"").decode("utf-8-sig").replace("\r\n", "\n").splitlines(keepends=True)
    old_name = "/dev/null" if found.raw is None else str(found.path)
    new_name = "/dev/null" if new is None else str(found.path)
    return "".join(_ended(difflib.unified_diff(before, after, old_name, new_name)))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
