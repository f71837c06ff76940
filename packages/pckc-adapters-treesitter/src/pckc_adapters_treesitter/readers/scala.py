"""The facts of a Scala file; what the compiler finds by implicit search is left open."""

from pckc_domain.model.declared_facts import (
    Cast,
    DeclaredFacts,
    ImportFact,
    Literal,
    Local,
    Parameter,
    TypeRef,
)
from pckc_domain.model.graph import NodeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.recorder import Draft
from pckc_adapters_treesitter.readers.scala_expressions import ScalaExpressions
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line

_LITERALS = {
    "integer_literal": "Int",
    "floating_point_literal": "Double",
    "boolean_literal": "Boolean",
    "character_literal": "Char",
    "string": "String",
}
_OWNERS = frozenset((NodeKind.CLASS, NodeKind.TRAIT, NodeKind.ENUM))


def scala_facts(source: Source) -> DeclaredFacts:
    """Return what a Scala file says."""
    return _ScalaReader(source).facts()


class _ScalaReader(ScalaExpressions):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._objects: set[int] = set()
        self.statements = {
            "package_clause": self._package,
            "package_object": self._package_object,
            "import_declaration": self._import,
            "class_definition": self._class,
            "object_definition": self._class,
            "trait_definition": self._class,
            "enum_definition": self._class,
            "given_definition": self._given,
            "extension_definition": self._extension,
            "simple_enum_case": self._enum_case,
            "full_enum_case": self._enum_case,
            "type_definition": self._alias,
            "function_definition": self._function,
            "function_declaration": self._function,
            "val_definition": self._value_definition,
            "var_definition": self._value_definition,
            "val_declaration": self._value_definition,
            "var_declaration": self._value_definition,
            "for_expression": self._for,
            "annotation": self.skip,
            "modifiers": self.skip,
            "self_type": self.skip,
        }
        self.expressions = {
            "identifier": self._identifier,
            "wildcard": lambda _node, _draft: self._placeholder(),
            "field_expression": self._access,
            "call_expression": self._call,
            "generic_function": self._generic_function,
            "instance_expression": self._new,
            "lambda_expression": self._closure,
            "case_block": self._case_closure,
            "method_value": lambda node, draft: self.expression(child_at(node, 0), draft),
            "infix_expression": self._infix,
            "prefix_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "ascription_expression": self._ascription,
            "parenthesized_expression": lambda node, draft: self.expression(child_at(node, 0), draft),
            "assignment_expression": self._assignment,
            "if_expression": self._if,
            "match_expression": self._match,
            "try_expression": self._try,
            "block": self.block,
            "indented_block": self.block,
            "return_expression": self._return,
            "interpolated_string_expression": self._interpolated,
            **dict.fromkeys(_LITERALS, lambda node, _: Literal(TypeRef(_LITERALS[node.type]))),
        }

    def _package(self, node: Node, around: Draft) -> None:
        name = self._dotted(node.child_by_field_name("name"))
        body = node.child_by_field_name("body")
        if body is not None:
            self.inside(body, self.open(NodeKind.NAMESPACE, name, node, around, body=body))
        else:
            self.namespace = f"{self.namespace}.{name}".lstrip(".")

    def _package_object(self, node: Node, around: Draft) -> None:
        body = node.child_by_field_name("body")
        name = self.text(node.child_by_field_name("name"))
        self.inside(body, self.open(NodeKind.NAMESPACE, name, node, around, body=body))

    def _import(self, node: Node, draft: Draft) -> None:
        said = " ".join(self.text(node).split())
        path = [self._dotted(one) for one in node.children_by_field_name("path") if one.is_named]
        module = ".".join(path)

        def take(module: str, name: str, alias: str) -> None:
            self.imports.append(ImportFact(module, name, alias, draft.index, line(node), said))

        if child_of_type(node, "namespace_wildcard") is not None:
            take(module, "*", "")
            return
        selectors = child_of_type(node, "namespace_selectors")
        if selectors is None and path:
            take(".".join(path[:-1]), path[-1], path[-1])
        for one in selectors.named_children if selectors is not None else []:
            if one.type == "namespace_wildcard":
                take(module, "*", "")
            elif one.type == "identifier":
                take(module, self.text(one), self.text(one))
            else:
                alias = self.text(one.child_by_field_name("alias"))
                take(module, self.text(one.child_by_field_name("name")), "" if alias == "_" else alias)

    def _open(self, kind: NodeKind, name: str, node: Node, around: Draft, body: Node | None = None) -> Draft:
        draft = self.open(kind, name.strip("`"), node, around, body=body)
        access = self.text(child_of_type(child_of_type(node, "modifiers"), "access_modifier"))
        draft.visibility = access.partition("[")[0] or "public"
        draft.is_static = around.index in self._objects
        return draft

    def _class(self, node: Node, around: Draft) -> None:
        kind = {"trait_definition": NodeKind.TRAIT, "enum_definition": NodeKind.ENUM}.get(node.type, NodeKind.CLASS)
        body = node.child_by_field_name("body")
        draft = self._open(kind, self.text(node.child_by_field_name("name")), node, around, body)
        if node.type == "object_definition":
            self._objects.add(draft.index)
        draft.is_static = True
        draft.type_parameters = self._type_parameters(node)
        is_case = any(child.type == "case" for child in node.children)
        self._class_parameters(node, draft, is_case=is_case)
        self._bases(node.child_by_field_name("extend"), draft)
        self.inside(body, draft)

    def _class_parameters(self, node: Node, draft: Draft, *, is_case: bool) -> None:
        found = []
        for listed in node.children_by_field_name("class_parameters"):
            for one in children_of_type(listed, "class_parameter"):
                name = self.text(one.child_by_field_name("name"))
                kind = self._type(one.child_by_field_name("type"))
                default = one.child_by_field_name("default_value")
                self.value(default, draft)
                found.append(Parameter(name, kind, is_optional=default is not None))
                field = self._open(NodeKind.FIELD, name, one, draft)
                field.type = kind
                if not is_case and not any(child.type in ("val", "var") for child in one.children):
                    field.visibility = "private"
        draft.parameters = tuple(found)

    def _bases(self, clause: Node | None, draft: Draft) -> None:
        if clause is None:
            return
        found = [self._type(one) for one in clause.children_by_field_name("type")]
        draft.bases += [one for one in found if one]
        for one in clause.children_by_field_name("arguments"):
            self.inside(one, draft)

    def _given(self, node: Node, around: Draft) -> None:
        kind = self._type(node.child_by_field_name("return_type"))
        name = self.text(node.child_by_field_name("name")) or f"given_{kind.name if kind else ''}"
        body = node.child_by_field_name("body")
        draft = self._open(NodeKind.CLASS, name, node, around, body)
        draft.bases += [kind] if kind else []
        if body is not None and body.type in self.expressions:
            self.value(body, draft)
        else:
            self.inside(body, draft)

    def _extension(self, node: Node, around: Draft) -> None:
        extended = child_of_type(node.child_by_field_name("parameters"), "parameter")
        kind = self._type(extended.child_by_field_name("type")) if extended is not None else None
        for body in node.children_by_field_name("body"):
            functions = [body] if body.type.startswith("function_") else children_of_type(body, "function_definition")
            for one in functions:
                method = self._callable(one, around)
                method.kind, method.receiver = NodeKind.METHOD, kind
                if extended is not None:
                    name = self.text(extended.child_by_field_name("name"))
                    method.locals.append(Local(name, kind, None, method.start_line))

    def _enum_case(self, node: Node, around: Draft) -> None:
        case = self._open(NodeKind.CONSTANT, self.text(node.child_by_field_name("name")), node, around)
        case.is_static, case.type = True, TypeRef(around.name)
        listed = child_of_type(node, "class_parameters")
        case.parameters = tuple(
            Parameter(self.text(one.child_by_field_name("name")), self._type(one.child_by_field_name("type")))
            for one in children_of_type(listed, "class_parameter")
        )

    def _alias(self, node: Node, around: Draft) -> None:
        draft = self._open(NodeKind.TYPE_ALIAS, self.text(node.child_by_field_name("name")), node, around)
        draft.type_parameters = self._type_parameters(node)
        draft.type = self._type(node.child_by_field_name("type"))

    def _function(self, node: Node, around: Draft) -> None:
        self._callable(node, around)

    def _callable(self, node: Node, around: Draft) -> Draft:
        body = node.child_by_field_name("body")
        kind = NodeKind.METHOD if around.kind in _OWNERS else NodeKind.FUNCTION
        draft = self._open(kind, self.text(node.child_by_field_name("name")), node, around, body)
        draft.is_constructor = draft.name == "this"
        draft.has_body = body is not None
        draft.type_parameters = self._type_parameters(node)
        listed = [one for one in node.children_by_field_name("parameters") if one.type == "parameters"]
        draft.is_property = not listed
        draft.parameters = tuple(parameter for one in listed for parameter in self._parameters(one, draft))
        draft.type = self._type(node.child_by_field_name("return_type"))
        if body is not None and body.type in self.expressions:
            value = self.value(body, draft)
            if value is not None and draft.type is None:
                draft.result.append(value)
        else:
            self.later(body, draft)
        return draft

    def _value_definition(self, node: Node, around: Draft) -> None:
        value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
        kind = self._type(node.child_by_field_name("type"))
        names = [pattern] if pattern is not None else node.children_by_field_name("name")
        is_member = around.kind in (*_OWNERS, NodeKind.MODULE, NodeKind.NAMESPACE)
        found = self.value(value, around)
        for name in names:
            for local in self._bound(name, Cast(found, kind) if kind else found):
                if not is_member:
                    around.locals.append(local._replace(type=kind or local.type))
                    continue
                draft = self._open(self._kind(node, around), local.name, node, around)
                draft.type, draft.value = kind or local.type, local.value

    def _kind(self, node: Node, around: Draft) -> NodeKind:
        if around.kind in _OWNERS and around.index not in self._objects:
            return NodeKind.FIELD
        return NodeKind.CONSTANT if node.type.startswith("val") else NodeKind.VARIABLE
