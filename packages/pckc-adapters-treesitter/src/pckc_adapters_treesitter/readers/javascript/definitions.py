"""Functions, classes and object literals, and the ways in which old code makes classes of functions."""

from collections.abc import Sequence

from pckc_domain.model.code_facts import (
    NOTHING,
    Build,
    Copy,
    Parameter,
    ParameterKind,
    ScopeKind,
    Step,
    Variable,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.comments import Comments
from pckc_adapters_treesitter.readers.javascript.bindings import BindingTable
from pckc_adapters_treesitter.readers.javascript.expressions import MAX_DEPTH, Expressions, inner, unwrapped
from pckc_adapters_treesitter.readers.javascript.names import Block, Names, Scope
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type, children_of_type, last_line, line

_FUNCTION_VALUES = frozenset(("function_expression", "generator_function", "arrow_function"))
_PARAMETERS = frozenset(("required_parameter", "optional_parameter"))
_INHERITS = {
    "inherits": False, "util.inherits": False, "__extends": False, "Object.setPrototypeOf": True, "inherit": False,
}  # fmt: skip
"""Functions that let a constructor inherit from another; with prototypes as arguments or without."""


class Definitions(Expressions):
    """Reads definitions; `Statements` builds on it."""

    def __init__(self, source: Source, names: Names, table: BindingTable, comments: Comments) -> None:
        super().__init__(source, names)
        self.table = table
        self.comments = comments
        self.statement_line = 1
        self.is_exported = False
        self.parted: set[int] = set()

    def is_export(self, node: Node) -> bool:
        """Return whether a declaration is exported where it stands."""
        return node.id in self.parted or around_export(node) is not node

    def block(self, nodes: Sequence[Node]) -> None:
        """Read statements that stand in one pair of braces; `Statements` says how."""
        raise NotImplementedError

    def type_site(self, node: Node) -> int:
        """Return the number of a new site."""
        return self.site(node, self.source.text(node)[:80])

    # Functions

    def function(self, node: Node, name: str, owner: Scope | None = None) -> tuple[Scope, int]:
        """Return the scope of a function, read whole, and the variable that holds it."""
        own = node.child_by_field_name("name")
        if own is not None and node.type in _FUNCTION_VALUES:
            name = self.source.text(own)
        scope = self.open_function(node, name, owner)
        value = self.define(scope)
        self.read_function(scope, node, value if own is not None and node.type in _FUNCTION_VALUES else NOTHING)
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
            scope.result, scope.passes = _passed_through(scope, self.names, start)
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

    def _parameters(self, scope: Scope, node: Node) -> None:
        single = node.child_by_field_name("parameter")
        parameters = node.child_by_field_name("parameters")
        for one in [single] if single is not None else parameters.named_children if parameters is not None else ():
            if one.type != "comment":
                self._parameter(scope, one)

    def _parameter(self, scope: Scope, node: Node) -> None:
        pattern, default, promised = node, node.child_by_field_name("right"), None
        if node.type in _PARAMETERS:
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
            self._declare_field(scope.around, name, node)

    def _declare_field(self, owner: Scope | None, name: str, node: Node) -> None:
        if owner is not None and owner.kind is ScopeKind.CLASS:
            owner.declared.append(Variable(name, line(node), last_line(node)))

    # Classes

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
        self.describe(scope, node, node.child_by_field_name("body"), line(around_export(node)))
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
        bodies = {self._member_name(one) for one in members if one.type == "method_definition"}
        decorators: list[Node] = []
        for member in members:
            if member.type == "decorator":
                decorators.append(member)
                continue
            decorators += member.children_by_field_name("decorator")
            for parameter in children_of_type(member.child_by_field_name("parameters"), *_PARAMETERS):
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

    def _member_name(self, node: Node) -> str:
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
        name = self._member_name(node)
        is_static = any(child.type == "static" for child in node.children)
        table = scope.statics if is_static else scope.members
        if kind == "method_definition":
            value = self._method(scope, node, name)
        elif kind in ("method_signature", "abstract_method_signature"):
            if name in bodies or name in table:
                return
            value = self._signature(scope, node, name)
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
        return self._accessor(node, value)

    def _accessor(self, node: Node, value: int) -> int:
        access = next((child.type for child in node.children if child.type in ("get", "set")), "")
        return self.build("accessor", [(access, value)]) if access else value

    def _signature(self, scope: Scope, node: Node, name: str) -> int:
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
        if bare is None or bare.type not in _FUNCTION_VALUES:
            self._declare_field(scope, name, node)
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

    # Object literals

    def object_literal(self, node: Node, name: str, owner: Scope | None = None) -> int:
        """Return the variable of an object literal; its functions count their names from *name* if there is one."""
        into = self.names.new()
        parts = [one for one in node.named_children if one.type != "comment"]
        if name and any(map(_is_function, parts)):
            first_line = self.statement_line if self.statement_line <= line(node) else 0
            owner = self.names.open(ScopeKind.NAMESPACE, name, node, owner)
            owner.definition = into
            owner.start_line = first_line or line(node)
            owner.visibility = "public" if self.is_exported else ""
            owner.doc = self.comments.doc_above(owner.start_line)
            self.is_exported = False
        items: list[tuple[object, int]] = []
        spreads: list[int] = []
        for part in parts:
            if part.type == "spread_element":
                for key, variable in items:
                    self._set_part(part, into, key, variable)
                items = []
                spreads.append(self.read(part))
            else:
                key, variable = self._part(part, into, owner)
                if variable:
                    items.append((key or None, variable))
        self.names.steps.append(Build(into, "object", tuple(items), tuple(spreads)))
        return into

    def _set_part(self, node: Node, owner: int, key: object, value: int) -> None:
        """What stands before a spread may be replaced by it."""
        if isinstance(key, str):
            self.set_member(node, owner, key, value)

    def _part(self, node: Node, into: int, owner: Scope | None) -> tuple[str, int]:
        if node.type in ("shorthand_property_identifier", "identifier"):
            name = self.source.text(node)
            binding = self.names.find(name)
            return name, self.names.unbound(name) if binding is None else self.names.value_of(binding)
        if node.type == "method_definition":
            name = self.property_name(node.child_by_field_name("name"))
            method = self.open_function(node, name or "<computed>", owner)
            value = self.define(method)
            self.read_function(method, node)
            self.names.copy(into, method.receiver)
            return name, self._accessor(node, value)
        name = self.property_name(node.child_by_field_name("key"))
        return name, self._method_value(node.child_by_field_name("value"), name, owner, into)

    def _method_value(self, node: Node | None, name: str, owner: Scope | None, into: int) -> int:
        """Read what becomes a member of *into*; a function has that as its ``this``."""
        bare = unwrapped(node)
        if bare is None or bare.type not in _FUNCTION_VALUES:
            return self.named(node, name, owner)
        if self._depth >= MAX_DEPTH:
            self.too_deep(bare)
            return NOTHING
        self._depth += 1
        function, value = self.function(bare, name, owner)
        self._depth -= 1
        if not function.is_arrow:
            self.names.copy(into, function.receiver)
        return value

    # Members that are assigned

    def assign_member(self, left: Node, right: Node | None, suggested: str = "") -> int:
        """Return the variable of the value of ``left.name = right``; what is exported takes a *suggested* name."""
        if self.is_exports(left):
            value = self._exported_value(right, suggested)
            self.names.copy(value, self.exports())
            return value
        name = self.source.text(left.child_by_field_name("property"))
        owner_node = unwrapped(left.child_by_field_name("object"))
        constructor = self._constructor_of(owner_node)
        if constructor is not None:
            value = self.named(right, name, constructor)
            constructor.members[name] = self.names.joined((constructor.members.get(name, NOTHING), value))
            return value
        if name == "prototype" and (constructor := self._defined(owner_node)) is not None:
            self._assign_prototype(constructor, right)
            return NOTHING
        if name == "__proto__" and (constructor := self._constructor_of(left)) is not None:
            constructor.bases += self._prototype_base(right)
        owner = self.read_owner(owner_node)
        self.is_exported = self.is_exports(owner_node)
        value = self._method_value(right, name, self._owner_of(owner_node), owner)
        self.is_exported = False
        self.set_member(left, owner, name, value)
        return value

    def _exported_value(self, node: Node | None, name: str) -> int:
        """Read what ``module.exports`` becomes; functions in it are the module's."""
        self.is_exported = True
        value = self.named(node, name)
        self.is_exported = False
        return value

    def _defined(self, node: Node | None) -> Scope | None:
        """Return the function, class or object that a name evidently means."""
        if node is None or node.type != "identifier":
            return None
        binding = self.names.find(self.source.text(node))
        return self.names.scopes[binding.defines] if binding is not None and binding.defines >= 0 else None

    def _constructor_of(self, node: Node | None) -> Scope | None:
        """Return the function whose prototype *node* is."""
        if node is None or node.type != "member_expression":
            return None
        if self.source.text(node.child_by_field_name("property")) != "prototype":
            return None
        found = self._defined(unwrapped(node.child_by_field_name("object")))
        return found if found is not None and found.kind is not ScopeKind.NAMESPACE else None

    def _owner_of(self, node: Node | None) -> Scope | None:
        """Return the scope from which a function that becomes a member of *node* counts its name."""
        if node is None or node.type != "this":
            return self._defined(node)
        scope = self.names.scope
        while scope.is_arrow and scope.around is not None:
            scope = scope.around
        return scope.around if scope.around is not None and scope.around.kind is ScopeKind.CLASS else scope

    def _assign_prototype(self, constructor: Scope, node: Node | None) -> None:
        bare = unwrapped(node)
        if bare is None or bare.type != "object":
            constructor.bases += self._prototype_base(node)
            self.read(node)
            return
        this = self.names.new()
        for part in bare.named_children:
            if part.type in ("pair", "method_definition", "shorthand_property_identifier"):
                name, value = self._part(part, this, constructor)
                if name and value:
                    constructor.members[name] = self.names.joined((constructor.members.get(name, NOTHING), value))

    def _prototype_base(self, node: Node | None) -> list[int]:
        """Return the variable of the constructor whose prototype or instance *node* makes."""
        bare = unwrapped(node)
        if bare is None:
            return []
        if bare.type == "new_expression":
            return [self.read_owner(bare.child_by_field_name("constructor"))]
        if bare.type == "call_expression" and self.text_of(bare.child_by_field_name("function")) == "Object.create":
            bare = inner(bare.child_by_field_name("arguments"))
        if bare is None or bare.type != "member_expression":
            return []
        is_prototype = self.source.text(bare.child_by_field_name("property")) == "prototype"
        return [self.read_owner(bare.child_by_field_name("object"))] if is_prototype else []

    def note_inheritance(self, text: str, arguments: Node) -> None:
        """Let calls such as ``util.inherits(B, A)`` say what a constructor inherits."""
        if text not in _INHERITS:
            return
        given = [one for one in arguments.named_children if one.type != "comment"]
        if len(given) != 2:
            return
        if _INHERITS[text]:
            constructor = self._constructor_of(given[0])
            if constructor is not None:
                constructor.bases += self._prototype_base(given[1])
        elif (constructor := self._defined(given[0])) is not None:
            constructor.bases.append(self.read_owner(given[1]))


def around_export(node: Node) -> Node:
    """Return the export statement that a declaration stands in, or itself."""
    return node.parent if node.parent is not None and node.parent.type == "export_statement" else node


def _is_function(part: Node) -> bool:
    """Return whether a part of an object literal is a function, or an object with functions."""
    stack = [part]
    while stack:
        one = stack.pop()
        if one.type == "method_definition" or one.type in _FUNCTION_VALUES:
            return True
        if one.type == "pair":
            value = unwrapped(one.child_by_field_name("value"))
            if value is not None:
                stack.append(value)
        elif one.type == "object":
            stack.extend(one.named_children)
    return False


def _visibility(source: Source, node: Node, name: str) -> str:
    modifier = child_of_type(node, "accessibility_modifier")
    if modifier is not None:
        return source.text(modifier)
    return "private" if name.startswith("#") else "public"


def _passed_through(scope: Scope, names: Names, start: int) -> tuple[int, tuple[int, ...]]:
    """Split what a function returns into parameters it returns as they came, and a variable of everything else."""
    sources: dict[int, list[int]] = {}
    others: set[int] = set()
    for step in names.steps[start:]:
        if type(step) is Copy:
            sources.setdefault(step.into, []).append(step.source)
        elif hasattr(step, "into"):
            others.add(_into(step))
    indexes = {one.variable: index for index, one in enumerate(scope.parameters) if one.kind is not ParameterKind.REST}
    passes: set[int] = set()
    leaves: list[int] = []
    seen = {scope.result}
    stack = list(sources.get(scope.result, ()))
    while stack:
        variable = stack.pop()
        if variable in seen:
            continue
        seen.add(variable)
        index = indexes.get(variable)
        if index is not None:
            passes.add(index)
        elif variable in others or variable not in sources:
            leaves.append(variable)
        else:
            stack.extend(sources[variable])
    if not passes:
        return scope.result, ()
    return names.copied(*sorted(leaves)), tuple(sorted(passes))


def _into(step: Step) -> int:
    return step[0]
