"""
Types and expressions of C and C++.

A pointer is what it points to, and so is a reference. ``p->name`` selects ``name`` of what ``->`` of ``p`` gives, which
matters for smart pointers only.
"""

from collections.abc import Iterator

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    Expression,
    Item,
    Literal,
    Name,
    New,
    Parameter,
    Select,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.cpp_declarators import declared, dotted, is_word_operator
from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, place

ARROW = "->"
"""The member that gives what a pointer points to."""

TYPE_KINDS = {
    "class_specifier": NodeKind.CLASS,
    "struct_specifier": NodeKind.STRUCT,
    "union_specifier": NodeKind.STRUCT,
    "enum_specifier": NodeKind.ENUM,
}
_LITERALS = {
    "number_literal": "int",
    "char_literal": "char",
    "string_literal": "char",
    "raw_string_literal": "char",
    "concatenated_string": "char",
    "true": "bool",
    "false": "bool",
    "sizeof_expression": "size_t",
}
_CASTS = frozenset(("static_cast", "dynamic_cast", "const_cast", "reinterpret_cast"))
_MAKERS = frozenset(("make_unique", "make_shared"))
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||"))


class CppExpressions(DeclaredReader):
    """Reads them for both languages: the trees of C look like those of C++."""

    def __init__(self, source: Source, *, is_cpp: bool) -> None:
        super().__init__(source)
        self.is_cpp = is_cpp
        self.expressions = {
            "identifier": lambda node, _: Name(self.text(node)),
            "this": lambda _node, _draft: This(),
            "field_expression": self._field,
            "qualified_identifier": self._qualified,
            "template_function": lambda node, draft: self.expression(node.child_by_field_name("name"), draft),
            "call_expression": self._call,
            "new_expression": self._new,
            "compound_literal_expression": self._new,
            "cast_expression": self._cast,
            "parenthesized_expression": self._inner,
            "pointer_expression": self._pointer,
            "subscript_expression": self._subscript,
            "assignment_expression": self._assignment,
            "binary_expression": self._binary,
            "unary_expression": self._unary,
            "update_expression": self._unary,
            "conditional_expression": self._choice,
            "lambda_expression": self._lambda,
            "comma_expression": self._last,
            "co_await_expression": self._inner,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    # Types and names

    def _type(self, node: Node | None) -> TypeRef | None:
        while node is not None:
            match node.type:
                case "type_identifier" | "primitive_type" | "sized_type_specifier" | "namespace_identifier":
                    return TypeRef(" ".join(self.text(node).split()))
                case "identifier" | "field_identifier":
                    return TypeRef(self.text(node))
                case "qualified_identifier":
                    return self._qualified_type(node)
                case "template_type" | "template_function":
                    inner = node.child_by_field_name("arguments")
                    name = dotted(self.text(node.child_by_field_name("name")))
                    return TypeRef(name, self._type_arguments(inner))
                case "type_descriptor":
                    node = node.child_by_field_name("type")
                case "dependent_type" | "macro_type_specifier":
                    node = node.child_by_field_name("type") or child_at(node, 0)
                case kind if kind in TYPE_KINDS:
                    node = node.child_by_field_name("name")
                case _:
                    return None
        return None

    def _qualified_type(self, node: Node) -> TypeRef | None:
        parts: list[str] = []
        arguments: tuple[TypeRef, ...] = ()
        current: Node | None = node
        while current is not None:
            is_chain = current.type == "qualified_identifier"
            found = self._type(current.child_by_field_name("scope") if is_chain else current)
            if found is not None:
                parts.append(found.name)
                arguments = found.arguments
            current = current.child_by_field_name("name") if is_chain else None
        return TypeRef(".".join(parts), arguments) if parts else None

    def _type_arguments(self, node: Node | None) -> tuple[TypeRef, ...]:
        written = node.named_children if node is not None else []
        return tuple(self._type(one) or TypeRef("") for one in written if not one.is_extra)

    def _name_of(self, name: Node) -> list[str]:
        parts: list[str] = []
        current: Node | None = name
        while current is not None and current.type == "qualified_identifier":
            scope = self._type(current.child_by_field_name("scope"))
            if scope is not None:
                parts += scope.name.split(".")
            current = current.child_by_field_name("name")
        if current is not None and current.type == "operator_cast":
            return [*parts, "operator " + self.text(current.child_by_field_name("type"))]
        if current is not None and current.type == "template_function":
            current = current.child_by_field_name("name")
        text = "".join(self.text(current).split()) if current is not None else ""
        return [*parts, text.replace("operator", "operator ", 1) if is_word_operator(text) else text]

    def _parameters(self, node: Node | None) -> Iterator[Parameter]:
        for one in node.named_children if node is not None else []:
            if one.type in ("parameter_declaration", "optional_parameter_declaration"):
                found = declared(one.child_by_field_name("declarator"))
                kind = self._type(one.child_by_field_name("type"))
                if kind == TypeRef("void") and found is None and one.child_by_field_name("declarator") is None:
                    continue
                name = self.text(found.name) if found else ""
                yield Parameter(name, kind, is_optional=one.type.startswith("optional"))
            elif one.type in ("variadic_parameter", "variadic_parameter_declaration"):
                yield Parameter("", None, is_rest=True)

    # Expressions

    def _inner(self, node: Node, draft: Draft) -> Expression | None:
        return self.expression(child_at(node, 0), draft)

    def _last(self, node: Node, draft: Draft) -> Expression | None:
        *before, last = node.named_children
        for one in before:
            self.value(one, draft)
        return self.expression(last, draft)

    def _field(self, node: Node, draft: Draft) -> Expression:
        owner = self.expression(node.child_by_field_name("argument"), draft)
        if owner is not None and not isinstance(owner, This) and self._operator(node) == ARROW:
            owner = Select(owner, ARROW)
        field = node.child_by_field_name("field")
        while field is not None and field.type in ("template_method", "dependent_name"):
            field = field.child_by_field_name("name") or child_at(field, 0)
        if field is not None and field.type == "qualified_identifier":  # one->Base::name()
            return Select(
                Cast(owner, self._type(field.child_by_field_name("scope")) or TypeRef("")), self._name_of(field)[-1]
            )
        return Select(owner, self.text(field))

    def _operator(self, node: Node) -> str:
        return self.text(node.child_by_field_name("operator"))

    def _qualified(self, node: Node, _: Draft) -> Expression | None:
        first, *others = [part for part in self._name_of(node) if part] or [""]
        found: Expression = Name(first)
        for part in others:
            found = Select(found, part)
        return found

    def _call(self, node: Node, draft: Draft) -> Expression | None:
        function = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        arguments = self.arguments(given.named_children if given is not None else [], draft)
        written, types = self._template_arguments(function)
        if types and written in _CASTS:
            return Cast(arguments[0] if arguments else None, types[0])
        if types and written in _MAKERS:
            return New(types[0], arguments, place(node))
        if function is not None and function.type == "primitive_type":
            return Literal(TypeRef(self.text(function)))
        callee = self.expression(function, draft)
        return Call(callee or Select(None, ""), arguments, types, place(node))

    def _template_arguments(self, function: Node | None) -> tuple[str, tuple[TypeRef, ...]]:
        """Return the last name of ``a::b<T>``, and its arguments."""
        while function is not None and function.type in ("qualified_identifier", "field_expression"):
            function = function.child_by_field_name("name") or function.child_by_field_name("field")
        if function is None or function.type not in ("template_function", "template_method"):
            return "", ()
        name = self.text(function.child_by_field_name("name"))
        return name, self._type_arguments(function.child_by_field_name("arguments"))

    def _new(self, node: Node, draft: Draft) -> Expression | None:
        given = node.child_by_field_name("arguments") or node.child_by_field_name("value")
        kind = self._type(node.child_by_field_name("type"))
        arguments = self.arguments(given.named_children if given is not None else [], draft)
        return New(kind, arguments, place(node)) if kind else None

    def _cast(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("value"), draft)
        kind = self._type(node.child_by_field_name("type"))
        return Cast(value, kind) if kind else value

    def _pointer(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("argument"), draft)
        is_inside = self._operator(node) == "*" and value is not None and not isinstance(value, This)
        return Select(value, ARROW) if is_inside else value

    def _subscript(self, node: Node, draft: Draft) -> Expression | None:
        self.later(node.child_by_field_name("indices") or node.child_by_field_name("index"), draft)
        owner = self.expression(node.child_by_field_name("argument"), draft)
        if self.is_cpp and isinstance(owner, Name | Select):
            draft.calls.append(Call(Select(owner, "operator[]"), (None,), (), place(node)))
        return Item(owner) if owner else None

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        value = self.value(node.child_by_field_name("right"), draft)
        target = self.value(node.child_by_field_name("left"), draft)
        self.keep(target, value, node, draft)
        operator = self._operator(node)
        if self.is_cpp and operator != "=" and isinstance(target, Name | Select):
            draft.calls.append(Call(Select(target, f"operator{operator}"), (value,), (), place(node)))
        return value if value is None or isinstance(value, Name | Select) else None

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        """Read ``a + b`` as a call of the operator, which few types have."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self._operator(node)
        first, second = self.expression(left, draft), self.expression(right, draft)
        if not self.is_cpp or not first or isinstance(first, Literal) or operator in ("&&", "||"):
            for one, written in ((first, left), (second, right)):
                if written is not None:
                    self.record(one, written, draft)
            return Literal(TypeRef("bool")) if operator in _COMPARISONS else None
        return Call(Select(first, f"operator{operator}"), (second,), (), place(node))

    def _unary(self, node: Node, draft: Draft) -> Expression | None:
        operand = self.value(node.child_by_field_name("argument"), draft)
        operator = self._operator(node)
        if self.is_cpp and isinstance(operand, Name | Select) and operator:
            return Call(Select(operand, f"operator{operator}"), (), (), place(node))
        return Literal(TypeRef("bool")) if operator == "!" else None

    def _choice(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        written = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        options = tuple(one for one in (self.expression(part, draft) for part in written) if one)
        return Choice(options) if options else None

    def _lambda(self, node: Node, draft: Draft) -> Expression:
        body = node.child_by_field_name("body")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        head = node.child_by_field_name("declarator")
        closure.parameters = tuple(self._parameters(head.child_by_field_name("parameters") if head else None))
        trailing = child_of_type(head, "trailing_return_type")
        closure.type = self._type(child_at(trailing, 0)) if trailing is not None else None
        self.later(node.child_by_field_name("captures"), draft)
        self.inside(body, closure)
        return Closure(closure.index)
