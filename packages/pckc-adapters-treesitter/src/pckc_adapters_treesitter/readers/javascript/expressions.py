"""Names, members, calls and values."""

from pckc_domain.model.code_facts import (
    NOTHING,
    Await,
    Item,
    Member,
    New,
    ScopeKind,
    Super,
    Use,
)
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.names import Names, Scope
from pckc_adapters_treesitter.readers.javascript.reading import (
    EXPORTS,
    FUNCTION_VALUES,
    OPEN_TEXT,
    Reading,
    inner,
    unwrapped,
)
from pckc_adapters_treesitter.readers.source import Source, child_at, child_of_type

_CHAINED = {"call_expression": "function", "member_expression": "object", "subscript_expression": "object"}
_LONG_CHAIN = 12
_LONG_CHAIN_BYTES = 3 * _LONG_CHAIN
_PLAIN = {"number": "Number", "true": "Boolean", "false": "Boolean", "regex": "RegExp"}

CALLING = frozenset(
    "map filter forEach reduce reduceRight some every find findIndex findLast flatMap sort then catch finally "
    "addEventListener addListener on once".split()
)
"""Methods that call the functions they are given, whatever they are methods of."""


class Expressions(Reading):
    """Reads expressions."""

    def __init__(self, source: Source, names: Names) -> None:
        super().__init__(source, names)
        self._known: dict[int, int] = {}
        self.visits |= {
            "identifier": self._identifier,
            "this": lambda _: self.this(),
            "member_expression": self._member_mentioned,
            "subscript_expression": self._subscript,
            "call_expression": self._call,
            "new_expression": self._new,
            "parenthesized_expression": lambda node: self.read(inner(node)),
            "non_null_expression": lambda node: self.read(inner(node)),
            "instantiation_expression": lambda node: self.read(inner(node)),
            "satisfies_expression": lambda node: self.read(inner(node)),
            "as_expression": self._assertion,
            "type_assertion": self._assertion,
            "string": lambda node: self.literal("String", self.string(node)),
            "template_string": self._template,
            "array": self._array,
            "object": lambda node: self.object_literal(node, ""),
            "await_expression": self._await,
            "yield_expression": self._yield,
            "spread_element": lambda node: self.read(inner(node)),
            "undefined": lambda _: NOTHING,
            "null": lambda _: NOTHING,
            **dict.fromkeys(_PLAIN, lambda node: self.literal(_PLAIN[node.type])),
            **dict.fromkeys(FUNCTION_VALUES, lambda node: self.function(node, "")[1]),
            "class": lambda node: self.class_(node, ""),
        }

    # Names and members

    def _identifier(self, node: Node) -> int:
        name = self.source.text(node)
        binding = self.names.find(name)
        if binding is None:
            return self.unbound(name)
        variable = self.names.value_of(binding)
        if binding.scope is not self.names.scope or binding.defines >= 0:
            self.names.steps.append(Use(variable, self.site(node, name)))
        return variable

    def unbound(self, name: str) -> int:
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
        scope = self.function_around()
        if scope.arguments == NOTHING:
            scope.arguments = self.names.new()
        return scope.arguments

    def function_around(self) -> Scope:
        scope = self.names.scope
        while scope.is_arrow and scope.around is not None:
            scope = scope.around
        return scope

    def this(self) -> int:
        """Return the variable of ``this``."""
        scope = self.function_around()
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
            return self.unbound(name) if binding is None else self.names.value_of(binding)
        if bare is not None and bare.type == "member_expression":
            return self.deeper(bare, lambda one: self._member(one)[0])
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
        scope: Scope | None = self.function_around()
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

    def _dynamic_import(self, node: Node, arguments: Node) -> int:
        module = child_of_type(arguments, "string")
        if module is None:
            self.arguments(arguments)
            return NOTHING
        return self.build("promise", [(0, self.imported(self.string(module), "", node))])

    # Values

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
        written, value = child_at(node, -1), child_at(node, 0)
        if node.type == "type_assertion":
            written, value = child_at(child_at(node, 0), 0), child_at(node, -1)
        held = self.read(value)
        promised = self.names.copied(held)
        self.promise(written, promised)
        return promised

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
