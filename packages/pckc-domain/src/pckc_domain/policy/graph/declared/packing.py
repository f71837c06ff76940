"""Facts as bytes: JSON, in which every expression begins with a number that tells its kind."""

import json
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import attrs

from pckc_domain.model.code_facts import Rationale
from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    Declaration,
    DeclaredFacts,
    Expression,
    Gift,
    Implementation,
    ImportFact,
    Item,
    Literal,
    Local,
    Mention,
    Name,
    New,
    Parameter,
    Part,
    Place,
    Select,
    Stored,
    This,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind

_KINDS: tuple[type, ...] = (Name, This, Select, Call, New, Literal, Cast, Item, Part, Choice, Closure)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_FIELDS = tuple(field.name for field in attrs.fields(Declaration))
_DEFAULTS = tuple(field.default for field in attrs.fields(Declaration))
_VALUES = attrgetter(*_FIELDS)


def pack(facts: DeclaredFacts) -> bytes:
    """Return *facts* as bytes."""
    whole = [
        facts.path,
        facts.language,
        facts.namespace,
        [_declaration(one) for one in facts.declarations],
        facts.imports,
        facts.implementations,
        facts.rationale,
        facts.problems,
        [[_pack(one.into), one.position, _pack(one.value), one.declaration, one.line] for one in facts.gifts],
    ]
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpack(content: bytes) -> DeclaredFacts:
    """Return what `pack` was given."""
    path, language, namespace, declarations, imports, implementations, rationale, problems, gifts = json.loads(content)
    return DeclaredFacts(
        path=path,
        language=language,
        namespace=namespace,
        declarations=tuple([_read_declaration(one) for one in declarations]),
        imports=tuple([ImportFact(*one) for one in imports]),
        implementations=tuple(
            [Implementation(_type(kind), _type(trait), *rest) for kind, trait, *rest in implementations]
        ),
        rationale=tuple([Rationale(*one) for one in rationale]),
        problems=tuple(problems),
        gifts=tuple([Gift(_unpack(into), position, _unpack(value), *rest) for into, position, value, *rest in gifts]),
    )


def pack_declaration(declaration: Declaration) -> str:
    """Return one declaration as text: equal for equal ones."""
    return json.dumps(_declaration(declaration), ensure_ascii=False, separators=(",", ":"))


def _declaration(one: Declaration) -> dict[int, Any]:
    packed: dict[int, Any] = {}
    for number, (value, default) in enumerate(zip(_VALUES(one), _DEFAULTS, strict=True)):
        if value is not default and value != default:
            packer = _PACKERS.get(_FIELDS[number])
            packed[number] = packer(value) if packer else value
    return packed


def _read_declaration(packed: dict[str, Any]) -> Declaration:
    fields: dict[str, Any] = {}
    for number, value in packed.items():
        name = _FIELDS[int(number)]
        reader = _READERS.get(name)
        fields[name] = reader(value) if reader else value
    return Declaration(**fields)


def _pack(expression: Expression | None) -> Any:
    match expression:
        case None:
            return None
        case Name() | This() | Literal() | Closure():
            return [_NUMBERS[type(expression)], *expression]
        case Select(owner, name):
            return [2, _pack(owner), name]
        case Call(callee, arguments, type_arguments, place):
            return [3, _pack(callee), [_pack(one) for one in arguments], type_arguments, place]
        case New(kind, arguments, place):
            return [4, kind, [_pack(one) for one in arguments], place]
        case Cast(value, kind):
            return [6, _pack(value), kind]
        case Item(owner, is_key):
            return [7, _pack(owner), is_key]
        case Part(owner, position):
            return [8, _pack(owner), position]
        case Choice(options):
            return [9, [_pack(one) for one in options]]


def _unpack(packed: Any) -> Any:
    if packed is None:
        return None
    match packed:
        case [0, text, is_space]:
            return Name(text, is_space)
        case [1, is_super]:
            return This(is_super)
        case [2, owner, name]:
            return Select(_unpack(owner), name)
        case [3, callee, arguments, types, place]:
            passed = tuple([_unpack(one) for one in arguments])
            return Call(_unpack(callee), passed, _types(types), Place(*place))
        case [4, kind, arguments, place]:
            return New(_type(kind), tuple([_unpack(one) for one in arguments]), Place(*place))
        case [5, kind]:
            return Literal(_type(kind))
        case [6, value, kind]:
            return Cast(_unpack(value), _type(kind))
        case [7, owner, is_key]:
            return Item(_unpack(owner), is_key)
        case [8, owner, position]:
            return Part(_unpack(owner), position)
        case [9, options]:
            return Choice(tuple([_unpack(one) for one in options]))
        case [10, declaration]:
            return Closure(declaration)
    raise ValueError(f"unknown expression {packed!r:.40}")


def _type(packed: Any) -> TypeRef:
    name, arguments = packed
    return TypeRef(name, tuple([_type(one) for one in arguments]) if arguments else ())


def _types(packed: Any) -> tuple[TypeRef, ...]:
    return tuple([_type(one) for one in packed])


def _optional_type(packed: Any) -> TypeRef | None:
    return None if packed is None else _type(packed)


def _parameter(packed: Any) -> Parameter:
    name, kind, is_optional, is_rest = packed
    return Parameter(name, _optional_type(kind), is_optional, is_rest)


def _local(packed: Any) -> Local:
    name, kind, value, line, end_line = packed
    return Local(name, _optional_type(kind), _unpack(value), line, end_line)


def _expressions(packed: Any) -> tuple[Expression, ...]:
    return tuple([_unpack(one) for one in packed])


_PACKERS: dict[str, Callable[[Any], Any]] = {
    "value": _pack,
    "locals": lambda values: [[one.name, one.type, _pack(one.value), one.line, one.end_line] for one in values],
    "result": lambda values: [_pack(one) for one in values],
    "calls": lambda values: [_pack(one) for one in values],
    "mentions": lambda values: [[_pack(one.expression), one.place] for one in values],
    "stored": lambda values: [[_pack(one.target), _pack(one.value), one.line] for one in values],
}
_READERS: dict[str, Callable[[Any], Any]] = {
    "kind": NodeKind,
    "type_parameters": lambda packed: tuple([TypeParameter(name, _types(bounds)) for name, bounds in packed]),
    "parameters": lambda packed: tuple([_parameter(one) for one in packed]),
    "type": _optional_type,
    "value": _unpack,
    "bases": _types,
    "interfaces": _types,
    "receiver": _optional_type,
    "implemented": _optional_type,
    "locals": lambda packed: tuple([_local(one) for one in packed]),
    "result": _expressions,
    "calls": _expressions,
    "mentions": lambda packed: tuple([Mention(_unpack(one), Place(*place)) for one, place in packed]),
    "stored": lambda packed: tuple([Stored(_unpack(target), _unpack(value), line) for target, value, line in packed]),
}
