"""Fill the list of records in docs/archive.md from the code: every part of an archive, with its fields."""

import inspect
import re
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import attrs
from pckc_domain.usecases.archive import RECORDS

TARGET = Path(__file__).parents[1] / "docs" / "archive.md"
BEGIN, END = "<!-- records -->\n", "<!-- /records -->\n"


def page() -> str:
    """Return the whole page with the list as the code has it."""
    before, _, rest = TARGET.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}{_records()}{END}{rest.partition(END)[2]}"


def _records() -> str:
    values: dict[type[Any], str] = {}
    for name, kind in RECORDS.items():
        _collect(kind, values, f'Record `"{name}"`')
    return "\n" + "".join(_section(kind, title) for kind, title in values.items())


def _collect(kind: type[Any], values: dict[type[Any], str], title: str) -> None:
    if kind in values:
        return
    values[kind] = title
    for form in get_type_hints(kind).values():
        for inner in _inner(form):
            _collect(inner, values, inner.__name__)


def _inner(kind: Any) -> Iterator[type[Any]]:
    if isinstance(kind, type) and (attrs.has(kind) or hasattr(kind, "_fields")):
        yield kind
    for argument in get_args(kind):
        yield from _inner(argument)


def _section(kind: type[Any], title: str) -> str:
    text, meanings = _documented(kind)
    order = "" if attrs.has(kind) else "\n\nA list, in this order."
    forms = get_type_hints(kind)
    rows = (f"| `{name}` | {_form(form)} | {meanings.get(name, '')} |" for name, form in forms.items())
    return f"### {title}\n\n{text}{order}\n\n| Field | Form | Meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n\n"


def _documented(kind: type[Any]) -> tuple[str, dict[str, str]]:
    """Return what the docstring says of the whole, and of each field."""
    meanings: dict[str, str] = {}
    text = ""
    for one in reversed(
        [base for base in kind.__mro__ if base is kind or attrs.has(base)]
    ):  # fields may come from what it is a kind of
        text, _, listed = (inspect.getdoc(one) or "").partition("\nAttributes:\n")
        fields = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
        meanings |= {name: " ".join(meaning.split()) for name, meaning in fields}
    return " ".join(text.split()), meanings


def _form(kind: Any) -> str:
    """Return how a field is written in JSON."""
    arguments = [one for one in get_args(kind) if one is not Ellipsis]
    if type(None) in arguments:
        return " or ".join(_form(one) for one in arguments if one is not type(None)) + " or null"
    if get_origin(kind) is not None and hasattr(get_origin(kind), "keys"):
        return f"object of {_form(arguments[1])}"
    if arguments:
        return f"list of {_form(arguments[0])}"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "\\|".join(str(member.value) for member in kind)
    names = {
        "str": "text",
        "int": "integer",
        "float": "number",
        "bool": "boolean",
        "datetime": "time",
        "bytes": "bytes",
    }
    name = getattr(kind, "__name__", str(kind))
    return names.get(name, name)


if __name__ == "__main__":
    if "--write" in sys.argv:
        TARGET.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
