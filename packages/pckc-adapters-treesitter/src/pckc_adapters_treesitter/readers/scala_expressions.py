"""Statements and expressions of Scala."""

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
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import Draft, choice
from pckc_adapters_treesitter.readers.scala_types import ScalaTypes
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_OF_ELEMENTS = frozenset(
    "collect count dropWhile exists filter filterNot find flatMap forall foreach groupBy map maxBy minBy partition "
    "reduce sortBy span takeWhile withFilter".split()
)
"""Methods of sequences and options that call a function with what these hold."""

_ARITHMETIC = frozenset("+ - * / %".split())
_PLAIN_OPERATORS = frozenset("+ - * / % == != < > <= >= && || & | ^ -> ++ :: ::: += -= *= /= :+ +: eq ne".split())
"""Operators of built-in values."""

ANONYMOUS = "anonymous"


class ScalaExpressions(ScalaTypes):
    """Reads what a Scala body says."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._placeholders: list[Name] = []
        self._placed: set[Name] = set()

    def _cases(self, block: Node | None, value: Expression | None, draft: Draft) -> Expression | None:
        options = []
        for clause in children_of_type(block, "case_clause"):
            pattern = clause.child_by_field_name("pattern")
            first = len(draft.locals)
            if pattern is not None and not self._is_constant(pattern):
                draft.locals += self._bound(pattern, value)
                self.only_in(clause, first, draft)
            self.inside(child_of_type(clause, "guard"), draft)
            body = clause.child_by_field_name("body")
            options.append(self.expression(body, draft) if body is not None else None)
        return choice(options)

    def _for(self, node: Node, draft: Draft) -> None:
        first = len(draft.locals)
        for one in children_of_type(child_of_type(node, "enumerators"), "enumerator"):
            parts = [child for child in one.named_children if not child.is_extra]
            if len(parts) < 2:
                self.inside(one, draft)
                continue
            value = self.value(parts[1], draft)
            is_drawn = any(child.type in ("<-", "←") for child in one.children)
            draft.locals += self._bound(parts[0], Item(value) if value and is_drawn else value)
            for guard in parts[2:]:
                self.inside(guard, draft)
        self.only_in(node, first, draft)
        self.later(node.child_by_field_name("body"), draft)

    def _identifier(self, node: Node, _: Draft) -> Expression:
        text = self.text(node).strip("`")
        return This(is_super=text == "super") if text in ("this", "super") else Name(text)

    def _access(self, node: Node, draft: Draft) -> Expression:
        owner, name = node.child_by_field_name("value"), self.text(node.child_by_field_name("field")).strip("`")
        if name == "this":
            return Cast(None, TypeRef(self._dotted(owner)))
        return Select(self.expression(owner, draft), name)

    def _generic_function(self, node: Node, draft: Draft) -> Expression | None:
        callee = self.expression(node.child_by_field_name("function"), draft)
        if isinstance(callee, Select) and callee.name == "asInstanceOf":
            listed = node.child_by_field_name("type_arguments")
            return Cast(callee.owner, self._argument(child_at(listed, 0)))
        return callee

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        callee = self.expression(function, draft) or Select(None, "")
        owner = callee.owner if isinstance(callee, Select) and callee.name in _OF_ELEMENTS else None
        held = Name(f"_{node.start_byte}:{node.end_byte}")
        if owner is not None:
            self._placeholders.append(held)
        passed = self._passed(arguments, draft)
        if owner is not None:
            self._placeholders.pop()
            if held in self._placed:
                draft.locals.append(Local(held.text, None, Item(owner), line(node)))
            for one in passed:
                self._give(one, Item(owner))
        if isinstance(callee, Call) and function is not None and function.type == "call_expression":
            return Call(callee.callee, (*callee.arguments, *passed), callee.type_arguments, place(node))
        types: tuple[TypeRef, ...] = ()
        if function is not None and function.type == "generic_function":
            listed = function.child_by_field_name("type_arguments")
            types = tuple(self._argument(one) for one in (listed.named_children if listed is not None else []))
        return Call(callee, passed, types, place(node))

    def _placeholder(self) -> Name | None:
        """Return what ``_`` stands for: what the innermost call of a sequence's method hands out."""
        if not self._placeholders:
            return None
        self._placed.add(self._placeholders[-1])
        return self._placeholders[-1]

    def _passed(self, arguments: Node | None, draft: Draft) -> tuple[Expression | None, ...]:
        if arguments is None:
            return ()
        if arguments.type != "arguments":
            return (self.expression(arguments, draft),)
        named = [one.child_by_field_name("right") if one.type == "assignment_expression" else one
                 for one in arguments.named_children]  # fmt: skip
        return self.arguments([one for one in named if one is not None], draft)

    def _give(self, closure: Expression | None, value: Expression) -> None:
        """Bind the parameter of a closure to *value*, where its type is not said."""
        if isinstance(closure, Closure):
            draft = self.drafts[closure.declaration]
            if len(draft.parameters) == 1 and draft.parameters[0].type is None:
                draft.locals.insert(0, Local(draft.parameters[0].name, None, value, draft.start_line))
                draft.parameters = ()

    def _closure(self, node: Node, draft: Draft) -> Expression:
        closure = self.open(NodeKind.LAMBDA, "", node, draft)
        listed = node.child_by_field_name("parameters")
        if listed is not None and listed.type == "identifier":
            closure.parameters = (Parameter(self.text(listed), None),)
        else:
            closure.parameters = tuple(
                Parameter(self.text(one.child_by_field_name("name")), self._type(one.child_by_field_name("type")))
                for one in children_of_type(listed, "binding")
            )
        self._result(child_at(node, -1), closure)
        return Closure(closure.index)

    def _result(self, body: Node | None, closure: Draft) -> None:
        if body is not None and body.type not in self.expressions:
            self.later(body, closure)
        elif (value := self.value(body, closure)) is not None:
            closure.result.append(value)

    def _case_closure(self, node: Node, draft: Draft) -> Expression:
        """Read a function that is written as a block of cases."""
        closure = self.open(NodeKind.LAMBDA, "", node, draft)
        value = self._cases(node, self._placeholder(), closure)
        if value is not None:
            self.record(value, node, closure)
            closure.result.append(value)
        return Closure(closure.index)

    def _new(self, node: Node, draft: Draft) -> Expression | None:
        parts = [child for child in node.named_children if child.type not in ("arguments", "template_body")]
        kind = self._type(parts[0]) if parts else None
        passed = self._passed(child_of_type(node, "arguments"), draft)
        body = child_of_type(node, "template_body")
        if body is not None:
            anonymous = self.open(NodeKind.CLASS, ANONYMOUS, body, draft, body=body)
            anonymous.bases += [kind] if kind else []
            self.inside(body, anonymous)
        return New(kind, passed, place(node)) if kind else None

    def _infix(self, node: Node, draft: Draft) -> Expression | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self.text(node.child_by_field_name("operator")).strip("`")
        if operator in _ARITHMETIC:
            owner, passed = self.expression(left, draft), self.expression(right, draft)
            if owner is not None and not isinstance(owner, Literal):
                return Call(Select(owner, operator), (passed,), (), place(node))
            for side, found in ((left, owner), (right, passed)):
                if side is not None:
                    self.record(found, side, draft)
            return None
        if operator in _PLAIN_OPERATORS:
            self.value(left, draft)
            self.value(right, draft)
            return None
        owner = self.expression(left, draft)
        passed = self.expression(right, draft)
        if owner is not None and operator in _OF_ELEMENTS:
            self._give(passed, Item(owner))
        return Call(Select(owner, operator), (passed,), (), place(node))

    def _ascription(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(child_at(node, 0), draft)
        kind = self._type(node.child_by_field_name("type"))
        return Cast(value, kind) if kind else value

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        target = self.value(node.child_by_field_name("left"), draft)
        value = self.expression(node.child_by_field_name("right"), draft)
        self.keep(target, value, node, draft)
        return value

    def _if(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return choice([self.expression(branch, draft) for branch in branches])

    def _match(self, node: Node, draft: Draft) -> Expression | None:
        value = self.value(node.child_by_field_name("value"), draft)
        return self._cases(node.child_by_field_name("body"), value, draft)

    def _try(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("body"), draft)
        options = [value]
        for clause in children_of_type(node, "catch_clause"):
            options.append(self._cases(child_of_type(clause, "case_block"), None, draft))
        self.later(child_of_type(node, "finally_clause"), draft)
        return choice(options)

    def _return(self, node: Node, draft: Draft) -> None:
        self.value(child_at(node, 0), draft)

    def _interpolated(self, node: Node, draft: Draft) -> Expression:
        self.inside(child_of_type(node, "interpolated_string"), draft)
        return Literal(TypeRef("String"))
