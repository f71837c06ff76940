"""
What one source file says about values, in words no language owns: the input of call resolution.

A file is a tree of scopes and a list of steps over numbered variables. A variable stands for the values one assignment
can give; the extractor has already told versions of a reassigned name apart, so the order of steps does not matter.
Variable 0 holds nothing. Sites index `CodeFacts.sites`. Everything is plain tuples of texts and numbers, so that facts
can be stored.
"""

from enum import StrEnum
from typing import NamedTuple

import attrs

NOTHING = 0
"""The variable without values."""

FIRST_PARAMETER = -1
"""What a function is called on arrives in its first parameter."""


class ScopeKind(StrEnum):
    """What opens a scope."""

    MODULE = "module"
    NAMESPACE = "namespace"
    CLASS = "class"
    INTERFACE = "interface"
    ENUM = "enum"
    FUNCTION = "function"
    LAMBDA = "lambda"


class ParameterKind(StrEnum):
    """How a parameter takes its arguments."""

    POSITIONAL = "positional"
    EITHER = "either"
    KEYWORD = "keyword"
    REST = "rest"
    NAMED_REST = "named_rest"


class Parameter(NamedTuple):
    """A parameter; *default* is the variable of its default value."""

    name: str
    kind: ParameterKind
    variable: int
    default: int


class Site(NamedTuple):
    """Where something happens: the scope it happens in, lines from 1, columns in UTF-8 bytes from 0."""

    scope: int
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Variable(NamedTuple):
    """A name that a module or class gives a value; *kind* is what it is where that is said: ``type_alias``."""

    name: str
    line: int
    end_line: int
    kind: str = ""


@attrs.frozen(kw_only=True)
class ScopeFacts:
    """
    A module, class, function or lambda.

    Attributes:
        parent: Index of the scope around it; -1 for the module.
        ordinal: Tells scopes of one parent, kind and name apart, from 0 in the order of the text.
        start_line: First line, decorators included.
        bases: Variables of the base classes, in order; of a class.
        metaclass: Variable of the metaclass, or nothing.
        members: Name and last variable of what a module or class binds, or of what a function gives to the instances
            that it constructs.
        statics: The same of what belongs to a class itself, in languages that tell it from what instances have.
        receiver: Variable of what it is called on; nothing for a function without such; `FIRST_PARAMETER`.
        fields: Annotated names of a class body in order, as a generated constructor takes them.
        result: Variable of what a function returns, without the parameters in *passes*.
        passes: Indexes of parameters that a function may return as they came.
        yields: Variable of what a generator yields.
        is_abstract: A function that is there to be overridden.
        types: Variables of the classes that the parameters' annotations name.
        return_types: Variables of the classes that the return annotation names.
        declared: Names that a module or class assigns a value of no scope.
        start_byte: Where its text begins in the file's bytes; the end is exclusive.
        signature: Its head as written, on one line.
        doc: First line of its documentation.
        visibility: As the language has it; ``""`` where it has none.
    """

    parent: int
    kind: ScopeKind
    name: str
    ordinal: int
    start_line: int
    end_line: int
    parameters: tuple[Parameter, ...] = ()
    bases: tuple[int, ...] = ()
    metaclass: int = NOTHING
    members: tuple[tuple[str, int], ...] = ()
    statics: tuple[tuple[str, int], ...] = ()
    receiver: int = FIRST_PARAMETER
    fields: tuple[str, ...] = ()
    result: int = NOTHING
    passes: tuple[int, ...] = ()
    yields: int = NOTHING
    is_async: bool = False
    is_generator: bool = False
    is_abstract: bool = False
    types: tuple[int, ...] = ()
    return_types: tuple[int, ...] = ()
    declared: tuple[Variable, ...] = ()
    start_byte: int = 0
    end_byte: int = 0
    signature: str = ""
    doc: str = ""
    visibility: str = ""


class Copy(NamedTuple):
    """``into = source``."""

    into: int
    source: int


class Define(NamedTuple):
    """*into* holds the function or class of *scope*."""

    into: int
    scope: int


class Literal(NamedTuple):
    """*into* holds a value of a built-in *type*; *text* is that of a string."""

    into: int
    type: str
    text: str


class Build(NamedTuple):
    """
    *into* holds a new container of *items*, and of all that *spreads* hold.

    An item is a key, ``None`` when it is unknown, and a variable.
    """

    into: int
    type: str
    items: tuple[tuple[object, int], ...]
    spreads: tuple[int, ...]


