"""
What one source file of a language with declared types says: its declarations, and the expressions that call.

A file is a tree of declarations; each that has a body lists its locals and the expressions in it that call or mention
something. Expressions are small trees over names; linking gives them types. Everything is plain tuples of texts and
numbers, so that facts can be stored.
"""

from typing import NamedTuple

import attrs

from pckc_domain.model.code_facts import Rationale
from pckc_domain.model.graph import NodeKind


class Place(NamedTuple):
    """A part of the file: lines from 1, columns in UTF-8 bytes from 0, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class TypeRef(NamedTuple):
    """
    A type as written, without what does not tell what it has: pointers, references, nullability, mutability.

    Attributes:
        name: Dotted, whatever the language writes between the parts; ``[]`` for a sequence of its argument, ``{}`` for
            a map, ``()`` for a tuple, ``->`` for a function (its result comes last).
    """

    name: str
    arguments: "tuple[TypeRef, ...]" = ()


class Name(NamedTuple):
    """
    A bare identifier: a local, a parameter, a member of what is around it, of its namespace, or imported.

    Attributes:
        is_space: Whether the text says that it is a type or a namespace: what stands before ``::``.
    """

    text: str
    is_space: bool = False


class This(NamedTuple):
    """The receiver: ``this``, ``self``; with *is_super* what its base class has."""

    is_super: bool = False


class Select(NamedTuple):
    """``owner.name``, ``owner::name``, ``owner->name``; an owner of unknown form is ``None``."""

    owner: "Expression | None"
    name: str


class Call(NamedTuple):
    """``callee(arguments)``; an argument of unknown form is ``None``."""

    callee: "Expression"
    arguments: "tuple[Expression | None, ...]"
    type_arguments: tuple[TypeRef, ...]
    place: Place


class New(NamedTuple):
    """A new instance of *type*, by whatever the language writes for it."""

    type: TypeRef
    arguments: "tuple[Expression | None, ...]"
    place: Place


class Literal(NamedTuple):
    """A value of a built-in type."""

    type: TypeRef


class Cast(NamedTuple):
    """*value*, of which the text says that it has *type*."""

    value: "Expression | None"
    type: TypeRef


class Item(NamedTuple):
    """What something holds: an element of a sequence, a map's value or key, what an option has, what is awaited."""

    owner: "Expression"
    is_key: bool = False


class Part(NamedTuple):
    """An element of a tuple, or one of several results; *position* counts from 0."""

    owner: "Expression"
    position: int


class Choice(NamedTuple):
    """One of several values: branches, a default."""

    options: "tuple[Expression, ...]"


class Closure(NamedTuple):
    """The function of a nested declaration."""

    declaration: int


Expression = Name | This | Select | Call | New | Literal | Cast | Item | Part | Choice | Closure


class TypeParameter(NamedTuple):
    """A type that a declaration leaves open, and what it is said to have at least."""

    name: str
    bounds: tuple[TypeRef, ...] = ()


class Parameter(NamedTuple):
    """A parameter; *type* is ``None`` when it is not said."""

    name: str
    type: TypeRef | None
    is_optional: bool = False
    is_rest: bool = False


class Local(NamedTuple):
    """A name that a body binds from *line* on, up to *end_line* when that is not 0."""

    name: str
    type: TypeRef | None
    value: Expression | None
    line: int
    end_line: int = 0


class Stored(NamedTuple):
    """A value that a body or an initialiser keeps in *target*: a field, an element, a variable of the file."""

    target: Expression
    value: Expression
    line: int


class Gift(NamedTuple):
    """
    A named function, perhaps, that a file gives away; no name in it is a local.

    Attributes:
        into: What is called with it, or what keeps it.
        position: Which argument it is; -1 when it is kept.
        declaration: Where that stands.
    """

    into: Expression
    position: int
    value: Expression
    declaration: int
    line: int


class Mention(NamedTuple):
    """A function or type that is named and not called: a callback, a cast, an annotation in a body."""

    expression: Expression
    place: Place


