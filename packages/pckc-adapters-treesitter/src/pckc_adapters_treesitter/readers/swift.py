"""The facts of a Swift file."""

from pckc_domain.model.declared_facts import (
    DeclaredFacts,
    Implementation,
    ImportFact,
    Local,
    Name,
    Parameter,
    This,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import Draft, limited, nothing
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line
from pckc_adapters_treesitter.readers.swift_expressions import SwiftExpressions
from pckc_adapters_treesitter.readers.swift_types import BINARIES, LITERALS, TYPES

_KINDS = {
    "class": NodeKind.CLASS,
    "actor": NodeKind.CLASS,
    "struct": NodeKind.STRUCT,
    "enum": NodeKind.ENUM,
    "extension": NodeKind.CLASS,
}
_OWNERS = frozenset((NodeKind.CLASS, NodeKind.STRUCT, NodeKind.ENUM, NodeKind.INTERFACE))
_PREFIXES = frozenset(("prefix_expression", "try_expression", "await_expression", "postfix_expression"))
_VISIBILITIES = ("open", "public", "package", "internal", "fileprivate", "private")


def swift_facts(source: Source) -> DeclaredFacts:
    """Return what a Swift file says."""
    return _SwiftReader(source).facts()


class _SwiftReader(SwiftExpressions):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.statements = {
            "import_declaration": self._import,
            "class_declaration": self._class,
            "protocol_declaration": self._protocol,
            "enum_entry": self._enum_entry,
            "typealias_declaration": self._alias,
            "associatedtype_declaration": self._alias,
            "function_declaration": self._function,
            "protocol_function_declaration": self._function,
            "init_declaration": self._function,
            "deinit_declaration": self._function,
            "subscript_declaration": self._subscript,
            "property_declaration": self._property,
            "protocol_property_declaration": self._promised,
            "operator_declaration": self.skip,
            "directive": self.skip,
            "modifiers": self.skip,
            "if_statement": self._conditions,
            "guard_statement": self._conditions,
            "while_statement": self._conditions,
            "for_statement": self._for,
            "switch_statement": self._switch,
            "catch_block": self._catch,
            "control_transfer_statement": self._transfer,
            **dict.fromkeys(TYPES, self.skip),
        }
        self.expressions = {
            "simple_identifier": lambda node, _: Name(self._name(node)),
            "self_expression": lambda _node, _draft: This(),
            "super_expression": lambda _node, _draft: This(is_super=True),
            "navigation_expression": self._access,
            "call_expression": self._call,
            "constructor_expression": self._construct,
            "lambda_literal": self._closure,
            "as_expression": self._as,
            "check_expression": self._check,
            "tuple_expression": self._tuple,
            "ternary_expression": self._ternary,
            "nil_coalescing_expression": self._coalesce,
            "assignment": self._assignment,
            "directly_assignable_expression": self._first,
            **dict.fromkeys(_PREFIXES, self._last),
            **dict.fromkeys(BINARIES - {"nil_coalescing_expression"}, self._binary),
            **dict.fromkeys(LITERALS, self._literal),
        }

    def _import(self, node: Node, draft: Draft) -> None:
        parts = [self._name(one) for one in children_of_type(child_of_type(node, "identifier"), "simple_identifier")]
        said = " ".join(self.text(node).split())
        self.imports.append(ImportFact(".".join(parts), "*", "", draft.index, line(node), said))

    def _open(self, kind: NodeKind, name: str, node: Node, around: Draft, body: Node | None = None) -> Draft:
        draft = self.open(kind, name, node, around, body=body)
        words = self._modifiers(node)
        draft.visibility = next((word for word in _VISIBILITIES if word in words), "internal")
        draft.is_static = bool(words & {"static", "class"}) and kind not in _OWNERS
        return draft

    def _modifiers(self, node: Node) -> set[str]:
        found = child_of_type(node, "modifiers")
        words = {self.text(one) for one in found.named_children} if found is not None else set()
        return words | ({"class"} if any(child.type == "class" for child in node.children) else set())

    def _class(self, node: Node, around: Draft) -> None:
        word = next((child.type for child in node.children if child.type in _KINDS), "class")
        body = node.child_by_field_name("body")
        if word == "extension":
            self._extension(node, body, around)
            return
        draft = self._open(_KINDS[word], self._name(node.child_by_field_name("name")), node, around, body)
        draft.type_parameters = self._type_parameters(node)
        draft.bases += self._inherited(node)
        self.inside(body, draft)

    @limited(nothing)
    def _extension(self, node: Node, body: Node | None, around: Draft) -> None:
        """Read what is added to a type as declarations of the scope around, with that type as receiver."""
        extended = self._type(node.child_by_field_name("name"))
        if extended is None:
            self.inside(body, around)
            return
        for trait in self._inherited(node):
            self.implementations.append(Implementation(extended, trait, around.index, line(node)))
        first = len(self.drafts)
        for child in body.named_children if body is not None else []:
            reader = self.statements.get(child.type)
            if reader is not None and not child.is_extra:
                reader(child, around)
        for draft in self.drafts[first:]:
            if draft.parent == around.index:
                draft.receiver = extended
                if draft.kind is NodeKind.FUNCTION:
                    draft.kind = NodeKind.METHOD

    def _protocol(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.INTERFACE, self._name(node.child_by_field_name("name")), node, around, body)
        draft.bases += self._inherited(node)
        self.inside(body, draft)

    def _enum_entry(self, node: Node, around: Draft) -> None:
        held: tuple[Parameter, ...] = ()
        for child in node.children:
            if child.type == "enum_type_parameters":
                types = [self._type(one) for one in children_of_type(child, *TYPES)]
                held = tuple(Parameter(str(index), one) for index, one in enumerate(types))
                self.drafts[-1].parameters = held
            elif child.type == "simple_identifier":
                entry = self._open(NodeKind.CONSTANT, self._name(child), child, around)
                entry.is_static, entry.type = True, TypeRef(around.name)

    def _alias(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, self._name(node.child_by_field_name("name")), node, around)
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(child_of_type(node, *TYPES))

    def _function(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        word = node.type.partition("_")[0]
        name = word if word in ("init", "deinit") else self._name(node.child_by_field_name("name"))
        kind = NodeKind.METHOD if around.kind in _OWNERS else NodeKind.FUNCTION
        draft = self._open(kind, name, node, around, body)
        draft.is_constructor = word == "init"
        draft.has_body = body is not None
        draft.type_parameters = self._type_parameters(node)
        draft.parameters = self._parameters(node, draft)
        draft.type = self._type(child_of_type(node, *TYPES))
        self.inside(body, draft)

    def _subscript(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.METHOD, "subscript", node, around, child_of_type(node, "computed_property"))
        draft.is_property = True
        draft.parameters = self._parameters(node, draft)
        draft.type = self._type(child_of_type(node, *TYPES))
        self.inside(child_of_type(node, "computed_property"), draft)

    def _property(self, node: Node, around: Draft) -> None:
        """Read what ``let`` and ``var`` bind: each name is followed by its type and its value."""
        is_member = around.kind in _OWNERS or around.kind is NodeKind.MODULE
        rows: list[list[Node]] = []
        for child in node.named_children:
            if child.type == "pattern":
                rows.append([child])
            elif rows and not child.is_extra:
                rows[-1].append(child)
        for pattern, *rest in rows:
            kind = next((self._type(child_at(one, -1)) for one in rest if one.type == "type_annotation"), None)
            computed = next((one for one in rest if one.type == "computed_property"), None)
            observers = next((one for one in rest if one.type == "willset_didset_block"), None)
            values = [one for one in rest if one not in (computed, observers) and one.type != "type_annotation"]
            value = self.value(values[0], around) if values else None
            names = self._bound(pattern, value)
            if not is_member and computed is None:
                around.locals += [one._replace(type=kind or one.type) for one in names]
                continue
            for one in names:
                self._member(node, one._replace(type=kind), computed, observers, around)

    def _member(self, node: Node, local: Local, computed: Node | None, observers: Node | None, around: Draft) -> None:
        is_let = self.text(child_of_type(node, "value_binding_pattern")) == "let"
        kind = NodeKind.FIELD
        if computed is not None:
            kind = NodeKind.METHOD
        elif around.kind is NodeKind.MODULE:
            kind = NodeKind.CONSTANT if is_let else NodeKind.VARIABLE
        draft = self._open(kind, local.name, node, around, computed)
        draft.is_property = computed is not None
        draft.type, draft.value = local.type, local.value
        self.inside(computed, draft)
        self.inside(observers, draft)

    def _promised(self, node: Node, around: Draft) -> None:
        name = self._name(child_of_type(node.child_by_field_name("name"), "simple_identifier"))
        draft = self._open(NodeKind.METHOD, name, node, around)
        draft.is_property, draft.has_body = True, False
        draft.type = self._type(child_at(child_of_type(node, "type_annotation"), -1))
