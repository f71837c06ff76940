"""Assignments to names, members and patterns."""

from pckc_domain.model.code_facts import NOTHING, SetItem
from tree_sitter import Node

from pckc_adapters_treesitter.readers.javascript.names import Names
from pckc_adapters_treesitter.readers.javascript.operators import Operators
from pckc_adapters_treesitter.readers.javascript.reading import inner, unwrapped
from pckc_adapters_treesitter.readers.source import Source


class Assignments(Operators):
    """Reads assignments."""

    def __init__(self, source: Source, names: Names) -> None:
        super().__init__(source, names)
        self.visits["assignment_expression"] = lambda node: self.assign_named(node, "")
        self.visits["augmented_assignment_expression"] = self._augmented

    def assign_named(self, node: Node, name: str) -> int:
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
            self.deeper(pattern, lambda one: self._assign_part(one, value, declares=declares))

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
