"""Statements and expressions of Swift."""

from collections.abc import Sequence

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Closure,
    Expression,
    Item,
    Literal,
    Local,
    Name,
    New,
    Parameter,
    Part,
    Select,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import Draft, choice
from pckc_adapters_treesitter.readers.source import child_at, child_of_type, children_of_type, line, place
from pckc_adapters_treesitter.readers.swift_types import BINARIES, LITERALS, TYPES, SwiftTypes

_OPERATORS = frozenset("+ - * / % ==".split())


class SwiftExpressions(SwiftTypes):
    """Reads what a Swift body says."""

    def _conditions(self, node: Node, draft: Draft) -> None:
        """Read ``if``, ``guard`` and ``while``: a row of conditions that may bind names, then bodies."""
        name: Node | None = None
        pattern: Node | None = None
        names = node.children_by_field_name("bound_identifier")
        first = len(draft.locals)
        for child in node.named_children:
            if child in names:
                name = child
                following = child.next_sibling
                if following is not None and following.type not in ("=", "type_annotation"):
                    draft.locals.append(Local(self._name(child), None, Name(self._name(child)), line(child)))
                    name = None
            elif child.type == "pattern":
                pattern = child
            elif child.type in ("value_binding_pattern", "else", "type_annotation"):
                continue
            elif name is not None:
                draft.locals.append(Local(self._name(name), None, self.value(child, draft), line(name)))
                name = None
            elif pattern is not None:
                draft.locals += self._bound(pattern, self.value(child, draft))
                pattern = None
            elif child.type in self.expressions:
                self.value(child, draft)
            else:
                if child.type == "statements" and node.type != "guard_statement":
                    self.only_in(child, first, draft)
                    first = len(draft.locals)
                self.later(child, draft)

    def _for(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("collection"), draft)
        pattern = node.child_by_field_name("item")
        inner = children_of_type(pattern, "pattern")
        first = len(draft.locals)
        if len(inner) == 2 and value is not None:
            draft.locals += self._pairs(inner, value)
        else:
            draft.locals += self._bound(pattern, Item(value) if value else None)
        self.only_in(node, first, draft)
        for child in children_of_type(node, "where_clause", "statements"):
            self.inside(child, draft)

    def _pairs(self, inner: Sequence[Node], value: Expression) -> list[Local]:
        """Return what two names stand for: number and element after ``enumerated``, else key and value of a map."""
        match value:
            case Call(Select(owner, "enumerated"), ()):
                held = Item(owner) if owner else None
                return [*self._bound(inner[0], Literal(TypeRef("Int"))), *self._bound(inner[1], held)]
        return [*self._bound(inner[0], Item(value, is_key=True)), *self._bound(inner[1], Item(value))]

    def _switch(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("expr"), draft)
        for entry in children_of_type(node, "switch_entry"):
            for child in entry.named_children:
                if child.type == "switch_pattern":
                    first = len(draft.locals)
                    draft.locals += self._cased(child, value)
                    self.only_in(entry, first, draft)
                else:
                    self.later(child, draft)

    def _cased(self, node: Node, value: Expression | None) -> list[Local]:
        pattern = child_at(node, 0)
        if pattern is None or (not children_of_type(pattern, "pattern", "value_binding_pattern")):
            return []
        return self._bound(pattern, value)

    def _catch(self, node: Node, draft: Draft) -> None:
        draft.locals += self._bound(node.child_by_field_name("error"), None)
        self.inside(child_of_type(node, "statements"), draft)

    def _transfer(self, node: Node, draft: Draft) -> None:
        value = child_at(node, -1)
        if value is not None and value.type in self.expressions:
            found = self.value(value, draft)
            if found is not None and draft.kind is NodeKind.LAMBDA:
                draft.result.append(found)
        else:
            self.inside(node, draft)

    def _first(self, node: Node, draft: Draft) -> Expression | None:
        return self.expression(child_at(node, 0), draft)

    def _last(self, node: Node, draft: Draft) -> Expression | None:
        target = node.child_by_field_name("target") or node.child_by_field_name("expr") or child_at(node, -1)
        if node.type == "prefix_expression" and target is not None and any(one.type == "." for one in node.children):
            return Select(None, self._name(target))
        return self.expression(target, draft)

    def _literal(self, node: Node, draft: Draft) -> Expression:
        for one in children_of_type(node, "interpolated_expression"):
            self.inside(one, draft)
        return Literal(TypeRef(LITERALS[node.type]))

    def _access(self, node: Node, draft: Draft) -> Expression | None:
        target, suffix = node.child_by_field_name("target"), node.child_by_field_name("suffix")
        name = child_at(suffix, -1)
        owner = self.expression(target, draft)
        if name is not None and name.type == "integer_literal":
            return Part(owner, int(self.text(name))) if owner and self.text(name).isdecimal() else None
        return Select(owner, self._name(name))

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function, suffix = child_at(node, 0), child_of_type(node, "call_suffix")
        while function is not None and (function.type in BINARIES or function.type == "prefix_expression"):
            # the grammar lets operators bind closer than calls
            if function.type == "prefix_expression" and any(one.type == "." for one in function.children):
                break
            inner = child_at(function, -1)
            for other in function.named_children:
                if other != inner:
                    self.value(other, draft)
            function = inner
        listed = child_of_type(suffix, "value_arguments")
        closures = children_of_type(suffix, "lambda_literal")
        callee = self._callee(function, draft)
        if isinstance(callee, Cast):
            self.inside(listed, draft)
            return callee
        values = [one.child_by_field_name("value") for one in children_of_type(listed, "value_argument")]
        given: tuple[Expression | None, ...] = ()
        match callee:
            case Call(called, taken) if listed is None and closures:  # ``f(x) { … }`` is one call
                callee, given = called, taken
        passed = [*given, *(self.expression(value, draft) for value in [*values, *closures])]
        if listed is not None and listed.children and listed.children[0].type == "[":
            return Item(callee)
        if isinstance(callee, Select) and callee.name == "init" and callee.owner is not None:
            callee = callee.owner
        return Call(callee, tuple(passed), (), place(node))

    def _callee(self, function: Node | None, draft: Draft) -> Expression:
        """Return what is called; of ``[Foo]()`` the type."""
        if function is not None and function.type == "array_literal":
            element = child_at(function, 0)
            return Cast(None, TypeRef("[]", (TypeRef(self.text(element)),)))
        return self.expression(function, draft) or Select(None, "")

    def _construct(self, node: Node, draft: Draft) -> Expression | None:
        kind = self._type(node.child_by_field_name("constructed_type"))
        listed = child_of_type(child_of_type(node, "constructor_suffix"), "value_arguments")
        values = [one.child_by_field_name("value") for one in children_of_type(listed, "value_argument")]
        passed = tuple([self.expression(value, draft) for value in values])
        return New(kind, passed, place(node)) if kind else None

    def _closure(self, node: Node, draft: Draft) -> Expression:
        body = child_of_type(node, "statements")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        written = child_of_type(node, "lambda_function_type")
        found = []
        for one in children_of_type(child_of_type(written, "lambda_function_type_parameters"), "lambda_parameter"):
            names = children_of_type(one, "simple_identifier")
            found.append(Parameter(self._name(names[-1] if names else None), self._type(child_of_type(one, *TYPES))))
        closure.parameters = tuple(found) or self._shorthands(node)
        closure.type = self._type(child_of_type(written, *TYPES))
        parts = [child for child in body.named_children if not child.is_extra] if body is not None else []
        if len(parts) == 1 and parts[0].type in self.expressions:
            value = self.value(parts[0], closure)
            if value is not None:
                closure.result.append(value)
        else:
            self.inside(body, closure)
        return Closure(closure.index)

    def _shorthands(self, node: Node) -> tuple[Parameter, ...]:
        """Return the parameters of a closure that names none: ``$0``, ``$1`` …"""
        said = self.text(node)
        last = max((number for number in range(4) if f"${number}" in said), default=-1)
        return tuple(Parameter(f"${number}", None) for number in range(last + 1))

    def _as(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(child_at(node, 0), draft)
        kind = self._type(child_of_type(node, *TYPES))
        return Cast(value, kind) if kind else value

    def _check(self, node: Node, draft: Draft) -> Expression:
        self.value(child_at(node, 0), draft)
        return Literal(TypeRef("Bool"))

    def _tuple(self, node: Node, draft: Draft) -> Expression | None:
        values = node.children_by_field_name("value")
        if len(values) == 1:
            return self.expression(values[0], draft)
        for value in values:
            self.value(value, draft)
        return None

    def _ternary(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        return choice([self.expression(node.child_by_field_name(one), draft) for one in ("if_true", "if_false")])

    def _coalesce(self, node: Node, draft: Draft) -> Expression | None:
        return choice([self.expression(node.child_by_field_name(one), draft) for one in ("value", "if_nil")])

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        target = self.value(node.child_by_field_name("target"), draft)
        value = self.expression(node.child_by_field_name("result"), draft)
        self.keep(target, value, node, draft)
        return value

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        """Read ``a + b`` as a call of the function of the left one's type, which few types have."""
        sides = [node.child_by_field_name(side) for side in ("lhs", "rhs")]
        operator = self.text(node.child_by_field_name("op"))
        if operator in _OPERATORS and None not in sides:
            left, right = (self.expression(side, draft) for side in sides)
            if left is not None and not isinstance(left, Literal):
                return Call(Select(left, f"operator{operator}"), (left, right), (), place(node))
            for side, found in zip(sides, (left, right), strict=True):
                if side is not None:
                    self.record(found, side, draft)
            return None
        for child in node.named_children:
            self.value(child, draft)
        return None
