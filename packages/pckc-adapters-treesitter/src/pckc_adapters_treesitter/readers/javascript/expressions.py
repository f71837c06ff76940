"""Expressions as steps over variables."""

import re
from collections.abc import Callable, Sequence

from pckc_domain.model.code_facts import (
    NOTHING,
    Await,
    Build,
    Call,
    Define,
    Import,
    Item,
    Iterate,
    Literal,
    Member,
    Narrow,
    New,
    ScopeKind,
    SetItem,
    SetMember,
    Site,
    Super,
    Use,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.names import Binding, Names, Scope
from pckc_adapters_treesitter.readers.javascript.types import Types
from pckc_adapters_treesitter.readers.source import Source, child_of_type, line

MAX_DEPTH = 90
"""Expressions and statements inside each other; what is nested deeper is left out."""

EXPORTS = "module.exports"
"""The name under which a module has what ``require`` gives."""

OPEN_TEXT = "\u2026"
"""Ends a text of which only the beginning is evident."""

_LONGEST_TEXT = 80
_DOTTED = re.compile(r"(?:this|super|import|[\w$]+)(?:\??\.[\w$#]+)*\Z")
_WRAPPERS = frozenset(("parenthesized_expression", "non_null_expression", "satisfies_expression"))
_ASSERTIONS = frozenset(("as_expression", "type_assertion", "satisfies_expression"))
_FUNCTIONS = frozenset(("function_expression", "generator_function", "arrow_function"))
_CHAINED = {"call_expression": "function", "member_expression": "object", "subscript_expression": "object"}
_LONG_CHAIN = 12
_LONG_CHAIN_BYTES = 3 * _LONG_CHAIN
_LOGICAL = frozenset(("&&", "||", "??"))
_PLAIN = {"number": "Number", "true": "Boolean", "false": "Boolean", "regex": "RegExp"}

Narrowing = dict[Binding, tuple[int, bool]]
"""By name: the class its value is known to be of, and whether it is known not to be of it."""


class Expressions(Types):
    """Reads expressions; `Definitions` and `Statements` build on it."""

    def __init__(self, source: Source, names: Names) -> None:
        super().__init__(source, names)
        self.problems: list[str] = []
        self.exports_variable = NOTHING
        self._depth = 0
        self._literals: dict[tuple[str, str], int] = {}
        self._known: dict[int, int] = {}
        self._visits: dict[str, Callable[[Node], int]] = {
            "identifier": self._identifier,
            "this": lambda _: self.this(),
            "member_expression": self._member_mentioned,
            "subscript_expression": self._subscript,
            "call_expression": self._call,
            "new_expression": self._new,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self._augmented,
            "update_expression": lambda node: self._nothing_of(node.child_by_field_name("argument")),
            "unary_expression": lambda node: self._nothing_of(node.child_by_field_name("argument")),
            "binary_expression": self._binary,
            "ternary_expression": self._ternary,
            "sequence_expression": self._sequence,
            "parenthesized_expression": lambda node: self.read(inner(node)),
            "non_null_expression": lambda node: self.read(inner(node)),
            "instantiation_expression": lambda node: self.read(inner(node)),
            "as_expression": self._assertion,
            "satisfies_expression": lambda node: self.read(inner(node)),
            "type_assertion": self._assertion,
            "string": lambda node: self.literal("String", self.string(node)),
            "template_string": self._template,
            "array": self._array,
            "object": lambda node: self.object_literal(node, ""),
            "await_expression": self._await,
            "yield_expression": self._yield,
            "spread_element": lambda node: self.read(inner(node)),
            "jsx_element": self._jsx,
            "jsx_self_closing_element": self._jsx,
            "jsx_expression": lambda node: self.read(inner(node)),
            "undefined": lambda _: NOTHING,
            "null": lambda _: NOTHING,
            **dict.fromkeys(_PLAIN, lambda node: self.literal(_PLAIN[node.type])),
            **dict.fromkeys(_FUNCTIONS, lambda node: self.function(node, "")[1]),
            "class": lambda node: self.class_(node, ""),
        }

    # What builds on this

    def function(self, node: Node, name: str, owner: Scope | None = None) -> tuple[Scope, int]:
        """Return the scope of a function, read whole, and the variable that holds it."""
        raise NotImplementedError

    def class_(self, node: Node, name: str, owner: Scope | None = None) -> int:
        """Return the variable of a class, read whole."""
        raise NotImplementedError

    def object_literal(self, node: Node, name: str, owner: Scope | None = None) -> int:
        """Return the variable of an object literal; its functions count their names from *name* if there is one."""
        raise NotImplementedError

    # Reading

    def read(self, node: Node | None) -> int:
        """Return the variable that holds the value of *node*."""
        if node is None:
            return NOTHING
        return self._deeper(node, self._visits.get(node.type, self._read_parts))

    def _deeper(self, node: Node, visit: Callable[[Node], int]) -> int:
        """Read a node that stands in the one that is being read, unless that goes too deep."""
        if self._depth >= MAX_DEPTH:
            self.too_deep(node)
            return NOTHING
        self._depth += 1
        value = visit(node)
        self._depth -= 1
        return value

    def _read_parts(self, node: Node) -> int:
        for child in node.named_children:
            self.read(child)
        return NOTHING

    def too_deep(self, node: Node) -> None:
        """Say once that something is nested too deep."""
        if not any(problem.endswith("nested too deep") for problem in self.problems):
            self.problems.append(f"line {line(node)}: nested too deep")

    def named(self, node: Node | None, name: str, owner: Scope | None = None) -> int:
        """Return the variable of a value that is given to *name*; a function or class without a name takes it."""
        bare = unwrapped(node)
        if bare is None:
            return NOTHING
        if bare.type in _FUNCTIONS:
            return self._deeper(bare, lambda one: self.function(one, name, owner)[1])
        if bare.type == "class":
            return self._deeper(bare, lambda one: self.class_(one, name, owner))
        if bare.type == "object" and name:
            return self._deeper(bare, lambda one: self.object_literal(one, name, owner))
        if bare.type == "assignment_expression":
            return self._deeper(bare, lambda one: self._assign_named(one, name))
        return self.read(node)

    def _nothing_of(self, node: Node | None) -> int:
        self.read_owner(node)
        return NOTHING

    def site(self, node: Node, text: str = "", scope: Scope | None = None) -> int:
        """Return the number of a new site."""
        (row, column), (end_row, end_column) = node.start_point, node.end_point
        index = (scope or self.names.scope).index
        self.names.sites.append(Site(index, row + 1, column, end_row + 1, end_column, text))
        return len(self.names.sites) - 1

    def string(self, node: Node) -> str:
        """Return what a string or template without parts says."""
        return self.source.text(node)[1:-1]

    def text_of(self, node: Node | None) -> str:
        """Return a dotted name as it is written; what is no name before its last part is an ellipsis."""
        node = unwrapped(node)
        if node is None:
            return ""
        if node.end_byte - node.start_byte <= _LONGEST_TEXT and _DOTTED.match(text := self.source.text(node)):
            return text.replace("?", "")
        return f"….{self.source.text(node.child_by_field_name('property'))[-_LONGEST_TEXT:]}"

    # Names and members

    def _identifier(self, node: Node) -> int:
        name = self.source.text(node)
        binding = self.names.find(name)
        if binding is None:
            return self._unbound(name)
        variable = self.names.value_of(binding)
        if binding.scope is not self.names.scope or binding.defines >= 0:
            self.names.steps.append(Use(variable, self.site(node, name)))
        return variable

    def _unbound(self, name: str) -> int:
        if name == "arguments":
            return self._arguments()
        if name in ("exports", "module"):
            return self.exports() if name == "exports" else NOTHING
        return self.names.unbound(name)

    def exports(self) -> int:
        """Return the variable of ``module.exports``."""
        if not self.exports_variable:
            self.exports_variable = self.build("object", [])
        return self.exports_variable

    def is_exports(self, node: Node | None) -> bool:
        """Return whether *node* is ``module.exports`` or ``exports``."""
        node = unwrapped(node)
        name = "exports"
        if node is not None and node.type == "member_expression":
            if self.source.text(node.child_by_field_name("property")) != name:
                return False
            node, name = node.child_by_field_name("object"), "module"
        if node is None or node.type != "identifier" or self.source.text(node) != name:
            return False
        return self.names.find(name) is None

    def _arguments(self) -> int:
        scope = self._function_around()
        if scope.arguments == NOTHING:
            scope.arguments = self.names.new()
        return scope.arguments

    def _function_around(self) -> Scope:
        scope = self.names.scope
        while scope.is_arrow and scope.around is not None:
            scope = scope.around
        return scope

    def this(self) -> int:
        """Return the variable of ``this``."""
        scope = self._function_around()
        if scope.kind is ScopeKind.MODULE:
            return NOTHING
        scope.receiver = scope.receiver or self.names.new()
        return scope.receiver

    def read_owner(self, node: Node | None) -> int:
        """Return the variable of *node*, which is called or whose member is read: that is no mention of its value."""
        bare = unwrapped(node)
        if bare is not None and bare.type == "identifier":
            name = self.source.text(bare)
            binding = self.names.find(name)
            return self._unbound(name) if binding is None else self.names.value_of(binding)
        if bare is not None and bare.type == "member_expression":
            return self._deeper(bare, lambda one: self._member(one)[0])
        return self.read(node)

    def _member_mentioned(self, node: Node) -> int:
        into, site = self._member(node)
        if into and site >= 0:
            self.names.steps.append(Use(into, site))
        return into

    def _member(self, node: Node) -> tuple[int, int]:
        name = self.source.text(node.child_by_field_name("property"))
        if name == "exports" and self.is_exports(node):
            return self.exports(), -1
        owner_node = node.child_by_field_name("object")
        owner = self._super() if owner_node is not None and owner_node.type == "super" else self.read_owner(owner_node)
        return self.member(node, owner, name, self.text_of(node))

    def member(self, node: Node, owner: int, name: str, text: str = "") -> tuple[int, int]:
        """Return the variable and site of a member."""
        if not owner:
            if name not in CALLING:
                return NOTHING, -1
            owner = self.names.new()
        into, site = self.names.new(), self.site(node, text or name)
        self.names.steps.append(Member(into, owner, name, site))
        return into, site

    def _super(self) -> int:
        scope: Scope | None = self._function_around()
        method = scope
        while scope is not None and scope.kind is not ScopeKind.CLASS:
            scope = scope.around
        if scope is None or method is None:
            return NOTHING
        into = self.names.new()
        self.names.steps.append(Super(into, scope.index, self.this()))
        return into

    def _subscript(self, node: Node) -> int:
        owner = self.read_owner(node.child_by_field_name("object"))
        index = node.child_by_field_name("index")
        key = self.key_of(index)
        if key is None:
            self.read(index)
        if not owner:
            return NOTHING
        if isinstance(key, str):
            return self.member(node, owner, key)[0]
        into = self.names.new()
        self.names.steps.append(Item(into, owner, key, self.site(node)))
        return into

    def key_of(self, node: Node | None) -> str | int | None:
        """Return the key that an index evidently is; ``None`` when it is not."""
        node = unwrapped(node)
        if node is None:
            return None
        if node.type in ("string", "template_string"):
            is_whole = child_of_type(node, "template_substitution") is None
            return self.string(node) if is_whole else None
        if node.type == "number":
            text = self.source.text(node)
            return int(text) if text.isdecimal() else None
        if node.type == "identifier":
            binding = self.names.find(self.source.text(node))
            return binding.text if binding is not None else None
        if node.type == "member_expression" and self.text_of(node).startswith("Symbol."):
            return self.text_of(node)
        return None

    # Calls

    def _call(self, node: Node) -> int:
        known = self._known.pop(node.id, None)
        if known is not None:
            return known
        self._read_long_chain(node)
        function = unwrapped(node.child_by_field_name("function"))
        arguments = node.child_by_field_name("arguments")
        text = self.text_of(function)
        if function is None or arguments is None:
            return NOTHING
        if arguments.type == "template_string":
            callee = self.read_owner(function)
            parts = [("", self.read(inner(one))) for one in arguments.named_children if one.type != "string_fragment"]
            return self.call(node, callee, [("", NOTHING), *parts], text)
        if function.type == "import":
            return self._dynamic_import(node, arguments)
        if text == "require" and self.names.find(text) is None:
            return self._require(node, arguments)
        if function.type == "super":
            owner = self._super()
            callee = self.member(function, owner, "constructor", "super")[0] if owner else NOTHING
        else:
            callee = self.read_owner(function)
        self.note_inheritance(text, arguments)
        given = self.arguments(arguments)
        return self.call(node, callee, given, text)

    def note_inheritance(self, text: str, arguments: Node) -> None:
        """Let calls such as ``util.inherits(B, A)`` say what a constructor inherits."""
        raise NotImplementedError

    def _read_long_chain(self, node: Node) -> None:
        """Read the calls at the beginning of a long chain first, one after another and not inside each other."""
        calls: list[Node] = []
        inner: Node | None = node if node.end_byte - node.start_byte > _LONG_CHAIN_BYTES else None
        while inner is not None and inner.type in _CHAINED:
            if inner.type == "call_expression":
                if inner.id in self._known:
                    break
                calls.append(inner)
            inner = unwrapped(inner.child_by_field_name(_CHAINED[inner.type]))
        if len(calls) > _LONG_CHAIN:
            for one in reversed(calls[1:]):
                self._known[one.id] = self._call(one)

    def call(
        self,
        node: Node,
        callee: int,
        arguments: Sequence[tuple[str, int]],
        text: str,
        fallback: int = NOTHING,
        scope: Scope | None = None,
    ) -> int:
        """Return the variable of what a call gives."""
        into = self.names.new()
        self.names.steps.append(Call(into, callee, tuple(arguments), self.site(node, text, scope), fallback))
        return into

    def arguments(self, node: Node | None) -> list[tuple[str, int]]:
        """Return names and variables of arguments."""
        found = []
        for one in node.named_children if node is not None else ():
            if one.type != "comment":
                found.append(("*" if one.type == "spread_element" else "", self.read(one)))
        return found

    def _new(self, node: Node) -> int:
        constructor = node.child_by_field_name("constructor")
        callee = self.read_owner(constructor)
        arguments = self.arguments(node.child_by_field_name("arguments"))
        into = self.names.new()
        site = self.site(node, self.text_of(constructor))
        self.names.steps.append(New(into, callee, tuple(arguments), site))
        return into

    def _require(self, node: Node, arguments: Node) -> int:
        module = next((one for one in arguments.named_children if one.type in ("string", "template_string")), None)
        if module is None or len(arguments.named_children) != 1 or module.named_child_count > 1:
            self.arguments(arguments)
            return NOTHING
        return self.imported(self.string(module), EXPORTS, node)

    def imported(self, module: str, name: str, node: Node) -> int:
        """Return the variable of a module, or of one of its names."""
        into = self.names.new()
        self.names.steps.append(Import(into, module, 0, name, line(node)))
        return into

    def _dynamic_import(self, node: Node, arguments: Node) -> int:
        module = child_of_type(arguments, "string")
        if module is None:
            self.arguments(arguments)
            return NOTHING
        return self.build("promise", [(0, self.imported(self.string(module), "", node))])

    # Values

    def literal(self, kind: str, text: str = "") -> int:
        """Return the variable that holds a value of a built-in type."""
        text = text if len(text) <= _LONGEST_TEXT else ""
        if (kind, text) not in self._literals:
            into = self._literals[kind, text] = self.names.new()
            self.names.literals.add(into)
            self.names.steps.append(Literal(into, kind, text))
        return self._literals[kind, text]

    def build(self, kind: str, items: Sequence[tuple[object, int]], spreads: Sequence[int] = ()) -> int:
        """Return the variable of a new container."""
        into = self.names.new()
        self.names.steps.append(Build(into, kind, tuple(items), tuple(spreads)))
        return into

    def _array(self, node: Node) -> int:
        items: list[tuple[object, int]] = []
        index, is_spread = 0, False
        for child in node.children:
            if child.type == ",":
                index += 1
            elif child.type == "spread_element":
                items.append((None, self.elements(child, self.read(child))))
                is_spread = True
            elif child.is_named and child.type not in _PLAIN and (value := self.read(child)):
                items.append((None if is_spread else index, value))
        return self.build("list", items)

    def elements(self, node: Node, source: int, index: int | None = None) -> int:
        """Return the variable of the elements of *source*, or of that at *index*."""
        if not source:
            return NOTHING
        into = self.names.new()
        self.names.steps.append(Iterate(into, source, index, self.site(node)))
        return into

    def _template(self, node: Node) -> int:
        for child in node.named_children:
            if child.type == "template_substitution":
                self.read(inner(child))
        return self.literal("String", self._beginning(node))

    def _beginning(self, node: Node) -> str:
        """Return what a text that is put together begins with, marked as open; ``""`` when that is not evident."""
        first = inner(node)
        if first is None or first.type != "string_fragment":
            return ""
        is_whole = node.named_child_count == 1
        return self.source.text(first) + ("" if is_whole else OPEN_TEXT)

    def _assertion(self, node: Node) -> int:
        children = [one for one in node.named_children if one.type != "comment"]
        written, value = children[-1], children[0]
        if node.type == "type_assertion":
            written, value = children[0].named_children[0], children[-1]
        inner = self.read(value)
        promised = self.names.copied(inner)
        self.promise(written, promised)
        return promised

    # Operators

    def _binary(self, node: Node) -> int:
        operands: list[Node] = []
        inner: Node | None = node
        operator = node.child_by_field_name("operator")
        kind = operator.type if operator is not None else ""
        while inner is not None and inner.type == "binary_expression":
            own = inner.child_by_field_name("operator")
            right = inner.child_by_field_name("right")
            if own is None or own.type != kind or right is None:
                break
            operands.append(right)
            inner = inner.child_by_field_name("left")
        if inner is not None:
            operands.append(inner)
        operands.reverse()
        if kind in _LOGICAL:
            return self._logical(operands, kind)
        for operand in operands:
            self.read_owner(operand)
        if kind == "+" and operands[0].type == "string":
            return self.literal("String", self._beginning(operands[0]) + OPEN_TEXT)
        return self.literal("Number" if kind in ("-", "*", "/", "%", "**") else "")

    def _logical(self, operands: Sequence[Node], kind: str) -> int:
        before = self.names.snapshot()
        values = []
        for operand in operands:
            values.append(self.read(operand))
            if kind != "??" and operand is not operands[-1]:
                when_true, when_false = self.narrowings(operand)
                self.narrow(when_true if kind == "&&" else when_false)
        after = self.names.path()
        self.names.merge((before, after) if after != before else (before,))
        return values[-1] if kind == "&&" else self.names.joined(values)

    def _ternary(self, node: Node) -> int:
        test = node.child_by_field_name("condition")
        self.read_owner(test)
        when_true, when_false = self.narrowings(test)
        before = self.names.snapshot()
        self.narrow(when_true)
        first = self.read(node.child_by_field_name("consequence"))
        after = self.names.path()
        self.names.restore(before)
        self.narrow(when_false)
        second = self.read(node.child_by_field_name("alternative"))
        self.names.merge((after, self.names.path()))
        return self.names.joined((first, second))

    def _sequence(self, node: Node) -> int:
        value = NOTHING
        for child in node.named_children:
            value = self.read(child)
        return value

    def narrowings(self, test: Node | None) -> tuple[Narrowing, Narrowing]:
        """Return what is known of names where *test* holds, and where it does not."""
        test = unwrapped(test)
        if test is None or test.type not in ("binary_expression", "unary_expression"):
            return {}, {}
        operator = test.child_by_field_name("operator")
        kind = operator.type if operator is not None else ""
        if test.type == "unary_expression":
            when_true, when_false = self.narrowings(test.child_by_field_name("argument")) if kind == "!" else ({}, {})
            return when_false, when_true
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        if kind == "&&":
            return {**self.narrowings(left)[0], **self.narrowings(right)[0]}, {}
        if kind == "||":
            return {}, {**self.narrowings(left)[1], **self.narrowings(right)[1]}
        if kind == "instanceof" and left is not None and left.type == "identifier":
            binding = self.names.find(self.source.text(left))
            if binding is not None:
                owner = self.read_owner(right)
                return {binding: (owner, False)}, {binding: (owner, True)}
        return {}, {}

    def narrow(self, narrowing: Narrowing) -> None:
        """Go on knowing *narrowing*."""
        for binding, (owner, is_negated) in narrowing.items():
            value, into = self.names.value_of(binding), self.names.new()
            self.names.steps.append(Narrow(into, value, (owner,), is_negated))
            self.names.scope.versions[binding] = into

    # Assignment

    def _assignment(self, node: Node) -> int:
        return self._assign_named(node, "")

    def _assign_named(self, node: Node, name: str) -> int:
        """Read an assignment whose value is also given to *name*."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        left = unwrapped(left)
        if left is None:
            return self.read(right)
        if left.type == "identifier":
            value = self.named(right, self.source.text(left))
        elif left.type == "member_expression":
            return self.assign_member(left, right, name)
        else:
            value = self.read(right)
        self.assign(left, value)
        return value

    def assign_member(self, left: Node, right: Node | None, suggested: str = "") -> int:
        """Return the variable of the value of ``left.name = right``; what is exported takes a *suggested* name."""
        raise NotImplementedError

    def _augmented(self, node: Node) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = self.source.text(node.child_by_field_name("operator"))
        before = self.read_owner(left)
        if operator not in ("||=", "&&=", "??="):
            self.read(right)
            return NOTHING
        name = self.source.text(left) if left is not None and left.type == "identifier" else ""
        value = self.names.joined((before, self.named(right, name)))
        if left is not None:
            self.assign(left, value)
        return value

    def assign(self, pattern: Node | None, value: int, *, declares: bool = False) -> None:
        """Assign the value of a variable to a target of any form; one that *declares* binds in the current block."""
        pattern = unwrapped(pattern)
        if pattern is not None:
            self._deeper(pattern, lambda one: self._assign_part(one, value, declares=declares))

    def _assign_part(self, pattern: Node, value: int, *, declares: bool) -> int:
        kind = pattern.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            self.assign_name(self.source.text(pattern), value, declares=declares)
        elif kind == "object_pattern":
            self._assign_object(pattern, value, declares=declares)
        elif kind == "array_pattern":
            self._assign_array(pattern, value, declares=declares)
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            default = self.named(
                pattern.child_by_field_name("right"), self.source.text(pattern.child_by_field_name("left"))
            )
            self.assign(pattern.child_by_field_name("left"), self.names.joined((value, default)), declares=declares)
        elif kind == "rest_pattern":
            self.assign(inner(pattern), value, declares=declares)
        elif kind == "member_expression":
            owner = self.read_owner(pattern.child_by_field_name("object"))
            name = self.source.text(pattern.child_by_field_name("property"))
            self.set_member(pattern, owner, name, value)
        elif kind == "subscript_expression":
            self._assign_item(pattern, value)
        return NOTHING

    def assign_name(self, name: str, value: int, *, declares: bool) -> None:
        """Give a name a value; one that nobody declares is nobody's."""
        binding = self.names.declare(name) if declares else self.names.find(name)
        if binding is not None:
            self.names.bind(binding, value)
        elif name == "exports":
            self.names.copy(value, self.exports())

    def set_member(self, node: Node, owner: int, name: str, value: int) -> None:
        """Write ``owner.name = value``."""
        if owner:
            self.names.steps.append(SetMember(owner, name, value, self.site(node, name)))

    def _assign_object(self, pattern: Node, value: int, *, declares: bool) -> None:
        for part in pattern.named_children:
            if part.type == "rest_pattern":
                self.assign(inner(part), self.build("object", [], [value]), declares=declares)
                continue
            if part.type == "pair_pattern":
                key = self.property_name(part.child_by_field_name("key"))
                target = part.child_by_field_name("value")
            elif part.type == "object_assignment_pattern":
                key, target = self.source.text(part.child_by_field_name("left")), part
            elif part.type == "shorthand_property_identifier_pattern":
                key, target = self.source.text(part), part
            else:
                continue
            member = self.member(part, value, key)[0] if key and value else NOTHING
            self.assign(target, member, declares=declares)

    def _assign_array(self, pattern: Node, value: int, *, declares: bool) -> None:
        index = 0
        for child in pattern.children:
            if child.type == ",":
                index += 1
            elif child.type == "rest_pattern":
                rest = self.build("list", [(None, self.elements(child, value))])
                self.assign(inner(child), rest, declares=declares)
            elif child.is_named and child.type != "comment":
                self.assign(child, self.elements(child, value, index), declares=declares)

    def _assign_item(self, pattern: Node, value: int) -> None:
        owner = self.read_owner(pattern.child_by_field_name("object"))
        index = pattern.child_by_field_name("index")
        key = self.key_of(index)
        if key is None:
            self.read(index)
        if isinstance(key, str):
            self.set_member(pattern, owner, key, value)
        elif owner:
            self.names.steps.append(SetItem(owner, key, value, self.site(pattern)))

    def property_name(self, node: Node | None) -> str:
        """Return the evident name of a property; ``""`` for a computed one."""
        if node is None:
            return ""
        if node.type == "computed_property_name":
            key = self.key_of(inner(node))
            if key is None:
                self.read(inner(node))
            return "" if key is None else str(key)
        if node.type == "string":
            return self.string(node)
        return self.source.text(node)

    # Functions that wait

    def _await(self, node: Node) -> int:
        source = self.read(inner(node))
        if not source:
            return NOTHING
        into = self.names.new()
        self.names.steps.append(Await(into, source, self.site(node)))
        return into

    def _yield(self, node: Node) -> int:
        value = self.read(inner(node))
        is_delegating = any(child.type == "*" for child in node.children)
        if is_delegating:
            value = self.elements(node, value)
        scope = self.names.scope
        scope.yields = scope.yields or self.names.new()
        self.names.copy(value, scope.yields)
        return NOTHING

    # JSX

    def _jsx(self, node: Node) -> int:
        tag = node.child_by_field_name("open_tag") if node.type == "jsx_element" else node
        if tag is None:
            return NOTHING
        items: list[tuple[object, int]] = []
        spreads: list[int] = []
        for attribute in tag.children_by_field_name("attribute"):
            if attribute.type != "jsx_attribute":
                spreads.append(self.read(inner(attribute)))
                continue
            name, *values = attribute.named_children
            if values and (value := self.named(_content(values[0]), "")):
                items.append((self.source.text(name), value))
        children = [self.read(one) for one in node.named_children if one.type.startswith("jsx_") and one is not tag]
        items += [("children", child) for child in children if child]
        component = tag.child_by_field_name("name")
        if component is None or (self.source.text(component)[:1].islower() and component.type == "identifier"):
            return NOTHING
        props = self.build("object", items, spreads)
        return self.call(tag, self._component(component), [("", props)], self._component_text(component))

    def _component(self, node: Node) -> int:
        if node.type in ("nested_identifier", "jsx_namespace_name"):
            first, *rest = self.source.text(node).split(".")
            binding = self.names.find(first)
            value = self._unbound(first) if binding is None else self.names.value_of(binding)
            for name in rest:
                value = self.member(node, value, name)[0]
            return value
        return self.read_owner(node)

    def _component_text(self, node: Node) -> str:
        return self.source.text(node)[-_LONGEST_TEXT:]

    def define(self, scope: Scope) -> int:
        """Return a new variable that holds the function or class of *scope*."""
        value = self.names.new()
        self.names.steps.append(Define(value, scope.index))
        return value


CALLING = frozenset(
    "map filter forEach reduce reduceRight some every find findIndex findLast flatMap sort then catch finally "
    "addEventListener addListener on once".split()
)
"""Methods that call the functions they are given, whatever they are methods of."""


def unwrapped(node: Node | None) -> Node | None:
    """Return what stands in parentheses, or under an assertion that says nothing of its value."""
    while node is not None and node.type in _WRAPPERS:
        node = inner(node)
    return node


def inner(node: Node | None) -> Node | None:
    """Return the first part of a node that is no comment."""
    children = node.named_children if node is not None else ()
    return next((child for child in children if child.type != "comment"), None)


def _content(node: Node) -> Node | None:
    return inner(node) if node.type == "jsx_expression" else node
