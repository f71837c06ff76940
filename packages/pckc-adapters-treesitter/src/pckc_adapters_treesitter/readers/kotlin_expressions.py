"""Statements and expressions of Kotlin."""

from collections.abc import Iterable

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Closure,
    Expression,
    Item,
    Literal,
    Local,
    Name,
    Parameter,
    Part,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.kotlin_types import LITERALS, TYPES, KotlinTypes
from pckc_adapters_treesitter.readers.recorder import Draft, choice, limited, nothing
from pckc_adapters_treesitter.readers.source import (
    Source,
    child_at,
    child_of_type,
    children_of_type,
    last_line,
    line,
    place,
)

_SAME = frozenset(("also", "apply", "takeIf", "takeUnless"))
"""Scope functions that give back what they are called on."""

_WITH_IT = frozenset(("also", "let", "takeIf", "takeUnless"))
_WITH_THIS = frozenset(("apply", "run"))
_MAKERS = {
    **dict.fromkeys("listOf mutableListOf arrayListOf emptyList setOf mutableSetOf emptySet arrayOf".split(), "[]"),
    **dict.fromkeys("mapOf mutableMapOf hashMapOf emptyMap".split(), "{}"),
}
"""Functions of the library to what they make of the types they are given."""

_OPERATORS = {"+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem"}
_COMPARISONS = frozenset(("==", "!=", "===", "!==", "<", "<=", ">", ">=", "&&", "||"))
ANONYMOUS = "anonymous"


