"""Values as JSON and back, and texts as PostgreSQL can hold them."""

import json
import re
from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from functools import cache
from math import isfinite
from typing import Any, TypeVar

import orjson
from cattrs import Converter
from cattrs.preconf.json import JsonConverter, make_converter
from cattrs.preconf.orjson import make_converter as make_writer
from psycopg import DataError
from psycopg.adapt import Dumper
from psycopg.types.json import Json

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return *text* with lone surrogates and NULs, which no text column can hold, replaced by U+FFFD."""
    return text if text.isascii() and "\0" not in text else _SURROGATES.sub("\ufffd", text).replace("\0", "\ufffd")


def dump(value: Any) -> str:
    """Return *value* as JSON; a NUL is kept as an escape, a lone surrogate is replaced by U+FFFD."""
    try:
        return orjson.dumps(_writer().unstructure(value)).decode()
    except TypeError:  # what orjson does not take: lone surrogates, large numbers, keys that are no texts
        return _SURROGATES.sub("\ufffd", _encode(_converter().unstructure(value)))


def as_json(value: Any) -> Json:
    """Return *value* as a parameter for a JSON column."""
    return Json(value, dumps=dump)


class ArrayDumper(Dumper):
    """Lists as literals of arrays, of what is no bytes; psycopg's own looks for the type of each element."""

    def dump(self, obj: list[Any]) -> bytes:
        """Return the literal; the server knows the type that it wants."""
        return array_literal(obj).encode()


def array_literal(values: Sequence[Any]) -> str:
    """Return *values*, which are no bytes, as the literal of an array."""
    try:
        joined = "\0".join(values)
    except TypeError:  # not all of them are texts
        return f"{{{','.join(map(_element, values))}}}"
    if joined.count("\0") >= len(values) > 0:
        raise DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return "{" + _quoted(joined).replace("\0", '","') + "}" if values else "{}"


def _element(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int | datetime):  # written without what an array would take for its own
        return str(value)
    if isinstance(value, Json):
        return _quoted(dump(value.obj))
    return _quoted(array_literal(value) if isinstance(value, list | tuple) else str(value))


def _quoted(text: str) -> str:
    if '"' in text or "\\" in text:
        text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def load(data: Any, kind: type[T]) -> T:
    """Read what a JSON column holds as *kind*."""
    return _converter().structure(data, kind)


def plain(value: Any) -> Any:
    """Return *value* as it would be read from a JSON column, to compare with one."""
    return json.loads(dump(value))


def changes(stored: Mapping[Key, Any], wanted: Mapping[Key, Any]) -> tuple[list[Key], list[Key]]:
    """Return the keys that vanish, and those to write, to turn *stored* into *wanted*."""
    return [key for key in stored if key not in wanted], [
        key for key, value in wanted.items() if key not in stored or stored[key] != value
    ]


@cache
def _converter() -> JsonConverter:
    return make_converter()


@cache
def _writer() -> Converter:
    """Return what leaves times and such to orjson."""
    writer = make_writer()
    writer.register_unstructure_hook(float, _finite)
    return writer


def _finite(number: float) -> float:
    """Refuse what orjson would write as null, so that the server refuses it."""
    if not isfinite(number):
        raise TypeError(number)
    return number
