"""Paths as people type them: against the folder they stand in, or the project's root."""

import os
from collections.abc import Sequence
from pathlib import Path

from pckc_domain.errors import InvalidInputError
from pckc_domain.model.passage import Layer, PassageFilter

from pckc_mcp.cli.output import note
from pckc_mcp.engine import Engine


def prefixes(engine: Engine, names: Sequence[str], *, quiet: bool) -> list[str]:
    """
    Return what the paths of documents under *names* start with; nothing when a name is the whole project.

    A name is absolute, or relative to the current folder or to the root; a folder needs no slash at its end. What has
    no place in the index is said on stderr.

    Raises:
        InvalidInputError: A name is a pattern or leads out of the project.
    """
    found = [_prefix(engine.root, name) for name in names]
    if "" in found:
        return []
    for name, prefix in zip(names, found, strict=True):
        if not quiet and not _is_indexed(engine, prefix):
            note(f"pckc: nothing is indexed under {name}")
    return found


def _prefix(root: Path, name: str) -> str:
    if "*" in name:
        raise InvalidInputError(f"--path takes no pattern: {name}", remedy="name a file or a folder, such as src/")
    here = Path.cwd() / name
    place = here if Path(name).is_absolute() or (here.is_relative_to(root) and here.exists()) else root / name
    relative = os.path.relpath(os.path.normpath(place), root)
    if relative == os.pardir or relative.startswith(f"{os.pardir}{os.sep}"):
        raise InvalidInputError(f"{name} is outside of {root}", remedy="name a path below it")
    if relative == os.curdir:
        return ""
    is_folder = place.is_dir() or name.endswith("/")
    return Path(relative).as_posix() + ("/" if is_folder else "")


def _is_indexed(engine: Engine, prefix: str) -> bool:
    where = PassageFilter(uri_prefixes=(prefix,), checkout=engine.checkout.id)
    with engine.canonical.reading(engine.scope) as work:
        return any(work.passages.find(layer, where=where, limit=1) for layer in (Layer.SUMMARY, Layer.CHUNK))
