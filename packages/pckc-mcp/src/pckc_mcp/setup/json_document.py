"""JSON configuration: servers under ``mcpServers``, hooks under ``hooks``; order, indentation and all else stay."""

import json
import re
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, NoReturn

from pckc_domain.errors import InvalidInputError

from pckc_mcp.setup.wanted import SERVER, Wanted

SERVERS, HOOKS = "mcpServers", "hooks"

_OWN_HOOK = re.compile(r'(?:"[^"]*/pckc"|(?:\S*/)?pckc) hook [A-Za-z]+ --host (?:claude|codex|dsh)')
_SURROGATES = re.compile("[\ud800-\udfff]")
_INDENT = re.compile(r"^[{\[]\s*\n([ \t]+)\S")


def add(text: str, wanted: Wanted) -> tuple[str, list[str]]:
    """
    Return *text* with what is *wanted*, and notes on what was left as it is.

    Raises:
        InvalidInputError: It is not JSON, or has something else where servers and hooks stand.
    """
    document, notes = _parse(text, wanted.path), []
    before = json.dumps(document)
    if wanted.server is not None:
        known = _inner(document, SERVERS, wanted.path).setdefault(SERVER, dict(wanted.server))
        if known != wanted.server and is_own_server(known):
            document[SERVERS][SERVER] = dict(wanted.server)
        elif known != wanted.server:
            notes.append(f"{wanted.path}: a server {SERVER} is there already, and was left as it is")
    if wanted.hooks:
        _add_hooks(_inner(document, HOOKS, wanted.path), wanted)
    return (text if text and json.dumps(document) == before else _dump(document, text)), notes


def remove(text: str, wanted: Wanted) -> tuple[str, list[str]]:
    """
    Return *text* without what PCKC added, and notes on what was left.

    Raises:
        InvalidInputError: As `add`.
    """
    if not text.strip():
        return text, []
    document, notes = _parse(text, wanted.path), []
    before = json.dumps(document)
    if wanted.server is not None and SERVERS in document and SERVER in _inner(document, SERVERS, wanted.path):
        servers = document[SERVERS]
        if is_own_server(servers[SERVER]):
            del servers[SERVER]
            if not servers:
                del document[SERVERS]
        else:
            notes.append(f"{wanted.path}: the server {SERVER} is not as `pckc setup` writes it, and was left")
    if wanted.hooks and HOOKS in document:
        _remove_hooks(document, wanted.path)
    return (text if json.dumps(document) == before else _dump(document, text)), notes


def own_hooks(text: str, path: Path) -> list[str]:
    """Return the commands of the hooks that are PCKC's, in order."""
    if not text.strip():
        return []
    return hook_commands(_inner(_parse(text, path), HOOKS, path))


def hook_commands(events: Mapping[str, Any]) -> list[str]:
    """Return the commands of those among the hooks of *events* that are PCKC's."""
    groups = [group for event in events.values() for group in _groups(event)]
    return [hook["command"] for group in groups for hook in group["hooks"] if is_own_hook(hook)]


def own_server(text: str, path: Path) -> Any:
    """Return the entry of the server; ``None`` when there is none."""
    return _inner(_parse(text, path), SERVERS, path).get(SERVER) if text.strip() else None


def is_own_server(entry: object) -> bool:
    """Return whether `pckc setup` could have written *entry*."""
    return (
        isinstance(entry, dict)
        and entry.keys() <= {"type", "command", "args"}
        and entry.get("args") == ["serve"]
        and Path(str(entry.get("command"))).name == SERVER
    )


def is_own_hook(hook: object) -> bool:
    """Return whether *hook* runs `pckc hook` as `pckc setup` writes it."""
    return isinstance(hook, dict) and _OWN_HOOK.fullmatch(str(hook.get("command"))) is not None


def _add_hooks(events: dict[str, Any], wanted: Wanted) -> None:
    _drop_own(events, but=wanted.hooks)  # an earlier release may have wanted others
    for event, groups in wanted.hooks.items():
        known = events.setdefault(event, [])
        if not isinstance(known, list):
            _refuse(wanted.path, f"{HOOKS}.{event} is no list")
        if all(group in known for group in groups):
            continue
        events[event] = [*_without_own(known), *(dict(group) for group in groups)]


def _remove_hooks(document: dict[str, Any], path: Path) -> None:
    events = _inner(document, HOOKS, path)
    _drop_own(events)
    if not events:
        del document[HOOKS]


def _drop_own(events: dict[str, Any], *, but: Container[str] = ()) -> None:
    """Take PCKC's hooks out of all events *but* these; an event that has no others goes, too."""
    for event, groups in list(events.items()):
        if event in but or not isinstance(groups, list):
            continue
        events[event] = _without_own(groups)
        if groups and not events[event]:
            del events[event]


def _without_own(groups: list[Any]) -> list[Any]:
    kept = []
    for group in groups:
        if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
            kept.append(group)
            continue
        others = [hook for hook in group["hooks"] if not is_own_hook(hook)]
        if others or not group["hooks"]:
            kept.append(group if len(others) == len(group["hooks"]) else {**group, "hooks": others})
    return kept


def _groups(event: object) -> list[dict[str, Any]]:
    groups = event if isinstance(event, list) else []
    return [group for group in groups if isinstance(group, dict) and isinstance(group.get("hooks"), list)]


def _inner(document: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    inner = document.setdefault(name, {})
    if not isinstance(inner, dict):
        _refuse(path, f"{name} is no object")
    return inner


def _parse(text: str, path: Path) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        document = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        _refuse(path, f"it is not plain JSON: {error}")
    if not isinstance(document, dict):
        _refuse(path, "it is no JSON object")
    return document


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a key stands there twice")
    return document


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _dump(document: Mapping[str, Any], like: str) -> str:
    """Return *document* spelled like the text that it was read from."""
    if "\n" not in like.strip() and len(like.strip()) > len("{}"):
        separators = (", ", ": ") if ": " in like else (",", ":")
        written = json.dumps(document, ensure_ascii=like.isascii(), separators=separators)
    else:
        indent = _INDENT.match(like.lstrip())
        written = json.dumps(document, ensure_ascii=like.isascii(), indent=indent[1] if indent else 2)
    written = _SURROGATES.sub(lambda half: f"\\u{ord(half[0]):04x}", written)  # no UTF-8 can spell half a character
    return written + (like[len(like.rstrip()) :] if like.strip() else "\n")


def _refuse(path: Path, why: str) -> NoReturn:
    raise InvalidInputError(f"{path}: {why}; nothing was changed", remedy="mend the file, then run this again")
