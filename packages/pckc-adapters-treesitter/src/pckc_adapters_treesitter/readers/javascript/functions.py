"""Functions, with what they take and give."""

from collections.abc import Sequence

from pckc_domain.model.code_facts import (
    NOTHING,
    Build,
    Parameter,
    ParameterKind,
    ScopeKind,
    Variable,
)
from pckc_domain.policy.graph.passing import passed_through
from tree_sitter import Node

from pckc_adapters_treesitter.readers.comments import Comments
from pckc_adapters_treesitter.readers.javascript.bindings import BindingTable
from pckc_adapters_treesitter.readers.javascript.markup import Markup
from pckc_adapters_treesitter.readers.javascript.names import Block, Names, Scope
from pckc_adapters_treesitter.readers.javascript.reading import FUNCTION_VALUES, inner
from pckc_adapters_treesitter.readers.source import Source, child_of_type, last_line, line

PARAMETERS = frozenset(("required_parameter", "optional_parameter"))


class Functions(Markup):
    """
    Reads functions.

    Attributes:
        statement_line: First line of the statement that is being read.
        is_exported: Whether the next definition is exported.
        parted: By the ids of declarations whose ``export`` stands on a line of its own: that export.
    """

    def __init__(self, source: Source, names: Names, table: BindingTable, comments: Comments) -> None:
        super().__init__(source, names)
        self.table = table
        self.comments = comments
        self.statement_line = 1
        self.is_exported = False
        self.parted: dict[int, Node] = {}

    def is_export(self, node: Node) -> bool:
        """Return whether a declaration is exported where it stands."""
        return self.with_export(node) is not node

    def with_export(self, node: Node) -> Node:
        """Return the export with which a declaration begins, or itself."""
        return self.parted.get(node.id) or around_export(node)

    def block(self, nodes: Sequence[Node]) -> None:
        """Read statements that stand in one pair of braces; `Statements` says how."""
        raise NotImplementedError

    def type_site(self, node: Node) -> int:
        """Return the number of a new site."""
        return self.site(node, self.source.text(node)[:80])

    def function(self, node: Node, name: str, owner: Scope | None = None) -> tuple[Scope, int]:
        """Return the scope of a function, read whole, and the variable that holds it."""
        own = node.child_by_field_name("name")
        if own is not None and node.type in FUNCTION_VALUES:
            name = self.source.text(own)
        scope = self.open_function(node, name, owner)
        value = self.define(scope)
        self.read_function(scope, node, value if own is not None and node.type in FUNCTION_VALUES else NOTHING)
        return scope, value

    def open_function(self, node: Node, name: str, owner: Scope | None = None) -> Scope:
        """Return the new scope of a function, without its contents."""
        scope = self.names.open(ScopeKind.FUNCTION if name else ScopeKind.LAMBDA, name, node, owner)
        scope.bindings = self.table.of(node)
        scope.is_async = any(child.type == "async" for child in node.children)
        scope.is_generator = node.type.startswith("generator") or any(child.type == "*" for child in node.children)
        scope.is_arrow = node.type == "arrow_function"
        scope.definition = NOTHING
        if name:
            self.describe(scope, node, node.child_by_field_name("body"))
        return scope

    def describe(self, scope: Scope, node: Node, body: Node | None, first_line: int = 0) -> None:
        """Note what a definition says of itself."""
        scope.start_line = first_line or line(node)
        scope.signature = self.source.signature(node, body)
        scope.doc = self.comments.doc_above(scope.start_line)
        if not scope.doc and not first_line:
            scope.doc = self.comments.doc_above(self.statement_line)
        scope.visibility = "public" if self.is_exported else ""
        self.is_exported = False

    def read_function(self, scope: Scope, node: Node, own_value: int = NOTHING) -> None:
        """Read the parameters and the body of a function."""
        names = self.names
        around, block = names.scope, names.block
        names.scope, names.block = scope, Block(block, scope)
        if own_value:
            names.bind(names.declare(scope.name), own_value)
            names.block = Block(names.block, scope)
        start = len(names.steps)
        scope.result = names.new()
        self.type_parameters(node.child_by_field_name("type_parameters"))
        self._parameters(scope, node)
        for name in scope.bindings.hoisted:
            names.declare(name)
        body = node.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            self.block(body.named_children)
        elif body is not None:
            names.copy(self.read(body), scope.result)
        self._end_function(scope, node, start)
        names.scope, names.block = around, block

    def _end_function(self, scope: Scope, node: Node, start: int) -> None:
        if scope.arguments:
            self._gather_arguments(scope)
        if not scope.is_async and not scope.is_generator:
            scope.passes, others = passed_through(scope.result, scope.parameters, self.names.steps[start:])
            if scope.passes:
                scope.result = self.names.copied(*others)
        promised = node.child_by_field_name("return_type")
        if promised is not None:
            if scope.is_generator:
                self.promise(promised, self.names.new(), scope.return_types)
            else:
                self.promise(promised, scope.result, scope.return_types)

    def _gather_arguments(self, scope: Scope) -> None:
        """``arguments`` holds all parameters, and what is passed beyond them."""
        items = [(index, one.variable) for index, one in enumerate(scope.parameters)]
        spreads = []
        if scope.parameters and scope.parameters[-1].kind is ParameterKind.REST:
            spreads.append(items.pop()[1])
        else:
            rest = self.names.new()
            scope.parameters.append(Parameter("arguments", ParameterKind.REST, rest, NOTHING))
            spreads.append(rest)
        self.names.steps.append(Build(scope.arguments, "list", tuple(items), tuple(spreads)))

    # Parameters

    def _parameters(self, scope: Scope, node: Node) -> None:
        single = node.child_by_field_name("parameter")
        parameters = node.child_by_field_name("parameters")
        for one in [single] if single is not None else parameters.named_children if parameters is not None else ():
            if one.type != "comment":
                self._parameter(scope, one)

    def _parameter(self, scope: Scope, node: Node) -> None:
        pattern, default, promised = node, node.child_by_field_name("right"), None
        if node.type in PARAMETERS:
            pattern = node.child_by_field_name("pattern") or node
            default, promised = node.child_by_field_name("value"), node.child_by_field_name("type")
        elif node.type == "assignment_pattern":
            pattern = node.child_by_field_name("left") or node
        if pattern.type == "this":
            self.promise(promised, self.this(), scope.types)
            return
        is_rest = pattern.type == "rest_pattern"
        target = inner(pattern) if is_rest else pattern
        name = self.source.text(target) if target is not None and target.type == "identifier" else ""
        variable = self.names.new()
        self.promise(promised, variable, scope.types)
        value = self.named(default, name)
        kind = ParameterKind.REST if is_rest else ParameterKind.POSITIONAL
        scope.parameters.append(Parameter(name, kind, variable, value))
        self.assign(target, variable, declares=True)
        if child_of_type(node, "accessibility_modifier") or any(child.type == "readonly" for child in node.children):
            self.set_member(node, self.this(), name, variable)
            self.declare_field(scope.around, name, node)

    def declare_field(self, owner: Scope | None, name: str, node: Node) -> None:
        if owner is not None and owner.kind is ScopeKind.CLASS:
            owner.declared.append(Variable(name, line(node), last_line(node)))


def around_export(node: Node) -> Node:
    """Return the export statement that a declaration stands in, or itself."""
    return node.parent if node.parent is not None and node.parent.type == "export_statement" else node
