"""TOML configuration: tables are added between marks at its end; not a byte of the rest changes."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from pckc_domain.errors import InvalidInputError

from pckc_mcp.setup.block import has_block, with_block, without_block
from pckc_mcp.setup.json_document import hook_commands
from pckc_mcp.setup.wanted import SERVER, Wanted

SERVERS = "mcp_servers"


def add(text: str, wanted: Wanted) -> tuple[str, list[str]]:
    """
    Return *text* with what is *wanted*, and notes on what was left as it is.

    Raises:
        InvalidInputError: It is not TOML, or its servers are written in a way that none can be added to.
    """
    others = _parse(without_block(text), wanted.path)
    parts, notes = [], []
    if wanted.server is not None and SERVER in _table(others, SERVERS):
        notes.append(f"{wanted.path}: [{SERVERS}.{SERVER}] is there already, and was left as it is")
    elif wanted.server is not None:
        parts.append(server_text(wanted.server))
    if wanted.hooks:
        parts.append(hooks_text(wanted.hooks))
    if not parts:
        return without_block(text), notes
    changed = with_block(text, "\n".join(parts))
    if not _holds(_parse(changed, wanted.path), others):
        _refuse(wanted.path, "nothing can be added to it")
    return changed, notes


def remove(text: str, wanted: Wanted) -> tuple[str, list[str]]:
    """
    Return *text* without what PCKC added, and notes on what was left.

    Raises:
        InvalidInputError: It is not TOML.
    """
    left = without_block(text)
    notes = []
    if SERVER in _table(_parse(left, wanted.path), SERVERS):
        notes.append(f"{wanted.path}: [{SERVERS}.{SERVER}] was not written by `pckc setup`, and was left")
    return left, notes


def own_server(text: str, path: Path) -> Any:
    """Return the entry of the server; ``None`` when there is none."""
    return _table(_parse(text, path), SERVERS).get(SERVER)


def own_hooks(text: str, path: Path) -> list[str]:
    """Return the commands of the hooks that are PCKC's, in order."""
    return hook_commands(_table(_parse(text, path), "hooks"))


def names_hooks(text: str) -> bool:
    """Return whether hooks stand in *text* that are not PCKC's; what cannot be read names none."""
    try:
        return bool(tomllib.loads(without_block(text)).get("hooks")) or (has_block(text) and "[[hooks." in text)
    except tomllib.TOMLDecodeError:
        return False


def server_text(server: Mapping[str, Any]) -> str:
    """Return the table of the server."""
    return f"[{SERVERS}.{SERVER}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in server.items())


def hooks_text(hooks: Mapping[str, Any]) -> str:
    """Return tables of hooks, given in the form of hooks.json."""
    lines = []
    for event, groups in hooks.items():
        for group in groups:
            lines.append(f"[[hooks.{event}]]")
            if "matcher" in group:
                lines.append(f"matcher = {json.dumps(group['matcher'])}")
            for hook in group["hooks"]:
                lines += [f"[[hooks.{event}.hooks]]", *(f"{key} = {json.dumps(value)}" for key, value in hook.items())]
    return "\n".join(lines) + "\n"


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = document.get(name, {})
    return table if isinstance(table, dict) else {}


def _holds(new: Any, old: Any) -> bool:
    """Return whether all of *old* is still in *new*."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(key in new and _holds(new[key], value) for key, value in old.items())
    if isinstance(old, list):
        return isinstance(new, list) and new[: len(old)] == old
    return bool(new == old)


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        _refuse(path, f"it is not TOML that tables can be added to: {error}")


def _refuse(path: Path, why: str) -> NoReturn:
    raise InvalidInputError(f"{path}: {why}; nothing was changed", remedy="mend the file, then run this again")
