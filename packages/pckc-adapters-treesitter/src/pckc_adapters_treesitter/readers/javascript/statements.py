"""Statements as steps over variables: declarations, branches and loops."""

from collections.abc import Callable, Sequence

from pckc_domain.model.code_facts import NOTHING, Await, Copy, Raise, Variable
from tree_sitter import Node

from pckc_adapters_treesitter.readers.comments import Comments
from pckc_adapters_treesitter.readers.javascript.bindings import BindingTable, pattern_names
from pckc_adapters_treesitter.readers.javascript.declarations import Declarations
from pckc_adapters_treesitter.readers.javascript.names import Block, Loop, Names, Versions
from pckc_adapters_treesitter.readers.javascript.reading import MAX_DEPTH, inner, unwrapped
from pckc_adapters_treesitter.readers.source import Source, child_at, last_line, line

_HOISTED = frozenset(("function_declaration", "generator_function_declaration"))
_CLASSES = frozenset(("class_declaration", "abstract_class_declaration"))
_FUNCTION_VALUES = frozenset(("function_expression", "generator_function", "arrow_function", "class"))


class Statements(Declarations):
    """Reads a module."""

    def __init__(self, source: Source, names: Names, table: BindingTable, comments: Comments) -> None:
        super().__init__(source, names, table, comments)
        self._statements: dict[str, Callable[[Node], None]] = {
            "expression_statement": self._expression,
            "lexical_declaration": self._variables,
            "variable_declaration": self._variables,
            **dict.fromkeys(_HOISTED, self._function_declaration),
            **dict.fromkeys(_CLASSES, self._class_declaration),
            "return_statement": self._return,
            "throw_statement": self._throw,
            "if_statement": self._if,
            "for_statement": self._for,
            "for_in_statement": self._for_in,
            "while_statement": self._while,
            "do_statement": self._do,
            "switch_statement": self._switch,
            "try_statement": self._try,
            "break_statement": self._break,
            "continue_statement": self._continue,
            "labeled_statement": lambda node: self.statement(node.child_by_field_name("body")),
            "statement_block": self._block_statement,
            "export_statement": self.export,
            "import_statement": self.import_statement,
            "import_alias": self.import_alias,
            "interface_declaration": self.interface,
            "type_alias_declaration": self.type_alias,
            "enum_declaration": self.enum,
            "internal_module": self.namespace,
            "module": self.namespace,
            "ambient_declaration": self._ambient,
            "function_signature": self._function_signature,
            "ERROR": self._broken,
        }

    def module(self) -> None:
        """Read the whole file."""
        self.block(self.source.root.named_children)

    def block(self, nodes: Sequence[Node]) -> None:
        """Read statements that stand in one pair of braces."""
        for node in nodes:
            self._hoist(node)
        for before, node in zip([None, *nodes], nodes, strict=False):
            if before is not None and self._is_lone_export(before):
                self.parted[node.id] = before
            self.statement(node)
            if node.id in self.parted:
                self.export_declared(node, is_default=False)

    def _is_lone_export(self, node: Node) -> bool:
        """Return whether a statement is an ``export`` whose declaration begins on the next line."""
        return node.type == "expression_statement" and self.source.text(node) == "export"

    def statement(self, node: Node | None) -> None:
        """Read one statement."""
        visit = self._statements.get(node.type) if node is not None else None
        if node is None or visit is None:
            return
        if self.depth >= MAX_DEPTH:
            self.too_deep(node)
            return
        self.depth += 1
        self.statement_line = line(node)
        visit(node)
        self.depth -= 1

    def _hoist(self, node: Node) -> None:
        """Declare what a statement declares for its whole block."""
        kind = node.type
        if kind in ("export_statement", "ambient_declaration"):
            inside = node.child_by_field_name("declaration") or inner(node)
            if inside is not None and inside.type != "decorator":
                self._hoist(inside)
        elif kind == "expression_statement" and node.named_child_count == 1:
            inside = child_at(node, 0)
            if inside is not None and inside.type == "internal_module":
                self._hoist(inside)
        elif kind in _HOISTED:
            self._hoist_function(node)
        elif kind == "function_signature":
            self._hoist_name(node)
        elif kind == "lexical_declaration" or (kind == "variable_declaration" and self.names.scope.index == 0):
            for declarator in node.named_children:
                pattern = declarator.child_by_field_name("name")
                for name, _ in pattern_names(pattern) if pattern is not None else ():
                    self.names.declare(name)
        elif kind in _CLASSES:
            self._hoist_name(node, is_type=True)
        else:
            self.hoist_declaration(node)

    def _hoist_name(self, node: Node, *, is_type: bool = False) -> None:
        name = self.source.text(node.child_by_field_name("name"))
        self.names.declare(name)
        if is_type:
            self.names.declare(name, is_type=True)

    def _hoist_function(self, node: Node) -> None:
        name = self.source.text(node.child_by_field_name("name"))
        binding = self.names.declare(name)
        scope = self.open_function(node, name)
        scope.definition = self.define(scope)
        self._opened[node.id] = scope
        if binding.defines < 0:
            binding.defines = scope.index
        self.names.bind(binding, scope.definition)

    def statement_list(self, node: Node | None) -> None:
        """Read the statements of a body."""
        self.block(node.named_children if node is not None else [])

    def pattern_texts(self, pattern: Node | None) -> list[str]:
        """Return the names that a pattern binds."""
        return [name for name, _ in pattern_names(pattern)] if pattern is not None else []

    # Declarations

    def _function_declaration(self, node: Node) -> None:
        scope = self._opened.get(node.id)
        if scope is None:  # it stands where only one statement may
            self._hoist_function(node)
            scope = self._opened[node.id]
        scope.visibility = "public" if self.is_export(node) else ""
        self.describe_again(scope, node, line(self.with_export(node)))
        self.read_function(scope, node)

    def _function_signature(self, node: Node) -> None:
        """A function without a body: an overload, unless it is declared to be somewhere else."""
        binding = self.names.find(self.source.text(node.child_by_field_name("name")))
        if binding is None or binding.defines >= 0:
            return
        self._hoist_function(node)
        scope = self._opened[node.id]
        scope.is_abstract = True
        self.read_function(scope, node)

    def _class_declaration(self, node: Node) -> None:
        name = self.source.text(node.child_by_field_name("name"))
        binding = self.names.declare(name)
        self.is_exported = self.is_export(node)
        scope = self.open_class(node, name)
        binding.defines = scope.index
        self.names.bind(self.names.declare(name, is_type=True), scope.definition)
        if binding.is_fixed:
            self.names.bind(binding, scope.definition)
        self.read_class(scope, node)
        value = self.decorated(node, scope.definition)
        if value != scope.definition or not binding.is_fixed:
            self.names.bind(binding, value)

    def _variables(self, node: Node) -> None:
        is_exported = self.is_export(node)
        for declarator in node.named_children:
            if declarator.type != "variable_declarator":
                continue
            self.is_exported = is_exported
            self._declarator(declarator, node)
            self.is_exported = False

    def _declarator(self, node: Node, statement: Node) -> None:
        pattern = node.child_by_field_name("name")
        written, promised = node.child_by_field_name("value"), node.child_by_field_name("type")
        if pattern is None:
            return
        name = self.source.text(pattern) if pattern.type == "identifier" else ""
        first = len(self.names.scopes)
        value = self.named(written, name)
        bare = unwrapped(written)
        is_defined = bare is not None and (bare.type in _FUNCTION_VALUES or len(self.names.scopes) > first)
        if promised is not None:
            value = self.names.copied(value)
            self.promise(promised, value)
        if written is None and promised is None:
            return
        if not name:
            self.assign(pattern, value, declares=statement.type == "lexical_declaration")
            return
        binding = self.names.find(name) or self.names.declare(name)
        self.names.bind(binding, value)
        if bare is not None and bare.type == "string" and binding.is_fixed:
            binding.text = self.string(bare)
        if bare is not None and is_defined and binding.is_fixed and self._is_named(first, name):
            binding.defines = first
        elif self.names.scope.index == 0 or self.names.scope.kind == "namespace":
            self.names.scope.declared.append(Variable(name, line(node), last_line(node)))

    def _is_named(self, index: int, name: str) -> bool:
        """Return whether a scope was opened for a variable's own value."""
        scopes = self.names.scopes
        return index < len(scopes) and scopes[index].name == name and scopes[index].around is self.names.scope

    # Simple statements

    def _expression(self, node: Node) -> None:
        child = inner(node)
        if child is not None and child.type in self._statements:  # TypeScript's namespaces
            self.statement(child)
        else:
            self.read(child)

    def _block_statement(self, node: Node) -> None:
        around = self.names.block
        self.names.block = Block(around, self.names.scope)
        self.block(node.named_children)
        self.names.block = around

    def _return(self, node: Node) -> None:
        scope = self.names.scope
        value = self.read(inner(node))
        if value and scope.result:
            self.names.steps.append(Copy(scope.result, value))
        scope.is_dead = True

    def _throw(self, node: Node) -> None:
        value = self.read_owner(inner(node))
        if value:
            self.names.steps.append(Raise(value, self.site(node)))
        self.names.scope.is_dead = True

    def _ambient(self, node: Node) -> None:
        for child in node.named_children:
            self.statement(child)

    def _broken(self, node: Node) -> None:
        for child in node.named_children:
            self._hoist(child)
        for child in node.named_children:
            if child.type in self._statements:
                self.statement(child)
            else:
                self.read(child)

    # Branches and loops

    def _if(self, node: Node) -> None:
        names = self.names
        paths: list[Versions | None] = []
        branch: Node | None = node
        while branch is not None and branch.type == "if_statement":
            test = branch.child_by_field_name("condition")
            self.read_owner(test)
            when_true, when_false = self.narrowings(test)
            before = names.snapshot()
            self.narrow(when_true)
            self.statement(branch.child_by_field_name("consequence"))
            paths.append(names.path())
            names.restore(before)
            self.narrow(when_false)
            other = branch.child_by_field_name("alternative")
            branch = inner(other) if other is not None and other.type == "else_clause" else other
        self.statement(branch)
        names.merge((*paths, names.path()))

    def _loop(self, body: Node | None, begin: Callable[[], None], end: Callable[[], None]) -> None:
        names = self.names
        scope = names.scope
        heads: Versions = {}
        for binding in list(scope.versions):
            if not binding.is_fixed:
                heads[binding] = scope.versions[binding] = names.copied(scope.versions[binding])
        loop = Loop(heads)
        scope.loops.append(loop)
        begin()
        at_head = names.snapshot()
        self.statement(body)
        end()
        self._back_to(loop)
        at_end = names.path()
        scope.loops.pop()
        names.merge((at_head, at_end, *loop.breaks))

    def _back_to(self, loop: Loop) -> None:
        scope = self.names.scope
        if not scope.is_dead:
            for binding, head in loop.heads.items():
                last = scope.versions.get(binding, NOTHING)
                if last != head:
                    self.names.copy(last, head)

    def _for(self, node: Node) -> None:
        around = self.names.block
        self.names.block = Block(around, self.names.scope)
        first = node.child_by_field_name("initializer")
        if first is not None and first.type in self._statements:
            self._hoist(first)
            self.statement(first)
        else:
            self.read(first)
        test, step = node.child_by_field_name("condition"), node.child_by_field_name("increment")
        self._loop(node.child_by_field_name("body"), lambda: self._tested(test), lambda: self._tested(step))
        self.names.block = around

    def _tested(self, node: Node | None) -> None:
        if node is not None and node.type == "expression_statement":
            node = inner(node)
        self.read_owner(node)
        self.narrow(self.narrowings(node)[0])

    def _for_in(self, node: Node) -> None:
        names = self.names
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        kind, operator = node.child_by_field_name("kind"), node.child_by_field_name("operator")
        source = self.read_owner(right)
        around = names.block
        names.block = Block(around, names.scope)
        value = NOTHING
        if right is not None and operator is not None and operator.type == "of":
            value = self.elements(right, source)
            if value and any(child.type == "await" for child in node.children):
                waited = names.new()
                names.steps.append(Await(waited, value, self.site(right)))
                value = waited
        declares = kind is not None and kind.type in ("let", "const")
        self._loop(
            node.child_by_field_name("body"),
            lambda: self.assign(left, value, declares=declares),
            lambda: None,
        )
        names.block = around

    def _while(self, node: Node) -> None:
        test = node.child_by_field_name("condition")
        self._loop(node.child_by_field_name("body"), lambda: self._tested(test), lambda: None)

    def _do(self, node: Node) -> None:
        test = node.child_by_field_name("condition")
        self._loop(node.child_by_field_name("body"), lambda: None, lambda: self._tested(test))

    def _break(self, _: Node) -> None:
        scope = self.names.scope
        path = self.names.path()
        if scope.loops and path is not None:
            scope.loops[-1].breaks.append(path)
        scope.is_dead = True

    def _continue(self, _: Node) -> None:
        scope = self.names.scope
        if scope.loops:
            self._back_to(scope.loops[-1])
        scope.is_dead = True

    def _switch(self, node: Node) -> None:
        names = self.names
        self.read_owner(node.child_by_field_name("value"))
        body = node.child_by_field_name("body")
        around = names.block
        names.block = Block(around, names.scope)
        cases = [case for case in body.named_children if case.type.startswith("switch_")] if body is not None else []
        for case in cases:
            for one in case.children_by_field_name("body"):
                self._hoist(one)
        before = names.snapshot()
        loop = Loop({})
        names.scope.loops.append(loop)
        fallen: Versions | None = None
        for case in cases:
            names.merge((before, fallen))
            self.read_owner(case.child_by_field_name("value"))
            for one in case.children_by_field_name("body"):
                self.statement(one)
            fallen = names.path()
        names.scope.loops.pop()
        has_default = any(case.type == "switch_default" for case in cases)
        names.merge((fallen, *loop.breaks) if has_default else (before, fallen, *loop.breaks))
        names.block = around

    def _try(self, node: Node) -> None:
        names = self.names
        before = names.snapshot()
        self.statement(node.child_by_field_name("body"))
        reached, paths = names.snapshot(), [names.path()]
        handler, last = node.child_by_field_name("handler"), node.child_by_field_name("finalizer")
        names.merge((before, reached))
        in_handler = names.snapshot()
        if handler is not None:
            around = names.block
            names.block = Block(around, names.scope)
            self.assign(handler.child_by_field_name("parameter"), NOTHING, declares=True)
            self.statement(handler.child_by_field_name("body"))
            names.block = around
            paths.append(names.path())
        is_dead = all(path is None for path in paths)
        names.merge((*paths, in_handler) if last is not None and is_dead else paths)
        if last is not None:
            self.statement(last.child_by_field_name("body"))
            names.scope.is_dead = names.scope.is_dead or is_dead