class ImportFact(NamedTuple):
    """
    An import, include, use or require.

    Attributes:
        module: Dotted or a path, as the language has it.
        name: What of it is taken; ``""`` for the module itself, ``*`` for all of it.
        alias: The name it is bound to; ``""`` when it binds none.
        declaration: The declaration in which it holds; 0 for the file.
        is_exported: Whether it passes the name on: ``pub use``, ``export``, ``public import``.
    """

    module: str
    name: str
    alias: str
    declaration: int
    line: int
    text: str
    is_exported: bool = False


class Implementation(NamedTuple):
    """Said apart from both: *type* has what *trait* promises; an impl block, the conformance of an extension."""

    type: TypeRef
    trait: TypeRef
    declaration: int
    line: int


@attrs.frozen(kw_only=True)
class Declaration:
    """
    A symbol; the first one of a file is its module.

    A closure is a declaration of kind lambda, and no node of the graph: what it calls, the declaration around it calls.
    A method declared apart from its type has a `receiver`, and its qualified name is that of such a method inside it.

    Attributes:
        parent: Index of the declaration around it; -1 for the file.
        signature: Its head as written, on one line.
        doc: First line of its documentation.
        visibility: As the language has it; ``""`` where it has none.
        is_static: Belongs to the type, not to an instance.
        is_constructor: Makes an instance of the type around it.
        is_property: A function that is called by naming it: a computed property, a method without a parameter list.
        is_companion: A type whose members are also those of the type around it.
        is_test: It is only compiled for tests, by what the text says: Rust's ``#[cfg(test)]`` and ``#[test]``.
        stored: What it keeps elsewhere than in a local.
        is_virtual: It says that a type below may replace it, where that has to be said: C++.
        has_body: Whether this is more than a promise: a header's prototype and an interface's method have none.
        type: Of a function its result, of a field, variable or constant its type, of an alias what it stands for, of
            another type what it is made of (``type Names []string``).
        value: What a field, variable or constant is given.
        bases: What a type extends, embeds or includes, in order.
        interfaces: What it implements, by its own words.
        receiver: The type it is added to from outside: an extension, an impl block, a method with a receiver.
        implemented: The trait whose impl block it stands in.
        result: Expressions whose value a function without declared result gives.
        calls: Every expression of the body that calls, outermost ones only, in the order of the text; those that are
            the value of a local, a field or a result too.
    """

    parent: int
    kind: NodeKind
    name: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature: str = ""
    doc: str = ""
    visibility: str = ""
    is_static: bool = False
    is_constructor: bool = False
    is_property: bool = False
    is_companion: bool = False
    is_test: bool = False
    has_body: bool = True
    type_parameters: tuple[TypeParameter, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    type: TypeRef | None = None
    value: Expression | None = None
    bases: tuple[TypeRef, ...] = ()
    interfaces: tuple[TypeRef, ...] = ()
    receiver: TypeRef | None = None
    implemented: TypeRef | None = None
    locals: tuple[Local, ...] = ()
    result: tuple[Expression, ...] = ()
    calls: tuple[Expression, ...] = ()
    mentions: tuple[Mention, ...] = ()
    is_virtual: bool = False
    stored: tuple[Stored, ...] = ()


@attrs.frozen(kw_only=True)
class DeclaredFacts:
    """
    The facts of one file.

    Attributes:
        path: Repository-relative POSIX path.
        namespace: The package or namespace its top level belongs to, dotted; ``""`` where the path decides.
        declarations: The module first, outer before inner.
        problems: What could not be read, and why.
        gifts: The functions that it gives away; only facts without bodies have them.
    """

    path: str
    language: str
    namespace: str
    declarations: tuple[Declaration, ...]
    imports: tuple[ImportFact, ...] = ()
    implementations: tuple[Implementation, ...] = ()
    rationale: tuple[Rationale, ...] = ()
    problems: tuple[str, ...] = ()
    gifts: tuple[Gift, ...] = ()
