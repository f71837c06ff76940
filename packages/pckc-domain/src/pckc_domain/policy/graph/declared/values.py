"""What an expression may be, once it is known."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pckc_domain.policy.graph.declared.outline import Symbol

SEQUENCE, MAP, TUPLE, FUNCTION = "[]", "{}", "()", "->"
RECEIVER = "this"
"""Of a function type what stands before what it takes: the type whose members its body names."""

STRUCTURAL = frozenset((SEQUENCE, MAP, TUPLE, FUNCTION))


class Type(NamedTuple):
    """
    A type that is known.

    Attributes:
        key: Of a declared type its key, of a variable its name, of another one its dotted name or sign.
        arguments: What its parameters stand for; empty when that is not said.
        is_declared: Whether it is declared in the repository.
        is_variable: Whether it is a type parameter.
        bounds: What a variable has at least.
    """

    key: str
    arguments: "tuple[Type, ...]" = ()
    is_declared: bool = False
    is_variable: bool = False
    bounds: "tuple[Type, ...]" = ()


class Instance(NamedTuple):
    """A value of a type."""

    type: Type


class Static(NamedTuple):
    """A type itself."""

    type: Type


class Functions(NamedTuple):
    """
    A function, or several with one name.

    Attributes:
        owner: The type they were found in, with its arguments; ``None`` for functions of no type.
        receiver: What they are called on; ``None`` when that is a type, a namespace or nothing.
        is_exact: Whether no override can be meant: a call of super, of a static method or on a new instance.
        is_open: Whether each of them may be meant: those of the types below, where the receiver's type has none.
        is_own: Whether a body names them on its own receiver, which may be of any type below.
    """

    symbols: tuple[Symbol, ...]
    owner: Type | None = None
    receiver: Type | None = None
    is_exact: bool = False
    is_own: bool = False
    is_open: bool = False


class Package(NamedTuple):
    """A namespace."""

    key: str


class External(NamedTuple):
    """Something outside of the repository."""

    name: str


class Unknown(NamedTuple):
    """A name is bound, but to what is not known; it counts as found."""

    def __bool__(self) -> bool:
        return True


UNKNOWN = Unknown()
Value = Instance | Static | Functions | Package | External | Unknown
Bindings = Mapping[str, Type]


def first_known(options: Sequence[Value | None]) -> Value | None:
    """Return the first that is known, one of the repository before what is outside of it."""
    known = [option for option in options if option is not None]
    inside = [option for option in known if not isinstance(option, External)]
    return next(iter(inside or known), None)


def substitute(kind: Type, bindings: Bindings) -> Type:
    """Return a type with its variables replaced by what they stand for."""
    if not bindings:
        return kind
    if kind.is_variable:
        return bindings.get(kind.key, kind)
    if not kind.arguments:
        return kind
    return kind._replace(arguments=tuple([substitute(one, bindings) for one in kind.arguments]))


def unify(pattern: Type, kind: Type, bindings: dict[str, Type], depth: int = 0) -> None:
    """Bind the variables of *pattern* to what stands in their place in *kind*."""
    if pattern.is_variable:
        bindings.setdefault(pattern.key, kind)
    elif len(pattern.arguments) == len(kind.arguments) and depth < 8:
        for inner, given in zip(pattern.arguments, kind.arguments, strict=True):
            unify(inner, given, bindings, depth + 1)
