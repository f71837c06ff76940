"""The facts of a C# file."""

from pckc_domain.model.declared_facts import (
    Call,
    DeclaredFacts,
    ImportFact,
    Literal,
    Local,
    Name,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.csharp_expressions import CsharpExpressions
from pckc_adapters_treesitter.readers.recorder import Draft
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_LITERALS = {
    "integer_literal": "int",
    "real_literal": "double",
    "boolean_literal": "bool",
    "character_literal": "char",
    "string_literal": "string",
    "verbatim_string_literal": "string",
    "raw_string_literal": "string",
}
_TYPES = {
    "class_declaration": NodeKind.CLASS,
    "record_declaration": NodeKind.CLASS,
    "struct_declaration": NodeKind.STRUCT,
    "interface_declaration": NodeKind.INTERFACE,
    "enum_declaration": NodeKind.ENUM,
}
_OWNERS = frozenset(_TYPES.values())
_VISIBILITIES = ("public", "protected", "internal", "private")


def csharp_facts(source: Source) -> DeclaredFacts:
    """Return what a C# file says."""
    return _CsharpReader(source).facts()


class _CsharpReader(CsharpExpressions):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.statements = {
            "using_directive": self._using,
            "file_scoped_namespace_declaration": self._file_namespace,
            "namespace_declaration": self._namespace,
            **dict.fromkeys(_TYPES, self._type_declaration),
            "enum_member_declaration": self._enum_member,
            "delegate_declaration": self._delegate,
            "method_declaration": self._method,
            "constructor_declaration": self._constructor,
            "destructor_declaration": self._destructor,
            "operator_declaration": self._operator,
            "conversion_operator_declaration": self._operator,
            "indexer_declaration": self._property,
            "property_declaration": self._property,
            "event_declaration": self._property,
            "field_declaration": self._fields,
            "event_field_declaration": self._fields,
            "local_function_statement": self._local_function,
            "variable_declaration": self._locals,
            "foreach_statement": self._for_each,
            "catch_declaration": self._bind_typed,
            "declaration_pattern": self._bind_typed,
            "declaration_expression": self._bind_typed,
            "recursive_pattern": self._recursive_pattern,
            "constant_pattern": self.skip,
            "from_clause": self._from,
            "return_statement": self._return,
            "goto_statement": self.skip,
            "labeled_statement": lambda node, draft: self.later(child_at(node, -1), draft),
            "attribute_list": self.skip,
            "global_attribute": self.skip,
            "preproc_if": self.inside,
        }
        self.expressions = {
            "identifier": lambda node, _: Name(self.text(node)),
            "generic_name": lambda node, _: Name(self.text(child_at(node, 0))),
            "this": lambda _node, _draft: This(),
            "base": lambda _node, _draft: This(is_super=True),
            "qualified_name": lambda node, _: self._names(self._dotted(node)),
            "alias_qualified_name": lambda node, _: self._names(self._dotted(node)),
            "member_access_expression": self._access,
            "conditional_access_expression": self._conditional_access,
            "member_binding_expression": self._binding,
            "element_binding_expression": self._element_binding,
            "invocation_expression": self._call,
            "argument": self._argument_value,
            "object_creation_expression": self._new,
            "implicit_object_creation_expression": self._implicit_new,
            "lambda_expression": self._closure,
            "anonymous_method_expression": self._closure,
            "cast_expression": self._cast,
            "as_expression": self._as,
            "is_pattern_expression": self._is,
            "is_expression": self._is,
            "element_access_expression": self._element,
            "await_expression": self._await,
            "conditional_expression": self._conditional,
            "assignment_expression": self._assignment,
            "switch_expression": self._switch,
            "with_expression": self._with,
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "postfix_unary_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "binary_expression": self._binary,
            "typeof_expression": lambda _node, _draft: Literal(TypeRef("Type")),
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    def _using(self, node: Node, draft: Draft) -> None:
        words = {child.type for child in node.children}
        alias = self.text(node.child_by_field_name("name"))
        module = self._dotted(child_at(node, -1))
        name = "*"
        if alias:
            module, _, name = module.rpartition(".")
        said = " ".join(self.text(node).split()).rstrip("; ")
        self.imports.append(ImportFact(module, name, alias, draft.index, line(node), said, "global" in words))

    def _file_namespace(self, node: Node, draft: Draft) -> None:
        self.namespace = self._dotted(node.child_by_field_name("name"))
        for child in node.named_children[1:]:
            self.later(child, draft)

    def _namespace(self, node: Node, around: Draft) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        self.inside(body, self.open(NodeKind.NAMESPACE, self._dotted(name), node, around, body=body))

    def _open(self, kind: NodeKind, node: Node, around: Draft, body: Node | None = None, name: str = "") -> Draft:
        name = name or self.text(node.child_by_field_name("name")).removeprefix("@")
        draft = self.open(kind, name, node, around, body=body)
        words = self._modifiers(node)
        hidden = "public" if around.kind is NodeKind.INTERFACE else "private" if around.kind in _OWNERS else "internal"
        draft.visibility = " ".join(word for word in _VISIBILITIES if word in words) or hidden
        draft.is_static = "static" in words or "const" in words
        draft.has_body = not ("abstract" in words and kind is NodeKind.METHOD)
        return draft

    def _modifiers(self, node: Node) -> set[str]:
        return {self.text(one) for one in children_of_type(node, "modifier")}

    def _type_declaration(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(_TYPES[node.type], node, around, body)
        if node.type == "record_declaration" and any(child.type == "struct" for child in node.children):
            draft.kind = NodeKind.STRUCT
        draft.type_parameters = self._type_parameters(node)
        given = child_of_type(node, "parameter_list")
        draft.parameters = self._parameters(given, draft)
        for one, parameter in zip(children_of_type(given, "parameter"), draft.parameters, strict=False):
            field = self.open(NodeKind.FIELD, parameter.name, one, draft)
            field.type = parameter.type
            field.visibility = "public" if node.type == "record_declaration" else "private"
        self._bases(child_of_type(node, "base_list"), draft)
        self.inside(body, draft)

    def _bases(self, listed: Node | None, draft: Draft) -> None:
        for one in listed.named_children if listed is not None else []:
            if one.type == "argument_list":
                self.inside(one, draft)
                continue
            kind = self._type(one.child_by_field_name("type") if one.type == "primary_constructor_base_type" else one)
            if kind:
                draft.bases.append(kind)
            self.inside(child_of_type(one, "argument_list"), draft)

    def _enum_member(self, node: Node, around: Draft) -> None:
        member = self._open(NodeKind.CONSTANT, node, around)
        member.visibility, member.is_static, member.type = around.visibility, True, TypeRef(around.name)

    def _delegate(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, node, around)
        draft.type_parameters = self._type_parameters(node)
        taken = self._parameters(node.child_by_field_name("parameters"), draft)
        result = self._type(node.child_by_field_name("type")) or TypeRef("void")
        draft.type = TypeRef("->", (*(one.type or TypeRef("object") for one in taken), result))

    def _method(self, node: Node, around: Draft) -> None:
        self._callable(NodeKind.METHOD, node, around)

    def _local_function(self, node: Node, around: Draft) -> None:
        self._callable(NodeKind.FUNCTION, node, around)

    def _callable(self, kind: NodeKind, node: Node, around: Draft, name: str = "") -> Draft:
        body = node.child_by_field_name("body")
        draft = self._open(kind, node, around, body, name)
        draft.has_body = body is not None
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(node.child_by_field_name("returns") or node.child_by_field_name("type"))
        parameters = node.child_by_field_name("parameters")
        draft.parameters = self._parameters(parameters, draft)
        first = child_of_type(parameters, "parameter")
        if first is not None and "this" in self._modifiers(first) and draft.parameters:
            draft.receiver = draft.parameters[0].type
        self._body(body, draft)
        return draft

    def _body(self, body: Node | None, draft: Draft) -> None:
        if body is not None and body.type == "arrow_expression_clause":
            self.value(child_at(body, 0), draft)
        else:
            self.inside(body, draft)

    def _constructor(self, node: Node, around: Draft) -> None:
        draft = self._callable(NodeKind.METHOD, node, around)
        draft.is_constructor = not draft.is_static
        other = child_of_type(node, "constructor_initializer")
        if other is not None:
            passed = self._arguments(child_of_type(other, "argument_list"), draft)
            is_super = any(child.type == "base" for child in other.children)
            draft.calls.append(Call(This(is_super=is_super), passed, (), place(other)))

    def _destructor(self, node: Node, around: Draft) -> None:
        self._callable(NodeKind.METHOD, node, around, f"~{self.text(node.child_by_field_name('name'))}")

    def _operator(self, node: Node, around: Draft) -> None:
        sign = self.text(node.child_by_field_name("operator") or node.child_by_field_name("type"))
        self._callable(NodeKind.METHOD, node, around, f"operator {sign}")

    def _property(self, node: Node, around: Draft) -> None:
        """Read a property, an indexer or an event; one that runs code is a method that is called by its name."""
        accessors, value = node.child_by_field_name("accessors"), node.child_by_field_name("value")
        bodies = [
            found
            for one in children_of_type(accessors, "accessor_declaration")
            if (found := one.child_by_field_name("body")) is not None
        ]
        runs = bool(bodies) or (value is not None and value.type == "arrow_expression_clause")
        is_promise = around.kind is NodeKind.INTERFACE and not runs
        name = "this" if node.type == "indexer_declaration" else ""
        kind = NodeKind.METHOD if runs or is_promise else NodeKind.FIELD
        draft = self._open(kind, node, around, accessors or value, name)
        draft.is_property, draft.has_body = kind is NodeKind.METHOD, not is_promise
        draft.type = self._type(node.child_by_field_name("type"))
        draft.parameters = self._parameters(node.child_by_field_name("parameters"), draft)
        if bodies:
            draft.locals.append(Local("value", draft.type, None, draft.start_line))
        for body in bodies:
            self._body(body, draft)
        if runs:
            self._body(value, draft)
        elif value is not None:
            draft.value = self.value(value, around)

    def _fields(self, node: Node, around: Draft) -> None:
        declaration = child_of_type(node, "variable_declaration")
        written = self._type(declaration.child_by_field_name("type")) if declaration is not None else None
        kind = NodeKind.CONSTANT if "const" in self._modifiers(node) else NodeKind.FIELD
        for declarator in children_of_type(declaration, "variable_declarator"):
            field = self._open(kind, node, around, name=self.text(declarator.child_by_field_name("name")))
            field.type = written
            field.value = self._value_of(declarator, around, written)