class KotlinExpressions(KotlinTypes):
    """Reads what a Kotlin body says."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._taken_apart: dict[int, Node] = {}

    def _anonymous(self, body: Node | None, bases: Iterable[TypeRef], around: Draft) -> None:
        if body is not None:
            draft = self.open(NodeKind.CLASS, ANONYMOUS, body, around, body=body)
            draft.bases += bases
            self.inside(body, draft)

    def _body(self, body: Node | None, draft: Draft) -> None:
        found = child_at(body, 0)
        if found is not None and found.type == "block":
            self.inside(found, draft)
        elif (value := self.value(found, draft)) is not None and draft.type is None:
            draft.result.append(value)

    @limited(nothing)
    def _bind(self, declared: Node | None, value: Expression | None, draft: Draft) -> None:
        """Bind the names of *declared* to parts of *value*."""
        if declared is None:
            return
        if declared.type == "variable_declaration":
            kind = self._type(child_of_type(declared, *TYPES))
            name = self.text(child_of_type(declared, "identifier"))
            draft.locals.append(Local(name, kind, value, line(declared)))
            return
        for index, one in enumerate(children_of_type(declared, "variable_declaration")):
            self._bind(one, Part(value, index) if value else None, draft)

    def _bind_element(self, declared: Node | None, owner: Expression | None, draft: Draft) -> None:
        """Bind what *owner* holds; of two names the first is a map's key."""
        names = children_of_type(declared, "variable_declaration")
        if declared is not None and declared.type == "multi_variable_declaration" and len(names) == 2 and owner:
            self._bind(names[0], Item(owner, is_key=True), draft)
            self._bind(names[1], Item(owner), draft)
        else:
            self._bind(declared, Item(owner) if owner else None, draft)

    def _for(self, node: Node, draft: Draft) -> None:
        declared = child_of_type(node, "variable_declaration", "multi_variable_declaration")
        rest = [child for child in node.named_children if declared is None or child.start_byte > declared.start_byte]
        value = self.value(rest[0], draft) if rest else None
        first = len(draft.locals)
        self._bind_element(declared, value, draft)
        self.only_in(node, first, draft)
        for child in rest[1:]:
            self.later(child, draft)

    def _catch(self, node: Node, draft: Draft) -> None:
        name, kind = child_of_type(node, "identifier"), child_of_type(node, *TYPES)
        draft.locals.append(Local(self.text(name), self._type(kind), None, line(node), last_line(node)))
        self.later(child_of_type(node, "block"), draft)

    def _identifier(self, node: Node, _: Draft) -> Expression | None:
        text = self.text(node).strip("`")
        return (
            None if text in ("null", "") else Literal(TypeRef("Boolean")) if text in ("true", "false") else Name(text)
        )

    def _literal(self, node: Node, draft: Draft) -> Expression:
        self.inside(node, draft)
        return Literal(TypeRef(LITERALS[node.type]))

    def _this(self, node: Node, _: Draft) -> Expression:
        label = child_of_type(node, "identifier")
        return Cast(None, TypeRef(self.text(label))) if label is not None else This()

    def _access(self, node: Node, draft: Draft) -> Expression | None:
        owner, name = child_at(node, 0), child_at(node, -1)
        return Select(self.expression(owner, draft), self.text(name).strip("`"))

    def _arguments(self, node: Node | None, draft: Draft) -> tuple[Expression | None, ...]:
        return self.arguments(children_of_type(node, "value_argument"), draft)

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function = child_at(node, 0)
        trailing = child_of_type(node, "annotated_lambda")
        callee = self.expression(function, draft) or Select(None, "")
        passed = self._arguments(child_of_type(node, "value_arguments"), draft)
        listed = child_of_type(node, "type_arguments")
        types = tuple(self._argument(one) for one in listed.named_children) if listed is not None else ()
        match callee:
            case Call(inner, given, said) if trailing is not None and not passed:  # ``f(x) { … }`` is one call
                callee, passed, types = inner, given, said
        closure = self.expression(trailing, draft) if trailing is not None else None
        if isinstance(closure, Closure):
            scoped = self._scoped(callee, passed, closure, draft, node)
            if scoped is not None:
                return scoped
            passed = (*passed, closure)
        found = Call(callee, passed, types, place(node))
        if isinstance(callee, Name) and callee.text in _MAKERS and types:
            return Cast(found, TypeRef(_MAKERS[callee.text], types))
        return found

    def _scoped(
        self,
        callee: Expression,
        passed: tuple[Expression | None, ...],
        closure: Closure,
        draft: Draft,
        node: Node,
    ) -> Expression | None:
        """Bind what a library function gives to a lambda; return what a scope function gives back."""
        inner = self.drafts[closure.declaration]
        match callee, passed:
            case Name("run"), ():
                return Call(closure, (), (), place(node))
            case Name(name), () if name in _SAME | _WITH_IT:
                return self._scoped(Select(This(), name), (), closure, draft, node)
            case Select(owner, name), () if owner is not None and name in _WITH_IT:
                self._give(inner, owner)
            case Select(owner, name), () if owner is not None and name in _WITH_THIS:
                inner.locals.insert(0, Local("this", None, owner, inner.start_line))
            case Name("with"), (owner,) if owner is not None:
                inner.locals.insert(0, Local("this", None, owner, inner.start_line))
                return Call(closure, (), (), place(node))
            case Select(owner, _), _ if owner is not None and closure.declaration in self._taken_apart:
                self._bind_element(self._taken_apart[closure.declaration], owner, inner)
                return None
            case _:
                return None
        if isinstance(callee, Select) and callee.name in _SAME:
            draft.calls.append(closure)
            return callee.owner
        return Call(closure, (), (), place(node))

    def _give(self, closure: Draft, value: Expression) -> None:
        """Bind the parameter of a lambda to *value*."""
        if len(closure.parameters) == 1 and closure.parameters[0].type is None:
            closure.locals.insert(0, Local(closure.parameters[0].name, None, value, closure.start_line))
            closure.parameters = ()

    def _closure(self, node: Node, draft: Draft) -> Expression:
        closure = self.open(NodeKind.LAMBDA, "", node, draft)
        listed = child_of_type(node, "lambda_parameters")
        closure.parameters = tuple(
            Parameter(self.text(child_of_type(one, "identifier")), self._type(child_of_type(one, *TYPES)))
            for one in children_of_type(listed, "variable_declaration")
        )
        if listed is None:
            closure.parameters = (Parameter("it", None),)
        first = child_at(listed, 0)
        if first is not None and first.type == "multi_variable_declaration":
            self._taken_apart[closure.index] = first
        parts = [child for child in node.named_children if not child.is_extra and child.type != "lambda_parameters"]
        for child in parts[:-1]:
            self.later(child, closure)
        if parts and parts[-1].type in self.expressions:
            value = self.value(parts[-1], closure)
            if value is not None:
                closure.result.append(value)
        elif parts:
            self.later(parts[-1], closure)
        return Closure(closure.index)

    def _anonymous_function(self, node: Node, draft: Draft) -> Expression:
        body = child_of_type(node, "function_body")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        closure.parameters = self._parameters(child_of_type(node, "function_value_parameters"), closure)
        closure.type = self._type(child_of_type(node, *TYPES))
        self._body(body, closure)
        return Closure(closure.index)

    def _object(self, node: Node, draft: Draft) -> Expression | None:
        bases = Draft(
            index=0, parent=0, kind=NodeKind.CLASS, name="", start_line=0, end_line=0, start_byte=0, end_byte=0
        )
        self._bases(node, bases)
        self._anonymous(child_of_type(node, "class_body"), bases.bases, draft)
        return Cast(None, bases.bases[0]) if bases.bases else None

    def _reference(self, node: Node, draft: Draft) -> Expression | None:
        owner, name = child_at(node, 0), child_at(node, -1)
        if owner is None or owner == name:
            return Name(self.text(name))
        kind = self._type(owner)
        if kind is None:
            return Select(self.expression(owner, draft), self.text(name))
        found: Expression | None = None
        for one in kind.name.split("."):
            found = Select(found, one) if found else Name(one)
        return Select(found, self.text(name))

    def _as(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("left"), draft)
        kind = self._type(node.child_by_field_name("right"))
        return Cast(value, kind) if kind else value

    def _index(self, node: Node, draft: Draft) -> Expression | None:
        owner = self.expression(child_at(node, 0), draft)
        for child in node.named_children[1:]:
            self.value(child, draft)
        return Item(owner) if owner else None

    def _infix(self, node: Node, draft: Draft) -> Expression | None:
        left = self.expression(child_at(node, 0), draft)
        right = self.expression(child_at(node, -1), draft)
        return Call(Select(left, self.text(child_at(node, 1))), (right,), (), place(node))

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        operator = self.text(node.child_by_field_name("operator"))
        if operator == "?:":
            return choice([self.expression(side, draft) for side in sides])
        if operator in _OPERATORS:
            left, right = (self.expression(side, draft) for side in sides)
            if left is not None and not isinstance(left, Literal):
                return Call(Select(left, _OPERATORS[operator]), (right,), (), place(node))
            if right is not None and sides[1] is not None:
                self.record(right, sides[1], draft)
            return left
        for side in sides:
            self.value(side, draft)
        return Literal(TypeRef("Boolean")) if operator in _COMPARISONS else None

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        target = self.value(node.child_by_field_name("left"), draft)
        value = self.expression(node.child_by_field_name("right"), draft)
        self.keep(target, value, node, draft)
        return value

    def _if(self, node: Node, draft: Draft) -> Expression | None:
        condition = node.child_by_field_name("condition")
        self.value(condition, draft)
        self._narrow(condition, node, draft)
        branches = [child for child in node.named_children if not child.is_extra and child != condition]
        return choice([self.expression(branch, draft) for branch in branches])

    def _narrow(self, condition: Node | None, node: Node, draft: Draft) -> None:
        """Bind a name to the type that a condition finds it to have, in what follows on it."""
        while condition is not None and condition.type in ("parenthesized_expression", "binary_expression"):
            is_and = self.text(condition.child_by_field_name("operator")) in ("", "&&")
            condition = child_at(condition, 0) if is_and else None
        if (
            condition is None
            or condition.type != "is_expression"
            or any(one.type == "!is" for one in condition.children)
        ):
            return
        left, branches = condition.child_by_field_name("left"), node.named_children[1:]
        kind = self._type(condition.child_by_field_name("right"))
        if left is not None and left.type == "identifier" and branches and kind:
            draft.locals.append(Local(self.text(left), kind, None, line(condition), last_line(branches[0])))

    def _subject(self, subject: Node | None) -> str:
        """Return the name that a ``when`` looks at."""
        declared = child_of_type(subject, "variable_declaration")
        name = child_of_type(declared or subject, "identifier")
        return self.text(name)

    def _when(self, node: Node, draft: Draft) -> Expression | None:
        subject = child_of_type(node, "when_subject")
        if subject is not None:
            value = self.value(child_at(subject, -1), draft)
            self._bind(child_of_type(subject, "variable_declaration"), value, draft)
        name = self._subject(subject)
        options = []
        for entry in children_of_type(node, "when_entry"):
            for condition in entry.children_by_field_name("condition"):
                self.value(condition, draft)
                if condition.type == "type_test" and name:
                    kind = self._type(child_of_type(condition, *TYPES))
                    draft.locals.append(Local(name, kind, None, line(entry), last_line(entry)))
            options.append(self.expression(child_at(entry, -1), draft))
        return choice(options)

    def _try(self, node: Node, draft: Draft) -> Expression | None:
        for child in node.named_children[1:]:
            self.later(child, draft)
        return self.expression(child_at(node, 0), draft)

    def _return(self, node: Node, draft: Draft) -> None:
        value = child_at(node, -1)
        if value is not None and value != node.child_by_field_name("label"):
            self.value(value, draft)
