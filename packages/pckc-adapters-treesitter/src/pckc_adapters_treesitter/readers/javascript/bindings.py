"""Which names every function of a file binds and sets, before anything is read."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache

import attrs
from tree_sitter import Language, Node, Query, QueryCursor

FUNCTIONS = (
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
)
"""Nodes that are functions with a body."""

_PATTERN_PARTS = frozenset(
    "object_pattern array_pattern pair_pattern assignment_pattern object_assignment_pattern rest_pattern "
    "required_parameter optional_parameter parenthesized_expression".split()
)
_NAMES = ("identifier", "shorthand_property_identifier_pattern")
_BOUND_FIELDS = {"pair_pattern": "value", "assignment_pattern": "left", "object_assignment_pattern": "left"}
_BOUND_FIELDS |= dict.fromkeys(("required_parameter", "optional_parameter"), "pattern")

_QUERY = """
[{functions}] @function
(variable_declaration (variable_declarator name: (_) @var))
(variable_declarator name: (_) @bound value: (_))
(assignment_expression left: (_) @set)
(augmented_assignment_expression left: (_) @set)
(update_expression argument: (_) @set)
(for_in_statement left: (_) @loop) @around
[(function_declaration name: (_) @named) (generator_function_declaration name: (_) @named)]
(class_declaration name: (_) @bound)
"""


@attrs.define
class Bindings:
    """
    What one function does with names, the functions inside it left out.

    Attributes:
        bound: How often a name is given a value.
        hoisted: Names that ``var`` declares.
        assigned: Names that are assigned to.
        declared: Names that belong to the function.
    """

    bound: Counter[str] = attrs.field(factory=Counter)
    hoisted: dict[str, None] = attrs.field(factory=dict)
    assigned: set[str] = attrs.field(factory=set)
    declared: set[str] = attrs.field(factory=set)


class BindingTable:
    """The bindings of all functions of a file, by the id of their node; the module's under the root's id."""

    def __init__(self, root: Node, grammar: Language) -> None:
        self._of: defaultdict[int, Bindings] = defaultdict(Bindings)
        captures = QueryCursor(_query(grammar)).captures(root)
        functions = captures.get("function", [])
        events = [(node.start_byte, -node.end_byte, "function", node) for node in functions]
        for kind in ("var", "bound", "set", "loop", "named"):
            events += [(node.start_byte, -node.end_byte, kind, node) for node in captures.get(kind, ())]
        stack = [(root.end_byte + 1, root.id)]
        for start, end, kind, node in sorted(events, key=lambda event: event[:2]):
            while start >= stack[-1][0]:
                stack.pop()
            if kind == "function":
                stack.append((-end, node.id))
                self._add_parameters(node)
            else:
                around = stack[-2] if kind == "named" else stack[-1]
                self._add(self._of[around[1]], kind, node)
        self.shared = frozenset(
            name for owner, found in self._of.items() if owner != root.id for name in found.assigned - found.declared
        )

    def of(self, node: Node) -> Bindings:
        """Return the bindings of a function or the module."""
        return self._of[node.id]

    def _add_parameters(self, node: Node) -> None:
        found = self._of[node.id]
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        if parameters is not None:
            patterns = [parameters] if parameters.type == "identifier" else parameters.named_children
            for name in (name for pattern in patterns for name, _ in pattern_names(pattern)):
                found.bound[name] += 1
                found.declared.add(name)

    def _add(self, found: Bindings, kind: str, node: Node) -> None:
        for name, _ in pattern_names(node):
            if kind == "var":
                found.hoisted[name] = None
                found.declared.add(name)
                continue
            found.bound[name] += 1
            if kind == "set":
                found.assigned.add(name)
            elif kind == "loop" and not _declares(node):
                found.bound[name] += 1
                found.assigned.add(name)
            else:
                found.declared.add(name)
                if kind == "loop" and _is_var(node):
                    found.hoisted[name] = None


def pattern_names(pattern: Node) -> Iterator[tuple[str, Node]]:
    """Yield the names that a pattern binds, with their nodes."""
    stack = [pattern]
    while stack:
        node = stack.pop()
        kind = node.type
        if kind in _NAMES or kind == "type_identifier":
            yield (node.text or b"").decode("utf-8", "replace"), node
        elif kind in _BOUND_FIELDS:
            inner = node.child_by_field_name(_BOUND_FIELDS[kind])
            if inner is not None:
                stack.append(inner)
        elif kind in _PATTERN_PARTS:
            stack.extend(reversed(node.named_children))


def _declares(left: Node) -> bool:
    return left.parent is not None and left.parent.child_by_field_name("kind") is not None


def _is_var(left: Node) -> bool:
    kind = left.parent.child_by_field_name("kind") if left.parent is not None else None
    return kind is not None and kind.type == "var"


@cache
def _query(grammar: Language) -> Query:
    functions = " ".join(f"({one})" for one in FUNCTIONS)
    return Query(grammar, _QUERY.format(functions=functions))
