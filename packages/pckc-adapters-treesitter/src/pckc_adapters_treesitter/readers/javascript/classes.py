"""Classes and what stands in them."""

from collections.abc import Sequence

from pckc_domain.model.code_facts import NOTHING, ScopeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.functions import PARAMETERS, Functions, around_export
from pckc_adapters_treesitter.readers.javascript.names import Block, Scope
from pckc_adapters_treesitter.readers.javascript.reading import FUNCTION_VALUES, inner, unwrapped
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, line


class Classes(Functions):
    """Reads classes."""

    def class_(self, node: Node, name: str, owner: Scope | None = None) -> int:
        """Return the variable of a class, read whole."""
        own = node.child_by_field_name("name")
        scope = self.open_class(node, self.source.text(own) if own is not None else name or "<class>", owner)
        value = scope.definition
        block = self.names.block
        if own is not None and node.type == "class":
            self.names.block = Block(block, self.names.scope)
            self.names.bind(self.names.declare(scope.name), value)
        self.read_class(scope, node)
        self.names.block = block
        return self.decorated(node, value)

    def open_class(self, node: Node, name: str, owner: Scope | None = None) -> Scope:
        """Return the new scope of a class, without its contents."""
        scope = self.names.open(ScopeKind.CLASS, name, node, owner)
        self.describe(scope, node, node.child_by_field_name("body"), line(self.with_export(node)))
        scope.definition = self.define(scope)
        return scope

    def decorated(self, node: Node, value: int) -> int:
        """Return the variable of what the decorators of a class make of it."""
        around = around_export(node)
        found = around.children_by_field_name("decorator")
        if around is not node:
            found += node.children_by_field_name("decorator")
        for one in reversed(found):
            value = self._decorate(one, [value], value)
        return value

    def _decorate(self, node: Node, arguments: Sequence[int], fallback: int = NOTHING) -> int:
        expression = inner(node)
        callee = self.read_owner(expression)
        called = (
            expression.child_by_field_name("function") if expression and expression.type == "call_expression" else None
        )
        given = [("", one) for one in arguments]
        return self.call(node, callee, given, self.text_of(called or expression), fallback)

    def read_class(self, scope: Scope, node: Node) -> None:
        """Read what a class inherits and what stands in it."""
        names = self.names
        around, block = names.scope, names.block
        names.block = Block(block, around)
        self.type_parameters(node.child_by_field_name("type_parameters"))
        self._heritage(scope, node)
        names.scope = scope
        body = node.child_by_field_name("body")
        members = body.named_children if body is not None else []
        bodies = {self.member_name(one) for one in members if one.type == "method_definition"}
        decorators: list[Node] = []
        for member in members:
            if member.type == "decorator":
                decorators.append(member)
                continue
            decorators += member.children_by_field_name("decorator")
            for parameter in children_of_type(member.child_by_field_name("parameters"), *PARAMETERS):
                decorators += parameter.children_by_field_name("decorator")
            for decorator in decorators:
                self._decorate(decorator, [NOTHING, NOTHING])
            decorators = []
            self._member_of_class(scope, member, bodies)
        names.scope, names.block = around, block

    def _heritage(self, scope: Scope, node: Node) -> None:
        heritage = child_of_type(node, "class_heritage")
        for clause in heritage.named_children if heritage is not None else ():
            if clause.type == "extends_clause":
                scope.bases.append(self.read_owner(clause.child_by_field_name("value")))
            elif clause.type == "implements_clause":
                scope.bases += self.base_types(clause)
            elif clause.type != "comment":
                scope.bases.append(self.read_owner(clause))

    def base_types(self, clause: Node) -> list[int]:
        """Return the variables of the types that a class or an interface is said to be like."""
        found = []
        for one in clause.named_children:
            named = one.child_by_field_name("name") or child_at(one, 0) if one.type == "generic_type" else one
            if variable := self.type_named(named):
                found.append(variable)
        return found

    def member_name(self, node: Node) -> str:
        return self.property_name(node.child_by_field_name("name") or node.child_by_field_name("property"))

    def _member_of_class(self, scope: Scope, node: Node, bodies: set[str]) -> None:
        kind = node.type
        if kind == "class_static_block":
            scope.is_static = True
            block = self.names.block
            self.names.block = Block(block, scope)
            body = node.child_by_field_name("body") or inner(node)
            self.block(body.named_children if body is not None else [])
            self.names.block = block
            scope.is_static = False
            return
        name = self.member_name(node)
        is_static = any(child.type == "static" for child in node.children)
        table = scope.statics if is_static else scope.members
        if kind == "method_definition":
            value = self._method(scope, node, name)
        elif kind in ("method_signature", "abstract_method_signature"):
            if name in bodies or name in table:
                return
            value = self.signature_of(scope, node, name)
        elif kind in ("field_definition", "public_field_definition"):
            value = self._field(scope, node, name, is_static=is_static)
        else:
            return
        if name and value:
            table[name] = self.names.joined((table.get(name, NOTHING), value))

    def _method(self, scope: Scope, node: Node, name: str) -> int:
        method = self.open_function(node, name or "<computed>", scope)
        method.visibility = _visibility(self.source, node, name)
        value = self.define(method)
        self.read_function(method, node)
        return self.accessor(node, value)

    def accessor(self, node: Node, value: int) -> int:
        access = next((child.type for child in node.children if child.type in ("get", "set")), "")
        return self.build("accessor", [(access, value)]) if access else value

    def signature_of(self, scope: Scope, node: Node, name: str) -> int:
        method = self.open_function(node, name or "<computed>", scope)
        method.is_abstract = True
        method.visibility = _visibility(self.source, node, name)
        self.read_function(method, node)
        return self.define(method)

    def _field(self, scope: Scope, node: Node, name: str, *, is_static: bool) -> int:
        written = node.child_by_field_name("value")
        scope.is_static = is_static
        value = self.named(written, name, scope)
        scope.is_static = False
        bare = unwrapped(written)
        if bare is None or bare.type not in FUNCTION_VALUES:
            self.declare_field(scope, name, node)
        promised = node.child_by_field_name("type")
        if promised is not None:
            value = self.names.copied(value)
            self.promise(promised, value)
        return value

    def this(self) -> int:
        """Return the variable of ``this``; in what is static it is the class."""
        scope = self.names.scope
        while scope.is_arrow and scope.around is not None:
            scope = scope.around
        return scope.definition if scope.kind is ScopeKind.CLASS and scope.is_static else super().this()


def _visibility(source: Source, node: Node, name: str) -> str:
    modifier = child_of_type(node, "accessibility_modifier")
    if modifier is not None:
        return source.text(modifier)
    return "private" if name.startswith("#") else "public"
