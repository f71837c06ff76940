"""The facts of a Kotlin file."""

from pckc_domain.model.declared_facts import (
    Call,
    Closure,
    DeclaredFacts,
    Expression,
    ImportFact,
    Local,
    Parameter,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.kotlin_expressions import KotlinExpressions
from pckc_adapters_treesitter.readers.kotlin_types import LITERALS, TYPES
from pckc_adapters_treesitter.readers.recorder import Draft
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line, place

_OWNERS = (NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.ENUM)
_VISIBILITIES = ("public", "protected", "internal", "private")
_COMPANION = "Companion"


def kotlin_facts(source: Source) -> DeclaredFacts:
    """Return what a Kotlin file says."""
    return _KotlinReader(source).facts()


class _KotlinReader(KotlinExpressions):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.statements = {
            "package_header": self._package,
            "import": self._import,
            "class_declaration": self._class,
            "object_declaration": self._class,
            "companion_object": self._class,
            "enum_entry": self._enum_entry,
            "type_alias": self._alias,
            "function_declaration": self._function,
            "secondary_constructor": self._constructor,
            "property_declaration": self._property,
            "for_statement": self._for,
            "catch_block": self._catch,
            "annotation": self.skip,
            "file_annotation": self.skip,
            "modifiers": self.skip,
            "label": self.skip,
            **dict.fromkeys(TYPES, self.skip),
        }
        self.expressions = {
            "identifier": self._identifier,
            "this_expression": self._this,
            "super_expression": lambda _node, _draft: This(is_super=True),
            "navigation_expression": self._access,
            "call_expression": self._call,
            "value_argument": lambda node, draft: self.expression(child_at(node, -1), draft),
            "annotated_lambda": lambda node, draft: self.expression(child_at(node, -1), draft),
            "lambda_literal": self._closure,
            "anonymous_function": self._anonymous_function,
            "object_literal": self._object,
            "callable_reference": self._reference,
            "as_expression": self._as,
            "index_expression": self._index,
            "infix_expression": self._infix,
            "unary_expression": lambda node, draft: self.expression(node.child_by_field_name("argument"), draft),
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "binary_expression": self._binary,
            "assignment": self._assignment,
            "if_expression": self._if,
            "when_expression": self._when,
            "try_expression": self._try,
            "block": self.block,
            "control_structure_body": self.block,
            "return_expression": self._return,
            **dict.fromkeys(LITERALS, self._literal),
        }

    def _package(self, node: Node, _: Draft) -> None:
        self.namespace = self._dotted(child_of_type(node, "qualified_identifier"))

    def _import(self, node: Node, draft: Draft) -> None:
        module = self._dotted(child_of_type(node, "qualified_identifier"))
        said = " ".join(self.text(node).split())
        if said.endswith("*"):
            self.imports.append(ImportFact(module, "*", "", draft.index, line(node), said))
            return
        module, _, name = module.rpartition(".")
        alias = self.text(child_of_type(node, "identifier")) or name
        self.imports.append(ImportFact(module, name, alias, draft.index, line(node), said))

    def _open(self, kind: NodeKind, name: str, node: Node, around: Draft, body: Node | None = None) -> Draft:
        draft = self.open(kind, name.strip("`"), node, around, body=body)
        words = self._modifiers(node)
        draft.visibility = next((word for word in _VISIBILITIES if word in words), "public")
        draft.has_body = "abstract" not in words or kind is not NodeKind.METHOD
        return draft

    def _modifiers(self, node: Node) -> set[str]:
        found = child_of_type(node, "modifiers")
        return {self.text(one) for one in found.named_children} if found is not None else set()

    def _class(self, node: Node, around: Draft) -> None:
        words = {child.type for child in node.children} | self._modifiers(node)
        kind = NodeKind.INTERFACE if "interface" in words else NodeKind.ENUM if "enum" in words else NodeKind.CLASS
        body = child_of_type(node, "class_body", "enum_class_body")
        name = self.text(node.child_by_field_name("name")) or _COMPANION
        draft = self._open(kind, name, node, around, body)
        draft.is_static = "inner" not in words
        draft.is_companion = "companion" in words
        draft.type_parameters = self._type_parameters(node)
        primary = child_of_type(node, "primary_constructor")
        self._primary(child_of_type(primary, "class_parameters"), draft)
        self._bases(node, draft)
        self.inside(body, draft)

    def _primary(self, listed: Node | None, draft: Draft) -> None:
        found = []
        for one in children_of_type(listed, "class_parameter"):
            name = self.text(child_of_type(one, "identifier")).strip("`")
            kind = self._type(child_of_type(one, *TYPES))
            is_optional = any(child.type == "=" for child in one.children)
            found.append(Parameter(name, kind, is_optional=is_optional))
            if is_optional:
                self.value(child_at(one, -1), draft)
            if any(child.type in ("val", "var") for child in one.children):
                self._open(NodeKind.FIELD, name, one, draft).type = kind
        draft.parameters = tuple(found)

    def _enum_entry(self, node: Node, around: Draft) -> None:
        body = child_of_type(node, "class_body")
        entry = self._open(NodeKind.CONSTANT, self.text(child_of_type(node, "identifier")), node, around, body)
        entry.is_static, entry.type = True, TypeRef(around.name)
        self.inside(child_of_type(node, "value_arguments"), around)
        self._anonymous(body, [entry.type], around)

    def _alias(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, self.text(node.child_by_field_name("type")), node, around)
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(child_of_type(node, *TYPES))

    def _function(self, node: Node, around: Draft) -> None:
        body = child_of_type(node, "function_body")
        name_node = node.child_by_field_name("name")
        types = [(child, self._type(child)) for child in children_of_type(node, *TYPES)]
        receiver, name = None, self.text(name_node)
        if name_node is not None and types and types[0][0].start_byte < name_node.start_byte:
            receiver, name = self._extended(types.pop(0)[1], name)
        kind = NodeKind.METHOD if receiver or around.kind in _OWNERS else NodeKind.FUNCTION
        draft = self._open(kind, name, node, around, body)
        draft.receiver = receiver
        draft.has_body = body is not None
        draft.type_parameters = self._type_parameters(node)
        draft.parameters = self._parameters(child_of_type(node, "function_value_parameters"), draft)
        draft.type = types[0][1] if types else None
        self._body(body, draft)

    def _extended(self, receiver: TypeRef | None, name: str) -> tuple[TypeRef | None, str]:
        """Return receiver and name; the grammar may take the name for the last part of the type."""
        if name or receiver is None:
            return receiver, name
        outer, _, name = receiver.name.rpartition(".")
        return (TypeRef(outer) if outer else None), name

    def _constructor(self, node: Node, around: Draft) -> None:
        body = child_of_type(node, "block")
        draft = self._open(NodeKind.METHOD, "constructor", node, around, body)
        draft.is_constructor = True
        draft.parameters = self._parameters(child_of_type(node, "function_value_parameters"), draft)
        other = child_of_type(node, "constructor_delegation_call")
        if other is not None:
            passed = self._arguments(child_of_type(other, "value_arguments"), draft)
            is_super = any(child.type == "super" for child in other.children)
            draft.calls.append(Call(This(is_super=is_super), passed, (), place(other)))
        self.inside(body, draft)

    def _property(self, node: Node, around: Draft) -> None:
        declared = child_of_type(node, "variable_declaration", "multi_variable_declaration")
        is_member = around.kind in (*_OWNERS, NodeKind.MODULE)
        if declared is None:
            self.inside(node, around)
        elif is_member and declared.type == "variable_declaration":
            self._member(node, declared, around)
        else:
            value = self._value_of(node, around)
            self._bind(declared, value, around)

    def _value_of(self, node: Node, draft: Draft) -> Expression | None:
        """Return what a property is given: behind ``=``, or by its delegate's lambda."""
        delegate = child_of_type(node, "property_delegate")
        if delegate is not None:
            match self.value(child_at(delegate, 0), draft):
                case Call(_, (*_, Closure() as closure), _, span):
                    return Call(closure, (), (), span)
            return None
        signs = [number for number, child in enumerate(node.children) if child.type == "="]
        return self.value(node.children[signs[0] + 1], draft) if signs else None

    def _member(self, node: Node, declared: Node, around: Draft) -> None:
        accessors = [one for one in children_of_type(node, "getter", "setter") if child_of_type(one, "function_body")]
        name = self.text(child_of_type(declared, "identifier"))
        extended = child_of_type(node, *TYPES)
        receiver, name = self._extended(self._type(extended), name) if extended is not None else (None, name)
        is_constant = "const" in self._modifiers(node)
        kind = NodeKind.FIELD if around.kind in _OWNERS else NodeKind.VARIABLE
        is_promise = around.kind is NodeKind.INTERFACE and not accessors
        if accessors or is_promise or is_constant:
            kind = NodeKind.METHOD if accessors or is_promise else NodeKind.CONSTANT
        draft = self._open(kind, name, node, around, accessors[0] if accessors else None)
        draft.receiver = receiver
        draft.is_property = kind is NodeKind.METHOD
        draft.has_body = not is_promise
        draft.type = self._type(child_of_type(declared, *TYPES))
        draft.value = self._value_of(node, around)
        for one in accessors:
            value = child_of_type(one, "identifier")
            if value is not None:
                draft.locals.append(Local(self.text(value), draft.type, None, line(one)))
            self._body(child_of_type(one, "function_body"), draft)
