"""What every reader of a part needs: values, sites, names as they are written, and how deep it goes."""

import re
from collections.abc import Callable, Sequence

from pckc_domain.model.code_facts import (
    NOTHING,
    Build,
    Call,
    Define,
    Import,
    Iterate,
    Literal,
    SetMember,
    Site,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.names import Names, Scope
from pckc_adapters_treesitter.readers.javascript.types import Types
from pckc_adapters_treesitter.readers.source import Source, child_of_type, line

MAX_DEPTH = 90
"""Expressions and statements inside each other; what is nested deeper is left out."""

EXPORTS = "module.exports"
"""The name under which a module has what ``require`` gives."""

OPEN_TEXT = "\u2026"
"""Ends a text of which only the beginning is evident."""

FUNCTION_VALUES = frozenset(("function_expression", "generator_function", "arrow_function"))
LONGEST_TEXT = 80

_DOTTED = re.compile(r"(?:this|super|import|[\w$]+)(?:\??\.[\w$#]+)*\Z")
_WRAPPERS = frozenset(("parenthesized_expression", "non_null_expression", "satisfies_expression"))


class Reading(Types):
    """
    Reads an expression by its kind; what builds on this adds kinds to *visits*.

    Attributes:
        visits: By kind of node: what returns the variable of its value.
        problems: What was left out, and why.
        exports_variable: That of ``module.exports``, once it is wanted.
    """

    def __init__(self, source: Source, names: Names) -> None:
        super().__init__(source, names)
        self.visits: dict[str, Callable[[Node], int]] = {}
        self.problems: list[str] = []
        self.exports_variable = NOTHING
        self.depth = 0
        self._literals: dict[tuple[str, str], int] = {}

    # What builds on this

    def function(self, node: Node, name: str, owner: Scope | None = None) -> tuple[Scope, int]:
        """Return the scope of a function, read whole, and the variable that holds it."""
        raise NotImplementedError

    def class_(self, node: Node, name: str, owner: Scope | None = None) -> int:
        """Return the variable of a class, read whole."""
        raise NotImplementedError

    def object_literal(self, node: Node, name: str, owner: Scope | None = None) -> int:
        """Return the variable of an object literal; its functions count their names from *name* if there is one."""
        raise NotImplementedError

    def assign_named(self, node: Node, name: str) -> int:
        """Read an assignment whose value is also given to *name*."""
        raise NotImplementedError

    # Reading

    def read(self, node: Node | None) -> int:
        """Return the variable that holds the value of *node*."""
        if node is None:
            return NOTHING
        return self.deeper(node, self.visits.get(node.type, self._read_parts))

    def deeper(self, node: Node, visit: Callable[[Node], int]) -> int:
        """Read a node that stands in the one that is being read, unless that goes too deep."""
        if self.depth >= MAX_DEPTH:
            self.too_deep(node)
            return NOTHING
        self.depth += 1
        value = visit(node)
        self.depth -= 1
        return value

    def _read_parts(self, node: Node) -> int:
        for child in node.named_children:
            self.read(child)
        return NOTHING

    def too_deep(self, node: Node) -> None:
        """Say once that something is nested too deep."""
        if not any(problem.endswith("nested too deep") for problem in self.problems):
            self.problems.append(f"line {line(node)}: nested too deep")

    def named(self, node: Node | None, name: str, owner: Scope | None = None) -> int:
        """Return the variable of a value that is given to *name*; a function or class without a name takes it."""
        bare = unwrapped(node)
        if bare is None:
            return NOTHING
        if bare.type in FUNCTION_VALUES:
            return self.deeper(bare, lambda one: self.function(one, name, owner)[1])
        if bare.type == "class":
            return self.deeper(bare, lambda one: self.class_(one, name, owner))
        if bare.type == "object" and name:
            return self.deeper(bare, lambda one: self.object_literal(one, name, owner))
        if bare.type == "assignment_expression":
            return self.deeper(bare, lambda one: self.assign_named(one, name))
        return self.read(node)

    def nothing_of(self, node: Node | None) -> int:
        self.read_owner(node)
        return NOTHING

    # The text

    def site(self, node: Node, text: str = "", scope: Scope | None = None) -> int:
        """Return the number of a new site."""
        (row, column), (end_row, end_column) = node.start_point, node.end_point
        index = (scope or self.names.scope).index
        self.names.sites.append(Site(index, row + 1, column, end_row + 1, end_column, text))
        return len(self.names.sites) - 1

    def string(self, node: Node) -> str:
        """Return what a string or template without parts says."""
        return self.source.text(node)[1:-1]

    def text_of(self, node: Node | None) -> str:
        """Return a dotted name as it is written; what is no name before its last part is an ellipsis."""
        node = unwrapped(node)
        if node is None:
            return ""
        if node.end_byte - node.start_byte <= LONGEST_TEXT and _DOTTED.match(text := self.source.text(node)):
            return text.replace("?", "")
        return f"….{self.source.text(node.child_by_field_name('property'))[-LONGEST_TEXT:]}"

    def key_of(self, node: Node | None) -> str | int | None:
        """Return the key that an index evidently is; ``None`` when it is not."""
        node = unwrapped(node)
        if node is None:
            return None
        if node.type in ("string", "template_string"):
            is_whole = child_of_type(node, "template_substitution") is None
            return self.string(node) if is_whole else None
        if node.type == "number":
            text = self.source.text(node)
            return int(text) if text.isdecimal() else None
        if node.type == "identifier":
            binding = self.names.find(self.source.text(node))
            return binding.text if binding is not None else None
        if node.type == "member_expression" and self.text_of(node).startswith("Symbol."):
            return self.text_of(node)
        return None

    def property_name(self, node: Node | None) -> str:
        """Return the evident name of a property; ``""`` for a computed one."""
        if node is None:
            return ""
        if node.type == "computed_property_name":
            key = self.key_of(inner(node))
            if key is None:
                self.read(inner(node))
            return "" if key is None else str(key)
        if node.type == "string":
            return self.string(node)
        return self.source.text(node)

    # Values

    def literal(self, kind: str, text: str = "") -> int:
        """Return the variable that holds a value of a built-in type."""
        text = text if len(text) <= LONGEST_TEXT else ""
        if (kind, text) not in self._literals:
            into = self._literals[kind, text] = self.names.new()
            self.names.literals.add(into)
            self.names.steps.append(Literal(into, kind, text))
        return self._literals[kind, text]

    def build(self, kind: str, items: Sequence[tuple[object, int]], spreads: Sequence[int] = ()) -> int:
        """Return the variable of a new container."""
        into = self.names.new()
        self.names.steps.append(Build(into, kind, tuple(items), tuple(spreads)))
        return into

    def elements(self, node: Node, source: int, index: int | None = None) -> int:
        """Return the variable of the elements of *source*, or of that at *index*."""
        if not source:
            return NOTHING
        into = self.names.new()
        self.names.steps.append(Iterate(into, source, index, self.site(node)))
        return into

    def define(self, scope: Scope) -> int:
        """Return a new variable that holds the function or class of *scope*."""
        value = self.names.new()
        self.names.steps.append(Define(value, scope.index))
        return value

    def call(
        self,
        node: Node,
        callee: int,
        arguments: Sequence[tuple[str, int]],
        text: str,
        fallback: int = NOTHING,
        scope: Scope | None = None,
    ) -> int:
        """Return the variable of what a call gives."""
        into = self.names.new()
        self.names.steps.append(Call(into, callee, tuple(arguments), self.site(node, text, scope), fallback))
        return into

    def imported(self, module: str, name: str, node: Node) -> int:
        """Return the variable of a module, or of one of its names."""
        into = self.names.new()
        self.names.steps.append(Import(into, module, 0, name, line(node)))
        return into

    def set_member(self, node: Node, owner: int, name: str, value: int) -> None:
        """Write ``owner.name = value``."""
        if owner:
            self.names.steps.append(SetMember(owner, name, value, self.site(node, name)))


def unwrapped(node: Node | None) -> Node | None:
    """Return what stands in parentheses, or under an assertion that says nothing of its value."""
    while node is not None and node.type in _WRAPPERS:
        node = inner(node)
    return node


def inner(node: Node | None) -> Node | None:
    """Return the first part of a node that is no comment."""
    children = node.named_children if node is not None else ()
    return next((child for child in children if child.type != "comment"), None)
