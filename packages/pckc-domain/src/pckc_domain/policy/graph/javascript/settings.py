"""What package.json and tsconfig.json say of how modules are found."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
_CONDITIONS = ("source", "development", "import", "module", "require", "node", "browser", "default", "types")
"""Which of several files of a package is meant, in this order: any is right, the first is nearest to its source."""
_LONGEST_EXTENDS = 8


@attrs.frozen(kw_only=True)
class Package:
    """
    A package.json.

    Attributes:
        folder: Where it stands; ``""`` for the root.
        entries: Paths that may be its main module, best first.
        exports: Subpath to paths; a ``*`` stands for any text on both sides.
        imports: The same of its ``#name`` imports.
    """

    folder: str
    name: str
    entries: tuple[str, ...]
    exports: tuple[tuple[str, tuple[str, ...]], ...] | None
    imports: tuple[tuple[str, tuple[str, ...]], ...]


@attrs.frozen(kw_only=True)
class Compilation:
    """
    A tsconfig.json with all that it extends.

    Attributes:
        folder: The files it is for stand below it.
        base: Folder from which bare names are tried; ``None`` without one.
        aliases: Pattern to paths from the root.
    """

    folder: str
    base: str | None
    aliases: tuple[tuple[str, tuple[str, ...]], ...]


def packages(settings: Mapping[str, str]) -> Iterator[Package]:
    """Yield the packages, by path."""
    for path, text in sorted(settings.items()):
        if path.rpartition("/")[2] == "package.json" and isinstance(said := _parsed(text), dict):
            yield _package(path.rpartition("/")[0], said)


def _package(folder: str, said: dict[str, Any]) -> Package:
    entries = [said.get(key) for key in ("source", "module", "main", "types", "typings")]
    exports = said.get("exports")
    if isinstance(exports, str | list) or (isinstance(exports, dict) and not any(key[:1] == "." for key in exports)):
        exports = {".": exports}
    name, imports = said.get("name"), said.get("imports")
    return Package(
        folder=folder,
        name=name if isinstance(name, str) else "",
        entries=tuple(one for one in entries if isinstance(one, str)),
        exports=_subpaths(exports) if isinstance(exports, dict) else None,
        imports=_subpaths(imports) if isinstance(imports, dict) else (),
    )


def _subpaths(said: dict[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((key, tuple(dict.fromkeys(_targets(value)))) for key, value in said.items())


def _targets(said: object) -> Iterator[str]:
    stack = [said]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            stack.extend(reversed(one))
        elif isinstance(one, dict):
            known = [one[key] for key in _CONDITIONS if key in one]
            stack.extend(reversed([*known, *(value for key, value in one.items() if key not in _CONDITIONS)]))


def compilations(settings: Mapping[str, str]) -> Iterator[Compilation]:
    """Yield what tsconfig.json and jsconfig.json files say, by path."""
    parsed: dict[str, dict[str, Any]] = {}
    for path, text in sorted(settings.items()):
        name = path.rpartition("/")[2]
        if name.endswith(".json") and ("tsconfig" in name or "jsconfig" in name):
            said = _parsed(text)
            if isinstance(said, dict):
                parsed[path] = said
    for path in parsed:
        if path.rpartition("/")[2] in ("tsconfig.json", "jsconfig.json"):
            yield _compilation(path, parsed)


def _compilation(path: str, parsed: Mapping[str, dict[str, Any]]) -> Compilation:
    base: str | None = None
    aliases: tuple[tuple[str, tuple[str, ...]], ...] | None = None
    current = [path]
    for _ in range(_LONGEST_EXTENDS):
        if not current:
            break
        here = current.pop(0)
        said = parsed.get(here, {})
        folder = here.rpartition("/")[0]
        options = said.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        written = options.get("baseUrl")
        own_base = normal(folder, written) if isinstance(written, str) else None
        paths = options.get("paths")
        if aliases is None and isinstance(paths, dict):
            aliases = tuple(
                (pattern, tuple(normal(own_base if own_base is not None else folder, one) for one in _targets(targets)))
                for pattern, targets in paths.items()
            )
        base = own_base if base is None else base
        current += [one for one in (_extended(folder, name, parsed) for name in _targets(said.get("extends"))) if one]
    return Compilation(folder=path.rpartition("/")[0], base=base, aliases=aliases or ())


def _extended(folder: str, name: str, parsed: Mapping[str, dict[str, Any]]) -> str:
    """Return the path of the file that ``extends`` means; ``""`` when it is not in the repository."""
    path = normal(folder, name)
    return next((one for one in (path, f"{path}.json", f"{path}/tsconfig.json") if one in parsed), "")


def normal(folder: str, path: str) -> str:
    """Return *path*, written in *folder*, from the root; what leads out of it stays marked by ``..``."""
    parts = folder.split("/") if folder and not path.startswith("/") else []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _parsed(text: str) -> object:
    """Return what JSON with comments and commas too many says; ``None`` when it is none."""
    plain = _TOKEN.sub(lambda match: match[0] if match[0].startswith('"') else "", text.lstrip("\ufeff"))
    try:
        return json.loads(plain)
    except (ValueError, RecursionError):
        return None
