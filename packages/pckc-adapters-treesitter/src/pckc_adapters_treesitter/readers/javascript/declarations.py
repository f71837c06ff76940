"""Imports, exports, and what only TypeScript declares."""

from pckc_domain.model.code_facts import (
    NOTHING,
    Copy,
    Literal,
    ScopeKind,
    SetMember,
    StarImport,
    Variable,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.comments import Comments
from pckc_adapters_treesitter.readers.javascript.bindings import BindingTable
from pckc_adapters_treesitter.readers.javascript.names import Block, Names, Scope
from pckc_adapters_treesitter.readers.javascript.objects import Objects
from pckc_adapters_treesitter.readers.javascript.reading import EXPORTS, inner, unwrapped
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, last_line, line

_DEFINITIONS = frozenset(
    "function_declaration generator_function_declaration class_declaration abstract_class_declaration "
    "interface_declaration type_alias_declaration enum_declaration internal_module module function_signature "
    "import_alias".split()
)


class Declarations(Objects):
    """Reads declarations; `Statements` builds on it."""

    def __init__(self, source: Source, names: Names, table: BindingTable, comments: Comments) -> None:
        super().__init__(source, names, table, comments)
        self.exported: dict[str, tuple[str, int]] = {}
        self._opened: dict[int, Scope] = {}

    def statement(self, node: Node | None) -> None:
        """Read one statement; `Statements` says how."""
        raise NotImplementedError

    def describe_again(self, scope: Scope, node: Node, first_line: int) -> None:
        """Note what a function says of itself, now that it is known where its statement begins."""
        visibility = scope.visibility
        self.describe(scope, node, node.child_by_field_name("body"), first_line)
        scope.visibility = visibility

    # Imports

    def import_statement(self, node: Node) -> None:
        """Read an import."""
        clause, equals = child_of_type(node, "import_clause"), child_of_type(node, "import_require_clause")
        if equals is not None:
            name = self.source.text(inner(equals))
            self._bind_import(name, self._module_of(equals), EXPORTS, node)
            return
        module = self._module_of(node)
        if clause is None:
            if module:
                self.imported(module, "", node)
            return
        for part in clause.named_children:
            if part.type == "identifier":
                self._bind_import(self.source.text(part), module, "default", node)
            elif part.type == "namespace_import":
                self._bind_import(self.source.text(inner(part)), module, "", node)
            for one in children_of_type(part, "import_specifier"):
                name = self.name_of(one.child_by_field_name("name"))
                alias = one.child_by_field_name("alias")
                self._bind_import(self.source.text(alias) if alias is not None else name, module, name, node)

    def _bind_import(self, name: str, module: str, wanted: str, node: Node) -> None:
        self.names.bind(self.names.declare(name), self.imported(module, wanted, node))

    def _module_of(self, node: Node) -> str:
        written = node.child_by_field_name("source")
        return self.string(written) if written is not None else ""

    def name_of(self, node: Node | None) -> str:
        """Return an imported or exported name, which may be written as a string."""
        return self.string(node) if node is not None and node.type == "string" else self.source.text(node)

    def import_alias(self, node: Node) -> None:
        """Read ``import a = b.c``."""
        name, target = child_at(node, 0), child_at(node, -1)
        first, *rest = self.source.text(target).split(".")
        binding = self.names.find(first)
        value = self.names.value_of(binding) if binding is not None else NOTHING
        for part in rest:
            value = self.member(node, value, part)[0]
        self.names.bind(self.names.declare(self.source.text(name)), value)

    # Exports

    def export(self, node: Node) -> None:
        """Read an export."""
        module, clause = self._module_of(node), child_of_type(node, "export_clause")
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        is_default = any(child.type == "default" for child in node.children)
        if clause is not None:
            self._export_names(clause, module, node)
        elif module:
            namespace = child_of_type(node, "namespace_export")
            if namespace is None:
                self.names.stars.append(StarImport(module, 0, line(node)))
            else:
                name = self.name_of(inner(namespace))
                self.give("", self.imported(module, "", node), name)
        elif declaration is not None:
            self.statement(declaration)
            self.export_declared(declaration, is_default=is_default)
        elif value is not None:
            self._export_default(value)
        elif any(child.type == "=" for child in node.children):
            self.names.copy(self.read(child_at(node, -1)), self.exports())

    def _export_names(self, clause: Node, module: str, node: Node) -> None:
        for one in children_of_type(clause, "export_specifier"):
            name = self.name_of(one.child_by_field_name("name"))
            alias = self.name_of(one.child_by_field_name("alias")) or name
            if module:
                self.give("", self.imported(module, name, node), alias)
            else:
                self.give(name, NOTHING, alias)

    def export_declared(self, node: Node, *, is_default: bool) -> None:
        """Export what a declaration declares."""
        if node.type in _DEFINITIONS:
            name = self.source.text(node.child_by_field_name("name") or inner(node)).partition(".")[0]
            self.give(name, NOTHING, "default" if is_default else name)
            return
        for declarator in children_of_type(node, "variable_declarator"):
            pattern = declarator.child_by_field_name("name")
            for name in self.pattern_texts(pattern):
                self.give(name, NOTHING, name)

    def _export_default(self, value: Node) -> None:
        bare = unwrapped(value)
        if bare is not None and bare.type == "identifier":
            self.read(value)
            self.give(self.source.text(bare), NOTHING, "default")
            return
        self.is_exported = True
        is_nameless = bare is not None and bare.type in ("function_expression", "generator_function", "class")
        self.give("", self.named(value, "default" if is_nameless else ""), "default")
        self.is_exported = False

    def give(self, name: str, value: int, exported: str) -> None:
        """Export a value, or what *name* will be bound to at the end of the block, which is a module or namespace."""
        scope = self.names.scope
        if scope.index == 0 or not scope.definition:
            self.exported[exported] = (name, value)
            return
        for binding in (self.names.block.values.get(name), self.names.block.types.get(name)):
            if binding is not None and (held := self.names.last(binding)):
                self.names.steps.append(SetMember(scope.definition, exported, held, self.site(scope.node, exported)))

    def pattern_texts(self, pattern: Node | None) -> list[str]:
        """Return the names that a pattern binds."""
        raise NotImplementedError

    def exported_members(self) -> dict[str, int]:
        """Return the variables of what the module exports, by the names that others see."""
        found: dict[str, int] = {}
        for exported, (name, value) in self.exported.items():
            bound = [self.names.block.values.get(name), self.names.block.types.get(name)] if name else []
            held = [self.names.last(binding) for binding in bound if binding is not None]
            if variable := self.names.joined([value, *held]):
                found[exported] = variable
        if self.exports_variable:
            found[EXPORTS] = self.exports_variable
        return found

    # Types

    def hoist_declaration(self, node: Node) -> None:
        """Declare the name of a type, enumeration or namespace for its whole block."""
        name = self.source.text(node.child_by_field_name("name"))
        if node.type in ("interface_declaration", "type_alias_declaration"):
            self.names.declare(name, is_type=True)
        elif node.type == "enum_declaration":
            self.names.declare(name, is_type=True)
            self.names.declare(name)
        elif node.type == "internal_module":
            self.names.declare(name.partition(".")[0])

    def _open_type(self, kind: ScopeKind, node: Node) -> Scope:
        name = self.source.text(node.child_by_field_name("name"))
        scope = self.names.open(kind, name, node)
        self.is_exported = self.is_export(node)
        self.describe(scope, node, node.child_by_field_name("body"), line(self.with_export(node)))
        return scope

    def interface(self, node: Node) -> None:
        """Read an interface: a class that nobody makes, with functions that are there to be overridden."""
        scope = self._open_type(ScopeKind.INTERFACE, node)
        scope.definition = self.define(scope)
        self.names.bind(self.names.declare(scope.name, is_type=True), scope.definition)
        around, block = self.names.scope, self.names.block
        self.names.block = Block(block, around)
        self.type_parameters(node.child_by_field_name("type_parameters"))
        for clause in children_of_type(node, "extends_type_clause", "extends_clause"):
            scope.bases += self.base_types(clause)
        self.names.scope = scope
        body = node.child_by_field_name("body")
        for member in body.named_children if body is not None else ():
            name = self.member_name(member)
            if member.type == "method_signature" and name not in scope.members:
                scope.members[name] = self.signature_of(scope, member, name)
            elif member.type == "property_signature" and name:
                scope.declared.append(Variable(name, line(member), last_line(member)))
                value = self.names.new()
                self.promise(member.child_by_field_name("type"), value)
                scope.members[name] = value
        self.names.scope, self.names.block = around, block

    def type_alias(self, node: Node) -> None:
        """Read an alias: it stands for the classes that it names."""
        name = self.source.text(node.child_by_field_name("name"))
        scope, block = self.names.scope, self.names.block
        scope.declared.append(Variable(name, line(node), last_line(node), "type_alias"))
        self.names.block = Block(block, scope)
        self.type_parameters(node.child_by_field_name("type_parameters"))
        classes: list[int] = []
        self.promise(node.child_by_field_name("value"), self.names.new(), classes)
        self.names.block = block
        self.names.bind(self.names.declare(name, is_type=True), self.names.joined(classes))

    def enum(self, node: Node) -> None:
        """Read an enumeration: an object of plain values."""
        scope = self._open_type(ScopeKind.ENUM, node)
        self.names.bind(self.names.declare(scope.name, is_type=True), self.define(scope))
        items: list[tuple[object, int]] = []
        body = node.child_by_field_name("body")
        for member in body.named_children if body is not None else ():
            if member.type not in ("property_identifier", "string", "enum_assignment"):
                continue
            name = self.name_of(member.child_by_field_name("name") or member)
            scope.declared.append(Variable(name, line(member), last_line(member)))
            value = self.names.new()
            self.names.steps.append(Literal(value, "Number", ""))
            items.append((name, value))
            self.read(member.child_by_field_name("value"))
        self._bind_merged(scope.name, self.build("object", items))

    def _bind_merged(self, name: str, value: int) -> None:
        binding = self.names.declare(name)
        held = self.names.last(binding) if binding.is_fixed and binding.variable else NOTHING
        if held:
            self.names.steps.append(Copy(held, value))
        else:
            self.names.bind(binding, value)

    def namespace(self, node: Node) -> None:
        """Read a namespace: an object, or what has its name already, with its exports as members."""
        written = node.child_by_field_name("name")
        if written is None or written.type == "string":
            self._ambient_module(node)
            return
        first, *rest = self.source.text(written).split(".")
        binding = self.names.declare(first)
        value = self.names.last(binding) if binding.variable else NOTHING
        if not value:
            value = self.build("object", [])
            self.names.bind(binding, value)
        around, block = self.names.scope, self.names.block
        self.is_exported = self.is_export(node)
        self.names.scope = self._open_namespace(first, node, value)
        for name in rest:
            inside = self.build("object", [])
            self.set_member(node, value, name, inside)
            value = inside
            self.names.scope = self._open_namespace(name, node, value)
        self.names.block = Block(block, self.names.scope)
        self.statement_list(node.child_by_field_name("body"))
        self.names.scope, self.names.block = around, block

    def _open_namespace(self, name: str, node: Node, value: int) -> Scope:
        scope = self.names.open(ScopeKind.NAMESPACE, name, node)
        self.describe(scope, node, node.child_by_field_name("body"))
        scope.definition = value
        scope.bindings = self.names.scope.bindings
        return scope

    def _ambient_module(self, node: Node) -> None:
        """``declare module "x"`` speaks of another package: nothing in it is the file's."""

    def statement_list(self, node: Node | None) -> None:
        """Read the statements of a body."""
        raise NotImplementedError
