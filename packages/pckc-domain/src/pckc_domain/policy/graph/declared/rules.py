"""How a language finds names: one value per family of languages that share a namespace."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

import attrs


class World(Protocol):
    """What the rules may ask about a repository."""

    @property
    def settings(self) -> Mapping[str, str]:
        """Path to text of the project files that say how names are found."""

    def has_space(self, key: str, /) -> bool:
        """Return whether a file belongs to the namespace *key*."""

    def files_named(self, name: str, /) -> Sequence[str]:
        """Return the paths that end with ``/name``, or are it."""


class How(StrEnum):
    """What a well-known method gives, by the type of what it is called on."""

    SAME = "same"
    ITEM = "item"
    KEY = "key"
    ITEMS = "items"
    KEYS = "keys"
    ENTRIES = "entries"
    MAPPED = "mapped"
    FLAT = "flat"
    RESULT = "result"
    OPTION = "option"


class Calling(StrEnum):
    """What it means to call a type."""

    CONVERTS = "converts"
    MAKES = "makes"


def _by_declaration(_: str, namespace: str, __: Mapping[str, str]) -> str:
    return namespace


def no_name(_: str, __: str, ___: str, ____: Mapping[str, str]) -> str | None:
    """Give no name a special meaning."""
    return None


def _dotted(module: str, _: str, __: World) -> Sequence[str]:
    return (module,)


@attrs.frozen(kw_only=True)
class Rules:
    """
    The rules of a family of languages.

    Attributes:
        namespace: From a file's path, the namespace it says and the settings to the key of its top level.
        modules: From what an import names, and the importing path, to keys it may mean, best first.
        special: From a name, the namespace around it, the path and the settings to the key of the namespace that the
            name means wherever it stands: Rust's ``crate``; ``None`` for other names.
        modules_are_names: Whether what an import names is looked up like any other name.
        modules_are_types: Whether a namespace is a type: Zig's files.
        has_module_results: Whether an import binds what the file returns: Lua.
        is_included: Whether a file's names are also those of the files that include it: Julia.
        has_implicit_members: Whether a body names members of what is around it without a receiver.
        separates_calls: Whether a called name never is a variable, and another one never a function.
        has_dotted_spaces: Whether a namespace can be named in full, from its outermost part on.
        has_overloads: Whether functions of one name differ by their parameters.
        calling: What ``Type(...)`` does.
        searches_outer: Whether the namespaces around a namespace are searched too.
        has_relative_imports: Whether an import may also name what is in the importing namespace.
        is_structural: Whether a type implements an interface by having its methods.
        includes: Whether a file sees only what it includes, and what that includes.
        hidden: Visibilities of what only the file that has it sees, and who includes that: C's ``static``.
        pointee: Name of the member that gives what a pointer points to; ``""`` when there is none.
        counts_arguments: Whether a call passes what one of the functions takes: Elixir's arities.
        tells_statics: Whether a type and its instances may have different functions of one name: Ruby.
        dispatches_types: Whether a promise that is called on its type means its implementations: Elixir's protocols.
        local: Visibility of functions that are no global ones; ``""`` when there are no global functions.
        self_types: Names for the type around.
        makers: Names of static methods that make an instance by calling the constructor: Ruby's ``new``.
        constructors: Names of constructors, where a reader does not mark them.
        call_operator: Method that a call of an instance means, and of a type that has a static one.
        holders: Last names of outside types to which of their arguments they hold; -1 for the last.
        wrappers: Last names of outside types whose members are those of what they hold.
        methods: Well-known methods of sequences, maps, options and streams.
        preludes: Namespaces every file sees.
        builtins: Names that mean something outside of the repository when nothing else binds them.
        passing: Those of them that give their first argument.
        file_private: What is said of symbols that no other file sees.
        everywhere: The end of names that are known all over their outermost namespace: Rust's ``name!``.
        operators: From what a reader names a call without a name, ``operator+``, to the method that it means.
        conversion: What a reader names the conversion of a failure; ``""`` when there is none.
        has_free_operators: Whether an operator may be a function outside of the types it is for: C++.
        invokers: Methods of a function, or of an outside type that holds one, which call it.
        sealed: Visibilities of methods that no type below can replace.
        leaves_open: Whether a type may call on its own instances what only the types below have: no compiler asks.
        says_virtual: Whether a method that may be replaced says so: C++.
        backing: What stands before the name of the field that a reader method gives; ``""`` when there are none.
    """

    languages: frozenset[str]
    namespace: Callable[[str, str, Mapping[str, str]], str] = _by_declaration
    modules: Callable[[str, str, World], Sequence[str]] = _dotted
    special: Callable[[str, str, str, Mapping[str, str]], str | None] = no_name
    modules_are_names: bool = False
    modules_are_types: bool = False
    has_module_results: bool = False
    is_included: bool = False
    has_implicit_members: bool = True
    separates_calls: bool = False
    has_dotted_spaces: bool = True
    has_overloads: bool = True
    calling: Calling = Calling.MAKES
    searches_outer: bool = False
    has_relative_imports: bool = False
    is_structural: bool = False
    includes: bool = False
    hidden: frozenset[str] = frozenset()
    pointee: str = ""
    counts_arguments: bool = False
    tells_statics: bool = False
    dispatches_types: bool = False
    local: str = ""
    self_types: frozenset[str] = frozenset()
    makers: frozenset[str] = frozenset()
    constructors: frozenset[str] = frozenset()
    call_operator: str = ""
    holders: Mapping[str, int] = attrs.field(factory=dict)
    wrappers: frozenset[str] = frozenset()
    methods: Mapping[str, How] = attrs.field(factory=dict)
    preludes: tuple[str, ...] = ()
    builtins: frozenset[str] = frozenset()
    passing: frozenset[str] = frozenset()
    file_private: frozenset[str] = frozenset()
    everywhere: str = ""
    operators: Mapping[str, str] = attrs.field(factory=dict)
    conversion: str = ""
    has_free_operators: bool = False
    invokers: frozenset[str] = frozenset()
    sealed: frozenset[str] = frozenset(("private",))
    leaves_open: bool = False
    says_virtual: bool = False
    backing: str = ""
