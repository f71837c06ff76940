"""What TypeScript's types promise of values."""

from abc import abstractmethod
from collections.abc import Sequence

from pckc_domain.model.code_facts import NOTHING, Build, Copy, Declared, Define, Member, ScopeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.names import Names, Scope
from pckc_adapters_treesitter.readers.source import Source, child_at

MAX_TYPE_DEPTH = 20
"""Containers inside each other; what a type says deeper is left out."""

_SAME = frozenset(
    "Partial Required Readonly NonNullable Awaited DeepPartial DeepReadonly Omit Pick Writable Mutable".split()
)
_LISTS = frozenset(
    "Array ReadonlyArray Set ReadonlySet Iterable Iterator IterableIterator Generator AsyncIterable AsyncIterator "
    "AsyncGenerator AsyncIterableIterator WeakSet".split()
)
_MAPS = frozenset("Map ReadonlyMap WeakMap".split())
_PARTS = frozenset(("union_type", "intersection_type", "parenthesized_type", "optional_type", "type_annotation"))
_NAMES = ("type_identifier", "nested_type_identifier", "identifier", "member_expression")


class Types:
    """Reads types; `Expressions` builds on it."""

    def __init__(self, source: Source, names: Names) -> None:
        self.source = source
        self.names = names
        self._inside = 0

    @abstractmethod
    def read_owner(self, node: Node | None) -> int:
        """Return the variable of an expression that ``typeof`` names."""

    @abstractmethod
    def this(self) -> int:
        """Return the variable of ``this``."""

    def promise(self, node: Node | None, into: int, classes: list[int] | None = None) -> None:
        """
        Say that *into* holds what a type promises.

        Args:
            node: The type, or its annotation.
            into: The variable.
            classes: Takes the variables of the classes that the type names.
        """
        if self._inside >= MAX_TYPE_DEPTH:
            return
        self._inside += 1
        self._promise(node, into, classes)
        self._inside -= 1

    def _promise(self, node: Node | None, into: int, classes: list[int] | None) -> None:
        stack = [node]
        while stack:
            one = stack.pop()
            if one is None:
                continue
            kind = one.type
            if kind in _PARTS:
                stack.extend(reversed(one.named_children))
            elif kind in _NAMES:
                self._promise_name(one, into, classes)
            elif kind == "generic_type":
                self._promise_generic(one, into, classes)
            elif kind in ("array_type", "readonly_type"):
                inner = child_at(one, 0)
                if kind == "readonly_type":
                    stack.append(inner)
                else:
                    self._promise_parts(into, "list", [(None, inner)], classes)
            elif kind == "tuple_type":
                self._promise_parts(into, "list", list(enumerate(one.named_children)), classes)
            elif kind == "type_query":
                self.names.copy(self.read_owner(child_at(one, 0)), into)
            elif kind == "this_type":
                self._promise_this(into)
            elif kind == "constructor_type":
                made: list[int] = []
                self.promise(one.child_by_field_name("type"), self.names.new(), made)
                self.names.steps.extend(Declared(into, owner, True) for owner in made)

    def _promise_name(self, node: Node, into: int, classes: list[int] | None) -> None:
        owner = self.type_named(node)
        if owner:
            self.names.steps.append(Declared(into, owner, False))
            if classes is not None:
                classes.append(owner)

    def _promise_this(self, into: int) -> None:
        scope: Scope | None = self.names.scope
        while scope is not None and scope.kind not in (ScopeKind.CLASS, ScopeKind.INTERFACE):
            scope = scope.around
        if scope is not None:
            owner = self.names.new()
            self.names.steps += [Define(owner, scope.index), Declared(into, owner, False)]

    def _promise_generic(self, node: Node, into: int, classes: list[int] | None) -> None:
        named = node.child_by_field_name("name") or child_at(node, 0)
        name = self.source.text(named)
        written = node.child_by_field_name("type_arguments") or child_at(node, -1)
        arguments = written.named_children if written is not None else []
        if name in _SAME and arguments:
            self.promise(arguments[0], into, classes)
        elif name in _LISTS and arguments:
            self._promise_parts(into, "list", [(None, arguments[0])], classes)
        elif name in _MAPS and len(arguments) > 1:
            self._promise_parts(into, "map", [(None, arguments[1])], classes)
        elif name == "Record" and len(arguments) > 1:
            self._promise_parts(into, "object", [(None, arguments[1])], classes)
        elif name in ("Promise", "PromiseLike") and arguments:
            self._promise_parts(into, "promise", [(0, arguments[0])], classes)
        elif named is not None:
            self._promise_name(named, into, classes)

    def _promise_parts(
        self, into: int, kind: str, parts: Sequence[tuple[object, Node | None]], classes: list[int] | None
    ) -> None:
        """Say that *into* holds a container of what other types promise."""
        items: list[tuple[object, int]] = []
        for key, part in parts:
            before = len(self.names.steps)
            value = self.names.new()
            self.promise(part, value, classes)
            if len(self.names.steps) > before:
                items.append((key, value))
        if items:
            made = self.names.new()
            self.names.steps += [Build(made, kind, tuple(items), ()), Copy(into, made)]

    def type_named(self, node: Node | None) -> int:
        """Return the variable of the class or interface that a name means, or nothing."""
        if node is None:
            return NOTHING
        first, *rest = self.source.text(node).split(".")
        binding = self.names.find_type(first)
        if binding is None:
            return NOTHING
        owner = self.names.fixed(binding) if binding.is_fixed else self.names.value_of(binding)
        for name in rest:
            into = self.names.new()
            self.names.steps.append(Member(into, owner, name, self.type_site(node)))
            owner = into
        return owner

    @abstractmethod
    def type_site(self, node: Node) -> int:
        """Return the number of a new site."""

    def type_parameters(self, node: Node | None) -> None:
        """Declare the parameters of a generic in the current block: each stands for what bounds it."""
        if node is None:
            return
        for parameter in node.named_children:
            name = parameter.child_by_field_name("name")
            if parameter.type != "type_parameter" or name is None:
                continue
            binding = self.names.declare(self.source.text(name), is_type=True)
            bound = parameter.child_by_field_name("constraint")
            named = child_at(bound, 0) if bound is not None else None
            self.names.bind(binding, self.type_named(named) if named is not None and named.type in _NAMES else NOTHING)
