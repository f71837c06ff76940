"""
What a variable may hold, as far as calls can tell.

Scopes, files and places are numbers that a program gives out; a place is where in the text something is made.
"""

from typing import NamedTuple

EXTRACTED, INFERRED, AMBIGUOUS = 0, 1, 2
"""How sure an instance is: made in the text, promised by an annotation or the method's class, or one of several."""


class FunctionValue(NamedTuple):
    """A function or lambda."""

    function: int


class ClassValue(NamedTuple):
    """A class; its instances are as sure as it is."""

    owner: int
    level: int = EXTRACTED


class Instance(NamedTuple):
    """An instance of a class."""

    owner: int
    level: int


class ModuleValue(NamedTuple):
    """A file."""

    file: int


class FolderValue(NamedTuple):
    """A namespace package."""

    path: str


class Bound(NamedTuple):
    """A function with its first argument; both are numbers of values."""

    bound: int
    receiver: int


class Container(NamedTuple):
    """A list, tuple, dict, set or iterator, made at *place*."""

    kind: str
    place: int


class ContainerMethod(NamedTuple):
    """A method of a container."""

    container: int
    name: str


class Prototype(NamedTuple):
    """What a class or constructor gives to its instances, as an object."""

    prototype: int


class SuperValue(NamedTuple):
    """``super(owner, receiver)``."""

    super_of: int
    receiver: int


class Partial(NamedTuple):
    """A call with some of its arguments, made at a place; the names of the arguments are those of the call."""

    partial: int
    names: tuple[str, ...]


class Generated(NamedTuple):
    """What calling a generator gives."""

    generator: int


class Coroutine(NamedTuple):
    """What calling an async function gives."""

    coroutine: int


class Property(NamedTuple):
    """A property made at a place, by a *descriptor* class of the program or -1; variables hold its functions."""

    property: int
    descriptor: int


class PropertyPart(NamedTuple):
    """``property.getter``, ``.setter`` or ``.deleter`` of a value."""

    parts_of: int
    name: str


class Static(NamedTuple):
    """A static method around another value."""

    static: int


class ClassMethod(NamedTuple):
    """A class method around another value."""

    inner: int


class Maker(NamedTuple):
    """What makes an instance of a class past its metaclass, or with *owner* -1 of its first argument."""

    made: int


class Same(NamedTuple):
    """A decorator that returns what it is given."""

    same: str


class External(NamedTuple):
    """Something of another project, of the standard library or built in, by its dotted name."""

    external: str


class Plain(NamedTuple):
    """A value of a built-in type that holds nothing else."""

    type: str


class Slot(NamedTuple):
    """A key that a container has."""

    slot: object


class Mark(NamedTuple):
    """Tells a file something about one of its own functions."""

    mark: str


Value = (
    FunctionValue | ClassValue | Instance | ModuleValue | FolderValue | Bound | Container | ContainerMethod | Prototype
    | SuperValue | Partial | Generated | Coroutine | Property | PropertyPart | Static | ClassMethod | Maker | Same
    | External | Plain | Slot | Mark
)  # fmt: skip
