"""Object literals, members that are assigned, and the ways in which old code makes classes of functions."""

from pckc_domain.model.code_facts import NOTHING, Build, ScopeKind
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.classes import Classes
from pckc_adapters_treesitter.readers.javascript.names import Scope
from pckc_adapters_treesitter.readers.javascript.reading import FUNCTION_VALUES, MAX_DEPTH, inner, unwrapped
from pckc_adapters_treesitter.readers.source import line

_MOST_PARTS = 2_000
"""Parts of an object literal that are looked through for functions."""

_INHERITS = {
    "inherits": False, "util.inherits": False, "__extends": False, "Object.setPrototypeOf": True, "inherit": False,
}  # fmt: skip
"""Functions that let a constructor inherit from another; with prototypes as arguments or without."""


class Objects(Classes):
    """Reads object literals and assigned members."""

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
                key, variable = self.part(part, into, owner)
                if variable:
                    items.append((key or None, variable))
        self.names.steps.append(Build(into, "object", tuple(items), tuple(spreads)))
        return into

    def _set_part(self, node: Node, owner: int, key: object, value: int) -> None:
        """What stands before a spread may be replaced by it."""
        if isinstance(key, str):
            self.set_member(node, owner, key, value)

    def part(self, node: Node, into: int, owner: Scope | None) -> tuple[str, int]:
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
            return name, self.accessor(node, value)
        name = self.property_name(node.child_by_field_name("key"))
        return name, self.method_value(node.child_by_field_name("value"), name, owner, into)

    def method_value(self, node: Node | None, name: str, owner: Scope | None, into: int) -> int:
        """Read what becomes a member of *into*; a function has that as its ``this``."""
        bare = unwrapped(node)
        if bare is None or bare.type not in FUNCTION_VALUES:
            return self.named(node, name, owner)
        if self.depth >= MAX_DEPTH:
            self.too_deep(bare)
            return NOTHING
        self.depth += 1
        function, value = self.function(bare, name, owner)
        self.depth -= 1
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
        value = self.method_value(right, name, self._owner_of(owner_node), owner)
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
                name, value = self.part(part, this, constructor)
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


def _is_function(part: Node) -> bool:
    """Return whether a part of an object literal is a function, or an object with functions."""
    stack = [part]
    for _ in range(_MOST_PARTS):
        if not stack:
            break
        one = stack.pop()
        if one.type == "method_definition" or one.type in FUNCTION_VALUES:
            return True
        if one.type == "pair":
            value = unwrapped(one.child_by_field_name("value"))
            if value is not None:
                stack.append(value)
        elif one.type == "object":
            stack.extend(one.named_children)
    return False
