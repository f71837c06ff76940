"""Statements and expressions of C#."""

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

from pckc_adapters_treesitter.readers.csharp_types import CsharpTypes
from pckc_adapters_treesitter.readers.recorder import Draft, choice, limited, nothing
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_TAKES_OUT = frozenset("TryDequeue TryGetValue TryPeek TryPop TryRemove TryTake".split())
"""Methods that give what a sequence or map holds by an ``out`` parameter."""

_ARITHMETIC = frozenset("+ - * / %".split())
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||"))


class CsharpExpressions(CsharpTypes):
    """Reads what a C# body says."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._conditions: list[Expression | None] = []

    def _value_of(self, declarator: Node, draft: Draft, written: TypeRef | None) -> Expression | None:
        parts = [child for child in declarator.named_children if not child.is_extra]
        if len(parts) < 2 or parts[-1].type == "bracketed_argument_list":
            return None
        if parts[-1].type == "implicit_object_creation_expression" and written:
            found = self._made(parts[-1], written, draft)
            draft.calls.append(found)
            return found
        return self.value(parts[-1], draft)

    def _locals(self, node: Node, draft: Draft) -> None:
        written = self._type(node.child_by_field_name("type"))
        for declarator in children_of_type(node, "variable_declarator"):
            value = self._value_of(declarator, draft, written)
            name = declarator.child_by_field_name("name")
            if name is not None and name.type == "tuple_pattern":
                self._bind(name, value, draft)
            else:
                draft.locals.append(Local(self.text(name), written, value, line(declarator)))
                if any(child.type == "using" for child in (node.parent or node).children):
                    closed = Select(Name(self.text(name)), "operator close")
                    draft.calls.append(Call(closed, (), (), place(node)))

    @limited(nothing)
    def _bind(self, pattern: Node | None, value: Expression | None, draft: Draft) -> None:
        """Bind the names of *pattern* to parts of *value*."""
        if pattern is None:
            return
        if pattern.type == "identifier":
            draft.locals.append(Local(self.text(pattern), None, value, line(pattern)))
            return
        for index, inner in enumerate(pattern.children_by_field_name("name") or pattern.named_children):
            self._bind(inner, Part(value, index) if value else None, draft)

    def _for_each(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("right"), draft)
        left, kind = node.child_by_field_name("left"), self._type(node.child_by_field_name("type"))
        item = Item(value) if value else None
        first = len(draft.locals)
        names = left.children_by_field_name("name") if left is not None and left.type == "tuple_pattern" else []
        if len(names) == 2 and value is not None:  # most often what a map holds
            draft.locals.append(Local(self.text(names[0]), None, Item(value, is_key=True), line(node)))
            draft.locals.append(Local(self.text(names[1]), None, item, line(node)))
        elif left is not None and left.type == "identifier":
            draft.locals.append(Local(self.text(left), kind, item, line(node)))
        self.only_in(node, first, draft)
        self.later(node.child_by_field_name("body"), draft)

    def _bind_typed(self, node: Node, draft: Draft) -> None:
        name, kind = node.child_by_field_name("name"), self._type(node.child_by_field_name("type"))
        if name is not None and name.type == "identifier":
            draft.locals.append(Local(self.text(name), kind, None, line(name)))

    def _recursive_pattern(self, node: Node, draft: Draft) -> None:
        self._bind_typed(node, draft)
        for clause in children_of_type(node, "property_pattern_clause", "positional_pattern_clause"):
            for one in children_of_type(clause, "subpattern"):
                self.later(child_at(one, -1), draft)

    def _from(self, node: Node, draft: Draft) -> None:
        value = self.value(child_at(node, -1), draft)
        kind = self._type(node.child_by_field_name("type"))
        name = self.text(node.child_by_field_name("name"))
        draft.locals.append(Local(name, kind, Item(value) if value else None, line(node)))

    def _return(self, node: Node, draft: Draft) -> None:
        value = self.value(child_at(node, 0), draft)
        if value is not None and draft.kind is NodeKind.LAMBDA:
            draft.result.append(value)

    def _access(self, node: Node, draft: Draft) -> Expression:
        owner = node.child_by_field_name("expression")
        return Select(self.expression(owner, draft), self._simple(node.child_by_field_name("name")))

    def _conditional_access(self, node: Node, draft: Draft) -> Expression | None:
        self._conditions.append(self.expression(node.child_by_field_name("condition"), draft))
        found = self.expression(child_at(node, -1), draft)
        self._conditions.pop()
        return found

    def _binding(self, node: Node, _: Draft) -> Expression:
        owner = self._conditions[-1] if self._conditions else None
        return Select(owner, self._simple(node.child_by_field_name("name")))

    def _element_binding(self, node: Node, draft: Draft) -> Expression | None:
        self.inside(node, draft)
        owner = self._conditions[-1] if self._conditions else None
        return Item(owner) if owner else None

    def _arguments(self, node: Node | None, draft: Draft) -> tuple[Expression | None, ...]:
        return self.arguments(children_of_type(node, "argument"), draft)

    def _argument_value(self, node: Node, draft: Draft) -> Expression | None:
        value = node.children[-1]
        if value.type != "declaration_expression":
            return self.expression(value, draft)
        self._bind_typed(value, draft)
        kind = self._type(value.child_by_field_name("type"))
        return Cast(None, kind) if kind else None

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function = node.child_by_field_name("function")
        callee = self.expression(function, draft) or Select(None, "")
        if isinstance(callee, Select) and callee.name == "ConfigureAwait":
            return callee.owner
        if callee == Name("nameof"):
            return Literal(TypeRef("string"))
        passed = []
        for one in children_of_type(node.child_by_field_name("arguments"), "argument"):
            passed.append(self.expression(one, draft))
            if isinstance(callee, Select) and callee.owner and callee.name in _TAKES_OUT:
                self._take_out(one, Item(callee.owner), draft)
        written = function
        while written is not None and written.type in ("member_access_expression", "member_binding_expression"):
            written = written.child_by_field_name("name")
        listed = child_of_type(written, "type_argument_list") if written is not None else None
        types = tuple(self._types(listed.named_children)) if listed is not None else ()
        return Call(callee, tuple(passed), types, place(node))

    def _take_out(self, argument: Node, value: Expression, draft: Draft) -> None:
        """Bind the name that an ``out var`` argument declares."""
        declared = child_of_type(argument, "declaration_expression")
        if declared is not None and self._type(declared.child_by_field_name("type")) is None:
            name = self.text(declared.child_by_field_name("name"))
            draft.locals.append(Local(name, None, value, line(declared)))

    def _new(self, node: Node, draft: Draft) -> Expression | None:
        kind = self._type(node.child_by_field_name("type"))
        return self._made(node, kind, draft) if kind else None

    def _made(self, node: Node, kind: TypeRef, draft: Draft) -> New:
        passed = self._arguments(child_of_type(node, "argument_list"), draft)
        for initializer in children_of_type(node, "initializer_expression"):
            for one in initializer.named_children:
                is_member = one.type == "assignment_expression"
                value = self.value(one.child_by_field_name("right") if is_member else one, draft)
                if is_member:
                    field = Select(Cast(None, kind), self.text(one.child_by_field_name("left")))
                    self.keep(field, value, one, draft)
        return New(kind, passed, place(node))

    def _implicit_new(self, node: Node, draft: Draft) -> None:
        self.inside(node, draft)

    def _closure(self, node: Node, draft: Draft) -> Expression:
        body = node.child_by_field_name("body") or child_of_type(node, "block")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        parameters = node.child_by_field_name("parameters")
        if parameters is not None and parameters.type != "parameter_list":
            closure.parameters = (Parameter(self.text(parameters), None),)
        else:
            closure.parameters = self._parameters(parameters, closure)
        if body is not None and body.type == "block":
            self.inside(body, closure)
        elif (value := self.value(body, closure)) is not None:
            closure.result.append(value)
        return Closure(closure.index)

    def _cast(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("value"), draft)
        kind = self._type(node.child_by_field_name("type"))
        return Cast(value, kind) if kind else value

    def _as(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("left"), draft)
        kind = self._type(node.child_by_field_name("right"))
        return Cast(value, kind) if kind else value

    def _is(self, node: Node, draft: Draft) -> Expression:
        self.value(child_at(node, 0), draft)
        self.later(node.child_by_field_name("pattern"), draft)
        return Literal(TypeRef("bool"))

    def _element(self, node: Node, draft: Draft) -> Expression | None:
        self.inside(node.child_by_field_name("subscript"), draft)
        owner = self.expression(node.child_by_field_name("expression"), draft)
        return Item(owner) if owner else None

    def _await(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(child_at(node, 0), draft)
        return Item(value) if value else None

    def _conditional(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return choice([self.expression(branch, draft) for branch in branches])

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        left = node.child_by_field_name("left")
        right = self.expression(node.child_by_field_name("right"), draft)
        if left is not None and left.type == "tuple_expression":
            self._deconstruct(left, right, draft)
        else:
            self.keep(self.value(left, draft), right, node, draft)
        return right

    def _deconstruct(self, left: Node, value: Expression | None, draft: Draft) -> None:
        for index, one in enumerate(children_of_type(left, "argument")):
            target = child_at(one, -1)
            if target is not None and target.type == "declaration_expression":
                kind = self._type(target.child_by_field_name("type"))
                name = self.text(target.child_by_field_name("name"))
                draft.locals.append(Local(name, kind, Part(value, index) if value else None, line(target)))
            else:
                self.value(target, draft)

    def _switch(self, node: Node, draft: Draft) -> Expression | None:
        self.value(child_at(node, 0), draft)
        options = []
        for arm in children_of_type(node, "switch_expression_arm"):
            *patterns, value = arm.named_children
            for pattern in patterns:
                self.later(pattern, draft)
            options.append(self.expression(value, draft))
        return choice(options)

    def _with(self, node: Node, draft: Draft) -> Expression | None:
        for one in children_of_type(node, "with_initializer"):
            self.value(child_at(one, -1), draft)
        return self.expression(child_at(node, 0), draft)

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        operator = self.text(node.child_by_field_name("operator"))
        if operator == "??":
            return choice([self.expression(side, draft) for side in sides])
        if operator in _ARITHMETIC:
            left, right = (self.expression(side, draft) for side in sides)
            if left is not None and not isinstance(left, Literal):
                return Call(Select(left, f"operator {operator}"), (left, right), (), place(node))
            for side, found in zip(sides, (left, right), strict=True):
                if side is not None:
                    self.record(found, side, draft)
            return left
        for side in sides:
            self.value(side, draft)
        return Literal(TypeRef("bool")) if operator in _COMPARISONS else None
