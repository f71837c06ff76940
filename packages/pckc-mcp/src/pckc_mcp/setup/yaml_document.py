"""A profile patch of dsh: rows are inserted between marks at its end; not a byte of the rest changes."""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any, NoReturn

from pckc_domain.errors import InvalidInputError

from pckc_mcp.setup.block import with_block, without_block
from pckc_mcp.setup.wanted import Wanted

_EMPTY_LIST = re.compile(r"^\[\s*\][ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^([ ]*)-(?:\s|$)", re.MULTILINE)


def add(text: str, wanted: Wanted) -> tuple[str, list[str]]:
    """
    Return *text* with what is *wanted*, and notes on what was left as it is.

    Raises:
        InvalidInputError: It is not YAML, no list, or a list that no rows can be added to.
    """
    others = _parse(without_block(text), wanted.path)
    known = set(_ids(others))
    notes = [f"{wanted.path}: a row {id_} is there already, and was left" for id_ in wanted.rows if id_ in known]
    rows = [row for id_, row in wanted.rows.items() if id_ not in known]
    if not rows:
        return without_block(text), notes
    base = text if others else _EMPTY_LIST.sub("", text, count=1)
    item = _ITEM.search(without_block(text)) if others else None
    changed = with_block(base, indent(insertion(rows), item[1] if item else ""))
    now = _parse(changed, wanted.path)
    if now[: len(others)] != others or not wanted.rows.keys() <= set(_ids(now)):
        _refuse(wanted.path, "it is written in a way that no rows can be added to")
    return changed, notes


def remove(text: str, wanted: Wanted) -> tuple[str, list[str]]:
    """
    Return *text* without what PCKC added, and notes on what was left.

    Raises:
        InvalidInputError: It is not YAML, or no list.
    """
    left = without_block(text)
    known = set(_ids(_parse(left, wanted.path)))
    kept = [id_ for id_ in wanted.rows if id_ in known]
    return left, [f"{wanted.path}: the row {id_} was not written by `pckc setup`, and was left" for id_ in kept]


def rows_in(text: str, path: Path) -> list[str]:
    """Return the ids of the rows of a profile patch."""
    return list(_ids(_parse(text, path)))


def insertion(rows: list[str]) -> str:
    """Return the item of a patch that inserts *rows*."""
    return "- insert:\n" + "".join(indent(row, "    ") for row in rows)


def _ids(patch: list[Any]) -> Iterator[str]:
    for item in patch:
        if isinstance(item, dict):
            inserted = item.get("insert")
            rows = inserted if isinstance(inserted, list) else [item]
            yield from (str(row["id"]) for row in rows if isinstance(row, dict) and "id" in row)


def _parse(text: str, path: Path) -> list[Any]:
    from ruamel.yaml import YAML  # costs 60 ms
    from ruamel.yaml.error import YAMLError

    try:
        patch = YAML(typ="rt").load(text)
    except YAMLError as error:
        _refuse(path, f"it is not YAML: {' '.join(str(error).split())[:200]}")
    if patch is not None and not isinstance(patch, list):
        _refuse(path, "it is no list of changes to a profile")
    return [_plain(item) for item in patch or []]


def _plain(value: Any) -> Any:
    """Return a parsed value as one that can be compared: what has a tag of its own, such as ``!!js``, with its tag."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    tag = getattr(value, "tag", None)
    return (str(tag), str(value.value)) if tag is not None and hasattr(value, "value") else value


def _refuse(path: Path, why: str) -> NoReturn:
    raise InvalidInputError(f"{path}: {why}; nothing was changed", remedy="mend the file, then run this again")
