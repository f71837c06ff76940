"""The facts of a Java file."""

from collections.abc import Iterable

from pckc_domain.model.declared_facts import (
    Call,
    Cast,
    Choice,
    Closure,
    DeclaredFacts,
    Expression,
    ImportFact,
    Item,
    Literal,
    Local,
    Mention,
    Name,
    New,
    Parameter,
    Select,
    This,
    TypeParameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import DeclaredReader, Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_LITERALS = {
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "octal_integer_literal": "int",
    "binary_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
    "character_literal": "char",
    "string_literal": "String",
    "true": "boolean",
    "false": "boolean",
    "class_literal": "Class",
}
_TYPES = {
    "class_declaration": NodeKind.CLASS,
    "record_declaration": NodeKind.CLASS,
    "enum_declaration": NodeKind.ENUM,
    "interface_declaration": NodeKind.INTERFACE,
    "annotation_type_declaration": NodeKind.INTERFACE,
}
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||"))
_VISIBILITIES = frozenset(("public", "protected", "private"))
_OWNERS = frozenset(_TYPES.values())
ANONYMOUS = "anonymous"
"""Name of a class that has none, before its number in what is around it, from 1."""


def java_facts(source: Source) -> DeclaredFacts:
    """Return what a Java file says."""
    return _JavaReader(source).facts()


class _JavaReader(DeclaredReader):
    language = "java"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.statements = {
            "package_declaration": self._package,
            "import_declaration": self._import,
            **dict.fromkeys(_TYPES, self._type_declaration),
            "field_declaration": self._field,
            "constant_declaration": self._field,
            "enum_constant": self._enum_constant,
            "method_declaration": self._method,
            "annotation_type_element_declaration": self._method,
            "constructor_declaration": self._constructor,
            "compact_constructor_declaration": self._constructor,
            "local_variable_declaration": self._local,
            "enhanced_for_statement": self._for_each,
            "catch_formal_parameter": self._catch,
            "resource": self._resource,
            "type_pattern": self._pattern,
            "record_pattern_component": self._pattern,
            "return_statement": self._return,
            "marker_annotation": self._annotation,
            "annotation": self._annotation,
            "labeled_statement": self._labeled,
            "break_statement": self.skip,
            "continue_statement": self.skip,
        }
        self.expressions = {
            "identifier": lambda node, _: Name(self.text(node)),
            "this": lambda _node, _draft: This(),
            "super": lambda _node, _draft: This(is_super=True),
            "field_access": self._access,
            "scoped_identifier": self._scoped,
            "method_invocation": self._call,
            "explicit_constructor_invocation": self._other_constructor,
            "object_creation_expression": self._new,
            "method_reference": self._method_reference,
            "lambda_expression": self._closure,
            "cast_expression": self._cast,
            "instanceof_expression": self._instance_of,
            "array_access": self._element,
            "array_creation_expression": self._new_array,
            "ternary_expression": self._ternary,
            "assignment_expression": self._assignment,
            "switch_expression": self._switch,
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "binary_expression": self._binary,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    # Declarations

    def _package(self, node: Node, _: Draft) -> None:
        self.namespace = self._dotted(child_of_type(node, "scoped_identifier", "identifier"))

    def _import(self, node: Node, draft: Draft) -> None:
        module = self._dotted(child_of_type(node, "scoped_identifier", "identifier"))
        text = " ".join(self.text(node).split()).rstrip(";").rstrip()
        name, alias = "*", ""
        if child_of_type(node, "asterisk") is None:
            module, _, name = module.rpartition(".")
            alias = name
        self.imports.append(ImportFact(module, name, alias, draft.index, line(node), text))

    def _type_declaration(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(_TYPES[node.type], node, around, body)
        draft.type_parameters = self._type_parameters(node)
        draft.is_static = (
            draft.is_static or around.kind in (NodeKind.INTERFACE, NodeKind.ENUM) or "class" not in node.type
        )
        superclass = node.child_by_field_name("superclass")
        if superclass is not None:
            draft.bases += self._types(superclass.named_children)
        for clause in children_of_type(node, "super_interfaces", "extends_interfaces"):
            listed = child_of_type(clause, "type_list")
            found = self._types(listed.named_children if listed is not None else ())
            (draft.bases if clause.type == "extends_interfaces" else draft.interfaces).extend(found)
        if node.type == "record_declaration":
            for one in self._parameters(node.child_by_field_name("parameters")):
                component = self.open(NodeKind.FIELD, one.name, node, draft, body=body)
                component.type, component.visibility = one.type, "private"
            draft.parameters = self._parameters(node.child_by_field_name("parameters"))
        self.inside(body, draft)

    def _open(self, kind: NodeKind, node: Node, around: Draft, body: Node | None, name: str = "") -> Draft:
        draft = self.open(kind, name or self.text(node.child_by_field_name("name")), node, around, body=body)
        modifiers = child_of_type(node, "modifiers")
        words = {child.type for child in modifiers.children} if modifiers is not None else set()
        in_interface = around.kind is NodeKind.INTERFACE
        draft.visibility = next(iter(sorted(words & _VISIBILITIES)), "public" if in_interface else "package")
        draft.is_static = "static" in words
        if modifiers is not None:
            self.inside(modifiers, draft)
        return draft

    def _field(self, node: Node, around: Draft) -> None:
        written = self._type(node.child_by_field_name("type"))
        modifiers = child_of_type(node, "modifiers")
        words = {child.type for child in modifiers.children} if modifiers is not None else set()
        is_constant = {"static", "final"} <= words or node.type == "constant_declaration"
        kind = NodeKind.CONSTANT if is_constant else NodeKind.FIELD
        for declarator in node.children_by_field_name("declarator"):
            name = self.text(declarator.child_by_field_name("name"))
            field = self._open(kind, node, around, None, name)
            field.is_static = field.is_static or is_constant
            field.type = self._with_dimensions(written, declarator)
            field.value = self.value(declarator.child_by_field_name("value"), around)

    def _enum_constant(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        constant = self._open(NodeKind.CONSTANT, node, around, body)
        constant.is_static, constant.visibility = True, "public"
        constant.type = TypeRef(around.name)
        arguments = node.child_by_field_name("arguments")
        passed = self.arguments(arguments.named_children if arguments is not None else (), around)
        around.calls.append(New(constant.type, passed, place(node)))
        if body is not None:
            self._anonymous(body, constant.type, around)

    def _anonymous(self, body: Node, base: TypeRef, around: Draft) -> None:
        number = sum(one.parent == around.index and one.name.startswith(ANONYMOUS) for one in self.drafts) + 1
        draft = self.open(NodeKind.CLASS, f"{ANONYMOUS}{number}", body, around, body=body)
        draft.bases.append(base)
        self.inside(body, draft)

    def _method(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.METHOD, node, around, body)
        draft.type_parameters = self._type_parameters(node)
        draft.parameters = self._parameters(node.child_by_field_name("parameters"))
        draft.type = self._type(node.child_by_field_name("type"))
        draft.has_body = body is not None
        self.inside(body, draft)

    def _constructor(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.METHOD, node, around, body)
        draft.is_constructor = True
        draft.type_parameters = self._type_parameters(node)
        parameters = node.child_by_field_name("parameters")
        draft.parameters = self._parameters(parameters) if parameters is not None else around.parameters
        self.inside(body, draft)

    def _type_parameters(self, node: Node) -> tuple[TypeParameter, ...]:
        found = []
        for one in children_of_type(node.child_by_field_name("type_parameters"), "type_parameter"):
            bound = child_of_type(one, "type_bound")
            name = child_of_type(one, "type_identifier", "identifier")
            found.append(TypeParameter(self.text(name), tuple(self._types(bound.named_children if bound else ()))))
        return tuple(found)

    def _parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        if node is None:
            return ()
        if node.type == "identifier":
            return (Parameter(self.text(node), None),)
        found = []
        for one in node.named_children:
            if one.type == "identifier":
                found.append(Parameter(self.text(one), None))
            elif one.type == "formal_parameter":
                written = self._with_dimensions(self._type(one.child_by_field_name("type")), one)
                found.append(Parameter(self.text(one.child_by_field_name("name")), written))
            elif one.type == "spread_parameter":
                declarator = child_of_type(one, "variable_declarator")
                parts = [part for part in one.named_children if part.type not in ("modifiers", "variable_declarator")]
                kind = self._type(parts[0]) if parts else None
                name = self.text(declarator.child_by_field_name("name")) if declarator is not None else ""
                found.append(Parameter(name, TypeRef("[]", (kind,)) if kind else None, is_rest=True))
        return tuple(found)

    # Types

    def _dotted(self, node: Node | None) -> str:
        return "".join(self.text(node).split())

    def _types(self, nodes: Iterable[Node]) -> list[TypeRef]:
        return [found for node in nodes if (found := self._type(node)) is not None]

    @limited(nothing)
    def _type(self, node: Node | None) -> TypeRef | None:
        """Return a type; ``None`` when the text leaves it to the compiler."""
        if node is None:
            return None
        match node.type:
            case "type_identifier" | "identifier":
                name = self.text(node)
                return None if name == "var" else TypeRef(name)
            case "scoped_type_identifier":
                parts = [self._type(part) for part in children_of_type(
                    node, "type_identifier", "scoped_type_identifier", "generic_type"
                )]  # fmt: skip
                return TypeRef(".".join(part.name for part in parts if part))
            case "generic_type":
                outer = self._type(child_at(node, 0))
                arguments = child_of_type(node, "type_arguments")
                inner = arguments.named_children if arguments is not None else ()
                return (
                    TypeRef(outer.name, tuple(self._type(one) or TypeRef("Object") for one in inner)) if outer else None
                )
            case "array_type":
                return self._with_dimensions(self._type(node.child_by_field_name("element")), node)
            case "annotated_type":
                return self._type(child_at(node, -1))
            case "wildcard":
                return self._type(child_at(node, -1)) if node.named_children else TypeRef("Object")
            case "void_type" | "boolean_type" | "integral_type" | "floating_point_type":
                return TypeRef(self.text(node))
            case "catch_type":
                return self._type(child_at(node, 0)) if node.named_child_count == 1 else None
        return None

    def _with_dimensions(self, kind: TypeRef | None, node: Node) -> TypeRef | None:
        dimensions = child_of_type(node, "dimensions")
        for _ in range(self.text(dimensions).count("[")):
            kind = TypeRef("[]", (kind,)) if kind else None
        return kind

    # Statements

    def _bind(self, name: Node | None, kind: TypeRef | None, value: Expression | None, draft: Draft) -> None:
        if name is not None:
            draft.locals.append(Local(self.text(name), kind, value, line(name)))

    def _local(self, node: Node, draft: Draft) -> None:
        written = self._type(node.child_by_field_name("type"))
        for declarator in node.children_by_field_name("declarator"):
            value = self.value(declarator.child_by_field_name("value"), draft)
            kind = self._with_dimensions(written, declarator)
            self._bind(declarator.child_by_field_name("name"), kind, value, draft)

    def _for_each(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("value"), draft)
        kind = self._type(node.child_by_field_name("type"))
        self._bind(node.child_by_field_name("name"), kind, Item(value) if value else None, draft)
        self.later(node.child_by_field_name("body"), draft)

    def _catch(self, node: Node, draft: Draft) -> None:
        self._bind(node.child_by_field_name("name"), self._type(child_of_type(node, "catch_type")), None, draft)

    def _resource(self, node: Node, draft: Draft) -> None:
        value = self.value(node.child_by_field_name("value"), draft)
        kind = self._type(node.child_by_field_name("type"))
        self._bind(node.child_by_field_name("name"), kind, value, draft)
        made = Cast(None, kind) if kind and kind.name != "var" else value
        if made is not None:
            draft.calls.append(Call(Select(made, "operator close"), (), (), place(node)))

    def _pattern(self, node: Node, draft: Draft) -> None:
        parts = [child for child in node.named_children if child.type != "modifiers"]
        if len(parts) == 2:
            self._bind(parts[1], self._type(parts[0]), None, draft)
        else:
            self.inside(node, draft)

    def _return(self, node: Node, draft: Draft) -> None:
        value = self.value(child_at(node, 0), draft)
        if value is not None and draft.kind is NodeKind.LAMBDA:
            draft.result.append(value)

    def _annotation(self, node: Node, draft: Draft) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            found = self.expression(name, draft)
            if isinstance(found, Name | Select):
                draft.mentions.append(Mention(found, place(name)))
        self.later(node.child_by_field_name("arguments"), draft)

    def _labeled(self, node: Node, draft: Draft) -> None:
        self.later(child_at(node, -1), draft)

    # Expressions

    def _access(self, node: Node, draft: Draft) -> Expression:
        owner, field = node.child_by_field_name("object"), node.child_by_field_name("field")
        if field is not None and field.type == "this":
            return Cast(None, TypeRef(self._dotted(owner)))
        return Select(self.expression(owner, draft), self.text(field))

    def _scoped(self, node: Node, draft: Draft) -> Expression:
        owner = self.expression(node.child_by_field_name("scope"), draft)
        return Select(owner, self.text(node.child_by_field_name("name")))

    def _arguments(self, node: Node, draft: Draft) -> tuple[Expression | None, ...]:
        listed = node.child_by_field_name("arguments")
        return self.arguments(listed.named_children if listed is not None else (), draft)

    def _call(self, node: Node, draft: Draft) -> Expression:
        name, owner = self.text(node.child_by_field_name("name")), node.child_by_field_name("object")
        callee: Expression = Name(name)
        if owner is not None:
            callee = Select(self.expression(owner, draft), name)
            if child_of_type(node, "super") is not None and owner.type != "super":  # A.super.m()
                callee = Select(This(is_super=True), name)
        types = child_of_type(node, "type_arguments")
        given = tuple(self._types(types.named_children)) if types is not None else ()
        return Call(callee, self._arguments(node, draft), given, place(node))

    def _other_constructor(self, node: Node, draft: Draft) -> Expression:
        called = node.child_by_field_name("constructor")
        callee = This(is_super=called is not None and called.type == "super")
        return Call(callee, self._arguments(node, draft), (), place(node))

    def _new(self, node: Node, draft: Draft) -> Expression | None:
        kind = self._type(node.child_by_field_name("type"))
        passed = self._arguments(node, draft)
        if kind is None:
            return None
        body = child_of_type(node, "class_body")
        if body is not None:
            self._anonymous(body, kind, draft)
        return New(kind, passed, place(node))

    def _method_reference(self, node: Node, draft: Draft) -> Expression:
        children = [child for child in node.children if not child.is_extra]
        first, last = children[0], children[-1]
        if first.type in ("identifier", "this", "super", "field_access", "scoped_identifier") or (
            first.type in self.expressions
        ):
            owner = self.expression(first, draft)
        else:
            kind = self._type(first)
            owner = self._as_expression(kind.name) if kind else None
        return Select(owner, self.text(last))

    def _as_expression(self, dotted: str) -> Expression:
        first, *rest = dotted.split(".")
        found: Expression = Name(first)
        for name in rest:
            found = Select(found, name)
        return found

    def _closure(self, node: Node, draft: Draft) -> Expression:
        body = node.child_by_field_name("body")
        closure = self.open(NodeKind.LAMBDA, "", node, draft, body=body)
        closure.parameters = self._parameters(node.child_by_field_name("parameters"))
        if body is not None and body.type == "block":
            self.inside(body, closure)
        elif (value := self.value(body, closure)) is not None:
            closure.result.append(value)
        return Closure(closure.index)

    def _cast(self, node: Node, draft: Draft) -> Expression | None:
        value = self.expression(node.child_by_field_name("value"), draft)
        kind = self._type(node.child_by_field_name("type"))
        return Cast(value, kind) if kind else value

    def _instance_of(self, node: Node, draft: Draft) -> Expression:
        self.value(node.child_by_field_name("left"), draft)
        kind = node.child_by_field_name("right")
        name = node.child_by_field_name("name")
        if name is not None:
            self._bind(name, self._type(kind), None, draft)
        self.later(node.child_by_field_name("pattern"), draft)
        return Literal(TypeRef("boolean"))

    def _element(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("index"), draft)
        owner = self.expression(node.child_by_field_name("array"), draft)
        return Item(owner) if owner else None

    def _new_array(self, node: Node, draft: Draft) -> Expression | None:
        for child in children_of_type(node, "dimensions_expr", "array_initializer"):
            self.inside(child, draft)
        kind = self._type(node.child_by_field_name("type"))
        for child in node.children_by_field_name("dimensions"):
            count = 1 if child.type == "dimensions_expr" else self.text(child).count("[")
            for _ in range(count):
                kind = TypeRef("[]", (kind,)) if kind else None
        return Cast(None, kind) if kind else None

    def _ternary(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return self._choice([self.expression(branch, draft) for branch in branches])

    def _choice(self, values: Iterable[Expression | None]) -> Expression | None:
        options = tuple(value for value in values if value is not None)
        return Choice(options) if options else None

    def _assignment(self, node: Node, draft: Draft) -> Expression | None:
        target = self.value(node.child_by_field_name("left"), draft)
        value = self.expression(node.child_by_field_name("right"), draft)
        self.keep(target, value, node, draft)
        return value

    def _switch(self, node: Node, draft: Draft) -> Expression | None:
        self.value(node.child_by_field_name("condition"), draft)
        values = []
        for rule in children_of_type(node.child_by_field_name("body"), "switch_rule", "switch_block_statement_group"):
            for child in rule.named_children:
                if child.type == "expression_statement" and rule.type == "switch_rule":
                    values.append(self.expression(child_at(child, 0), draft))
                elif child.type == "switch_label":
                    for label in child.named_children:
                        if label.type not in ("identifier", "field_access", "scoped_identifier"):
                            self.later(label, draft)
                else:
                    self.later(child, draft)
        return self._choice(values)

    def _binary(self, node: Node, draft: Draft) -> Expression | None:
        sides = [self.value(node.child_by_field_name(side), draft) for side in ("left", "right")]
        if self.text(node.child_by_field_name("operator")) in _COMPARISONS:
            return Literal(TypeRef("boolean"))
        strings = [side for side in sides if isinstance(side, Literal) and side.type.name == "String"]
        return strings[0] if strings else None
