"""The facts of a Go file."""

import re
from collections.abc import Sequence

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Closure,
    DeclaredFacts,
    Expression,
    ImportFact,
    Item,
    Literal,
    Local,
    Name,
    New,
    Parameter,
    Part,
    Select,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_VERSION = re.compile(r"(?:/v\d+|\.v\d+)$")
_LITERALS = {
    "int_literal": "int",
    "float_literal": "float64",
    "rune_literal": "rune",
    "interpreted_string_literal": "string",
    "raw_string_literal": "string",
    "true": "bool",
    "false": "bool",
}
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||"))
_ALLOCATE = frozenset(("make", "new"))


def go_facts(source: Source) -> DeclaredFacts:
    """Return what a Go file says."""
    return _GoReader(source).facts()


class _GoReader(DeclaredReader):
    language = "go"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.statements = {
            "package_clause": self._package,
            "import_spec": self._import,
            "type_spec": self._type_spec,
            "type_alias": self._type_alias,
            "function_declaration": self._function,
            "method_declaration": self._method,
            "const_declaration": self._constants,
            "var_spec": self._variables,
            "short_var_declaration": self._short_variables,
            "receive_statement": self._short_variables,
            "assignment_statement": self._assignment,
            "range_clause": self._range,
            "type_switch_statement": self._type_switch,
            "composite_literal": self._literal_statement,
            "keyed_element": self._keyed,
            "field_declaration": self.skip,
            "labeled_statement": self._labeled,
        }
        self.expressions = {
            "identifier": lambda node, _: Name(self.text(node)),
            "selector_expression": self._select,
            "call_expression": self._call,
            "type_conversion_expression": self._conversion,
            "type_instantiation_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "composite_literal": self._composite,
            "unary_expression": self._unary,
            "binary_expression": self._binary,
            "index_expression": self._index,
            "slice_expression": self._slice,
            "type_assertion_expression": self._assertion,
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "func_literal": self._closure,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    # Declarations

    def _package(self, node: Node, _: Draft) -> None:
        self.namespace = self.text(child_at(node, 0))

    def _import(self, node: Node, draft: Draft) -> None:
        module = self.text(node.child_by_field_name("path")).strip('"`')
        alias = self.text(node.child_by_field_name("name"))
        name = "*" if alias == "." else ""
        if not alias:
            alias = _VERSION.sub("", module).rpartition("/")[2]
        text = " ".join(self.text(node).split())
        binds = "" if alias in (".", "_") else alias
        self.imports.append(ImportFact(module, name, binds, draft.index, line(node), f"import {text}"))

    def _type_spec(self, node: Node, around: Draft) -> None:
        written = node.child_by_field_name("type")
        kinds = {"struct_type": NodeKind.STRUCT, "interface_type": NodeKind.INTERFACE}
        kind = kinds.get(written.type if written else "", NodeKind.CLASS)
        draft = self._open(kind, node, around, body=written if kind is not NodeKind.CLASS else None)
        draft.type_parameters = self._type_parameters(node)
        if written is None:
            return
        if kind is NodeKind.STRUCT:
            self._fields(child_of_type(written, "field_declaration_list"), draft)
        elif kind is NodeKind.INTERFACE:
            self._promises(written, draft)
        else:
            draft.type = self._type(written)

    def _type_alias(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, node, around)
        draft.type = self._type(node.child_by_field_name("type"))

    def _fields(self, body: Node | None, draft: Draft) -> None:
        for field in children_of_type(body, "field_declaration"):
            kind = self._type(field.child_by_field_name("type"))
            names = field.children_by_field_name("name")
            if not names and kind:
                draft.bases.append(kind)
            for name in names:
                self._open(NodeKind.FIELD, field, draft, name=name).type = kind

    def _promises(self, written: Node, draft: Draft) -> None:
        for child in written.named_children:
            if child.type == "method_elem":
                method = self._open(NodeKind.METHOD, child, draft)
                method.has_body = False
                self._head(child, method)
            elif child.type == "type_elem" and child.named_child_count == 1:
                base = self._type(child_at(child, 0))
                if base:
                    draft.bases.append(base)

    def _function(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.FUNCTION, node, around, body=body)
        draft.type_parameters = self._type_parameters(node)
        self._head(node, draft)
        self.inside(body, draft)

    def _method(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.METHOD, node, around, body=body)
        self._head(node, draft)
        receivers = self._parameters(node.child_by_field_name("receiver"))
        if receivers and receivers[0].type:
            receiver = draft.receiver = receivers[0].type
            draft.type_parameters = tuple(TypeParameter(one.name) for one in receiver.arguments)
            if receivers[0].name:
                draft.locals.append(Local(receivers[0].name, receiver, None, draft.start_line))
        self.inside(body, draft)

    def _open(
        self, kind: NodeKind, node: Node, around: Draft, *, body: Node | None = None, name: Node | None = None
    ) -> Draft:
        text = self.text(name or node.child_by_field_name("name"))
        draft = self.open(kind, text, node, around, body=body)
        draft.visibility = "public" if text[:1].isupper() else "private"
        return draft

    def _head(self, node: Node, draft: Draft) -> None:
        draft.parameters = self._parameters(node.child_by_field_name("parameters"))
        draft.type = self._result(node.child_by_field_name("result"))
        result = node.child_by_field_name("result")
        if result is not None and result.type == "parameter_list":
            named = self._parameters(result)
            draft.locals += [Local(one.name, one.type, None, draft.start_line) for one in named if one.name]

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        found = []
        for one in children_of_type(node.child_by_field_name("type_parameters"), "type_parameter_declaration"):
            constraint = one.child_by_field_name("type")
            parts = constraint.named_children if constraint is not None else []
            bound = self._type(parts[0]) if len(parts) == 1 else None
            found += [
                TypeParameter(self.text(name), (bound,) if bound else ()) for name in one.children_by_field_name("name")
            ]
        return tuple(found)

    def _parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        for one in children_of_type(node, "parameter_declaration", "variadic_parameter_declaration"):
            kind = self._type(one.child_by_field_name("type"))
            is_rest = one.type.startswith("variadic")
            if is_rest and kind:
                kind = TypeRef("[]", (kind,))
            names = one.children_by_field_name("name")
            found += [Parameter(self.text(name), kind, is_rest=is_rest) for name in names]
            if not names:
                found.append(Parameter("", kind, is_rest=is_rest))
        return tuple(found)

    def _result(self, node: Node | None) -> TypeRef | None:
        if node is None or node.type != "parameter_list":
            return self._type(node)
        results = self._parameters(node)
        if len(results) == 1:
            return results[0].type
        return TypeRef("()", tuple(one.type or TypeRef("any") for one in results))

    # Types

    def _type(self, node: Node | None) -> TypeRef | None:
        if node is None:
            return None
        match node.type:
            case "type_identifier" | "identifier" | "package_identifier":
                return TypeRef(self.text(node))
            case "qualified_type":
                return TypeRef("".join(self.text(node).split()))
            case "pointer_type" | "parenthesized_type" | "type_elem" | "negated_type":
                return self._type(child_at(node, 0))
            case "slice_type" | "array_type" | "implicit_length_array_type":
                return self._of("[]", node.child_by_field_name("element"))
            case "channel_type":
                return self._of("[]", node.child_by_field_name("value"))
            case "map_type":
                return self._of("{}", node.child_by_field_name("key"), node.child_by_field_name("value"))
            case "generic_type":
                outer = self._type(node.child_by_field_name("type"))
                inner = node.child_by_field_name("type_arguments")
                return self._of(outer.name, *inner.named_children) if outer and inner else outer
            case "function_type":
                parameters = [
                    one.type or TypeRef("any") for one in self._parameters(node.child_by_field_name("parameters"))
                ]
                result = self._result(node.child_by_field_name("result"))
                return TypeRef("->", (*parameters, result or TypeRef("()")))
        return None

    def _of(self, name: str, *parts: Node | None) -> TypeRef:
        return TypeRef(name, tuple(self._type(part) or TypeRef("any") for part in parts))

    # Statements

    def _constants(self, node: Node, draft: Draft) -> None:
        last: TypeRef | None = None
        for spec in children_of_type(node, "const_spec"):
            written = self._type(spec.child_by_field_name("type"))
            if written is not None or spec.child_by_field_name("value") is not None:
                last = written
            self._bind(spec, draft, NodeKind.CONSTANT, last)

    def _variables(self, node: Node, draft: Draft) -> None:
        self._bind(node, draft, NodeKind.VARIABLE, self._type(node.child_by_field_name("type")))

    def _bind(self, node: Node, draft: Draft, kind: NodeKind, written: TypeRef | None) -> None:
        """Bind names of the file to declarations, and names of a body to locals."""
        names = node.children_by_field_name("name")
        values = self._values(node.child_by_field_name("value"), len(names), draft)
        for name, value in zip(names, values, strict=False):
            if self.text(name) == "_":
                continue
            if draft.kind is NodeKind.MODULE:
                found = self._open(kind, node, draft, name=name)
                found.type, found.value = written, value
            else:
                draft.locals.append(Local(self.text(name), written, value, line(node)))
            self._elements(name, node.child_by_field_name("value"), draft)

    def _short_variables(self, node: Node, draft: Draft) -> None:
        left = node.child_by_field_name("left")
        names = list(left.named_children) if left is not None else []
        values = self._values(node.child_by_field_name("right"), len(names), draft)
        for name, value in zip(names, values, strict=False):
            if name.type == "identifier" and self.text(name) != "_":
                draft.locals.append(Local(self.text(name), None, value, line(node)))
                self._elements(name, node.child_by_field_name("right"), draft)

    def _assignment(self, node: Node, draft: Draft) -> None:
        sides = [node.child_by_field_name(side) for side in ("left", "right")]
        for target, value in zip(*[one.named_children if one is not None else [] for one in sides], strict=False):
            found = self.value(value, draft)
            self.keep(self.value(target, draft), found, node, draft)

    def _elements(self, name: Node, values: Node | None, draft: Draft) -> None:
        """Record what a list or map is made with that is the only value of a name."""
        made = child_at(values, 0) if values is not None and values.named_child_count == 1 else None
        if made is None or made.type != "composite_literal":
            return
        for one in children_of_type(made.child_by_field_name("body"), "keyed_element", "literal_element"):
            value = one.child_by_field_name("value") if one.type == "keyed_element" else one
            self.keep_named(Item(Name(self.text(name))), child_at(value, 0), draft)

    def _values(self, node: Node | None, wanted: int, draft: Draft) -> Sequence[Expression | None]:
        """Return what *wanted* names are given: a value each, or the parts of one."""
        if node is None:
            return [None] * wanted
        parts = (
            [part for part in node.named_children if not part.is_extra] if node.type == "expression_list" else [node]
        )
        values = [self.value(part, draft) for part in parts]
        if len(values) == wanted:
            return values
        if len(values) != 1 or values[0] is None:
            return [None] * wanted
        if parts[0].type in ("index_expression", "type_assertion_expression", "unary_expression"):
            return [values[0], *[None] * (wanted - 1)]  # the second one tells whether there is a first
        return [Part(values[0], index) for index in range(wanted)]

    def _range(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("right"), draft)
        left = node.child_by_field_name("left")
        names = left.named_children if left is not None else []
        for index, name in enumerate(names):
            if name.type != "identifier" or self.text(name) == "_":
                continue
            is_key = index == 0 and len(names) > 1
            item = Item(value, is_key=is_key) if value else None
            draft.locals.append(Local(self.text(name), None, item, line(node)))

    def _type_switch(self, node: Node, draft: Draft) -> None:
        self.later(node.child_by_field_name("initializer"), draft)
        value = self.value(node.child_by_field_name("value"), draft)
        alias = node.child_by_field_name("alias")
        name = self.text(child_at(alias, 0)) if alias is not None else ""
        for case in children_of_type(node, "type_case", "default_case"):
            types = case.children_by_field_name("type")
            if name:
                kind = self._type(types[0]) if len(types) == 1 else None
                draft.locals.append(Local(name, kind, None if kind else value, line(case)))
            written = {one.id for one in types}
            for child in case.named_children:
                if child.id not in written:
                    self.later(child, draft)

    def _labeled(self, node: Node, draft: Draft) -> None:
        for child in node.named_children[1:]:
            self.later(child, draft)

    def _keyed(self, node: Node, draft: Draft) -> None:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is not None and child_of_type(key, "identifier") is None:
            self.later(key, draft)
        self.later(value, draft)

    # Expressions

    def _literal_statement(self, node: Node, draft: Draft) -> None:
        self.value(node, draft)

    def _select(self, node: Node, draft: Draft) -> Expression:
        owner = self.expression(node.child_by_field_name("operand"), draft)
        return Select(owner, self.text(node.child_by_field_name("field")))

    def _call(self, node: Node, draft: Draft) -> Expression:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        nodes = arguments.named_children if arguments is not None else []
        if function is not None and self.text(function) in _ALLOCATE and nodes:
            kind = self._type(nodes[0])
            if kind is not None:
                for size in nodes[1:]:
                    self.value(size, draft)
                return Cast(None, kind)
        callee = self.expression(function, draft)
        return Call(
            callee or Select(None, ""),
            self.arguments(nodes, draft),
            self._type_arguments(node.child_by_field_name("type_arguments")),
            place(node),
        )

    def _type_arguments(self, node: Node | None) -> tuple[TypeRef, ...]:
        return () if node is None else self._of("", *node.named_children).arguments

    def _conversion(self, node: Node, draft: Draft) -> Expression | None:
        kind = self._type(node.child_by_field_name("type"))
        operand = node.child_by_field_name("operand")
        if kind is None or not kind.arguments or kind.name in ("[]", "{}", "->"):
            value = self.expression(operand, draft)
            return Cast(value, kind) if kind else value
        owner, _, name = kind.name.rpartition(".")
        callee: Expression = Select(Name(owner), name) if owner else Name(name)
        return Call(callee, self.arguments([operand] if operand else [], draft), kind.arguments, place(node))

    def _composite(self, node: Node, draft: Draft) -> Expression | None:
        self.inside(node.child_by_field_name("body"), draft)
        kind = self._type(node.child_by_field_name("type"))
        if kind is None:
            return None
        if kind.name in ("[]", "{}"):
            return Cast(None, kind)
        for one in children_of_type(node.child_by_field_name("body"), "keyed_element"):
            field = Select(Cast(None, kind), self.text(one.child_by_field_name("key")))
            self.keep_named(field, child_at(one.child_by_field_name("value"), 0), draft)
        return New(kind, (), place(node))

    def _unary(self, node: Node, draft: Draft) -> Expression | None:
        operator = self.text(node.child_by_field_name("operator"))
        operand = node.child_by_field_name("operand")
        if operator not in ("&", "*", "<-"):
            self.value(operand, draft)
            return Literal(TypeRef("bool")) if operator == "!" else None
        value = self.expression(operand, draft)
        return Item(value) if operator == "<-" and value else value

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("left"), draft)
        self.value(node.child_by_field_name("right"), draft)
        return Literal(TypeRef("bool")) if self.text(node.child_by_field_name("operator")) in _COMPARISONS else None

    def _index(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("index"), draft)
        owner = self.expression(node.child_by_field_name("operand"), draft)
        return Item(owner) if owner else None

    def _slice(self, node: Node, draft: Draft) -> Expression | None:
        operand = node.child_by_field_name("operand")
        for child in node.named_children:
            if operand is not None and child.id != operand.id:
                self.value(child, draft)
        return self.expression(operand, draft)

    def _assertion(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("operand"), draft)
        kind = self._type(node.child_by_field_name("type"))
        return Cast(value, kind) if kind else None

    def _closure(self, node: Node, draft: Draft) -> Expression:
        body = node.child_by_field_name("body")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        self._head(node, closure)
        self.inside(body, closure)
        return Closure(closure.index)
