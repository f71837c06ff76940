"""Operators, and what a test tells of names."""

from collections.abc import Sequence

from pckc_domain.model.code_facts import NOTHING, Narrow
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.expressions import Expressions
from pckc_adapters_treesitter.readers.javascript.names import Binding, Names
from pckc_adapters_treesitter.readers.javascript.reading import OPEN_TEXT, unwrapped
from pckc_adapters_treesitter.readers.source import Source

_LOGICAL = frozenset(("&&", "||", "??"))

Narrowing = dict[Binding, tuple[int, bool]]
"""By name: the class its value is known to be of, and whether it is known not to be of it."""


class Operators(Expressions):
    """Reads operators."""

    def __init__(self, source: Source, names: Names) -> None:
        super().__init__(source, names)
        self.visits |= {
            "update_expression": lambda node: self.nothing_of(node.child_by_field_name("argument")),
            "unary_expression": lambda node: self.nothing_of(node.child_by_field_name("argument")),
            "binary_expression": self._binary,
            "ternary_expression": self._ternary,
            "sequence_expression": self._sequence,
        }

    def _binary(self, node: Node) -> int:
        operands: list[Node] = []
        inner: Node | None = node
        operator = node.child_by_field_name("operator")
        kind = operator.type if operator is not None else ""
        while inner is not None and inner.type == "binary_expression":
            own = inner.child_by_field_name("operator")
            right = inner.child_by_field_name("right")
            if own is None or own.type != kind or right is None:
                break
            operands.append(right)
            inner = inner.child_by_field_name("left")
        if inner is not None:
            operands.append(inner)
        operands.reverse()
        if kind in _LOGICAL:
            return self._logical(operands, kind)
        for operand in operands:
            self.read_owner(operand)
        if kind == "+" and operands[0].type == "string":
            return self.literal("String", self._beginning(operands[0]) + OPEN_TEXT)
        return self.literal("Number" if kind in ("-", "*", "/", "%", "**") else "")

    def _logical(self, operands: Sequence[Node], kind: str) -> int:
        before = self.names.snapshot()
        values = []
        for operand in operands:
            values.append(self.read(operand))
            if kind != "??" and operand is not operands[-1]:
                when_true, when_false = self.narrowings(operand)
                self.narrow(when_true if kind == "&&" else when_false)
        after = self.names.path()
        self.names.merge((before, after) if after != before else (before,))
        return values[-1] if kind == "&&" else self.names.joined(values)

    def _ternary(self, node: Node) -> int:
        test = node.child_by_field_name("condition")
        self.read_owner(test)
        when_true, when_false = self.narrowings(test)
        before = self.names.snapshot()
        self.narrow(when_true)
        first = self.read(node.child_by_field_name("consequence"))
        after = self.names.path()
        self.names.restore(before)
        self.narrow(when_false)
        second = self.read(node.child_by_field_name("alternative"))
        self.names.merge((after, self.names.path()))
        return self.names.joined((first, second))

    def _sequence(self, node: Node) -> int:
        value = NOTHING
        for child in node.named_children:
            value = self.read(child)
        return value

    # Narrowing

    def narrowings(self, test: Node | None) -> tuple[Narrowing, Narrowing]:
        """Return what is known of names where *test* holds, and where it does not."""
        test = unwrapped(test)
        if test is None or test.type not in ("binary_expression", "unary_expression"):
            return {}, {}
        operator = test.child_by_field_name("operator")
        kind = operator.type if operator is not None else ""
        if test.type == "unary_expression":
            when_true, when_false = self.narrowings(test.child_by_field_name("argument")) if kind == "!" else ({}, {})
            return when_false, when_true
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        if kind == "&&":
            return {**self.narrowings(left)[0], **self.narrowings(right)[0]}, {}
        if kind == "||":
            return {}, {**self.narrowings(left)[1], **self.narrowings(right)[1]}
        if kind == "instanceof" and left is not None and left.type == "identifier":
            binding = self.names.find(self.source.text(left))
            if binding is not None:
                owner = self.read_owner(right)
                return {binding: (owner, False)}, {binding: (owner, True)}
        return {}, {}

    def narrow(self, narrowing: Narrowing) -> None:
        """Go on knowing *narrowing*."""
        for binding, (owner, is_negated) in narrowing.items():
            value, into = self.names.value_of(binding), self.names.new()
            self.names.steps.append(Narrow(into, value, (owner,), is_negated))
            self.names.scope.versions[binding] = into