class Member(NamedTuple):
    """``into = owner.name``."""

    into: int
    owner: int
    name: str
    site: int


class SetMember(NamedTuple):
    """``owner.name = value``."""

    owner: int
    name: str
    value: int
    site: int


class Item(NamedTuple):
    """``into = owner[key]``; *key* is ``None`` when unknown."""

    into: int
    owner: int
    key: object
    site: int


class SetItem(NamedTuple):
    """``owner[key] = value``."""

    owner: int
    key: object
    value: int
    site: int


class Call(NamedTuple):
    """
    ``into = callee(arguments)``.

    An argument is its name and variable; the name is ``""`` by position, ``*`` and ``**`` for spread ones. *fallback*
    is what a decorator of unknown meaning is taken to return.
    """

    into: int
    callee: int
    arguments: tuple[tuple[str, int], ...]
    site: int
    fallback: int


class New(NamedTuple):
    """``into = new callee(arguments)``; arguments as those of `Call`."""

    into: int
    callee: int
    arguments: tuple[tuple[str, int], ...]
    site: int


class Super(NamedTuple):
    """*into* holds the members that the class of *scope* inherits, for *receiver*."""

    into: int
    scope: int
    receiver: int


class Special(NamedTuple):
    """
    The language calls the first of *names* that the type of *owner* has, with *arguments*; else *reflected* of the
    first argument with *owner*.
    """

    into: int
    owner: int
    names: tuple[str, ...]
    arguments: tuple[int, ...]
    reflected: str
    site: int


class Iterate(NamedTuple):
    """*into* holds the elements of *source*, or only the one at *position*."""

    into: int
    source: int
    position: int | None
    site: int


class Enter(NamedTuple):
    """``with source as into``."""

    into: int
    source: int
    site: int
    is_async: bool


class Await(NamedTuple):
    """``into = await source``."""

    into: int
    source: int
    site: int


class Raise(NamedTuple):
    """``raise source``: a class is called."""

    source: int
    site: int


class Import(NamedTuple):
    """*into* holds *name* of a module, or with no name the module; *level* counts leading dots."""

    into: int
    module: str
    level: int
    name: str
    line: int


class Global(NamedTuple):
    """*into* holds what *name* means in the module where the file does not bind it: a star import's or a built-in."""

    into: int
    name: str


class Narrow(NamedTuple):
    """*into* holds the values of *source* that are instances of *classes*, or with *is_negated* the others."""

    into: int
    source: int
    classes: tuple[int, ...]
    is_negated: bool


class Fit(NamedTuple):
    """*into* holds the values of *source*, without instances that an annotation of only *classes* rules out."""

    into: int
    source: int
    classes: tuple[int, ...]


class Declared(NamedTuple):
    """*into* holds an instance of the class that *type* holds, or the class itself: an annotation says so."""

    into: int
    type: int
    is_class: bool


class Use(NamedTuple):
    """The value of *variable* is mentioned and not called."""

    variable: int
    site: int


class StarImport(NamedTuple):
    """Every public name of a module is bound."""

    module: str
    level: int
    line: int


class Rationale(NamedTuple):
    """A comment that says why: its mark (WHY, NOTE, TODO …), its text, and the scope it speaks of."""

    mark: str
    text: str
    line: int
    scope: int


Step = (
    Copy | Define | Literal | Build | Member | SetMember | Item | SetItem | Call | New | Super | Special | Iterate
    | Enter | Await | Raise | Import | Global | Narrow | Fit | Declared | Use
)  # fmt: skip


@attrs.frozen(kw_only=True)
class CodeFacts:
    """
    The facts of one file.

    Attributes:
        path: Repository-relative POSIX path.
        scopes: The module first, outer before inner.
        variables: How many variables there are.
        exports: ``__all__`` where it is evident; else ``None``.
        problems: What could not be read, and why.
    """

    path: str
    language: str
    scopes: tuple[ScopeFacts, ...]
    variables: int
    steps: tuple[Step, ...]
    sites: tuple[Site, ...]
    stars: tuple[StarImport, ...] = ()
    exports: tuple[str, ...] | None = None
    rationale: tuple[Rationale, ...] = ()
    problems: tuple[str, ...] = ()
